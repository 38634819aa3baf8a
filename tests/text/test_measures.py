"""Doses, laboratory values and scores stay, and whether one stays depends on nothing that the release hides."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from sfumato.detectors.given import Given
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Kept, Replaced
from sfumato.heuristics.redaction import Redaction
from sfumato.language import lists
from sfumato.language.en.measures import is_measure
from sfumato.text.document import Document
from sfumato.text.marks import Layout, MarkedRecord
from sfumato.text.measures import LISTS, Measures


def test_another_list_is_another_setting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A run that resumes with other lists would leave other measures unmarked."""
    before = repr(Measures())
    assert repr(Measures("xx")) != before
    shutil.copytree(str(lists._FOLDER / "en"), tmp_path / "en")
    monkeypatch.setattr(lists, "_FOLDER", tmp_path)
    assert repr(Measures()) == before
    for name in LISTS:
        path = tmp_path / "en" / f"{name}.toml"
        path.write_text(f"{path.read_text(encoding='utf-8')}# changed", encoding="utf-8")
        assert repr(Measures()) != before
        before = repr(Measures())


MEASURES = (
    ("", "10 mg/24 h.", ""), ("BP ", "182/110, Hb 9.1 g", ", HR"), ("HR ", "75. BRCA1 mutation. MMSE 24/30", ". G"),
    ("GCS ", "15", "."), ("PHQ-9 score ", "12", "."), ("Creatinine ", "182, INR 2.5", ", r"), ("", "2.5mg od", ""),
    ("Weight ", "75 kg", ""), ("clopidogrel ", "75", " mg"), ("clopidogrel ", "75", " and"),
    ("", "75 mg and GTN", ""),
    ("a patch of 10 mg/", "24", " h"), ("", "PHQ-9", ""), ("", "BRCA1", ""), ("a ", "KRAS", " mutation"),
    ("K ", "4.5", ""), ("platelets ", "250,000", ""), ("haemoglobin was ", "9.1", ""), ("", "5-10", " mg"),
)  # fmt: skip
OTHERS = (
    ("aged ", "75", " years"), ("", "aged 75", ""), ("", "0161 496 0018", ""), ("INR ", "0161 496 0018", ""),
    ("", "11/02/2019", ""), ("", "Smith 75", " mg"), ("NHS ", "943 476 5919", ""), ("", "12345 g", ""),
    ("", "AB12 75", " mg"), ("ward ", "7", ", bed"), ("Room T ", "37", ""), ("", "John", " mg"), ("in ", "2019", ""),
    ("", "75 mg to John", ""), ("INR ", "1234567", ""), ("Elena (", "38", ") Hb 9.1"), ("", "clopidogrel", " 75 mg"),
    ("", "PT-55-07", ""), ("", "BP-1234", ""), ("", "CRP5507", ""), ("", "Na 0048", ""), ("", "MET 550", ""),
    ("Flat ", "12g", ""), ("BP ", "5507", ""), ("the ", "NEWS", " said"), ("", "", ""), ("", "75 mg " * 30, ""),
)  # fmt: skip


NAMED = {
    "75. BRCA1 mutation. MMSE 24/30", "15", "12", "182, INR 2.5", "4.5", "250,000", "9.1",
}  # fmt: skip
"""Figures that have a name and no unit."""
NEVER = (
    ("MMSE at ", "82", " was 24/30"), ("Glucose at ", "10.30", " today"), ("BP at ", "14.20", ""),
    ("bed ", "F8", ","), ("", "F9", ""), ("GCS", "\n75", ""), ("GCS ", "75", "\nyears"), ("EF ", "75", ", male"),
    ("On warfarin ", "82", " yo lady"), ("MoCA\n", "75", "-year-old man"), ("GDS ", "33", " year old"),
    ("started sertraline ", "34", "F"), ("EF ", "75", " yo male"), ("weight at ", "14", ""), ("dose of ", "4512", ""),
    ("flat ", "12", " L"), ("flat ", "12", " g"),
    ("dose ", "4512", ""), ("warfarin ", "2019", ""), ("warfarin\n", "75", ""), ("warfarin ", "75", "\nmale"),
)  # fmt: skip
"""Ages, times, codes and years beside the name of a drug, a test or an instrument."""


@pytest.mark.parametrize(("before", "text", "after"), MEASURES)
def test_a_measure_is_read(before: str, text: str, after: str) -> None:
    bare = text in NAMED or (before, after) == ("clopidogrel ", " and")
    assert is_measure(text, before, after, True)
    assert is_measure(text, before, after) is not bare


@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize(("before", "text", "after"), [*OTHERS, *NEVER])
def test_nothing_else_is_a_measure(before: str, text: str, after: str, bare: bool) -> None:
    assert not is_measure(text, before, after, bare)


def test_reading_takes_no_time() -> None:
    started = time.perf_counter()
    for text in ("1 " * 60, f"Hb {'of ' * 38}1", "75 mg " * 20, "and " * 30, "1/" * 60, "75 and mg " * 12):
        is_measure(text[:120], text, text, True)
    assert time.perf_counter() - started < 1.0


def layout(*parts: str | tuple[str, str]) -> Layout:
    """Return a layout of text that is between marks, and of marks, each a text and its kind."""
    text, spans, labels = "", [], []
    for part in parts:
        if isinstance(part, tuple):
            spans.append((len(text), len(text) + len(part[0])))
            labels.append(part[1])
        text += part if isinstance(part, str) else part[0]
    return Layout(text, spans, labels)


@pytest.mark.parametrize("neighbour", ["Warfarin", "Smith"])
def test_what_another_mark_says_decides_nothing(neighbour: str) -> None:
    """A rule that read the text beside a mark as the original has it would show that "Warfarin" was hidden there."""
    assert Measures().staying(layout("takes ", (neighbour, "WORD"), " ", ("75", "NUMBER"))) == set()


def test_a_measure_that_stays_is_read_by_the_next() -> None:
    assert Measures().staying(layout("her ", ("PHQ-9", "CODE"), " score ", ("12", "NUMBER"))) == {0, 1}
    assert Measures().staying(layout("her ", ("PHQ-9", "PERSON"), " score ", ("12", "NUMBER"))) == set()


def test_people_and_drugs_do_not_stay() -> None:
    for kind in ("PERSON", "HEALTH", "PHONE", "DATE", "TIME", "MONEY", "PLACE", "MRN"):
        assert Measures().staying(layout("took ", ("75", kind), " mg")) == set(), kind


@pytest.mark.parametrize("kind", ["AGE", "CODE", "DURATION", "ORGANIZATION", "WORD"])
def test_only_a_number_needs_no_unit(kind: str) -> None:
    named = layout("On clopidogrel ", ("75", kind), " and GTN.")
    assert Measures().staying(named) == set()
    assert Measures().staying(named._replace(labels=["NUMBER"])) == {0}


def test_the_unit_of_a_code_is_in_the_mark() -> None:
    assert Measures().staying(layout("dose ", ("75", "CODE"), " mg")) == set()
    assert Measures().staying(layout("dose ", ("75 mg", "CODE"), " daily")) == {0}
    assert Measures().staying(layout("BP ", ("182/110, Hb 9.1 g", "CODE"))) == {0}
    assert (
        Measures().staying(layout("bed ", ("F8", "CODE"), ", cell ", ("F9", "CODE"), " and ", ("B12", "CODE")))
        == set()
    )


def engine(**options: object) -> Engine:
    return Engine(Given(), Replaced(Redaction("label")), [Kept(["HEALTH"])], measures=Measures(), **options)  # type: ignore[arg-type]


def document(text: str, *marks: tuple[str, str]) -> Document:
    """Return a document in which the first occurrence of each of ``marks`` has its label."""
    spans = [{"start": (at := text.index(value)), "end": at + len(value), "label": label} for value, label in marks]
    return Document(text, "1", {"spans": sorted(spans, key=lambda span: span["start"])})


def marked(records: Sequence[MarkedRecord]) -> list[tuple[str, str]]:
    return [pair for record in records for pair in zip(record.texts, record.labels, strict=True)]


TEXT = "A man of 75 took clopidogrel 75 mg, then 75 more. BP 182/110, Hb 9.1 g in bed 75."


def test_an_age_is_hidden_everywhere_except_where_it_is_a_dose() -> None:
    own = document(TEXT, ("75", "AGE"), ("182/110, Hb 9.1 g", "CODE"))
    assert marked(engine().records([own])) == [("75", "AGE")] * 3
    [release] = engine().sanitize_batch([own])
    assert (
        release.text == "A man of [AGE] took clopidogrel 75 mg, then [AGE] more. BP 182/110, Hb 9.1 g in bed [AGE]."
    )


def test_a_release_is_made_of_the_marks_that_are_left() -> None:
    """The same as if the detector had not marked the measures: no draw sees that it did."""
    seen = document(TEXT, ("A man", "PERSON"), ("182/110, Hb 9.1 g", "CODE"))
    unseen = document(TEXT, ("A man", "PERSON"))
    assert marked(engine().records([seen])) == marked(engine().records([unseen]))
    assert engine().sanitize_batch([seen])[0].text == engine().sanitize_batch([unseen])[0].text


def test_a_figure_inside_a_measure_does_not_stop_the_guard() -> None:
    own = document("Aged 75. Took 75 mg, BP 120/80 now.", ("75", "AGE"), ("75 mg, BP 120/80", "CODE"))
    assert engine().sanitize_batch([own])[0].text == "Aged [AGE]. Took 75 mg, BP 120/80 now."


def without_kept(*marks: tuple[str, str], text: str) -> str:
    made = Engine(Given(), Replaced(Redaction("label")), [Kept(["QUANTITY"])], measures=Measures())
    return made.sanitize_batch([document(text, *marks)])[0].text


@pytest.mark.parametrize(
    ("text", "hidden", "measure", "released"),
    [
        ("Lithium taken. He had lithium 400 mg daily.", ("Lithium", "HEALTH"), "lithium 400 mg daily",
         "[HEALTH] taken. He had [HEALTH] 400 mg daily."),
        ("At 9.30 seen. Hb 9.30 g today.", ("9.30", "TIME"), "Hb 9.30 g", "At [TIME] seen. Hb [TIME] g today."),
        ("Warfarin came. He had warfarin 75 mg.", ("Warfarin", "PERSON"), "warfarin 75 mg",
         "[PERSON] came. He had [PERSON] 75 mg."),
    ],
)  # fmt: skip
def test_what_is_hidden_is_hidden_in_a_measure(
    text: str, hidden: tuple[str, str], measure: str, released: str
) -> None:
    """The mistake: the measure was marked when hidden texts were looked for, and shown when the guard looked."""
    assert without_kept(hidden, (measure, "CODE"), text=text) == released


def test_a_name_that_is_an_everyday_word_keeps_its_capital() -> None:
    text = "Low came. He took a low 75 mg dose. Low left."
    assert without_kept(("Low", "PERSON"), ("low 75 mg", "CODE"), text=text) == (
        "[PERSON] came. He took a low 75 mg dose. [PERSON] left."
    )


def test_the_guard_reads_the_last_marks_alone() -> None:
    """Two texts with the same last marks have the same guard, whatever was marked in them before."""
    text = "Aged 75. He took 75 mg."
    seen = document(text, ("75", "AGE"), ("75 mg", "CODE"))
    records = engine().records([seen])
    unseen = engine().records([document(text, ("75", "AGE"))])
    assert marked(records) == marked(unseen)
    assert [vars(record).keys() for record in records] == [vars(record).keys() for record in unseen]
    assert Measures().shown(records[0], {"75"}) == Measures().shown(unseen[0], {"75"}) == {"75"}


def test_the_statement_says_what_stays() -> None:
    assert any(line.startswith("doses, laboratory values") for line in engine().visible)
    plain = Engine(Given(), Replaced(Redaction("label")), [Kept(["HEALTH"])])
    assert not any("doses" in line for line in plain.visible)
    assert plain.setting != engine().setting
