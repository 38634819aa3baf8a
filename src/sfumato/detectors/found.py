"""What several finders say of one text, made one: overlaps are united, and the surest finder names the union."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import regex

from sfumato.document import Spans

Rule = tuple[str, float, str]
"""A label, how sure the rule is, and its pattern."""


class Found(NamedTuple):
    """A half-open span, its label, and how sure its finder is (0 to 1)."""

    start: int
    end: int
    label: str
    score: float


TIMEOUT = 20.0
"""Most seconds that one pattern may spend on one text; past it nothing is detected in the text."""


def matches(pattern: Any, text: str) -> Iterator[Any]:
    """Where ``pattern`` matches in ``text``. Raises TimeoutError past :data:`TIMEOUT`: what is skipped would leak."""
    return iter(pattern.finditer(text, timeout=TIMEOUT))


def compiled(rules: Iterable[Rule]) -> tuple[tuple[str, float, Any], ...]:
    """The same with their patterns compiled."""
    return tuple((label, score, regex.compile(pattern)) for label, score, pattern in rules)


def labelled(rules: Iterable[tuple[str, float, Any]], text: str) -> Iterator[Found]:
    """Whatever compiled rules find in ``text``; places may overlap. Raises TimeoutError."""
    for label, score, pattern in rules:
        for match in matches(pattern, text):
            if match.start() < match.end():
                yield Found(match.start(), match.end(), label, score)


def united(found: Iterable[Found]) -> Spans:
    """The union of ``found``: sorted, disjoint. Spans that only touch stay apart.

    A union has the label with the highest score; of equal scores that of the longest span, then of the first.
    """
    unions: list[tuple[int, int, Found]] = []
    for one in sorted(found):
        if unions and one.start < unions[-1][1]:
            start, end, best = unions[-1]
            unions[-1] = (start, max(end, one.end), max(best, one, key=_rank))
        else:
            unions.append((one.start, one.end, one))
    return Spans([(start, end) for start, end, _ in unions], [best.label for _, _, best in unions])


def _rank(one: Found) -> tuple[float, int, int]:
    return one.score, one.end - one.start, -one.start
