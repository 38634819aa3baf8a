"""What DP-MLM adds to a model's scores: how near a candidate is to the original word, and its antonyms.

The score of a candidate becomes α · score + cosine (Meisenbacher et al. 2024, Appendix A), and an antonym of the word
gets the lowest score there is. The paper compares the sentence with the sentence that holds the candidate. Here the
word is compared with the candidate, so that the vectors of all candidates are computed once.

Analysis. Word, cosine and antonyms are private, and all three enter the scores and nothing else: the outcomes stay
the candidates of the model, the same for every input. Both laws bound the loss over any two vectors of scores, the
softmax over any two in its clip range. Clipping the model's scores to [a, b] first puts the sums into
[α·a - 1, α·b + 1], which is public and becomes the range of the law. So ε is what it was. What is lost is
resolution: at the same ε the range of the softmax must hold the cosines too.

Rounding. Beside other texts a model's scores differ by rounding, and the engine repeats what is too close to call
within a fixed margin (:mod:`sfumato.privacy.rank_law`). A weight α above 1 would lift the rounding over that margin,
so that a text's law could depend on another text. Sum and range are therefore divided by α where it is above 1: no
law changes, since one sees the order alone and the other scores in units of their range. A cosine is computed for one
word by itself, and has the same bits in any company.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.abstract.contextual import Scoring
from sfumato.abstract.models import Encoder
from sfumato.errors import ConfigurationError
from sfumato.privacy.clipped_softmax import ClipRange
from sfumato.privacy.score_law import Scores
from sfumato.storage.cache import content_key, load_array, save_array
from sfumato.storage.digests import digest_of
from sfumato.types import FloatArray


@dataclass(frozen=True, eq=False)
class Closeness:
    """Rescores the candidates ``words`` (V) of a model for the places of known words.

    Attributes:
        words: The candidates.
        scoring: What is publicly known of the model's own scores.
        alpha: The weight of the model's score beside the cosine; None: no cosine.
        antonyms: A file of pairs of words, in the first two columns between tabs; None: no antonyms.
        encoder: Turns words into vectors.
    """

    words: Sequence[str]
    scoring: Scoring
    alpha: float | None
    antonyms: Path | None
    encoder: Encoder

    def law_scoring(self) -> Scoring:
        """Return what is publicly known of the scores that :meth:`rescored` returns."""
        if self.alpha is None or not isinstance(self.scoring, ClipRange):
            return self.scoring
        weight, most = self._weights
        lower, upper = weight * self.scoring.lower - most, weight * self.scoring.upper + most
        return replace(self.scoring, lower=lower, upper=upper, source=f"{self.scoring.source}, with cosines")

    def rescored(self, scores: Scores, originals: Sequence[str]) -> Scores:
        """Return new scores (n, V) for the places of the ``originals`` (n). An empty one is like no candidate."""
        made = np.array(scores, dtype=np.float64)
        if self.alpha is not None:
            clip = self.scoring
            made = self._weights[0] * (np.clip(made, clip.lower, clip.upper) if isinstance(clip, ClipRange) else made)
        for row, original in zip(made, originals, strict=True):
            if original and self.alpha is not None:
                row += self._weights[1] * (self._vectors @ self._vector(original))
            if self.antonyms is not None:
                row[self._opposites.get(original.casefold(), [])] = -np.inf
        return made

    @property
    def parameters(self) -> dict[str, Any]:
        """Return what decides the new scores, for the statement."""
        stated: dict[str, Any] = {}
        if self.alpha is not None:
            stated |= {"similarity": self.alpha, "similarity_encoder": self.encoder.id}
        if self.antonyms is not None:
            stated["antonyms"] = _digest(self.antonyms)
        return stated

    @property
    def _weights(self) -> tuple[float, float]:
        """Return what the model's score and the cosine are multiplied by: 1 at most, and α of one another."""
        alpha = self.alpha or 0.0
        return min(alpha, 1.0), 1.0 / max(alpha, 1.0)

    @cached_property
    def _vector(self) -> Any:
        """Return what gives the vector of one word, whatever is asked beside it."""
        return lru_cache(maxsize=4096)(lambda word: self.encoder.encode([word])[0])

    @cached_property
    def _vectors(self) -> FloatArray:
        """Return the vectors (V, d) of the candidates, kept from run to run."""
        key = content_key("candidates", self.encoder.id, *self.words)
        kept = load_array(key)
        if kept is None:
            kept = self.encoder.encode(list(self.words)).astype(np.float32)
            save_array(key, kept)
        return np.asarray(kept)

    @cached_property
    def _opposites(self) -> dict[str, list[int]]:
        """Return the numbers of the candidates that mean the opposite of a word, by that word in small letters."""
        numbers: dict[str, list[int]] = defaultdict(list)
        for number, word in enumerate(self.words):
            numbers[word.casefold()].append(number)
        opposites: dict[str, list[int]] = defaultdict(list)
        for first, second in _pairs(self.antonyms):
            opposites[first] += numbers.get(second, [])
            opposites[second] += numbers.get(first, [])
        return opposites


def checked(alpha: float | None, antonyms: str | Path | None) -> Path | None:
    """Return the file of ``antonyms``. Raise ConfigurationError for a weight or a file that cannot be."""
    if alpha is not None and (isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0 <= alpha < 1e6):
        raise ConfigurationError(
            f"similarity is the weight of the model's score beside the likeness of words, from 0 on, not {alpha!r}."
        )
    path = None if antonyms is None else Path(antonyms)
    if path is not None and not any(True for _ in _pairs(path)):
        raise ConfigurationError("The file of antonyms has no pair of words, two in a line with a tab between them.")
    return path


def _pairs(path: Path | None) -> list[tuple[str, str]]:
    """Return the pairs of a file, in small letters. Raise ConfigurationError if it cannot be read."""
    if path is None:
        return []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    except (OSError, UnicodeDecodeError):
        raise ConfigurationError(f"The file of antonyms {path} cannot be read as text in UTF-8.") from None
    return [(row[0].casefold(), row[1].casefold()) for row in rows if len(row) > 1 and row[0] and row[1]]


def _digest(path: Path) -> str:
    return f"{path.name}@{digest_of(path)[:16]}"
