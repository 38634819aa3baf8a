"""DP-Paraphrase (Mattern et al., The Limits of Word Level Differential Privacy, 2022).

A causal model that was fine-tuned on pairs "sentence, separator, paraphrase" is given a document and the separator,
and what follows is drawn piece by piece. ``training/train_paraphrase.py`` makes such a
model, as Witteveen and Andrews (2019) do it and appendix B of the DP-MLM paper repeats it.

Analysis. That of :mod:`sfumato.mechanisms._generative`: ε for each draw, n·ε for the n draws of a document.

Differences from the paper and its replication. The law by rank, or a softmax whose scores are clipped to a public
range; a temperature alone has no ε. The number of draws is public: taking the length of the input in pieces, as the
replication does, would show it to everyone exactly. The separator is plain text, so that it needs no new piece; a
private text that holds it changes scores only. Long documents are written in segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sfumato.mechanisms._generative import Generative

SEPARATOR = "\n>>>"
"""The text between an original and its paraphrase, in training as in use."""


@dataclass(frozen=True, eq=False)
class DPParaphrase(Generative):
    """Lets a model that was tuned on paraphrases continue "document, separator". ε is the price of one draw."""

    name: ClassVar[str] = "dp-paraphrase"
    model_advice: ClassVar[str] = "it has to be tuned on paraphrases, as training/train_paraphrase.py does"
    _theorem: ClassVar[str] = "Mattern et al. 2022"

    @property
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter."""
        return {**super().parameters, "separator": SEPARATOR}

    def prompt(self, pieces: Sequence[int]) -> list[int]:
        """Return the text and the separator."""
        return [*self.model.opening, *pieces, *self.model.pieces(SEPARATOR)]
