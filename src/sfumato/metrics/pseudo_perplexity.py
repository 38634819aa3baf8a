"""How surprised a masked model is by texts: each word is masked and asked for (pseudo-perplexity).

Paper: Salazar, Liang, Nguyen and Kirchhoff, Masked Language Model Scoring (2020), for the sum over words; its change
is what Semantics-preserved distortion (§3.1) sets beside its divergence. Differences: the law is over the model's
whole words, so that a word that is none of them is not asked for; ``block`` words are masked in one pass.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.abstract.models import MaskedModel
from sfumato.metrics.divergence import units
from sfumato.metrics.perplexity import Surprise
from sfumato.models.masked.windows import questions
from sfumato.types import Progress

_AT_ONCE = 64


def masked_surprises(
    model: MaskedModel, texts: Sequence[str], block: int = 4, progress: Progress | None = None
) -> list[Surprise]:
    """Of each text the surprise in nats over the words that the model knows, their number, and that of all words."""
    column = {int(piece): at for at, piece in enumerate(model.word_pieces)}
    made, wanted, found = [], [], []
    for owner, text in enumerate(texts):
        words = units(text)
        pieces = model.pieces(words)
        known = [at for at, own in enumerate(pieces) if len(own) == 1 and own[0] in column]
        found.append([0.0, len(known), sum(any(map(str.isalnum, word)) for word in words)])
        step = -(-len(known) // block) if known else 1
        for start in range(step):
            for question, inside in questions(pieces, known[start::step], model.window):
                made.append(question)
                wanted.append([(owner, column[pieces[place][0]]) for place in inside])
    for first in range(0, len(made), _AT_ONCE):
        answers = iter(np.asarray(model.scores(made[first : first + _AT_ONCE]), dtype=np.float64))
        for owner, at in (one for row in wanted[first : first + _AT_ONCE] for one in row):
            scores = next(answers)
            highest = scores.max()
            found[owner][0] += float(np.log(np.exp(scores - highest).sum()) + highest - scores[at])
        if progress is not None:
            progress(min(1.0, (first + _AT_ONCE) / len(made)))
    return [Surprise(float(nats), int(count), int(words)) for nats, count, words in found]
