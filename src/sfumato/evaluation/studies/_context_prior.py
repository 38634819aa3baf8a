"""The strongest attacker who also reads: Bayes-optimal inference with a masked model's prior for each place.

Threat model: the attacker knows the mechanism and its parameters, sees the whole release, and asks a masked language
model which words fit where one was drawn, given the released words around it. Prior and law together make the
posterior,

    p(x | release) ∝ p(x | released words around it) · P(y | x),

and the likeliest token is named. The words around are drawn too, and are taken as they stand, so this is optimal for
the prior that the model gives, not over all attackers who read. A tenth of the prior is how often words are used, for
what the model cannot name.
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
    """A word that was drawn: its record, the private word, what was released, and where that begins there."""

    record: int
    word: str
    output: str
    start: int


@dataclass(frozen=True, eq=False)
class ContextAttack:
    """Names tokens of ``made`` among those of ``prior``, with ``model`` reading the release."""

    made: Mechanism
    prior: Prior
    model: MaskedModel

    def named(self, texts: Sequence[str], drawn: Sequence[Drawn], progress: Progress | None = None) -> list[str]:
        """The token named for each of ``drawn``; an empty one where no token of the prior becomes what was released.

        ``texts`` are the released texts, in which ``drawn`` names them by ``record``.
        """
        told = progress or (lambda _: None)
        tokens = np.flatnonzero(self.prior.weights)
        outputs = [self.made.vocabulary.find(one.output) for one in drawn]
        columns = sorted({at for at in outputs if at is not None})
        law = np.empty((len(tokens), len(columns)))
        for row, token in enumerate(tokens):
            law[row] = self.made.law(int(token))[columns]
            if row % 64 == 0:
                told(0.5 * row / len(tokens))
        at = {output: number for number, output in enumerate(columns)}
        found: list[str] = []
        for first in range(0, len(drawn), _AT_ONCE):
            some = drawn[first : first + _AT_ONCE]
            priors = self._priors(texts, some, tokens)
            for prior, output in zip(priors, outputs[first : first + _AT_ONCE], strict=True):
                joint = np.zeros(len(tokens)) if output is None else prior * law[:, at[output]]
                best = int(np.argmax(joint))
                found.append(self.made.vocabulary.tokens[tokens[best]] if joint[best] > 0.0 else "")
            told(0.5 + 0.5 * len(found) / len(drawn))
        return found

    def _priors(self, texts: Sequence[str], drawn: Sequence[Drawn], tokens: np.ndarray) -> list[FloatArray]:
        """The prior over ``tokens`` at the place of each of ``drawn``."""
        usual = self.prior.weights[tokens]
        known = {word.casefold(): number for number, word in enumerate(self.model.words)}
        named = [known.get(self.made.vocabulary.tokens[token].casefold(), -1) for token in tokens]
        can = np.array(named) >= 0
        scores = self.model.scores([self._question(texts[one.record], one.start) for one in drawn])
        found = []
        for row in np.asarray(scores, dtype=np.float64):
            fits = np.where(can, np.exp(row[named] - row.max()), 0.0)
            found.append((1 - _USUAL) * fits / max(float(fits.sum()), 1e-300) + _USUAL * usual)
        return found

    def _question(self, text: str, start: int) -> Cloze:
        place = len(units(text[:start]))  # words and signs before it
        return next(questions(self.model.pieces(units(text)), [place], self.model.window))[0]
