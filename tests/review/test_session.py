"""The order of the records, what a page holds, and what a decision changes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from reviewing import CANARY, LISTED, NAMES, session, texts
from sfumato.abstract.detector import Detector
from sfumato.detectors.rules import Listed
from sfumato.errors import ConfigurationError, InputError
from sfumato.files import FileOptions, open_source
from sfumato.review import Reviewed, Texts, check_decisions, decisions_from, texts_of
from sfumato.review.detection import unmarked, unmarked_phrases
from sfumato.review.texts import hits_from
from sfumato.review.treated import segments
from sfumato.text.document import Document
from sfumato.text.marks import Doubts, Finding, Spans

LINES = texts("Ann Lee and Bob.", "He met Carl and Dora in Rome.", "nothing", "Then 12 May and Ann Lee.")


def pieces(record: Any) -> list[tuple[str, str]]:
    return [(piece["text"], piece.get("label", "")) for text in record["texts"] for piece in text["pieces"]]


def test_a_decision_changes_the_marks_that_the_page_and_the_file_have(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    with session(path, LINES) as made:
        assert pieces(made.record(0)) == [("Ann Lee", "PERSON"), (" and ", ""), ("Bob", "PERSON"), (".", "")]
        made.decide(1, 0, "add", 7, 11, "PERSON", "everywhere")
        made.decide(0, 0, "remove", 12, 15, "PERSON", "here")
        made.decide(3, 0, "never", 16, 23, "PERSON", "everywhere")
        shown = [pieces(made.record(record)) for record in range(4)]
        assert shown[1] == [("He met ", ""), ("Carl", "PERSON"), (" and Dora in Rome.", "")]
        assert [shown[0], shown[3]] == [[("Ann Lee and Bob.", "")], [("Then 12 May and Ann Lee.", "")]]
        replayed = Reviewed(LISTED, decisions_from(path)).detect(list(LINES.documents))
        assert replayed == made.reviewed.detect(list(LINES.documents))
        assert made.undo()["action"] == "never"
        assert ("Ann Lee", "PERSON") in pieces(made.record(3))
    with session(path, LINES) as again:  # goes on where the other ended
        assert [pieces(again.record(record)) for record in (1, 2)] == [shown[1], shown[2]]
        assert again.state()["decisions"] == 2


def test_what_was_decided_is_no_possible_miss(tmp_path: Path) -> None:
    def words(record: Any) -> list[Any]:
        return [bounds for piece in record["texts"][0]["pieces"] for bounds in piece.get("unmarked", [])]

    with session(tmp_path / "d.jsonl", texts("He met Carl Berg.")) as made:
        assert words(made.record(0)) == [[7, 16]]
        assert words(made.decide(0, 0, "add", 12, 16, "PERSON", "here")) == [[7, 11]]


def test_possible_misses_come_in_order(tmp_path: Path) -> None:
    more = texts("one Rome", *(one.text for one in LINES.documents[:3]))
    with session(tmp_path / "d.jsonl", more, hits={2: ()}) as made:
        assert list(made.queue.order("unmarked", True)) == [2, 0]
        assert [record["record"] for record in made.page("hits")["records"]] == [2]
        assert made.page("all")["count"] == 4
        with pytest.raises(ConfigurationError, match="A view is one of"):
            made.page(CANARY)


@dataclass(frozen=True)
class Doubting(Listed):
    """A list whose marks have a chance, and that has doubts about the words "rose" and "lee"."""

    chances: tuple[tuple[str, float], ...] = ()

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        chance = dict(self.chances)
        return [
            [mark._replace(score=chance[document.text[mark.start : mark.end]]) for mark in marks]
            for document, marks in zip(documents, super().findings(documents), strict=True)
        ]

    def doubts(self, documents: Sequence[Document]) -> list[Doubts]:
        every = []
        for document in documents:
            bounds = [(match.start(), match.group()) for match in re.finditer("rose|lee|Bob", document.text)]
            words = [
                Finding(at, at + len(word), "X", {"rose": 0.5, "lee": 0.2}.get(word, 0.9)) for at, word in bounds
            ]
            every.append(Doubts(words, 0.25))
        return every


def test_marks_near_the_threshold_come_first_then_likely_misses(tmp_path: Path) -> None:
    chances = (("Ann Lee", 0.3), ("Bob", 0.4), ("Oslo", 0.9))
    detector = Doubting(LISTED.rules, "names", chances=chances)
    lines = texts("in Oslo", "a lee", "Bob", "a rose, Ann Lee", "so Rome", "a rose", "is Oslo", "a rose, a lee")
    with session(tmp_path / "d.jsonl", lines, detector=detector) as made:
        assert list(made.queue.order("unmarked", True)) == [3, 2, 5, 7, 1, 4]
        assert [piece.get("chance") for piece in made.record(3)["texts"][0]["pieces"]] == [None, 0.3]
        shown = made.record(7)["texts"][0]["pieces"]
        assert [bounds for piece in shown for bounds in piece.get("unmarked", [])] == [[2, 6], [10, 13]]
        estimate = made.state()["estimate"]
        assert estimate.startswith("Estimate, no guarantee: about 4 words that may identify somebody are left")
        assert "in the 8 records that were searched and not read" in estimate  # 3 roses, 2 lees and eight quarters
        for record in (3, 5, 7):
            made.read(record, True)
        assert "about 1 word that may identify somebody is left unmarked in the 5 records" in made.state()["estimate"]
        made.decide(1, 0, "add", 2, 5, "PERSON", "here")
        assert not [piece for piece in made.record(1)["texts"][0]["pieces"] if "unmarked" in piece]
    with session(tmp_path / "e.jsonl", lines) as listed:
        assert listed.state()["estimate"] is None  # a list tells no chances


SUSPICIOUS = {
    "He met Carl.": 1,
    "Carl met him.": 0,
    "He left. Carl stayed.": 0,
    "and I stay": 0,
    "in 2019 or 12/03": 2,
    "see Élodie and ÖBB": 2,
    "iPhone": 0,
    "": 0,
}


@pytest.mark.parametrize("text", SUSPICIOUS)
def test_what_could_be_a_miss_is_counted(text: str) -> None:
    assert unmarked(text, []) == SUSPICIOUS[text]
    assert unmarked(text, [Finding(0, len(text), "X")]) == 0


PHRASES = {
    "He met Carl Berg, and Dora.": ["Carl Berg", "Dora"],
    "gave G2P1, V4-V6 and O2 at 12.5.": ["G2P1", "V4-V6", "O2", "12.5"],
    "at St Brannoc's Infirmary; I left": ["St Brannoc's Infirmary"],
    "Carl left": [],
}


@pytest.mark.parametrize("text", PHRASES)
def test_what_could_be_a_miss_is_shown_in_whole_words(text: str) -> None:
    assert [text[start:end] for start, end in unmarked_phrases(text, [])] == PHRASES[text]


def test_no_phrase_that_could_be_a_miss_overlaps_a_mark() -> None:
    text = "He met Carl4 Dora/Ed and Max4."
    marks = [Finding(11, 12, "X"), Finding(18, 20, "X"), Finding(25, 28, "X")]
    shown = unmarked_phrases(text, marks)
    assert [text[start:end] for start, end in shown] == ["Carl", "Dora"]
    drawn = segments(text, [mark[:3] for mark in marks], unmarked=shown)
    assert "".join(piece["text"] for piece in drawn) == text
    assert [bounds for piece in drawn for bounds in piece.get("unmarked", [])] == [list(each) for each in shown]


def test_a_record_is_named_by_its_id_and_else_by_its_number(tmp_path: Path) -> None:
    rows = [Document(name, name, {"text": name}, ("text", name)) for name in ("x", "0", "z")]
    with session(tmp_path / "d.jsonl", Texts(rows, [0, 1, 2, 3, 3])) as made:
        assert [made.record(number)["id"] for number in range(4)] == ["x", "0", "z", "3"]
        assert [made.place(name) for name in ("x", "0", "2", "3")] == [0, 1, 2, 3]
        for name in ("4", "-1", "²", "9" * 5000, CANARY):
            with pytest.raises(ConfigurationError, match="No record has this id") as raised:
                made.place(name)
            assert CANARY not in str(raised.value)


def test_a_mark_takes_only_its_own_words_from_the_count() -> None:
    text = "He met Carl and Dora."
    assert unmarked(text, [Finding(7, 11, "X")]) == 1
    assert unmarked(text, [Finding(0, 2, "X"), Finding(10, 13, "X")]) == 1  # a part of Carl is marked


def test_pages_end_by_number_and_by_length(tmp_path: Path) -> None:
    many = texts(*(["Bob"] * 60 + ["x" * 150_000, "y" * 150_000, "z"]))
    with session(tmp_path / "d.jsonl", many) as made:
        starts, start = [], 0
        while start is not None:
            page = made.page("all", start)
            starts.append((start, len(page["records"])))
            start = page["next"]
        assert starts == [(0, 25), (25, 25), (50, 11), (61, 2)]
        assert made.page("all", 50)["previous"] == 25
        assert made.page("all", 0)["previous"] is None
        assert made.page("all", 10**9)["records"] == []
        seen = [record["record"] for start, _ in starts for record in made.page("all", start)["records"]]
        assert seen == list(range(63))


@dataclass(frozen=True)
class Fails(Detector):
    """Finds a list, and fails in texts with the canary."""

    description = "a list"
    unprotected = "the rest"

    def detect(self, documents: Any) -> list[Spans]:
        if any(CANARY in document.text for document in documents):
            raise RuntimeError(CANARY)
        return LISTED.detect(documents)


def test_a_record_in_which_the_detector_fails_is_shown_as_that_and_cannot_be_read(tmp_path: Path) -> None:
    with session(tmp_path / "d.jsonl", texts("Bob", f"Bob {CANARY}", "Bob"), detector=Fails(), sample=3) as made:
        assert [made.record(n)["state"] for n in range(3)] == ["ready", "failed", "ready"]
        assert pieces(made.record(2)) == [("Bob", "PERSON")]
        with pytest.raises(ConfigurationError, match="not searched"):
            made.read(1, True)
        assert made.misses() is None


def test_pieces_count_characters_as_python_does() -> None:
    text = "a\U0001f600b\ud83d\ude00\r\n<b>"
    made = segments(text, [(1, 2, "PERSON"), (3, 5, "CODE")])
    assert [(piece["start"], piece["text"]) for piece in made] == [
        (0, "a"), (1, "\U0001f600"), (2, "b"), (3, "\ufffd\ufffd"), (5, "\r\n<b>"),
    ]  # fmt: skip


def test_decisions_about_another_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    with session(path, LINES) as made:
        made.decide(0, 0, "add", 0, 3, "PERSON", "here")
    decisions = decisions_from(path)
    check_decisions(decisions, LINES)
    for other in (
        texts(f"{CANARY} and Bob.", *["x"] * 3),
        texts("x"),
        texts("x", "Ann Lee and Bob."),
    ):
        with pytest.raises(InputError, match=r"d\.jsonl, line 2") as raised:
            check_decisions(decisions, other)
        assert CANARY not in str(raised.value)
    only = path.read_text(encoding="utf-8").splitlines(keepends=True)[1]
    path.write_text(only, encoding="utf-8")  # without the sample, which is checked too
    with pytest.raises(InputError, match="line 1"), session(path, texts("x"), sample=0):
        pass


@pytest.mark.parametrize("kind", ["jsonl", "csv", "txt", "lines", "folder", "fields"])
def test_a_decision_meets_the_same_text_when_a_file_is_read_again(tmp_path: Path, kind: str) -> None:
    path, options = _written(tmp_path, kind)
    lines = texts_of(open_source(path, options))
    with session(tmp_path / "d.jsonl", lines) as made:
        last = lines.records - 1
        made.decide(last, len(lines.of(last)) - 1, "add", 0, 4, "PERSON", "here")
    decisions = decisions_from(tmp_path / "d.jsonl")
    again = Reviewed(LISTED, decisions)
    small = open_source(path, options).with_options(FileOptions(**{**_as_dict(options), "chunk_records": 1}))
    documents = [document for chunk in small.chunks() for document in chunk.documents]
    marks = [again.detect([document])[0] for document in documents]
    carl = [len(own) for own in marks]
    assert sum(carl) == 1 + sum(len(spans) for spans in LISTED.detect(documents))
    check_decisions(decisions, texts_of(open_source(path, options)))


def _as_dict(options: FileOptions) -> dict[str, Any]:
    return {name: getattr(options, name) for name in FileOptions.__slots__}


def _written(folder: Path, kind: str) -> tuple[Path, FileOptions]:
    import json

    data = folder / "in"
    data.mkdir()
    if kind == "folder":
        for name in ("a", "b"):
            (data / f"{name}.txt").write_text("Carl met Bob.", encoding="utf-8")
        return data, FileOptions()
    if kind in ("txt", "lines"):
        (data / "a.txt").write_text("Carl met Bob.\nCarl met Bob.\n", encoding="utf-8")
        return data / "a.txt", FileOptions(lines=kind == "lines")
    if kind == "csv":
        (data / "a.csv").write_text("id,text\n7,Carl met Bob.\n8,Carl met Bob.\n", encoding="utf-8")
        return data / "a.csv", FileOptions(id_field="id")
    rows = [{"text": "Carl met Bob.", "note": "Carl met Bob."}] * 2
    (data / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return data / "a.jsonl", FileOptions(fields=("text", "note") if kind == "fields" else ("text",))


def test_hits_name_records(tmp_path: Path) -> None:
    path = tmp_path / "hits.jsonl"
    path.write_text('{"record": 3}\n\n{"record": 0, "score": 1}\n{"record": 3}\n', encoding="utf-8")
    assert hits_from(path, 4) == {3: (), 0: ()}
    path.write_text('{"record": 3, "by": "x"}\n{"record": 1}\n{"record": 3, "by": ["y", "x"]}\n', encoding="utf-8")
    assert hits_from(path, 4) == {3: ("x", "y"), 1: ()}
    broken = ('{"record": 4}', '{"record": true}', '{"record": -1}', "[]", CANARY)
    no_names = (f'{{"{CANARY}": 1}}', '[""]', "[1]", "null", '""')
    for line in (*broken, *(f'{{"record": 1, "by": {names}}}' for names in no_names)):
        path.write_text(f'{{"record": 1}}\n{line}\n', encoding="utf-8")
        with pytest.raises(InputError, match=r"hits\.jsonl, line 2") as raised:
            hits_from(path, 4)
        assert CANARY not in str(raised.value)


def test_the_list_of_the_tests_finds_what_it_should() -> None:
    assert Listed.from_lines(NAMES.splitlines()) == LISTED


def test_a_record_with_several_texts_shows_the_field_of_each(tmp_path: Path) -> None:
    """A record with one text needs no name for it."""
    (tmp_path / "in.jsonl").write_text('{"a": "Anna.", "b": "Bo."}\n')
    several = texts_of(open_source(tmp_path / "in.jsonl", FileOptions(fields=("a", "b"))))
    assert list(several.places) == ["a", "b"]
    assert not texts_of(open_source(tmp_path / "in.jsonl", FileOptions(fields=("a",)))).places
