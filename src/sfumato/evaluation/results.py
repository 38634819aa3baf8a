"""The results of an evaluation: figures with intervals, notable records, and what was left out and why."""

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
    """A number with its interval; ``setting`` states how it was measured."""

    name: str
    estimate: Estimate
    setting: Setting = field(default_factory=dict)
    private: str | None = None
    """"high" or "low", if such a value is the more private one."""

    def as_json(self) -> dict[str, Any]:
        """Return the content for ``results.json``."""
        content: dict[str, Any] = {"name": self.name, "setting": dict(self.setting), **self.estimate.as_json()}
        return content if self.private is None else {**content, "private_is": self.private}


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not measured (``what``), and ``why``.

    ``why`` stands within a sentence, and loses the full stop of an error. ``again``: the reason can be mended, so a
    new run tries again.
    """

    what: str
    why: str
    again: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "why", self.why.removesuffix("."))


@dataclass(frozen=True)
class Study:
    """An attack, or a family of metrics: its ``figures``, and what was ``skipped``. ``records`` holds a value for
    some records, by id, never their text.

    ``facts`` are further results that are not figures; ``seconds`` is the time that the study took.
    """

    name: str
    figures: Sequence[Figure] = ()
    skipped: Sequence[Skipped] = ()
    records: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    def named(self, *names: str) -> list[Figure]:
        """Return the figures with one of these names."""
        return [figure for figure in self.figures if figure.name in names]

    def fitting(self, name: str, **setting: Any) -> list[Figure]:
        """Return the finite figures with that name whose setting holds all of ``setting``; a tuple: one of it."""
        return [
            figure for figure in self.named(name)
            if math.isfinite(figure.estimate.value) and all(_holds(figure, *wanted) for wanted in setting.items())
        ]  # fmt: skip

    def figure(self, name: str, **setting: str | int | float) -> Figure | None:
        """Return the first figure with that name whose setting holds all of ``setting``; None if there is none."""
        every = (each for each in self.named(name) if all(_holds(each, *wanted) for wanted in setting.items()))
        return next(every, None)

    def as_json(self) -> dict[str, Any]:
        """Return the content for ``results.json``."""
        return {
            "study": self.name,
            "figures": [figure.as_json() for figure in self.figures],
            "skipped": [{"what": skipped.what, "why": skipped.why} for skipped in self.skipped],
            "records": {name: dict(values) for name, values in self.records.items()},
            "facts": dict(self.facts),
            "seconds": round(self.seconds, 3),
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Study:
        """Return the study that :meth:`as_json` wrote."""
        figures = []
        for given in content["figures"]:
            value, low, high = (_number(given[part]) for part in ("value", "low", "high"))
            estimate = Estimate(value, low, high, given["n"], given["of"])
            figures.append(Figure(given["name"], estimate, given["setting"], given.get("private_is")))
        skipped = [Skipped(entry["what"], entry["why"]) for entry in content["skipped"]]
        return cls(content["study"], figures, skipped, content["records"], content["facts"], content["seconds"])


def _holds(figure: Figure, key: str, value: Any) -> bool:
    return figure.setting.get(key) in (value if isinstance(value, tuple) else (value,))


def as_text(content: Any) -> str:
    """Return ``content`` as JSON. NaN is not JSON, so a figure that could not be measured is null."""
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
