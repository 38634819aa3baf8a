"""What stays and what is replaced is decided in one place: the engine, the register and the page agree."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from reviewing import session
from sfumato.detectors.given import Given
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Kept, Replaced
from sfumato.heuristics.redaction import Redaction
from sfumato.policy import Policy
from sfumato.protection.originals import marked
from sfumato.review.texts import Texts
from sfumato.review.treated import ByPolicy
from sfumato.text.document import Document
from sfumato.text.marks import Finding
from sfumato.text.measures import Measures

KEEPS = '[find]\ndetect = ["given"]\nkeep_measures = true\n[[treat]]\nkinds = ["HEALTH"]\nmethod = "keep"\n'
POLICY = Policy.parse(f'{KEEPS}[treat_others]\nmethod = "label"\n')
DOSE, ROOM = "She takes clopidogrel 75 mg now.", "Ask in 75 for Ann."
"""A figure with its unit, which is a measure, and the same figure as something that a policy hides."""


def engine() -> Engine:
    return Engine(Given(), Replaced(Redaction("label")), [Kept(["HEALTH"])], measures=Measures())


def record(*texts: tuple[str, Sequence[tuple[str, str]]]) -> list[Document]:
    """Documents of one record, in which the texts are marked with the labels."""
    fields = {
        f"spans{number}": [
            {"start": text.index(part), "end": text.index(part) + len(part), "label": label} for part, label in marks
        ]
        for number, (text, marks) in enumerate(texts)
    }
    return [
        Document(text, str(number), {**fields, "spans": fields[f"spans{number}"]})
        for number, (text, _) in enumerate(texts)
    ]


def staying(documents: Sequence[Document]) -> list[list[bool]]:
    made = engine()
    return made.staying(documents, made.detector.detect(documents))


def test_a_measure_stays_and_the_page_the_register_and_the_engine_say_so(tmp_path: Path) -> None:
    documents = record((DOSE, [("75", "QUANTITY"), ("She", "PERSON")]))
    assert staying(documents) == [[False, True]]
    found = marked(engine(), documents, [0])
    assert (found.replaced, found.kept) == ([{"PERSON": ("She",)}], [{"QUANTITY": ("75",)}])
    released = engine().sanitize_batch(documents)[0].text
    assert released == "[PERSON] takes clopidogrel 75 mg now."
    [page] = _pages(tmp_path, [documents])
    assert page == [("She", "label", False), ("75", "keep", True)]


def test_a_measure_that_a_policy_hides_elsewhere_is_replaced_in_the_dose_too(tmp_path: Path) -> None:
    """A look at one text alone would take the dose for a value that stays, which the release does not show."""
    texts = [(DOSE, [("75", "QUANTITY")]), (ROOM, [("75", "PHONE"), ("Ann", "PERSON")])]
    fields = {"of": "one record"}
    documents = [Document(own.text, own.id, fields) for own in record(*texts)]
    detected = [engine().detector.detect([own])[0] for own in record(*texts)]
    assert engine()._marking.records(documents, detected)[0].layouts[0].labels == ["PHONE"]
    assert engine().staying(documents, detected) == [[False], [False, False]]
    marks = [
        [Finding(*span, label) for span, label in zip(own.bounds, own.each_label(), strict=True)] for own in detected
    ]
    assert ByPolicy(POLICY).staying(documents, marks) == [[False], [False, False]]


def _pages(folder: Path, records: Sequence[Sequence[Document]]) -> list[list[tuple[str, str, bool]]]:
    """Return text, treatment and whether it stays of each mark of each record, as the page shows them."""
    documents = [document for own in records for document in own]
    edges = [0]
    for own in records:
        edges.append(edges[-1] + len(own))
    with session(
        folder / "d.jsonl", Texts(documents, edges), detector=Given(), treatment_of=ByPolicy(POLICY)
    ) as made:
        return [
            [
                (piece["text"], piece["treatment"], piece["stays"])
                for text in made.record(number)["texts"]
                for piece in text["pieces"]
                if "label" in piece
            ]
            for number in range(len(records))
        ]


WORDS = st.lists(
    st.sampled_from(["clopidogrel", "75", "mg", "Ann", "Hb", "9.1", "g", "asthma", "in", "."]), min_size=1, max_size=8
)
LABELS = st.sampled_from(["QUANTITY", "PERSON", "HEALTH", "CODE", "PHONE", "AGE"])


@given(WORDS, st.lists(st.tuples(st.integers(0, 7), LABELS), max_size=5, unique_by=lambda own: own[0]))
def test_a_mark_stays_if_and_only_if_no_replacement_covers_it(
    words: list[str], chosen: list[tuple[int, str]]
) -> None:
    text, spans = "", []
    places = dict(chosen)
    for number, word in enumerate(words):
        if number in places:
            spans.append({"start": len(text), "end": len(text) + len(word), "label": places[number]})
        text += f"{word} "
    document = Document(text, "", {"spans": spans})
    made = engine()
    replaced = [(start, end) for start, end, _ in made.spans(document)]
    [stays] = staying([document])
    covered = [any(a < span["end"] and span["start"] < b for a, b in replaced) for span in spans]
    assert stays == [not own for own in covered]
    [found] = [marked(made, [document], [0])]
    assert sum(map(len, found.kept[0].values())) == sum(stays)
    assert sum(map(len, found.replaced[0].values())) == len(stays) - sum(stays)
