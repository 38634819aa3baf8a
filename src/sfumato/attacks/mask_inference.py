"""Mask-token inference: does a masked model guess the private word from the released words around it?

Paper: CusText (§5.3), after SanText (Yue et al. 2021). Threat model: the attacker sees the release and has a masked
language model. Each word is masked in turn, and the model's likeliest word is the guess. The guess is right if it is
the original's word at that position. Protection is 1 - r, r the share of right guesses. Differences: words are those
between white space and signs, the same number of them in both texts (other records are left out and counted), and
only words that the model can name are guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.models import Cloze, MaskedModel
from sfumato.models.masked.windows import questions
from sfumato.types import Progress

_UNIT = re.compile(r"\w+|[^\w\s]")
_AT_ONCE = 64


class Guesses(NamedTuple):
    """For each guessed word: its record, whether the guess was right, and whether the release kept the word."""

    owners: NDArray[np.int64]
    right: NDArray[np.bool_]
    kept: NDArray[np.bool_]
    left_out: int
    """The number of records whose number of words changed, so that their words cannot be matched."""


@dataclass(frozen=True, eq=False)
class MaskInference:
    """Guesses words of releases with ``model``; at most ``most`` of them, drawn at random by ``seed``."""

    model: MaskedModel
    most: int = 2000
    seed: int = 0

    def guesses(self, originals: Sequence[str], releases: Sequence[str], progress: Progress | None = None) -> Guesses:
        """Return a guess for each of up to ``most`` words. ``progress`` receives the finished share."""
        known = {word.casefold(): number for number, word in enumerate(self.model.words)}
        places, left_out = [], 0
        for number, (before, after) in enumerate(zip(originals, releases, strict=True)):
            if not comparable(before, after):
                left_out += 1
                continue
            words = _UNIT.findall(before)
            places += [
                (number, position, known[word.casefold()])
                for position, word in enumerate(words)
                if word.casefold() in known
            ]
        drawn = np.random.default_rng(self.seed).permutation(len(places))[: self.most]
        targets = [places[index] for index in sorted(drawn.tolist())]
        named = self._named([(releases[number], position) for number, position, _ in targets], progress)
        same = [
            _UNIT.findall(originals[number])[position].casefold()
            == _UNIT.findall(releases[number])[position].casefold()
            for number, position, _ in targets
        ]
        folded = [word.casefold() for word in self.model.words]  # a model may know a word in several spellings
        right = [folded[guess] == folded[word] for guess, (_, _, word) in zip(named, targets, strict=True)]
        owners = np.array([number for number, _, _ in targets], np.int64)
        return Guesses(owners, np.array(right, bool), np.array(same, bool), left_out)

    def _named(self, targets: Sequence[tuple[str, int]], progress: Progress | None) -> list[int]:
        """Return the likeliest word at each position of a released text."""
        words: list[int] = []
        for first in range(0, len(targets), _AT_ONCE):
            batch = targets[first : first + _AT_ONCE]
            scores = self.model.scores([self._question(text, position) for text, position in batch])
            words += np.argmax(scores, axis=1).tolist()
            if progress is not None:
                progress(min(1.0, (first + _AT_ONCE) / len(targets)))
        return words

    def _question(self, text: str, position: int) -> Cloze:
        """Return ``text`` with the word at ``position`` masked, and as much around that word as the model takes."""
        units = [
            f" {unit.group()}" if unit.start() and text[unit.start() - 1].isspace() else unit.group()
            for unit in _UNIT.finditer(text)
        ]
        return next(questions(self.model.pieces(units), [position], self.model.window))[0]


def comparable(before: str, after: str) -> bool:
    """Return whether both texts have the same number of words and signs, so that each word has a counterpart."""
    return len(_UNIT.findall(before)) == len(_UNIT.findall(after))
