"""Decisions of a person, applied to what a detector finds."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import regex

from sfumato.abstract.detector import Detector
from sfumato.detectors.decision import checked, of_mark
from sfumato.detectors.decisions import Decisions, decisions_from
from sfumato.detectors.reviewed import Reviewed
from sfumato.detectors.rules import Listed
from sfumato.errors import InputError
from sfumato.text.document import Document
from sfumato.text.marks import Span, Spans

CANARY = "ZEBRAFINCH"


@dataclass(frozen=True)
class Capitals(Detector):
    """Marks every run of capital letters."""

    description = "capitals"
    unprotected = "the rest"
    known_labels = frozenset({"CAPITALS"})  # type: ignore[assignment]
    public_labels = True  # type: ignore[assignment]

    def detect(self, documents: Any) -> list[Spans]:
        runs = [regex.finditer(r"\b\p{Lu}+\b", document.text) for document in documents]
        return [Spans.of(Span(*match.span(), "CAPITALS") for match in found) for found in runs]


TEXTS = ["ANN met Bob Lee. Bob left.", "bob lee and ANN, ANN BELL", "Nothing."]
DOCUMENTS = [Document(text, str(n), {"text": text}, ("text", str(n))) for n, text in enumerate(TEXTS)]


def marked(number: int, phrase: str, action: str, label: str = "PERSON", scope: str = "here") -> dict[str, Any]:
    start = TEXTS[number].index(phrase)
    return of_mark(DOCUMENTS[number], number, action, start, start + len(phrase), label, scope)


def decisions(*lines: dict[str, Any]) -> Decisions:
    return Decisions(tuple(checked({"format": 1, **line}, n, f"line {n}") for n, line in enumerate(lines, 1)))


def found(*lines: dict[str, Any]) -> list[list[tuple[str, str]]]:
    spans = Reviewed(Capitals(), decisions(*lines)).detect(DOCUMENTS)
    return [
        [(text[span.start : span.end], span.label) for span in own] for text, own in zip(TEXTS, spans, strict=True)
    ]


A, C, P = ("ANN", "CAPITALS"), "CAPITALS", "PERSON"
PLAIN = [[A], [A, A, ("BELL", C)], []]
CASES: dict[str, tuple[list[dict[str, Any]], list[list[tuple[str, str]]]]] = {
    "nothing": ([], PLAIN),
    "add here": ([marked(0, "Bob", "add")], [[A, ("Bob", P)], PLAIN[1], []]),
    "add in the record": ([marked(0, "Bob", "add", scope="record")], [[A, ("Bob", P), ("Bob", P)], PLAIN[1], []]),
    "add everywhere": (
        [marked(0, "Bob Lee", "add", scope="everywhere")],
        [[A, ("Bob Lee", P)], [("bob lee", P), *PLAIN[1]], []],
    ),
    "what is added swallows what it overlaps": ([marked(0, "N met", "add")], [[("ANN met", P)], PLAIN[1], []]),
    "a longer mark elsewhere keeps its label": (
        [marked(1, "ANN BELL", "add"), marked(0, "ANN", "add", scope="everywhere")],
        [[("ANN", P)], [("ANN", P), ("ANN BELL", P)], []],
    ),
    "remove here": ([marked(1, "ANN", "remove", C)], [[A], [A, ("BELL", C)], []]),
    "remove in the record": ([marked(1, "ANN", "remove", C, "record")], [[A], [("BELL", C)], []]),
    "remove everywhere": ([marked(1, "ANN", "remove", C, "everywhere")], [[], [("BELL", C)], []]),
    "a mark with other bounds stays": ([marked(0, "AN", "remove", C)], PLAIN),
    "relabel here": ([marked(0, "ANN", "relabel")], [[("ANN", P)], *PLAIN[1:]]),
    "relabel everywhere": (
        [marked(0, "ANN", "relabel", scope="everywhere")],
        [[("ANN", P)], [("ANN", P), ("ANN", P), ("BELL", C)], []],
    ),
    "relabel marks what the detector forgot": (
        [marked(0, "Bob", "relabel")], [[A, ("Bob", P)], PLAIN[1], []],
    ),
    "the later one wins": (
        [marked(0, "ANN", "remove", C, "everywhere"), marked(1, "ANN", "add")],
        [[], [("ANN", P), ("BELL", C)], []],
    ),
    "never": ([{"action": "never", "text": "ann", "label": C}], [[], [("BELL", C)], []]),
    "never with another label": ([{"action": "never", "text": "ann", "label": P}], PLAIN),
    "always": (
        [{"action": "always", "text": "bob", "label": P}],
        [[A, ("Bob", P), ("Bob", P)], [("bob", P), *PLAIN[1]], []],
    ),
    "of two lists the last counts": (
        [{"action": action, "text": "ann", "label": C} for action in ("always", "never")],
        [[], [("BELL", C)], []],
    ),
    "undone": ([marked(0, "Bob", "add"), {"action": "undo", "of": 1}], PLAIN),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_each_decision_does_what_it_says(case: str) -> None:
    lines, expected = CASES[case]
    assert found(*lines) == expected


def test_it_does_not_matter_how_documents_are_batched() -> None:
    made = Reviewed(Capitals(), decisions(*(line for lines, _ in CASES.values() for line in lines[:1])))
    together = made.findings(DOCUMENTS)
    assert together == [made.findings([document])[0] for document in DOCUMENTS]
    assert pickle.loads(pickle.dumps(made)).findings(DOCUMENTS) == together


def test_a_text_that_changed_is_refused() -> None:
    changed = Document(f"{CANARY} met Bob Lee.", "0", {}, ("text", "0"))
    made = Reviewed(Capitals(), decisions(marked(0, "Bob", "add", scope="everywhere")))
    with pytest.raises(InputError, match="line 1 of the decisions") as raised:
        made.findings([DOCUMENTS[1], changed])
    assert raised.value.document == 1
    assert CANARY not in str(raised.value)
    same_text_elsewhere = Document(TEXTS[0], "7", {}, ("text", "7"))
    here = Reviewed(Capitals(), decisions(marked(0, "Bob", "add")))
    assert here.detect([same_text_elsewhere]) == Capitals().detect([same_text_elsewhere])


def test_the_statement_counts_nothing_and_names_nothing() -> None:
    """A number of decisions would tell two releases of near inputs apart by what was missed in one record."""
    made = Reviewed(Capitals(), decisions(marked(0, "Bob", "add"), {"action": "always", "text": CANARY, "label": P}))
    assert made.description == "capitals; and what a person decided in a review"
    assert "removed in a review; the rest" in made.unprotected
    assert CANARY not in f"{made!r}{made.description}{made.unprotected}{made.setting}"
    assert made.reads_content
    assert made.known_labels == {C, P}
    assert made.may_name(C)
    assert not made.may_name(P)
    other = Reviewed(Capitals(), decisions(marked(0, "Bob", "add")))
    assert made.setting != other.setting
    undone = Reviewed(Capitals(), decisions(marked(0, "Bob", "add"), *CASES["never"][0], {"action": "undo", "of": 2}))
    assert undone.setting == other.setting


def test_the_lists_of_a_review_do_not_bear_the_name_of_its_file() -> None:
    lists = [{"action": action, "text": text, "label": P} for action, text in (("never", "ann"), ("always", "Bob"))]
    lines = Decisions(decisions(*lists).lines, f"{CANARY}.decisions.jsonl")
    listed = Reviewed(Capitals(), lines)._listed
    assert f"{listed.description}{listed.unprotected}".count("the reviewer's list") == 2
    assert CANARY not in f"{listed!r}{listed.description}{listed.unprotected}"


def test_a_list_of_the_policy_is_below_the_decisions() -> None:
    listed = Listed.from_lines(["left"], label="VERB")
    (spans, *_) = Reviewed(listed, decisions(marked(0, "left", "remove", "VERB"))).detect(DOCUMENTS)
    assert len(spans) == 0


GOOD = marked(0, "Bob", "add")
BAD: dict[str, list[Any]] = {
    "no JSON": [CANARY],
    "a list": [[CANARY]],
    "another format": [{**GOOD, "format": 2}],
    "another action": [{**GOOD, "action": CANARY}],
    "an action that is no text": [{**GOOD, "action": [CANARY]}],
    "a member more": [{**GOOD, CANARY: 1}],
    "a member less": [{name: value for name, value in GOOD.items() if name != "scope"}],
    "a number that is text": [{**GOOD, "start": CANARY}],
    "a number that is true": [{**GOOD, "record": True}],
    "offsets of another length": [{**GOOD, "end": GOOD["end"] + 1}],
    "an empty mark": [{**GOOD, "end": GOOD["start"], "text": ""}],
    "another scope": [{**GOOD, "scope": CANARY}],
    "a label with a blank": [{**GOOD, "label": f"{CANARY} B"}],
    "a digest that is none": [{**GOOD, "text_sha256": CANARY}],
    "a phrase without a letter": [{"action": "always", "text": "...", "label": P}],
    "an undo of nothing": [{"action": "undo", "of": 1}],
    "an undo twice": [GOOD, {"action": "undo", "of": 1}, {"action": "undo", "of": 1}],
    "an undo of an undo": [GOOD, {"action": "undo", "of": 1}, {"action": "undo", "of": 2}],
    "a second sample": [{"action": "sample", "records": [n], "of": {}} for n in (1, 2)],
    "an undone sample": [{"action": "sample", "records": [1], "of": {}}, {"action": "undo", "of": 1}],
    "a record twice in the sample": [{"action": "sample", "records": [1, 1], "of": {}}],
}


@pytest.mark.parametrize("case", BAD)
def test_a_wrong_line_is_refused_by_its_place(case: str, tmp_path: Path) -> None:
    import json

    lines = [line if not isinstance(line, dict) else {"format": 1, **line} for line in BAD[case]]
    path = tmp_path / "decisions.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    with pytest.raises(InputError, match=rf"decisions\.jsonl, line {len(lines)}: ") as raised:
        decisions_from(path)
    assert CANARY not in str(raised.value)


def test_a_line_cut_short_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    path.write_text('{"format": 1, "acti', encoding="utf-8")
    with pytest.raises(InputError, match="line 1: it was not written to its end"):
        decisions_from(path)
    with pytest.raises(InputError, match="cannot be read"):
        decisions_from(tmp_path / "none.jsonl")
    path.write_bytes(b"\xff\n")
    with pytest.raises(InputError, match="not UTF-8"):
        decisions_from(path)
    path.write_bytes(b'{"format": 1, "format": 1, "action": "undo", "of": 1}\n')
    with pytest.raises(InputError, match="no object of JSON"):
        decisions_from(path)


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    made = decisions(GOOD, {"action": "read", "record": 0, "sampled": True}, {"action": "undo", "of": 1})
    path = tmp_path / "decisions.jsonl"
    path.write_text("".join(f"{line.as_line()}\n" for line in made.lines), encoding="utf-8")
    assert decisions_from(path) == made
    assert made.read == {0}
    assert made.count == 0
