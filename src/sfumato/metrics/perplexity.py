"""How surprised a causal model is by texts: perplexity, from the probabilities of all pieces in their contexts.

A text longer than the model's window is read in windows that overlap by half, so that no piece is left out, none is
counted twice, and each has at least half a window before it wherever the text has as much.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import regex
from numpy.typing import NDArray

from sfumato.abstract.models import CausalModel
from sfumato.errors import ConfigurationError
from sfumato.metrics.estimates import Estimate, nothing, of_statistic
from sfumato.types import FloatArray, Progress

_LONGEST = 1024  # pieces of a window: more context changes little, and takes memory
_WORD = regex.compile(r"[\p{L}\p{N}]+")


@runtime_checkable
class Reads(Protocol):
    """A causal model that reads windows at one go, which is much faster than piece by piece."""

    def nats(self, windows: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[float]:
        """Of each window (what stands before, what is scored) the surprise of what is scored, in nats."""


class Surprise(NamedTuple):
    """Of one text: the negative log-likelihood in nats, how many pieces it is the sum over, and the text's words."""

    nats: float
    pieces: int
    words: int


class _Window(NamedTuple):
    """What of text ``owner`` is read before, and the pieces that are scored one after the other."""

    owner: int
    before: list[int]
    scored: list[int]


def surprises(model: CausalModel, texts: Sequence[str], progress: Progress | None = None) -> list[Surprise]:
    """What ``model`` makes of each text. Probabilities are over the pieces that stand in texts: no special ones.

    The first piece of a text is scored only where the tokenizer puts something before it. Raises ConfigurationError
    for a model whose window is too small.
    """
    opening, most = list(model.opening), min(model.window, _LONGEST)
    if most < len(opening) + 3:
        raise ConfigurationError("The model's window is too small to read a text in; give another one.")
    places = np.full(int(model.outcomes.max()) + 1, -1, dtype=np.int64)
    places[model.outcomes] = np.arange(len(model.outcomes))
    windows = []
    for owner, text in enumerate(texts):
        found = model.pieces(text)
        if any(piece >= len(places) or places[piece] < 0 for piece in found):
            raise ConfigurationError(
                "The model's tokenizer writes pieces that it has no scores for; give another one."
            )
        windows += _windows(owner, found, opening, most)
    windows.sort(key=lambda one: len(one.scored), reverse=True)
    nats, pieces = np.zeros(len(texts)), np.zeros(len(texts), dtype=np.int64)
    total, done = sum(len(one.scored) for one in windows), 0
    for first in range(0, len(windows), model.rows):
        some = windows[first : first + model.rows]
        for one, surprise in zip(some, _read(model, some, places), strict=True):
            nats[one.owner] += surprise
            pieces[one.owner] += len(one.scored)
            done += len(one.scored)
        if progress is not None:
            progress(done / total)
    return [Surprise(float(nats[at]), int(pieces[at]), len(_WORD.findall(text))) for at, text in enumerate(texts)]


def perplexity(found: Sequence[Surprise], seed: int, by_word: bool = False) -> Estimate:
    """exp of the mean surprise of a piece (or word) over all texts that have one; texts are resampled."""
    counts = [one.words if by_word else one.pieces for one in found]
    there = [(one.nats, count) for one, count in zip(found, counts, strict=True) if one.pieces and count]
    if not there:
        return nothing()
    nats, units = np.array(there, dtype=np.float64).T

    def statistic(weights: FloatArray) -> FloatArray:
        return np.asarray(np.exp((weights @ nats) / (weights @ units)))

    return of_statistic(statistic, len(nats), seed).estimate()


def _windows(owner: int, pieces: list[int], opening: list[int], most: int) -> list[_Window]:
    """The windows of a text; together their ``scored`` are its pieces in order."""
    at = 0 if opening else 1
    before, found = [*opening, *pieces[:at]], []
    while at < len(pieces):
        end = min(len(pieces), at + most - len(before))
        found.append(_Window(owner, before, pieces[at:end]))
        at = end
        before = [*opening, *pieces[at - max(1, (most - len(opening)) // 2) : at]]
    return found


def _read(model: CausalModel, windows: Sequence[_Window], places: NDArray[np.int64]) -> list[float]:
    """The surprise of each window; where there is no faster way, piece by piece, all of them together."""
    if isinstance(model, Reads):
        return model.nats([(one.before, one.scored) for one in windows])
    session, found = model.begin([one.before for one in windows]), [0.0] * len(windows)
    going, step = list(range(len(windows))), 0
    while going:
        scores = session.scores()
        wanted = places[[windows[at].scored[step] for at in going]]
        highest = scores.max(axis=1, keepdims=True)
        totals = np.exp(scores - highest).sum(axis=1, dtype=np.float64)
        nats = np.log(totals) + highest[:, 0] - scores[np.arange(len(going)), wanted]
        for at, one in zip(going, nats, strict=True):
            found[at] += float(one)
        step += 1
        left = [step < len(windows[at].scored) for at in going]
        session.take([int(piece) if more else None for piece, more in zip(wanted, left, strict=True)])
        going = [at for at, more in zip(going, left, strict=True) if more]
    return found
