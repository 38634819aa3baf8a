"""Mask-token inference: does a masked model guess the private word from the released words around it?

Paper: CusText (§5.3), after SanText (Yue et al. 2021). Threat model: the attacker sees the release and has a masked
language model. Each word is masked in turn, and the model's most likely word is the guess. The guess is right if it
is the original's word at that position. Protection is 1 - r, r the share of right guesses. Differences: words are
those between white space and signs, and only words that the model can name are guessed. Where both texts have the
same number of words, each stands for the one at its position. Otherwise an alignment (difflib) says which words of
the release are in the place of which, and words without a counterpart are not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.models import Cloze, MaskedModel
from sfumato.models.masked.windows import questions, units
from sfumato.types import FloatArray, IntArray, Progress, in_batches, part_of

_UNIT = re.compile(r"\w+|[^\w\s]")
_AT_ONCE = 64
_REMEMBERED = 50_000
_USUAL = 0.1  # of a prior in context: how often words are used


class Guesses(NamedTuple):
    """For each guessed word: its record, whether the guess was right, and whether the release kept the word."""

    owners: NDArray[np.int64]
    right: NDArray[np.bool_]
    kept: NDArray[np.bool_]
    left_out: int
    """The number of records of which no word has a counterpart in the release."""


@dataclass(frozen=True, eq=False)
class Guesser:
    """Names the most likely word of ``model`` at a position of a text, and remembers it.

    Attacks on one release ask for the same words again, and so do those on releases that share their originals. What
    is remembered is private, and stays in memory.
    """

    model: MaskedModel
    _named: dict[tuple[str, int], int] = field(default_factory=dict, repr=False)

    def named(self, targets: Sequence[tuple[str, int]], progress: Progress | None = None) -> list[int]:
        """Return the most likely word at each position of a text, as its number; ``progress`` gets the share."""
        if len(self._named) > _REMEMBERED:
            self._named.clear()
        new = [target for target in dict.fromkeys(targets) if target not in self._named]
        for batch in in_batches(new, _AT_ONCE, progress):
            scores = self.model.scores([self._question(text, position) for text, position in batch])
            self._named.update(zip(batch, np.argmax(scores, axis=1).tolist(), strict=True))
        return [self._named[target] for target in targets]

    def _question(self, text: str, position: int) -> Cloze:
        """Return ``text`` with the word at ``position`` masked, and as much around that word as the model takes."""
        return _masked(self.model, units(text, _UNIT), position)


def _masked(model: MaskedModel, words: Sequence[str], position: int) -> Cloze:
    return next(questions(model.pieces(words), [position], model.window))[0]


@dataclass(frozen=True, eq=False)
class MaskInference:
    """Guesses words of releases with ``guesser``; at most ``most`` of them, drawn at random by ``seed``."""

    guesser: Guesser
    most: int = 2000
    seed: int = 0

    def guesses(
        self, originals: Sequence[str], releases: Sequence[str], progress: Progress | None = None,
        replaced_alone: bool = False,
    ) -> Guesses:  # fmt: skip
        """Return a guess for each of up to ``most`` words, or words that the release replaced.

        ``progress`` receives the finished share.
        """
        listed = self.guesser.model.words
        known = {word.casefold(): number for number, word in enumerate(listed)}
        candidates, left_out = [], 0
        for number, (before, after) in enumerate(zip(originals, releases, strict=True)):
            words, others = folded_words(before), folded_words(after)
            pairs = counterparts(words, others)
            left_out += bool(words) and not pairs
            candidates += [
                (number, counterpart, known[words[position]], words[position] == others[counterpart])
                for position, counterpart in pairs
                if words[position] in known and not (replaced_alone and words[position] == others[counterpart])
            ]
        drawn = np.random.default_rng(self.seed).permutation(len(candidates))[: self.most]
        targets = [candidates[index] for index in sorted(drawn.tolist())]
        named = self.guesser.named(
            [(releases[number], counterpart) for number, counterpart, _, _ in targets], progress
        )
        same = [kept for *_, kept in targets]
        folded = [word.casefold() for word in listed]  # a model may know a word in several spellings
        right = [folded[guess] == folded[word] for guess, (_, _, word, _) in zip(named, targets, strict=True)]
        owners = np.array([number for number, *_ in targets], np.int64)
        return Guesses(owners, np.array(right, bool), np.array(same, bool), left_out)


def folded_words(text: str) -> list[str]:
    """Return the words and signs of ``text``, without case."""
    return [unit.casefold() for unit in _UNIT.findall(text)]


def counterparts(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Return positions of words of an original, each with that of the word of the release in its place."""
    if len(before) == len(after):
        return [(position, position) for position in range(len(before))]
    pairs: list[tuple[int, int]] = []
    for _, first, end, other, other_end in SequenceMatcher(None, before, after).get_opcodes():
        pairs += zip(range(first, end), range(other, other_end), strict=False)  # as many as both have
    return pairs


class DrawnWord(NamedTuple):
    """A word that was drawn: its ``record``, the private ``word``, the released ``output``, and its ``start`` in the
    text.
    """

    record: int
    word: str
    output: str
    start: int


@dataclass(frozen=True, eq=False)
class ContextAttack:
    """Names the inputs of ``mechanism``'s draws among the tokens with a prior, with ``model`` reading the release.

    The attacker knows the mechanism and its parameters, sees the whole release, and asks a masked language model
    which words fit at the position of a drawn word, given the released words around it. Prior and law together make
    the posterior,

    p(x | release) ∝ p(x | released words around it) · P(y | x),

    and the most likely token is named. The words around it are drawn too, and are taken as they are, so the attack is
    optimal for the prior that the model gives, not over all attackers who read. A tenth of the prior is how often
    words are used (``weights`` (V,)), for words that the model cannot name.
    """

    mechanism: Mechanism
    weights: FloatArray
    model: MaskedModel

    def named(self, texts: Sequence[str], drawn: Sequence[DrawnWord], progress: Progress | None = None) -> list[str]:
        """Return the token named for each of ``drawn``; an empty one if no token with a prior becomes the released
        word.

        ``texts`` are the released texts; each of ``drawn`` refers to one by its ``record``.
        """
        vocabulary = self.mechanism.vocabulary
        tokens = np.flatnonzero(self.weights)
        outputs = [vocabulary.find(word.output) for word in drawn]
        columns = sorted({output for output in outputs if output is not None})
        law = np.empty((len(tokens), len(columns)))
        for rows in in_batches(range(len(tokens)), _AT_ONCE, part_of(progress, 0.0, 0.5)):
            law[rows] = [self.mechanism.law(int(tokens[row]))[columns] for row in rows]
        column_of = {output: column for column, output in enumerate(columns)}
        names: list[str] = []
        for batch in in_batches(list(zip(drawn, outputs, strict=True)), _AT_ONCE, part_of(progress, 0.5, 0.5)):
            priors = self._priors(texts, [word for word, _ in batch], tokens)
            for prior, (_, output) in zip(priors, batch, strict=True):
                joint = np.zeros(len(tokens)) if output is None else prior * law[:, column_of[output]]
                best = int(np.argmax(joint))
                names.append(vocabulary.tokens[tokens[best]] if joint[best] > 0.0 else "")
        return names

    def _priors(self, texts: Sequence[str], drawn: Sequence[DrawnWord], tokens: IntArray) -> list[FloatArray]:
        """Return the prior over ``tokens`` at the position of each of ``drawn``."""
        known = {word.casefold(): number for number, word in enumerate(self.model.words)}
        named = [known.get(self.mechanism.vocabulary.tokens[token].casefold(), -1) for token in tokens]
        can = np.array(named) >= 0
        before = [len(units(texts[word.record][: word.start])) for word in drawn]  # words and signs
        asked = [_masked(self.model, units(texts[word.record]), n) for word, n in zip(drawn, before, strict=True)]
        priors = []
        for row in np.asarray(self.model.scores(asked), dtype=np.float64):
            fits = np.where(can, np.exp(row[named] - row.max()), 0.0)
            priors.append((1 - _USUAL) * fits / max(float(fits.sum()), 1e-300) + _USUAL * self.weights[tokens])
        return priors
