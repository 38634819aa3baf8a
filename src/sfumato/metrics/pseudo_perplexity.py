"""The surprise of a masked model at texts: each word is masked and predicted (pseudo-perplexity).

Paper: Salazar, Liang, Nguyen and Kirchhoff, Masked Language Model Scoring (2020), for the sum over words. Its change
appears in Semantics-preserved distortion (§3.1) beside the paper's divergence. Differences: the law is over the
model's whole words, so a word that is not among them is not predicted; ``block`` words are masked in one pass.
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
        step = -(-len(known) // block) if known else 1
        for start in range(step):
            for question, inside in questions(pieces, known[start::step], model.window):
                clozes.append(question)
                wanted.append([(owner, column[pieces[index][0]]) for index in inside])
    for first in range(0, len(clozes), _AT_ONCE):
        answers = iter(np.asarray(model.scores(clozes[first : first + _AT_ONCE]), dtype=np.float64))
        for owner, word in (mask for row in wanted[first : first + _AT_ONCE] for mask in row):
            scores = next(answers)
            highest = scores.max()
            sums[owner][0] += float(np.log(np.exp(scores - highest).sum()) + highest - scores[word])
        if progress is not None:
            progress(min(1.0, (first + _AT_ONCE) / len(clozes)))
    return [Surprise(float(nats), int(count), int(words)) for nats, count, words in sums]
