"""The verdict that opens a page: what was asked of a release, whether it holds, and what to do about it.

Its limits become rows of the page: each a judgement in words, and where its marks lie on a scale in per cent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.metrics.estimates import Estimate

_LEFT, _RIGHT = 2.0, 98.0
"""Where 0 % and 100 % are, in per cent of the picture's width: half a mark needs room on both sides."""


@dataclass(frozen=True)
class Limit:
    """One limit that was set before the release was made, and what was measured.

    Attributes:
        name: What it is, in a few words.
        sentence: The judgement in words.
        limit: The share that was asked.
        is_floor: Whether the limit is a least share; otherwise it is the most.
        measured: The share with its 95 % interval; None if nothing was measured.
        holds: Whether the limit holds, at the end of the interval.
        word: The judgement in a word or two; if empty, that it holds or does not.
        is_asked: Whether the limit decides; otherwise it says what is safe.
    """

    name: str
    sentence: str
    limit: float
    is_floor: bool
    measured: Estimate | None
    holds: bool
    word: str = ""
    is_asked: bool = True


@dataclass(frozen=True)
class Verdict:
    """What a page says first.

    Attributes:
        title: The verdict in one line: "Accepted: all 6 limits hold; safe against outsiders".
        accepted: Whether all limits hold.
        limits: The limits, in the policy's order.
        advice: What to do, a sentence each, the most helpful first.
        kinds: Kinds of values with the share of people that an attacker finds by them alone.
        records: Ids of texts that are found again, the surest first; only on a page for the owner.
        notes: What has to be said of the verdict, a sentence each.
        whom: What ``records`` are, and how they are counted.
        found: How many texts are found again, of which ``records`` may be the first.
        loosened: Limits that are looser than those of a shipped policy, a sentence each.
        left: Id, kind and value of each identifier that a text still holds; only on a page for the owner.
    """

    title: str
    accepted: bool
    limits: Sequence[Limit] = ()
    advice: Sequence[str] = ()
    kinds: Sequence[tuple[str, Estimate]] = ()
    records: Sequence[str] = ()
    notes: Sequence[str] = ()
    whom: str = ""
    found: int = 0
    loosened: Sequence[str] = ()
    left: Sequence[tuple[str, str, str]] = ()

    @property
    def is_clear(self) -> bool:
        """Return whether it is accepted and nothing fails that is not asked: no page is green above a failure."""
        return self.accepted and all(limit.holds for limit in self.limits)


def limit_rows(limits: Sequence[Limit]) -> list[dict[str, Any]]:
    """Return what a template needs of each limit."""
    return [{"id": f"limit-{number}", **_row(limit)} for number, limit in enumerate(limits, 1)]


def _row(limit: Limit) -> dict[str, Any]:
    measured = _real(limit.measured)
    asked = f"{'at least' if limit.is_floor else 'at most'} {_share(limit.limit)}"
    if not limit.is_asked:
        asked = f"no limit; safe: {asked}"
    word = limit.word or ("holds" if limit.holds else "does not hold")
    shown = "not measured" if measured is None else _interval(measured)
    edge = _x(limit.limit)
    allowed, end = (edge, _RIGHT) if limit.is_floor else (_LEFT, edge)
    row = {
        "name": limit.name, "sentence": limit.sentence, "holds": limit.holds, "word": word,
        "says": f"{limit.name}: {asked}; measured: {shown}; {word}.",
        "left": _LEFT, "right": _RIGHT, "width": _RIGHT - _LEFT, "allowed": allowed,
        "allowed_width": round(end - allowed, 2), "limit": edge, "limit_label": asked, "limit_anchor": _anchor(edge),
        "value": None, "value_label": shown,
    }  # fmt: skip
    if measured is not None:
        point = _x(measured.value)
        row |= {"value": point, "low": _x(measured.low), "high": _x(measured.high),
                "value_anchor": _anchor(point)}  # fmt: skip
    return row


def _real(measured: Estimate | None) -> Estimate | None:
    if measured is None or not all(map(math.isfinite, (measured.value, measured.low, measured.high))):
        return None
    return measured


def _share(value: float) -> str:
    """Return a share with a decimal if it is small: ``0.005`` as "0.5 %"."""
    return f"{_number(value)} %"


def _number(share: float) -> str:
    return f"{100 * share:.0f}" if share >= 0.1 else f"{100 * share:.1f}".removesuffix(".0")


def _interval(measured: Estimate) -> str:
    of = f" of {measured.n:,}" if measured.n else ""  # 0: the page does not tell it
    return f"{_share(measured.value)} ({_number(measured.low)} to {_share(measured.high)}){of}"


def _x(share: float) -> float:
    return round(_LEFT + (_RIGHT - _LEFT) * min(max(share, 0.0), 1.0), 2)


def _anchor(x: float) -> str:
    """Return on which side of its mark a label lies, so that none leaves the picture."""
    return "start" if x < 30 else "end" if x > 70 else "middle"
