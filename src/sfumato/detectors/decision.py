"""One line of a review: what a person decided about a mark, a list, a record or the sample."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import regex

from sfumato.detectors.given import unique
from sfumato.detectors.phrases import has_word
from sfumato.errors import InputError
from sfumato.text.document import Document

FORMAT = 1
MARKS = ("add", "remove", "relabel")
LISTS = ("never", "always")
SCOPES = ("here", "record", "everywhere")
ADVICE = "restore the file, or begin a new review"
_LABEL = regex.compile(r"[\p{L}\p{N}_.-]+")
_SHA256 = regex.compile(r"[0-9a-f]{64}")

_OF_A_MARK = {
    "record": int, "id": str, "field": str, "text_sha256": str, "start": int, "end": int, "text": str, "label": str,
    "scope": str,
}  # fmt: skip
_KEYS: Mapping[str, Mapping[str, type]] = {
    **dict.fromkeys(MARKS, _OF_A_MARK),
    **{key: {"text": str, "label": str} for key in LISTS},
    "read": {"record": int, "sampled": bool},
    "sample": {"records": list, "of": dict},
    "undo": {"of": int},
}


@dataclass(frozen=True)
class Decision:
    """One line of a file of decisions. PRIVATE: it holds text.

    Attributes:
        line: Its line in the file, from 1.
        action: What was decided.
        facts: Its other members, as they are in the file.
    """

    line: int
    action: str
    facts: Mapping[str, Any] = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the text that a mark is in (:attr:`Document.names`)."""
        return (self.facts["field"], self.facts["id"]) if self.facts["field"] else (self.facts["id"],)

    @property
    def bounds(self) -> tuple[int, int]:
        """Return where a mark starts and ends."""
        return self.facts["start"], self.facts["end"]

    @property
    def text(self) -> str:
        """Return the text of a mark, or the entry of a list."""
        return str(self.facts["text"])

    @property
    def label(self) -> str:
        """Return the label of a mark, or of the entry of a list."""
        return str(self.facts["label"])

    @property
    def scope(self) -> str:
        """Return how far a decision about a mark reaches: here, in this record, or everywhere."""
        return str(self.facts["scope"])

    def check_text(self, document: Document) -> None:
        """Raise InputError unless ``document`` still is the text that the decision is about."""
        start, end = self.bounds
        if self.facts["text_sha256"] != digest_of_text(document.text) or document.text[start:end] != self.text:
            raise InputError(
                f"the text is not the one that line {self.line} of the decisions is about; review the record again, "
                "or restore its text."
            )

    def as_line(self) -> str:
        """Return the line, without its end."""
        return json.dumps({"format": FORMAT, "action": self.action, **self.facts})


def digest_of_text(text: str) -> str:
    """Return the SHA-256 of ``text`` in hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def of_mark(
    document: Document, record: int, action: str, start: int, end: int, label: str, scope: str
) -> dict[str, Any]:
    """Return the members of a decision about the characters from ``start`` to ``end`` of ``document``."""
    *place, identity = document.names
    return {
        "action": action, "record": record, "id": identity, "field": place[0] if place else "",
        "text_sha256": digest_of_text(document.text), "start": start, "end": end, "text": document.text[start:end],
        "label": label, "scope": scope,
    }  # fmt: skip


def decision_of(line: str, number: int, file: str) -> Decision:
    """Return the decision that ``line`` holds. Raise InputError, which names the place and never content."""
    place = f"{file}, line {number}"
    try:
        content = json.loads(line, object_pairs_hook=unique)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise InputError(f"{place}: it is no object of JSON; {ADVICE}.")
    return checked(content, number, place)


def checked(content: Mapping[str, Any], number: int, place: str) -> Decision:
    """Return the decision with these members. Raise InputError, opened by ``place``."""
    facts = dict(content)
    if facts.pop("format", None) != FORMAT:
        raise InputError(f"{place}: it is no decision in format {FORMAT}; {ADVICE}.")
    action = facts.pop("action", None)
    keys = _KEYS.get(action, {}) if isinstance(action, str) else {}
    if not isinstance(action, str) or not keys:
        raise InputError(f"{place}: there is no such action; {ADVICE}.")
    if facts.keys() != keys.keys() or not all(_is(facts[name], kind) for name, kind in keys.items()):
        raise InputError(f"{place}: its members are not those of {action!r}; {ADVICE}.")
    fault = _fault(action, facts, number)
    if fault:
        raise InputError(f"{place}: {fault}; {ADVICE}.")
    return Decision(number, action, facts)


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _fault(action: str, facts: Mapping[str, Any], number: int) -> str:
    """Return what is wrong with the values of a decision; empty if nothing is."""
    if action in (*MARKS, *LISTS):
        if not _LABEL.fullmatch(facts["label"]):
            return "the label holds more than letters, digits, '_', '.' and '-'"
        if (action in LISTS or facts["scope"] != "here") and not has_word(facts["text"]):
            return "a decision for several places needs a text with a letter or a digit"
    if action in MARKS:
        if facts["scope"] not in SCOPES:
            return f"the scope is not one of {', '.join(SCOPES)}"
        if not 0 <= facts["start"] < facts["end"] or facts["end"] - facts["start"] != len(facts["text"]):
            return "the offsets are not those of its text"
        if not _SHA256.fullmatch(facts["text_sha256"]) or facts["record"] < 0:
            return "the record or the digest cannot be"
    if action == "sample":
        numbers = facts["records"]
        if not all(_is(item, int) and item >= 0 for item in numbers) or len(set(numbers)) < len(numbers):
            return "the records of the sample are not separate numbers"
    if action == "undo" and not 1 <= facts["of"] < number:
        return "it undoes no earlier line"
    return ""
