"""The spans of several finders in one text, united: overlaps become one span, which the surest finder labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

import regex

from sfumato.detectors.prefilter import anchored_matches
from sfumato.text.marks import Finding, Spans

Rule = tuple[str, float, str]
"""A label, how sure the rule is, and its pattern."""


class Found(NamedTuple):
    """A half-open span, its label, and how sure its finder is (0 to 1).

    ``score`` compares finders and decides labels; ``own`` is what the finder tells of the span, where it tells
    something: a chance. It decides nothing, so a measured chance makes no finder weaker than another.
    """

    start: int
    end: int
    label: str
    score: float
    finder: str = ""
    own: float | None = None

    @property
    def finding(self) -> Finding:
        """Return the public form of the span."""
        span = self.start, self.end, self.label
        if self.own is None:
            return Finding(*span, self.score, self.finder)
        return Finding(*span, self.own, self.finder, self.score)


Ranked = TypeVar("Ranked", Found, Finding)


def compiled(rules: Iterable[Rule]) -> tuple[tuple[str, float, Any], ...]:
    """Return the same rules with their patterns compiled."""
    return tuple((label, score, regex.compile(pattern)) for label, score, pattern in rules)


def labelled(rules: Iterable[tuple[str, float, Any]], text: str) -> Iterator[Found]:
    """Yield every match of compiled rules in ``text``; they may overlap. Raise TimeoutError if it takes too long.

    The finder is the number of the rule.
    """
    rules = tuple(rules)
    every = anchored_matches(tuple(pattern for _, _, pattern in rules), text)
    for number, ((label, score, _), matched) in enumerate(zip(rules, every, strict=True)):
        for match in matched:
            if match.start() < match.end():
                yield Found(match.start(), match.end(), label, score, str(number))


def united(spans: Iterable[Found]) -> Spans:
    """Return the union of ``spans``: sorted, disjoint. Spans that only touch stay apart.

    A union has the label with the highest score; of equal scores that of the longest span, then of the first.
    """
    return Spans.of(findings_of(spans))


def findings_of(spans: Iterable[Found]) -> list[Finding]:
    """Return the union that :func:`united` makes, with score and finder of the span that gave each its label."""
    return [best.finding._replace(start=start, end=end) for start, end, best in unions(spans, _rank)]


def unions(
    spans: Iterable[Ranked], rank: Callable[[Ranked], tuple[float, int, int]]
) -> list[tuple[int, int, Ranked]]:
    """Return start, end and the span of highest ``rank`` of each run of overlapping spans."""
    joined: list[tuple[int, int, Ranked]] = []
    for span in sorted(spans, key=lambda span: span[:3]):
        if joined and span.start < joined[-1][1]:
            start, end, best = joined[-1]
            joined[-1] = (start, max(end, span.end), max(best, span, key=rank))
        else:
            joined.append((span.start, span.end, span))
    return joined


def _rank(span: Found) -> tuple[float, int, int]:
    return span.score, span.end - span.start, -span.start
