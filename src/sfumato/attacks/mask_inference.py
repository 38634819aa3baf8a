"""Mask-token inference: does a masked model guess the private word from the released words around it?

Paper: CusText (§5.3), after SanText (Yue et al. 2021). Threat model: the attacker sees the release and has a masked
language model; each word is masked in turn and the model's likeliest word is the guess. It is right where that is the
word that stood there in the original. Protection is 1 - r, r the share of right guesses. Differences: words are those
between white space and signs, the same number of them in both texts (others are left out and counted), and only words
that the model can name at all are asked about.
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
    """For each word asked about: which record, whether the guess was right, whether the word was left as it was."""

    owners: NDArray[np.int64]
    right: NDArray[np.bool_]
    kept: NDArray[np.bool_]
    left_out: int
    """Records whose number of words changed, so that no word of one is a word of the other."""


@dataclass(frozen=True, eq=False)
class MaskInference:
    """Guesses words of releases with ``model``; at most ``most`` of them, drawn at random."""

    model: MaskedModel
    most: int = 2000
    seed: int = 0

    def guesses(self, originals: Sequence[str], releases: Sequence[str], progress: Progress | None = None) -> Guesses:
        """A guess for each of up to ``most`` words."""
        known = {word.casefold(): number for number, word in enumerate(self.model.words)}
        places, left_out = [], 0
        for number, (before, after) in enumerate(zip(originals, releases, strict=True)):
            if not comparable(before, after):
                left_out += 1
                continue
            words = _UNIT.findall(before)
            places += [
                (number, at, known[word.casefold()]) for at, word in enumerate(words) if word.casefold() in known
            ]
        drawn = np.random.default_rng(self.seed).permutation(len(places))[: self.most]
        asked = [places[at] for at in sorted(drawn.tolist())]
        named = self._named([(releases[number], at) for number, at, _ in asked], progress)
        same = [
            _UNIT.findall(originals[number])[at].casefold() == _UNIT.findall(releases[number])[at].casefold()
            for number, at, _ in asked
        ]
        folded = [word.casefold() for word in self.model.words]  # a model may know a word in several spellings
        right = [folded[guess] == folded[word] for guess, (_, _, word) in zip(named, asked, strict=True)]
        owners = np.array([number for number, _, _ in asked], np.int64)
        return Guesses(owners, np.array(right, bool), np.array(same, bool), left_out)

    def _named(self, asked: Sequence[tuple[str, int]], progress: Progress | None) -> list[int]:
        """The likeliest word at each place of a released text."""
        found: list[int] = []
        for first in range(0, len(asked), _AT_ONCE):
            some = asked[first : first + _AT_ONCE]
            scores = self.model.scores([self._question(text, at) for text, at in some])
            found += np.argmax(scores, axis=1).tolist()
            if progress is not None:
                progress(min(1.0, (first + _AT_ONCE) / len(asked)))
        return found

    def _question(self, text: str, place: int) -> Cloze:
        """``text`` with the word at ``place`` masked, as much of it around that word as the model takes."""
        units = [
            f" {unit.group()}" if unit.start() and text[unit.start() - 1].isspace() else unit.group()
            for unit in _UNIT.finditer(text)
        ]
        return next(questions(self.model.pieces(units), [place], self.model.window))[0]


def comparable(before: str, after: str) -> bool:
    """Whether both have as many words and signs, so that one stands beside the other."""
    return len(_UNIT.findall(before)) == len(_UNIT.findall(after))
