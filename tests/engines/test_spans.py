"""The engine of methods without a guarantee: no marked text comes back, whatever a method answers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marked_spans import Marked
from sfumato.abstract.heuristic import SpanHeuristic
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Replaced
from sfumato.errors import ConfigurationError, InputError
from sfumato.privacy.randomness import PinnedRandomness, SeededRandomness, SystemRandomness
from sfumato.release.statement import NO_GUARANTEE, statement
from sfumato.text.document import Document, Release, records
from sfumato.text.guarding import guarded
from sfumato.text.marks import Layout, MarkedRecord, Spans, marked_records
from sfumato.text.occurrences import Occurrences


@dataclass(frozen=True)
class Says(SpanHeuristic):
    """Answers with given outputs in turns, and remembers the seeds it got."""

    outputs: tuple[str, ...]
    seen: list[int] = field(default_factory=list, compare=False)
    name = "says"

    @property
    def parameters(self) -> dict[str, Any]:
        return {"outputs": len(self.outputs)}

    def replacements(self, records: Sequence[MarkedRecord], seeds: Sequence[int]) -> list[list[str]]:
        self.seen.extend(seeds)
        layouts = [layout for record in records for layout in record.layouts]
        return [[self.outputs[at % len(self.outputs)] for at in range(len(layout.spans))] for layout in layouts]


def everywhere(layout: Layout) -> MarkedRecord:
    (record,) = marked_records([Document(layout.text)], [layout])
    return record.everywhere()


def edited(text: str, spans: Sequence[tuple[int, int, str]], *outputs: str, everywhere: bool = True) -> str:
    document = Document(text, "1", {"spans": spans})
    return Engine(Marked(), Replaced(Says(outputs)), everywhere=everywhere).sanitize(document).text


def find(text: str, marked: str, label: str = "NAME") -> tuple[int, int, str]:
    at = text.index(marked)
    return at, at + len(marked), label


def test_spans_are_replaced_and_the_rest_stands() -> None:
    text = "Anna met Peter in Oslo."
    assert edited(text, [find(text, "Anna"), find(text, "Oslo", "PLACE")], "A", "B") == "A met Peter in B."


def test_a_marked_text_is_marked_everywhere_as_whole_words() -> None:
    text = "Anna, ANNA and Annabel: anna."
    assert edited(text, [find(text, "Anna")], "X") == "X, X and Annabel: X."
    assert edited(text, [find(text, "Anna")], "X", everywhere=False) == "X, ANNA and Annabel: anna."
    (layout,) = everywhere(Layout("Weiß or WEISS or weiß", [(0, 4)], ["NAME"])).layouts
    assert [layout.text[slice(*span)] for span in layout.spans] == ["Weiß", "WEISS", "weiß"]


SPELLED = (
    "Zoë Smith was seen. ZOE\u0308 SMITH\u2019S coat; Zo\u200bë\nSmith, Ｚｏë Ｓｍｉｔｈ, Zoe_Smith, Zo\u00adë-Smith."
)


def test_no_spelling_of_a_marked_text_stands() -> None:
    assert edited(SPELLED, [find(SPELLED, "Zoë Smith")], "X") == "X was seen. X\u2019S coat; X, X, X, X."
    for answer in ("ZOE\u0308\nSMITH", "zoe smith's", "Z\u200boë Smith", "Ｚｏë Ｓｍｉｔｈ!"):
        assert edited(SPELLED, [find(SPELLED, "Zoë Smith")], answer).startswith("[NAME] was seen. [NAME]")


def test_an_answer_inside_a_word_is_not_the_marked_text_either() -> None:
    assert edited("fooAnnabar", [(3, 7, "NAME")], "Anna") == "foo[NAME]bar"


def test_half_a_letter_does_not_stand() -> None:
    assert edited("Zoe\u0308 left.", [(0, 3, "NAME")], "X") == "X left."


def test_fields_of_a_record_are_one_text() -> None:
    spans: dict[str, Any] = {"spans": [(0, 4, "NAME")]}

    @dataclass(frozen=True)
    class First(Marked):
        def detect(self, documents: Sequence[Document]) -> list[Spans]:
            return [Spans([(0, 4)], "NAME") if one.text.startswith("Anna") else Spans([]) for one in documents]

    record, other = {"id": "1", **spans}, {"id": "2", **spans}
    documents = [Document("Anna left.", "1/a", record), Document("So did ANNA.", "1/b", record)]
    documents += [Document("Who is Anna?", "2/a", other)]
    for outputs in (("X",), ("Anna",)):
        made = [one.text for one in Engine(First(), Replaced(Says(outputs))).sanitize_batch(documents)]
        put = "X" if outputs == ("X",) else "[NAME]"
        assert made == [f"{put} left.", f"So did {put}.", "Who is Anna?"]
    assert records(documents) == [range(2), range(2, 3)]
    assert records([Document("x"), Document("y")]) == [range(1), range(1, 2)]


def test_what_a_method_keeps_is_not_marked_but_for_texts_that_are() -> None:
    class Keeps(Says):
        def keeps(self, label: str) -> bool:
            return label == "PLACE"

    text = "Anna in Oslo, Anna Street"
    spans = [find(text, "Anna"), find(text, "Oslo", "PLACE"), find(text, "Anna Street", "PLACE")]
    document = Document(text, "1", {"spans": spans})
    assert Engine(Marked(), Replaced(Keeps(("X",)))).sanitize(document).text == "X in Oslo, X Street"


def test_a_longer_text_that_runs_into_a_span_hides_no_shorter_one() -> None:
    text = "John Smith met John. Later John Smith left."
    spans = [find(text, "John Smith"), (15, 19, "NAME"), (text.rindex("Smith"), text.rindex("Smith") + 5, "NAME")]
    assert edited(text, spans, "X") == "X met X. Later X X left."
    two = "Ann saw Ann."
    assert edited(two, [(0, 3, "NAME")], "X", everywhere=False) == "X saw Ann."


@pytest.mark.parametrize("answer", ["Anna", "anna", "dear Anna!", "Anna Smith"])
def test_an_answer_that_is_or_holds_a_marked_text_is_not_used(answer: str) -> None:
    text = "Anna went home."
    assert edited(text, [find(text, "Anna")], answer) == "[NAME] went home."


def test_a_label_that_is_a_marked_text_is_not_used_either() -> None:
    text = "The NAME is REMOVED."
    spans = [find(text, "NAME"), find(text, "REMOVED", "NAME")]
    assert edited(text, spans, "NAME", "REMOVED") == "The [...] is [...]."


def test_no_marked_text_appears_across_a_seam() -> None:
    text = "Jo-x Anna"  # what stands before the first span and an answer would make the second one
    spans = [(3, 4, "NAME"), find(text, "Anna"), ]  # fmt: skip
    made = edited("An" + "x" + " Anna", [(2, 3, "NAME"), (4, 8, "NAME")], "na", "B")
    assert not re.search(r"\bAnna\b", made)
    assert edited(text, spans, "y", "B") == "Jo-y B"


def test_a_word_that_a_replacement_frees_is_replaced_as_well() -> None:
    assert edited("fooAnna Anna", [(0, 3, "NAME"), (8, 12, "NAME")], "-", "-") == "-- -"
    assert edited("barfooAnna, Anna, bar", [(3, 6, "NAME"), (12, 16, "NAME")], "-") == "bar-- , -, bar".replace(
        " ,", ","
    )


def test_what_cannot_be_removed_is_an_error_and_holds_no_text() -> None:
    with pytest.raises(InputError) as raised:
        guarded(Release.joined("", ["", "-", "nna"], ["NAME"], 0), 0, Occurrences({"nna"}))
    assert "nna" not in str(raised.value)


def test_a_method_that_loses_a_span_is_refused() -> None:
    class Short(Says):
        def replacements(self, *given: Any) -> list[list[str]]:
            return [[] for _ in given[1]]

    with pytest.raises(ConfigurationError, match="more or fewer"):
        Engine(Marked(), Replaced(Short(("x",)))).sanitize(Document("Anna", "1", {"spans": [(0, 4, "NAME")]}))


def test_seeds_are_fresh_or_tied_to_the_id() -> None:
    documents = [Document("Anna", str(number), {"spans": [(0, 4, "NAME")]}) for number in range(3)]

    def seeds(randomness: Any, some: Sequence[Document] = documents) -> list[int]:
        method = Says(("x",))
        Engine(Marked(), Replaced(method)).sanitize_batch(some, randomness)
        return method.seen

    key = PinnedRandomness(bytes(range(32)))
    assert len({*seeds(SystemRandomness()), *seeds(SystemRandomness())}) == 6
    assert seeds(key) == seeds(key)[::1] == seeds(key, documents[::-1])[::-1]
    assert len({*seeds(key), *seeds(SeededRandomness(1))}) == 6
    assert all(0 <= one < 2**64 for one in seeds(key))


def test_the_statement_promises_nothing() -> None:
    told = statement(Engine(Marked(), Replaced(Says(("x",)))), SystemRandomness(), {0: 4}, 1, "jsonl")  # type: ignore[arg-type]
    assert told["summary"] == NO_GUARANTEE
    assert told["guarantee"] is None
    assert told["records"] == {"count": 4, "quarantined": 1, "texts_absent": 0}
    assert "epsilon" not in str(told).lower()
    assert "sfumato evaluate" in told["summary"]


WORDS = st.lists(
    st.sampled_from(
        [
            "Anna",
            "anna",
            "Ａnna",
            "An\u200bna",
            "Anna's",
            "Anna\nBo",
            "Anna Bo",
            "Bo",
            "x",
            "NAME",
            "REMOVED",
            "[",
            "-",
            "Zoë",
            "ZOE\u0308",
            "e\u0301",
            "\u0301",
            "Weiß",
            "WEISS",
            "İpek",
            "ipek",
            "李明",
            "명",
            "שלום",
            "\u200f",
            "12",
        ]
    ),
    max_size=9,
)
SEAMS = st.sampled_from([" ", "", "-", "\n", "\u00ad", "’s ", "_"])


def plainly(text: str) -> str:
    """Another, slower way to forget a spelling than the engine's."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(one for one in apart if unicodedata.category(one) not in ("Mn", "Cf"))
    return re.sub(r"\s+", " ", bare).replace("ı", "i").strip()


@settings(max_examples=300, deadline=None)
@given(WORDS, WORDS, st.lists(SEAMS, min_size=9, max_size=9), st.data())
def test_no_marked_text_survives_as_whole_words(
    words: list[str], outputs: list[str], gaps: list[str], data: Any
) -> None:
    text, spans = "", []
    for word, gap in zip(words, gaps, strict=False):
        if data.draw(st.booleans()):
            spans.append((len(text), len(text) + len(word), "NAME"))
        text += word + gap
    try:
        made = edited(text, spans, *(outputs or ["x"]))
    except InputError:
        return  # nothing was released
    for start, end, _ in spans:
        one = text[start:end]
        if any(map(str.isalnum, one)):
            letters = r"[\w\u0300-\u036f]"
            assert not re.search(rf"(?<!{letters}){re.escape(one)}(?!{letters})", made, re.IGNORECASE)
            assert not re.search(rf"(?<!\w){re.escape(plainly(one))}(?!\w)", plainly(made))
