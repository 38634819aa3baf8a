"""What an evaluation found: figures with intervals, the records that stand out, and what was left out and why."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.metrics.estimates import Estimate

Setting = Mapping[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Figure:
    """One number with its interval; ``setting`` says how it was made."""

    name: str
    estimate: Estimate
    setting: Setting = field(default_factory=dict)
    private: str | None = None
    """"high" or "low", where a value of that kind is the more private one."""

    def as_json(self) -> dict[str, Any]:
        """For ``results.json``."""
        found: dict[str, Any] = {"name": self.name, "setting": dict(self.setting), **self.estimate.as_json()}
        return found if self.private is None else {**found, "private_is": self.private}


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not measured, and why. ``again``: the reason can be mended, and a new try is worth it."""

    what: str
    why: str
    again: bool = False


@dataclass(frozen=True)
class Study:
    """One attack, or one family of metrics. ``records`` holds a value for some records, by id, never their text."""

    name: str
    figures: Sequence[Figure] = ()
    skipped: Sequence[Skipped] = ()
    records: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    def figure(self, name: str, **setting: str | int | float) -> Figure | None:
        """The first figure of that name whose setting holds all of ``setting``."""
        for one in self.figures:
            if one.name == name and all(one.setting.get(key) == value for key, value in setting.items()):
                return one
        return None

    def as_json(self) -> dict[str, Any]:
        """For ``results.json``."""
        return {
            "study": self.name,
            "figures": [one.as_json() for one in self.figures],
            "skipped": [{"what": one.what, "why": one.why} for one in self.skipped],
            "records": {name: dict(values) for name, values in self.records.items()},
            "facts": dict(self.facts),
            "seconds": round(self.seconds, 3),
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Study:
        """What :meth:`as_json` gave."""
        figures = [
            Figure(
                one["name"],
                Estimate(_number(one["value"]), _number(one["low"]), _number(one["high"]), one["n"], one["of"]),
                one["setting"],
                one.get("private_is"),
            )
            for one in found["figures"]
        ]
        skipped = [Skipped(one["what"], one["why"]) for one in found["skipped"]]
        return cls(found["study"], figures, skipped, found["records"], found["facts"], found["seconds"])


def as_text(content: Any) -> str:
    """JSON without NaN, which is no JSON: a figure that could not be had is null."""
    return json.dumps(_clean(content), indent=1, ensure_ascii=False) + "\n"


def _clean(content: Any) -> Any:
    if isinstance(content, float):
        return content if math.isfinite(content) else None
    if isinstance(content, Mapping):
        return {str(key): _clean(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_clean(value) for value in content]
    return content


def _number(value: float | None) -> float:
    return float("nan") if value is None else float(value)
