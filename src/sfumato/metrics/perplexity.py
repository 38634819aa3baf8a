"""The surprise of a language model at texts: perplexity, from the probabilities of pieces in their contexts.

A text longer than a causal model's window is read in windows that overlap by half. So every piece is counted exactly
once, and each has at least half a window before it if the text has as much.

With a masked model each word is masked and predicted (pseudo-perplexity). Paper: Salazar, Liang, Nguyen and
Kirchhoff, Masked Language Model Scoring (2020), for the sum over words. Its change appears in Semantics-preserved
distortion (§3.1) beside the paper's divergence. Differences: the law is over the model's whole words, so a word that
is not among them is not predicted; ``block`` words are masked in one pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.models import CausalModel, MaskedModel
from sfumato.errors import ConfigurationError
from sfumato.metrics.estimates import Estimate, nothing, of_statistic
from sfumato.models.masked.windows import questions_in_blocks, units
from sfumato.text.sentences import words
from sfumato.types import FloatArray, Progress, in_batches

_LONGEST = 1024  # pieces of a window: more context changes little, and takes memory
_AT_ONCE = 64


@runtime_checkable
class Reads(Protocol):
    """A causal model that reads windows at once, which is much faster than piece by piece."""

    def nats(self, windows: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[float]:
        """Return the surprise of the scored pieces of each window (pieces before, scored pieces), in nats."""


@runtime_checkable
class ReadsAfter(Protocol):
    """A causal model that reads several answers after one prompt, which it reads once."""

    def nats_after(self, prompt: Sequence[int], answers: Sequence[Sequence[int]]) -> list[float]:
        """Return the surprise of the pieces of each answer, in nats, summed."""


class Surprise(NamedTuple):
    """The surprise of one text: its negative log-likelihood in nats, and its numbers of scored pieces and words."""

    nats: float
    pieces: int
    words: int


class _Window(NamedTuple):
    """The pieces of text ``owner`` that are read before, and the pieces that are scored one after the other."""

    owner: int
    before: list[int]
    scored: list[int]


def surprises(model: CausalModel, texts: Sequence[str], progress: Progress | None = None) -> list[Surprise]:
    """Return the surprise of ``model`` at each text. Probabilities are over the pieces of texts, never special ones.

    The first piece of a text is scored only if the tokenizer puts a piece before it. ``progress`` receives the
    finished share. Raise ConfigurationError for a model whose window is too small, or whose tokenizer writes pieces
    without a score.
    """
    opening, most = list(model.opening), min(model.window, _LONGEST)
    if most < len(opening) + 3:
        raise ConfigurationError("The model's window is too small to read a text in; give another one.")
    column_of = np.full(int(model.outcomes.max()) + 1, -1, dtype=np.int64)
    column_of[model.outcomes] = np.arange(len(model.outcomes))
    windows = []
    for owner, text in enumerate(texts):
        read = model.pieces(text)
        if any(piece >= len(column_of) or column_of[piece] < 0 for piece in read):
            raise ConfigurationError(
                "The model's tokenizer writes pieces that it has no scores for; give another one."
            )
        windows += _windows(owner, read, opening, most)
    windows.sort(key=lambda window: len(window.scored), reverse=True)
    nats, pieces = np.zeros(len(texts)), np.zeros(len(texts), dtype=np.int64)
    total, done = sum(len(window.scored) for window in windows), 0
    for first in range(0, len(windows), model.rows):
        batch = windows[first : first + model.rows]
        for window, surprise in zip(batch, _read(model, batch, column_of), strict=True):
            nats[window.owner] += surprise
            pieces[window.owner] += len(window.scored)
            done += len(window.scored)
        if progress is not None:
            progress(done / total)
    counts = [len(words(text)) for text in texts]
    return [Surprise(float(sums), int(count), own) for sums, count, own in zip(nats, pieces, counts, strict=True)]


def surprises_after(model: CausalModel, prompt: Sequence[int], answers: Sequence[Sequence[int]]) -> list[float]:
    """Return the surprise (nats, summed) of the pieces of each of ``answers`` after the pieces ``prompt``."""
    if isinstance(model, ReadsAfter):
        return model.nats_after(prompt, answers)
    column_of = np.full(int(model.outcomes.max()) + 1, -1, dtype=np.int64)
    column_of[model.outcomes] = np.arange(len(model.outcomes))
    order = sorted(range(len(answers)), key=lambda index: -len(answers[index]))
    windows = [_Window(index, list(prompt), list(answers[index])) for index in order]
    nats = dict(zip(order, _read(model, windows, column_of), strict=True))
    return [nats[index] for index in range(len(answers))]


def perplexity(texts: Sequence[Surprise], seed: int, by_word: bool = False) -> Estimate:
    """Return exp of the mean surprise of a piece (or word) over all texts that have one; texts are resampled."""
    counts = [text.words if by_word else text.pieces for text in texts]
    scored = [(text.nats, count) for text, count in zip(texts, counts, strict=True) if text.pieces and count]
    if not scored:
        return nothing()
    columns = np.array(scored, dtype=np.float64).T
    return of_statistic(lambda weights: mean_surprise(weights, columns), len(scored), seed).estimate()


def mean_surprise(weights: FloatArray, columns: FloatArray) -> FloatArray:
    """Return exp of the nats for a piece in each resample; ``columns`` (2, texts) are nats and numbers of pieces."""
    return np.asarray(np.exp((weights @ columns[0]) / (weights @ columns[1])))


def _windows(owner: int, pieces: list[int], opening: list[int], most: int) -> list[_Window]:
    """Return the windows of a text; together their ``scored`` are its pieces in order."""
    start = 0 if opening else 1
    before, windows = [*opening, *pieces[:start]], []
    while start < len(pieces):
        end = min(len(pieces), start + most - len(before))
        windows.append(_Window(owner, before, pieces[start:end]))
        start = end
        before = [*opening, *pieces[start - max(1, (most - len(opening)) // 2) : start]]
    return windows


def _read(model: CausalModel, windows: Sequence[_Window], column_of: NDArray[np.int64]) -> list[float]:
    """Return the surprise of each window; without a faster way piece by piece, all of them together."""
    if isinstance(model, Reads):
        return model.nats([(window.before, window.scored) for window in windows])
    session, sums = model.begin([window.before for window in windows]), [0.0] * len(windows)
    going, step = list(range(len(windows))), 0
    while going:
        scores = session.scores()
        wanted = column_of[[windows[index].scored[step] for index in going]]
        highest = scores.max(axis=1, keepdims=True)
        totals = np.exp(scores - highest).sum(axis=1, dtype=np.float64)
        nats = np.log(totals) + highest[:, 0] - scores[np.arange(len(going)), wanted]
        for index, surprise in zip(going, nats, strict=True):
            sums[index] += float(surprise)
        step += 1
        left = [step < len(windows[index].scored) for index in going]
        session.take([int(piece) if more else None for piece, more in zip(wanted, left, strict=True)])
        going = [index for index, more in zip(going, left, strict=True) if more]
    return sums


def masked_surprises(
    model: MaskedModel, texts: Sequence[str], block: int = 4, progress: Progress | None = None
) -> list[Surprise]:
    """Return for each text the surprise over the words that the model knows, their number, and that of all words.

    The surprise is in nats. ``block`` words are masked in one pass. ``progress`` receives the finished share.
    """
    column = {int(piece): number for number, piece in enumerate(model.word_pieces)}
    clozes, wanted, sums = [], [], []
    for owner, text in enumerate(texts):
        words = units(text)
        pieces = model.pieces(words)
        known = [index for index, own in enumerate(pieces) if len(own) == 1 and own[0] in column]
        sums.append([0.0, len(known), sum(any(map(str.isalnum, word)) for word in words)])
        for question, inside in questions_in_blocks(pieces, known, model.window, block):
            clozes.append(question)
            wanted.append([(owner, column[pieces[index][0]]) for index in inside])
    for batch in in_batches(list(zip(clozes, wanted, strict=True)), _AT_ONCE, progress):
        answers = iter(np.asarray(model.scores([cloze for cloze, _ in batch]), dtype=np.float64))
        for owner, word in (mask for _, row in batch for mask in row):
            scores = next(answers)
            highest = scores.max()
            sums[owner][0] += float(np.log(np.exp(scores - highest).sum()) + highest - scores[word])
    return [Surprise(float(nats), int(count), int(words)) for nats, count, words in sums]
