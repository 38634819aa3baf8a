"""The strongest attacker who also reads: Bayes-optimal inference with a masked model's prior for each word.

Threat model: the attacker knows the mechanism and its parameters, sees the whole release, and asks a masked language
model which words fit at the position of a drawn word, given the released words around it. Prior and law together make
the posterior,

p(x | release) ∝ p(x | released words around it) · P(y | x),

and the most likely token is named. The words around it are drawn too, and are taken as they are, so the attack is
optimal for the prior that the model gives, not over all attackers who read. A tenth of the prior is how often words
are used, for words that the model cannot name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.models import Cloze, MaskedModel
from sfumato.evaluation.audit.token_inference import Prior
from sfumato.metrics.divergence import units
from sfumato.models.masked.windows import questions
from sfumato.types import FloatArray, Progress

_USUAL = 0.1
_AT_ONCE = 64


class Drawn(NamedTuple):
    """A word that was drawn: its ``record``, the private ``word``, the released ``output``, and its ``start`` in the
    text.
    """

    record: int
    word: str
    output: str
    start: int


@dataclass(frozen=True, eq=False)
class ContextAttack:
    """Names the inputs of ``mechanism``'s draws among the tokens of ``prior``, with ``model`` reading the release."""

    mechanism: Mechanism
    prior: Prior
    model: MaskedModel

    def named(self, texts: Sequence[str], drawn: Sequence[Drawn], progress: Progress | None = None) -> list[str]:
        """Return the token named for each of ``drawn``; an empty one if no token of the prior becomes the released
        word.

        ``texts`` are the released texts; each of ``drawn`` refers to one by its ``record``.
        """
        report = progress or (lambda _: None)
        tokens = np.flatnonzero(self.prior.weights)
        outputs = [self.mechanism.vocabulary.find(word.output) for word in drawn]
        columns = sorted({output for output in outputs if output is not None})
        law = np.empty((len(tokens), len(columns)))
        for row, token in enumerate(tokens):
            law[row] = self.mechanism.law(int(token))[columns]
            if row % 64 == 0:
                report(0.5 * row / len(tokens))
        column_of = {output: column for column, output in enumerate(columns)}
        names: list[str] = []
        for first in range(0, len(drawn), _AT_ONCE):
            chunk = drawn[first : first + _AT_ONCE]
            priors = self._priors(texts, chunk, tokens)
            for prior, output in zip(priors, outputs[first : first + _AT_ONCE], strict=True):
                joint = np.zeros(len(tokens)) if output is None else prior * law[:, column_of[output]]
                best = int(np.argmax(joint))
                names.append(self.mechanism.vocabulary.tokens[tokens[best]] if joint[best] > 0.0 else "")
            report(0.5 + 0.5 * len(names) / len(drawn))
        return names

    def _priors(self, texts: Sequence[str], drawn: Sequence[Drawn], tokens: np.ndarray) -> list[FloatArray]:
        """Return the prior over ``tokens`` at the position of each of ``drawn``."""
        usual = self.prior.weights[tokens]
        known = {word.casefold(): number for number, word in enumerate(self.model.words)}
        named = [known.get(self.mechanism.vocabulary.tokens[token].casefold(), -1) for token in tokens]
        can = np.array(named) >= 0
        scores = self.model.scores([self._question(texts[word.record], word.start) for word in drawn])
        priors = []
        for row in np.asarray(scores, dtype=np.float64):
            fits = np.where(can, np.exp(row[named] - row.max()), 0.0)
            priors.append((1 - _USUAL) * fits / max(float(fits.sum()), 1e-300) + _USUAL * usual)
        return priors

    def _question(self, text: str, start: int) -> Cloze:
        position = len(units(text[:start]))  # words and signs before it
        return next(questions(self.model.pieces(units(text)), [position], self.model.window))[0]
