"""The verdict that opens a page: what was asked of a release, whether it holds, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.metrics.estimates import Estimate


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
    """

    name: str
    sentence: str
    limit: float
    is_floor: bool
    measured: Estimate | None
    holds: bool


@dataclass(frozen=True)
class Verdict:
    """What a page says first.

    Attributes:
        title: The verdict in one line: "Accepted", "Not accepted: 2 of 4 limits do not hold".
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
