"""Everything that a person decided in a review, as its file holds it: replayed from the first line to the last."""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from sfumato.detectors.decision import ADVICE, LISTS, MARKS, Decision, decision_of
from sfumato.errors import InputError
from sfumato.storage import regular


@dataclass(frozen=True)
class Decisions:
    """The lines of a file of decisions. PRIVATE: they hold text.

    Attributes:
        lines: Every line, those that were undone among them.
        name: The name of the file, for messages.
    """

    lines: tuple[Decision, ...] = field(default=(), repr=False)
    name: str = field(default="the decisions", compare=False)

    def __post_init__(self) -> None:
        undone: set[int] = set()
        sampled = 0
        for number, line in enumerate(self.lines, 1):
            place = f"{self.name}, line {line.line}"
            if line.line != number:
                raise InputError(f"{place}: the lines are not numbered from 1; {ADVICE}.")
            if line.action == "undo":
                of = line.facts["of"]
                if self.lines[of - 1].action in ("undo", "sample") or of in undone:
                    raise InputError(f"{place}: it undoes a line that cannot be undone; {ADVICE}.")
                undone.add(of)
            sampled += line.action == "sample"
            if sampled > 1:
                raise InputError(f"{place}: a second sample was drawn, which could be the more favourable; {ADVICE}.")

    @cached_property
    def live(self) -> tuple[Decision, ...]:
        """Return the lines that count: all except those that were undone, and the undoing ones."""
        undone = {line.facts["of"] for line in self.lines if line.action == "undo"}
        return tuple(line for line in self.lines if line.action != "undo" and line.line not in undone)

    @cached_property
    def marks(self) -> tuple[Decision, ...]:
        """Return the decisions about marks."""
        return tuple(line for line in self.live if line.action in MARKS)

    @cached_property
    def lists(self) -> tuple[Decision, ...]:
        """Return the entries of the two lists. Of several about one text, the last counts."""
        latest = {folded(line.text): line.action for line in self.live if line.action in LISTS}
        return tuple(line for line in self.live if line.action in LISTS and latest[folded(line.text)] == line.action)

    @property
    def count(self) -> int:
        """Return how many decisions change what is marked."""
        return len(self.marks) + len(self.lists)

    @cached_property
    def read(self) -> frozenset[int]:
        """Return the records that the reviewer called done."""
        return frozenset(line.facts["record"] for line in self.live if line.action == "read")

    @cached_property
    def sample(self) -> Decision | None:
        """Return the line with the random sample, if it was drawn."""
        return next((line for line in self.live if line.action == "sample"), None)

    @cached_property
    def fingerprint(self) -> str:
        """Return a digest of everything that changes what is marked, in hexadecimal digits."""
        facts = [[line.action, dict(line.facts)] for line in (*self.lists, *self.marks)]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def general_before(self, last: int) -> Decisions:
        """Return the lists, and the decisions for all records, as they were before the line ``last``.

        What was decided for a single record is left out.
        """
        before = Decisions(tuple(line for line in self.lines if line.line < last), self.name)
        general = [line for line in before.live if line.action in LISTS or line.facts.get("scope") == "everywhere"]
        return Decisions(tuple(replace(line, line=number) for number, line in enumerate(general, 1)), self.name)

    def loosened_after(self, last: int) -> bool:
        """Return whether, after the line ``last``, something was unmarked or relabelled in all records.

        An addition for all records from before that was undone afterwards counts, too.
        """
        unmarking = any(
            line.line > last and (line.action == "never" or _everywhere(line, "remove", "relabel"))
            for line in (*self.lists, *self.marks)
        )
        undone = (self.lines[line.facts["of"] - 1] for line in self.lines[last:] if line.action == "undo")
        return unmarking or any(
            line.line < last and (line.action == "always" or _everywhere(line, "add", "relabel")) for line in undone
        )


def decisions_from(path: str | Path) -> Decisions:
    """Return the decisions in the file at ``path``. Raise InputError, which names the place and never content."""
    path = Path(path)
    try:
        content = regular(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the path and its permissions.") from None
    if content and not content.endswith(b"\n"):
        last = content.count(b"\n") + 1
        raise InputError(
            f"{path.name}, line {last}: it was not written to its end; open the review again, which takes it out."
        )
    return decisions_in(content, path.name)


def decisions_in(content: bytes, name: str) -> Decisions:
    """Return the decisions that ``content`` holds. Raise InputError, which names the place and never content."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise InputError(f"{name} is not UTF-8; {ADVICE}.") from None
    return Decisions(tuple(_lines(text.split("\n")[:-1], name)), name)


def _lines(lines: Iterable[str], name: str) -> Iterable[Decision]:
    for number, line in enumerate(lines, 1):
        yield decision_of(line, number, name)


def _everywhere(line: Decision, *actions: str) -> bool:
    return line.action in actions and line.facts["scope"] == "everywhere"


def folded(text: str) -> str:
    """Return ``text`` as entries are compared: in any case, with any white space between words."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
