"""What the ranks of a model's scores are worth, measured on public text: the profile for every ε follows from it.

The model answers the questions of :mod:`sfumato.models.calibration`. The gain of a rank is the mean, over these
questions, of the cosine between the word that was there and the outcome of that rank, in the model's own word
vectors (centred on their mean); for a model that shows no vectors, the share of questions in which the rank's outcome
is the word that was there. :class:`sfumato.privacy.rank_profile.RankGains` chooses the plateau with the largest
mean gain. How often the word that was there is among the first ranks is measured too: a statement says by it how
often a draw gives a word back. The private text has no part in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError
from sfumato.models.calibration import Answered, Calibration, PublicText, TextFile, known_or_measured, read_calibrated
from sfumato.privacy.rank_profile import RankGains
from sfumato.storage import cache

_VERSION = "1"
"""Raise this when the measurement changes, because gains are kept in the cache."""
_A_FACTOR = 8  # numbers of ranks that are tried between one and twice it

Vectors = NDArray[np.floating[Any]]


def measured_gains(calibration: Calibration) -> RankGains:
    """Return the gains that ``calibration`` gives, kept in the cache.

    A text without a word that the model knows says nothing: then the first rank alone is preferred. Raise
    ConfigurationError for a text without words.
    """
    text, name = calibration.text, recorded_name(calibration.name, calibration.text)
    facts = known_or_measured(
        "rank_gains.json",
        name,
        cache.content_key("rank gains", name),
        lambda: _measured(calibration.exact, calibration.answers()),
    )
    return _of_facts({**facts, "source": f"{facts['criterion']}, over {text.name}"}, text.file)


def recorded_name(of: str, text: PublicText) -> str:
    """Return the name under which sfumato records the gains of a model, ``of`` its id and window or prompt."""
    return f"{_VERSION} {of} {text.name}"


def read_gains(given: str, model: str) -> RankGains:
    """Return the gains of a JSON file that ``sfumato models calibrate`` wrote for ``model``, by its id.

    Raise ConfigurationError for anything else.
    """
    return read_calibrated(Path(given), model, "rank", _of_facts)


def _of_facts(facts: dict[str, Any], text: TextFile | None) -> RankGains:
    firsts, gains = map(int, facts["firsts"]), map(float, facts["gains"])
    own = map(float, facts.get("own", ()))
    return RankGains(tuple(firsts), tuple(gains), str(facts["source"]), text, tuple(own))


def tried(ranks: int) -> list[int]:
    """Return the numbers of first ranks whose plateaus are compared, rising, about evenly in their logarithm."""
    steps = np.arange(int(np.log2(ranks) * _A_FACTOR) + 1) / _A_FACTOR
    return sorted({*np.floor(2.0**steps).astype(int).tolist(), ranks})


def _measured(model: Any, answers: Iterator[Answered]) -> dict[str, Any]:
    """Return the mean gains as JSON types."""
    vectors = _unit(getattr(model, "outcome_vectors", None))
    total: NDArray[np.float64] | None = None
    firsts, count, outcomes, own = np.empty(0, dtype=np.int64), 0, 0, np.empty(0)
    for answered in answers:
        outcomes = answered.scores.shape[1]
        for scores, right in zip(answered.scores, answered.outcomes, strict=True):
            if right < 0:
                continue
            if total is None:
                firsts = np.array(tried(len(scores)))
                total, own = np.zeros(len(firsts)), np.zeros(len(firsts))
            order = np.argsort(-scores.astype(np.float64), kind="stable")
            gains = order == right if vectors is None else (vectors @ vectors[right])[order]
            total += np.cumsum(gains, dtype=np.float64)[firsts - 1] / firsts
            own += np.flatnonzero(order == right)[0] < firsts
            count += 1
    if not outcomes:
        raise ConfigurationError("The public text holds no words; give a text file with a sentence a line.")
    if total is None:
        return {"criterion": "no word is an outcome of the model", "firsts": [1, outcomes], "gains": [0.0, 0.0]}
    criterion = (
        "share of words kept" if vectors is None else "mean cosine between word and draw in the model's word vectors"
    )
    # rounded to numbers that a person can read: only the choice of a plateau depends on them
    return {
        "criterion": criterion,
        "firsts": firsts.tolist(),
        "gains": [float(f"{gain:.6g}") for gain in total / count],
        "own": [float(f"{share:.6g}") for share in own / count],
    }


def _unit(vectors: Vectors | None) -> Vectors | None:
    """Return ``vectors`` (V, D) centred and of length 1."""
    if vectors is None:
        return None
    centred = vectors - vectors.mean(axis=0, keepdims=True)
    return np.asarray(centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-12))
