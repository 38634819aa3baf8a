"""The public range that a model's scores are clipped to, measured on public text by one of two rules.

* :data:`PAPER`: the mean, and the mean + 4 standard deviations (DP-MLM paper, §5.1.1).
* :data:`BEST`, the default: of a grid of ranges around the mean, the one under which the original word (or piece) is
  most likely, on average over 300 questions drawn from all and ε = 25, 50 and 100, each exactly calibrated. The
  guarantee is the same for every range. Under :data:`PAPER` most scores of good words lie above the upper end, so all
  of these are equally likely. Here the private word returns far more often at the same ε, and a smaller ε gives the
  utility of a large one (docs/mechanisms.md says how often it returns).

The range is a public constant of model and text; the private text has no part in it. The model answers the questions
of :mod:`sfumato.models.calibration`. By default the text is a list of invented sentences that ships with sfumato, so
that nothing needs to be chosen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError
from sfumato.models.calibration import Answered, Calibration, PublicText, TextFile, known_or_measured, read_calibrated
from sfumato.privacy.clipped_softmax import ClippedSoftmax, ClipRange
from sfumato.storage import cache

_VERSION = "2"
"""Raise this when the measurement of a range changes, because ranges are kept in the cache."""
Rule = Literal["best", "paper"]
BEST: Rule = "best"
PAPER: Rule = "paper"
_DEVIATIONS = 4.0
_LOWER, _UPPER = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0), (3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0)
_EPSILONS = (25.0, 50.0, 100.0)
_MOST_QUESTIONS = 300


def measured_range(calibration: Calibration, rule: Rule = BEST) -> ClipRange:
    """Return the range that ``calibration`` gives by ``rule``, kept in the cache."""
    if rule not in (BEST, PAPER):
        raise ConfigurationError(f"The rule for a clip range must be best or paper, not {rule!r}.")
    of, text = calibration.name, calibration.text
    facts = known_or_measured(
        "clip_ranges.json",
        recorded_name(of, text, rule),
        cache.content_key("clip range", _VERSION, of, text.name, rule),
        lambda: Measurement.of(calibration.answers()).range(rule, text.name),
    )
    return _of_facts(facts, text.file)


def recorded_name(of: str, text: PublicText, rule: Rule) -> str:
    """Return the name under which sfumato records the range of a model, ``of`` its id and window."""
    return f"{_VERSION} {of} {rule} {text.name}"


def read_range(given: str, model: str) -> ClipRange:
    """Return the range ``LOW,HIGH``, or that of a JSON file which ``sfumato models calibrate`` wrote for ``model``.

    ``model`` is the id of a model, and the file was made with ``--law softmax``. Raise ConfigurationError for
    anything else, and for a range of another model's scores.
    """
    low, comma, high = given.partition(",")
    if not comma and Path(given).exists():
        return read_calibrated(Path(given), model, "softmax", _of_facts)
    try:
        return ClipRange(float(low), float(high), "given by hand")
    except ValueError as error:
        if isinstance(error, ConfigurationError):
            raise
        raise ConfigurationError(
            f"A clip range is LOW,HIGH or a file that `sfumato models calibrate --law softmax` wrote; {given!r} is "
            "neither."
        ) from None


def _of_facts(facts: dict[str, Any], text: TextFile | None) -> ClipRange:
    return ClipRange(float(facts["lower"]), float(facts["upper"]), str(facts["source"]), text)


class Measurement:
    """Mean and deviation of all scores, and some questions drawn evenly from those whose outcome is known."""

    def __init__(self) -> None:
        self._count, self._sum, self._squares = 0, 0.0, 0.0
        self._origin: float | None = None
        self._known = 0
        self._kept: list[tuple[NDArray[np.floating[Any]], int]] = []
        self._draw = np.random.default_rng(0)

    @classmethod
    def of(cls, answers: Iterator[Answered]) -> Measurement:
        """Return the measurement of ``answers``, which are read once."""
        measurement = cls()
        for answered in answers:
            measurement._add(answered)
        return measurement

    def _add(self, answered: Answered) -> None:
        if self._origin is None and answered.scores.size:
            self._origin = float(answered.scores.mean(dtype=np.float64))  # squares of small numbers keep their digits
        shifted = answered.scores.astype(np.float64) - (self._origin or 0.0)
        self._count += shifted.size
        self._sum += float(shifted.sum())
        self._squares += float(np.square(shifted).sum())
        for row, outcome in zip(answered.scores, answered.outcomes, strict=True):
            if outcome < 0:
                continue
            self._known += 1
            if len(self._kept) < _MOST_QUESTIONS:
                self._kept.append((row.copy(), outcome))
            elif (index := int(self._draw.integers(self._known))) < _MOST_QUESTIONS:  # Vitter's reservoir
                self._kept[index] = row.copy(), outcome

    def range(self, rule: Rule, name: str) -> dict[str, Any]:
        """Return edges and source of the range by ``rule``, over the text called ``name``.

        Raise ConfigurationError for a text without words, and for a model whose scores are all alike.
        """
        if not self._count:
            raise ConfigurationError("The public text holds no words; give a text file with a sentence a line.")
        shift = self._sum / self._count
        mean = (self._origin or 0.0) + shift
        deviation = math.sqrt(max(0.0, self._squares / self._count - shift * shift))
        if not math.isfinite(mean) or not deviation > 0.0:
            raise ConfigurationError(
                "The model scores all words alike, or returns values that are not numbers; use another model."
            )
        best = rule == BEST and bool(self._kept)
        low, high = self._best(mean, deviation) if best else (0.0, _DEVIATIONS)
        # rounded to a number that a person can write down: only the last digits of the temperature change
        lower, upper = (float(f"{mean + edge * deviation:.6g}") for edge in (low, high))
        how = f"mean + {low:g} to mean + {high:g} standard deviations"
        why = "the best for what was there" if best else "the paper's rule"
        return {"lower": lower, "upper": upper, "source": f"{how} ({why}) over {name}"}

    def _best(self, mean: float, deviation: float) -> tuple[float, float]:
        """Return the edges, in standard deviations, under which the original outcomes are most likely."""
        scores, right = np.stack([row for row, _ in self._kept]), np.array([outcome for _, outcome in self._kept])
        edges = [(low, high) for low in _LOWER for high in _UPPER if high - low >= 2.0]
        shares = [_share(scores, right, mean + low * deviation, mean + high * deviation) for low, high in edges]
        return edges[int(np.argmax(shares))]


def _share(scores: NDArray[np.floating[Any]], right: NDArray[np.int64], lower: float, upper: float) -> float:
    """Return the mean probability of the ``right`` outcomes."""
    softmax = ClippedSoftmax(ClipRange(lower, upper, "tried"), scores.shape[1])
    laws = (softmax.law(scores, epsilon) for epsilon in _EPSILONS)
    return float(np.mean([law[np.arange(len(right)), right].mean() for law in laws]))
