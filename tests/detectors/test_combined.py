"""Several detectors in one run, and lists of what is always and of what is never marked."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import sfumato
from by_rule import ByRule
from command_line import write_vectors
from marked_spans import Marked
from sfumato.abstract.detector import Detector
from sfumato.building.detectors import detector
from sfumato.detectors.allowing import Allowed
from sfumato.detectors.found import Found, findings_of, united
from sfumato.detectors.found_before import FoundBefore
from sfumato.detectors.given import Given
from sfumato.detectors.rules import Listed
from sfumato.detectors.sampled import Sampled
from sfumato.detectors.scripts import OTHER_SCRIPT
from sfumato.detectors.uniting import Combined
from sfumato.detectors.words import Words
from sfumato.errors import ConfigurationError, InputError, SfumatoError
from sfumato.release.statement import statement
from sfumato.text.document import Document
from sfumato.text.marks import Finding, Spans

SECRET = "Quillfeather"


@dataclass(frozen=True)
class Scored(Detector):
    """Finds what it is told, with scores."""

    found: tuple[Finding, ...]
    description = "what is told"
    unprotected = "the rest"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        return [Spans.of(self.found) for _ in documents]

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        return [list(self.found) for _ in documents]


def listed(*lines: str) -> Listed:
    return Listed.from_lines(lines)


def allowed(folder: Path, *lines: str) -> Allowed:
    path = folder / "allow.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    return Allowed.from_file(path)


def marked(made: Detector, text: str) -> list[str]:
    (spans,) = made.detect([Document(text)])
    return [text[start:end] for start, end in spans.bounds]


def test_spans_of_several_detectors_are_united() -> None:
    made = Combined((listed("Ann Lee", "Oslo"), listed("PERSON\tLee Fox", "Paris")))
    assert marked(made, "Ann Lee Fox left Oslo for Paris") == ["Ann Lee Fox", "Oslo", "Paris"]


def test_the_surest_finder_names_a_union() -> None:
    low, high = Finding(0, 5, "LOW", 0.3, "a"), Finding(3, 6, "HIGH", 0.9, "b")
    made = Combined((Scored((low,)), Scored((high,))))
    assert made.findings([Document("x" * 9)]) == [[Finding(0, 6, "HIGH", 0.9, "b")]]
    sure = Combined((Scored((high,)), Marked()))
    document = Document("x" * 9, metadata={"spans": [(5, 8, "GIVEN")]})
    assert sure.findings([document]) == [[Finding(3, 8, "GIVEN", None, "marked")]]


def test_a_measured_chance_decides_no_label() -> None:
    found = [Found(0, 4, "A", 0.8, "one", 0.1), Found(2, 9, "B", 0.7, "two", 0.99)]
    apart = [Combined((Scored(tuple(findings_of([own]))),)).findings([Document("x" * 9)])[0] for own in found]
    [[together]] = Combined(tuple(Scored(tuple(own)) for own in apart)).findings([Document("x" * 9)])
    assert together[:5] == (0, 9, "A", 0.1, "one")


def test_a_number_that_another_detector_marks_keeps_no_word_of_another_script() -> None:
    """A policy that keeps quantities released the words that the mark of the number was united with."""
    text = "5 Иванов Петрович"
    document = Document(text, metadata={"spans": [(0, 1, "QUANTITY")]})
    for detectors in ((ByRule(), Given()), (Given(), ByRule())):
        for made in (Combined(detectors), Combined((Combined(detectors), Given()))):
            [[mark]] = made.findings([document])
            assert mark[:3] == (0, len(text), OTHER_SCRIPT)
            assert 0 < (mark.score or 0) < 1  # a chance that was measured


def test_what_is_denied_is_always_marked(tmp_path: Path) -> None:
    made = Combined((listed("Oslo"),), (allowed(tmp_path, "Oslo", "Secret"),), (listed("Secret", "CODE\t/x\\d/"),))
    assert marked(made, "Oslo, secret x7 Oslo") == ["secret", "x7"]
    both = Combined((listed("Oslo"),), (allowed(tmp_path, "Oslo"),), (listed("oslo"),))
    assert marked(both, "in Oslo") == ["Oslo"]


@pytest.mark.parametrize(
    ("entry", "text", "left"),
    [
        ("Paris", "in Paris now", []),
        ("paris", "in PARIS now", []),
        ("Paris", "in Paris, now", []),
        ("Ann  Lee", "for Ann\nLee now", []),
        ("Paris", "Paris Hilton sang", ["Paris Hilton"]),
        ("Hilton", "Paris Hilton sang", ["Paris Hilton"]),
        ("Paris Hilton sang", "Paris Hilton sang", ["Paris Hilton"]),
        ("Ann-Lee", "for Ann Lee now", ["Ann Lee"]),
        ("/Par.*/", "in Paris now", []),
        ("/Par/", "in Paris now", ["Paris"]),
        ("/par.*/", "in Paris now", ["Paris"]),
        ("/par.*/i", "in Paris now", []),
        ("CITY\tParis", "in Paris now", []),
        ("PERSON\tParis", "in Paris now", ["Paris"]),
        ("PERSON\tParis Hilton", "Paris Hilton sang", []),
        ("Σίσυφος", "ο ΣΊΣΥΦΟΣ", []),
        ("Ｐａｒｉｓ", "in Paris now", []),
    ],
)  # fmt: skip
def test_what_is_exactly_an_entry_is_allowed(tmp_path: Path, entry: str, text: str, left: list[str]) -> None:
    finder = listed("CITY\tParis", "PERSON\tParis Hilton", "PERSON\tAnn Lee", "NAME\tσίσυφος")
    assert marked(Combined((finder,), (allowed(tmp_path, entry),)), text) == left


def test_an_entry_that_is_only_a_part_leaves_the_union_of_two_finders_marked(tmp_path: Path) -> None:
    made = Combined((listed("Paris"), listed("Paris Hilton")), (allowed(tmp_path, "Paris"),))
    assert marked(made, "Paris Hilton") == ["Paris Hilton"]


def test_allowed_words_stay_in_a_release_with_a_guarantee(tmp_path: Path) -> None:
    (tmp_path / "allow.txt").write_text("doctor\n")
    made = sfumato.build(
        "santext", 2.0, vocabulary=write_vectors(tmp_path), allow=tmp_path / "allow.txt", detect="words"
    )
    release = made.sanitize("the DOCTOR said")
    assert release.text.split(" ")[1] == "DOCTOR"
    assert release.draws == 2
    told = statement(made, sfumato.SystemRandomness(), {2: 1})["detector"]
    assert "on purpose, whatever is exactly an entry of allow.txt (1 entries)" in told["leaves_unprotected"]
    assert "doctor" not in json.dumps(told)
    assert str(tmp_path) not in json.dumps(told)


def test_what_was_combined_is_stated(tmp_path: Path) -> None:
    for name in ("names.txt", "deny.txt"):
        (tmp_path / name).write_text(f"{SECRET}\n")
    made = detector(["content-words", f"list:{tmp_path / 'names.txt'}"], deny=[tmp_path / "deny.txt"])
    assert "every word that is not an English stop word; the words, phrases and patterns of names.txt" in (
        made.description
    )
    assert "always the words, phrases and patterns of deny.txt (1 entries)" in made.description
    assert SECRET not in made.description + made.unprotected + repr(made)
    assert marked(made, f"the {SECRET}") == [SECRET]


def test_settings_tell_lists_apart(tmp_path: Path) -> None:
    settings = {
        Combined((Words(),), allow, deny).setting
        for allow in ((), (allowed(tmp_path, "a"),), (allowed(tmp_path, "b"),), (allowed(tmp_path, "X\ta"),))
        for deny in ((), (listed("a"),), (listed("b"),))
    }
    assert len(settings) == 12
    assert Combined((Words(), listed("a"))).setting != Combined((listed("a"), Words())).setting


def test_a_combination_travels_to_another_process(tmp_path: Path) -> None:
    made = Combined((listed("Oslo", "Rome"),), (allowed(tmp_path, "Oslo"),), (listed("x"),))
    marked(made, "warm")
    assert marked(pickle.loads(pickle.dumps(made)), "Oslo Rome x") == ["Rome", "x"]


def test_one_detector_alone_is_itself() -> None:
    assert detector("words") == Words()
    assert detector(["words"]) == Words()


@pytest.mark.parametrize("names", [[], ["words", "words"], ["words", "wrds"]])
def test_names_that_cannot_be_are_refused(names: list[str]) -> None:
    with pytest.raises(ConfigurationError):
        detector(names)


def test_options_go_to_the_detector_that_has_them() -> None:
    made = detector(["identifiers", "words"], options={"strict": "high"})
    assert isinstance(made, Combined)
    assert made.detectors[0].strict == "high"  # type: ignore[attr-defined]
    both = detector(["identifiers", "presidio", "entities"], options={"threshold": 0.7, "carry_mentions": False})
    assert isinstance(both, Combined)
    assert both.detectors[1].threshold == 0.7  # type: ignore[attr-defined]
    assert not both.detectors[2].carry_mentions  # type: ignore[attr-defined]
    for names in (["identifiers", "entities"], ["words", "identifiers"]):
        with pytest.raises(ConfigurationError, match="no option bogus"):
            detector(names, options={"bogus": 1})


def test_a_slow_pattern_of_an_allow_list_names_its_document(tmp_path: Path) -> None:
    slow = Allowed.from_file(tmp_path.joinpath("l")) if (tmp_path / "l").write_text("/(a+)+b/\n") else None
    assert slow is not None
    made = Combined((listed("/a+/"),), (Allowed(slow.rules, slow.name, timeout=0.05),))
    with pytest.raises(InputError, match="l, line 1") as caught:
        made.detect([Document("x"), Document("a" * 5000)])
    assert caught.value.document == 1


@pytest.mark.parametrize("content", ["", "\n", "/(/\n", "...\n", b"\xff"])
def test_lists_that_are_none_are_refused(tmp_path: Path, content: str | bytes) -> None:
    path = tmp_path / "l"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    for options in ({"allow": path}, {"deny": path}, {"allow": tmp_path / "nowhere"}):
        with pytest.raises(SfumatoError):
            detector("words", **options)  # type: ignore[arg-type]


def test_whole_text_mechanisms_take_no_lists(tmp_path: Path) -> None:
    (tmp_path / "l").write_text("a\n")
    with pytest.raises(ConfigurationError, match="options of detectors"):
        sfumato.build("dp-prompt", 2.0, allow=tmp_path / "l", clip="0,1")


# --- scores and finders ---


def test_a_union_has_score_and_finder_of_the_span_that_named_it() -> None:
    found = [Found(0, 4, "A", 0.5, "one"), Found(2, 9, "B", 0.8, "two", 0.6), Found(20, 21, "C", 0.1, "three")]
    assert findings_of(found) == [Finding(0, 9, "B", 0.6, "two", 0.8), Finding(20, 21, "C", 0.1, "three")]
    assert united(found) == Spans([(0, 9), (20, 21)], ["B", "C"])


def test_detectors_without_scores_give_none() -> None:
    (found,) = Words().findings([Document("one two")])
    assert found == [Finding(0, 3, "WORD", None, "words"), Finding(4, 7, "WORD", None, "words")]
    (named,) = Listed.from_lines(["PERSON\ttwo"], "/private/list.txt").findings([Document("one two")])
    assert named == [Finding(4, 7, "PERSON", None, "list:list.txt")]


def test_a_share_keeps_what_its_detector_says() -> None:
    scored = Scored((Finding(0, 3, "A", 0.5, "x"), Finding(4, 7, "B", 0.6, "y")))
    assert Sampled(scored, 1.0).findings([Document("one two")]) == [list(scored.found)]
    few = Sampled(scored, 0.5)
    documents = [Document("one two", str(n)) for n in range(50)]
    assert [Spans.of(found) for found in few.findings(documents)] == few.detect(documents)


# --- spans of a file ---


def spans_file(folder: Path, *lines: object) -> Path:
    path = folder / "found.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def test_spans_of_a_file_are_read_by_id(tmp_path: Path) -> None:
    path = spans_file(
        tmp_path,
        {"id": "b", "characters": 5, "spans": [{"start": 0, "end": 5, "label": "P", "score": 0.1, "finder": "x"}]},
        {"id": "a", "spans": [[1, 3, "Q"]]},
        {"id": "c", "spans": []},
    )
    made = detector(f"given:{path}")
    found = made.detect([Document("hello", "a"), Document("hello", "b"), Document("hello", "c")])
    assert found == [Spans([(1, 3)], ["Q"]), Spans([(0, 5)], ["P"]), Spans([], [])]
    assert made.description == "the spans given in the file found.jsonl"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"id": "b", "spans": []}, "no line for it"),
        ({"id": "a", "spans": [[0, 9, SECRET]]}, r"found\.jsonl, line 1: span 0 .*outside"),
        ({"id": "a", "characters": 4, "spans": [[0, 2, "P"]]}, "about a text of 4 characters, and this one has 5"),
        ({"id": "a", "spans": [[0, 3, "P"], [2, 4, "P"]]}, "overlaps"),
    ],
)
def test_spans_that_do_not_fit_the_text_are_refused(tmp_path: Path, line: object, told: str) -> None:
    made = detector(f"given:{spans_file(tmp_path, line)}")
    with pytest.raises(InputError, match=told) as caught:
        made.detect([Document("hello", "a")])
    assert caught.value.document == 0
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [7, [SECRET], {"id": 7, "spans": []}, {"id": "a"}, {"id": "a", "spans": SECRET}, {"spans": []},
     {"id": "a", "spans": [], "characters": True}],
)  # fmt: skip
def test_a_file_of_spans_that_cannot_be_is_refused(tmp_path: Path, line: object) -> None:
    with pytest.raises(InputError, match="line 2") as caught:
        detector(f"given:{spans_file(tmp_path, {'id': 'z', 'spans': []}, line)}")
    assert SECRET not in str(caught.value)


def test_an_id_twice_and_broken_lines_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2: the id was used by line 1"):
        detector(f"given:{spans_file(tmp_path, *[{'id': SECRET, 'spans': []}] * 2)}")
    for content in (b'{"id": "a"', b"\xff\n", b"[" * 100_000):
        (tmp_path / "found.jsonl").write_bytes(content)
        with pytest.raises(InputError):
            detector(f"given:{tmp_path / 'found.jsonl'}")
    with pytest.raises(InputError, match="cannot be read"):
        detector(f"given:{tmp_path / 'nowhere'}")


def test_what_a_file_holds_is_part_of_its_setting(tmp_path: Path) -> None:
    settings = []
    for spans in ([], [[0, 1, "P"]]):
        settings.append(FoundBefore.from_file(spans_file(tmp_path, {"id": "a", "spans": spans})).setting)
    assert settings[0] != settings[1]
