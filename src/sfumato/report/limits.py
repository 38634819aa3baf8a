"""The limits of a verdict as rows of a page: a judgement in words, and where its marks lie on a scale in per cent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sfumato.metrics.estimates import Estimate
from sfumato.report.verdict import Limit

_LEFT, _RIGHT = 2.0, 98.0
"""Where 0 % and 100 % are, in per cent of the picture's width: half a mark needs room on both sides."""


def rows(limits: Sequence[Limit]) -> list[dict[str, Any]]:
    """Return what a template needs of each limit."""
    return [{"id": f"limit-{number}", **_row(limit)} for number, limit in enumerate(limits, 1)]


def _row(limit: Limit) -> dict[str, Any]:
    measured = _real(limit.measured)
    asked = f"{'at least' if limit.is_floor else 'at most'} {_share(limit.limit)}"
    word = "holds" if limit.holds else "does not hold"
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
    return f"{_share(measured.value)} ({_number(measured.low)} to {_share(measured.high)}) of {measured.n:,}"


def _x(share: float) -> float:
    return round(_LEFT + (_RIGHT - _LEFT) * min(max(share, 0.0), 1.0), 2)


def _anchor(x: float) -> str:
    """Return on which side of its mark a label lies, so that none leaves the picture."""
    return "start" if x < 30 else "end" if x > 70 else "middle"
