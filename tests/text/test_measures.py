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


@pytest.mark.parametrize(("before", "text", "after"), MEASURES)
def test_a_measure_is_read(before: str, text: str, after: str) -> None:
    assert is_measure(text, before, after)


@pytest.mark.parametrize(("before", "text", "after"), OTHERS)
def test_nothing_else_is_a_measure(before: str, text: str, after: str) -> None:
    assert not is_measure(text, before, after)


def test_reading_takes_no_time() -> None:
    started = time.perf_counter()
    for text in ("1 " * 60, f"Hb {'of ' * 38}1", "75 mg " * 20, "and " * 30, "1/" * 60, "75 and mg " * 12):
        is_measure(text[:120], text, text)
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
    assert Measures().staying(layout("takes ", (neighbour, "WORD"), " ", ("75", "AGE"))) == set()


def test_a_measure_that_stays_is_read_by_the_next() -> None:
    assert Measures().staying(layout("her ", ("PHQ-9", "CODE"), " score ", ("12", "NUMBER"))) == {0, 1}
    assert Measures().staying(layout("her ", ("PHQ-9", "PERSON"), " score ", ("12", "NUMBER"))) == set()


def test_people_and_drugs_do_not_stay() -> None:
    for kind in ("PERSON", "HEALTH", "PHONE", "DATE", "MONEY", "PLACE", "MRN"):
        assert Measures().staying(layout("took ", ("75", kind), " mg")) == set(), kind


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
    own = document("Aged 75. HR 75, BP 120/80 now.", ("75", "AGE"), ("75, BP 120/80", "CODE"))
    own.metadata["spans"][1].update(start=12, end=25)
    assert engine().sanitize_batch([own])[0].text == "Aged [AGE]. HR 75, BP 120/80 now."


def test_the_statement_says_what_stays() -> None:
    assert any(line.startswith("doses, laboratory values") for line in engine().visible)
    plain = Engine(Given(), Replaced(Redaction("label")), [Kept(["HEALTH"])])
    assert not any("doses" in line for line in plain.visible)
    assert plain.setting != engine().setting
