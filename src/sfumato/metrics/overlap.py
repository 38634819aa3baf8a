"""How much of a text remains, by its words: BLEU (sacrebleu), ROUGE (rouge-score), the share of words kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import regex
from numpy.typing import NDArray

from sfumato.errors import MissingExtraError
from sfumato.metrics.estimates import Estimate, nothing, of_resamples, resampled
from sfumato.types import FloatArray, Progress

_WORD = regex.compile(r"[\p{L}\p{N}]+")
_INSTALL = "pip install 'sfumato[evaluate]'"


def bleu(originals: Sequence[str], releases: Sequence[str], seed: int) -> Estimate:
    """Return the corpus BLEU of the releases against the originals, from 0 to 1, in any case of letters.

    Raise MissingExtraError without sacrebleu.
    """
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        raise MissingExtraError(f"BLEU needs sacrebleu; type: {_INSTALL}") from None
    if not originals:
        return nothing()
    metric = BLEU(lowercase=True, force=True)  # otherwise it warns about tokenized text
    counts = np.array(metric._extract_corpus_statistics(releases, [originals]), dtype=np.float64)

    def score(sums: NDArray[np.float64]) -> float:
        return float(metric._compute_score_from_stats(sums.astype(np.int64).tolist()).score) / 100

    def statistic(weights: FloatArray) -> FloatArray:
        return np.array([score(row) for row in weights @ counts])

    return of_resamples(score(counts.sum(axis=0)), resampled(len(counts), seed, statistic), len(counts))


def rouge(
    originals: Sequence[str], releases: Sequence[str], progress: Progress | None = None, kind: str = "rougeL"
) -> list[float]:
    """Return ROUGE-L (F1) of each release against its original; ROUGE-1 if ``kind`` is "rouge1".

    Raise MissingExtraError without rouge-score.
    """
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError:
        raise MissingExtraError(f"ROUGE needs rouge-score; type: {_INSTALL}") from None
    scorer, scores = RougeScorer([kind]), []
    for number, (before, after) in enumerate(zip(originals, releases, strict=True)):
        scores.append(float(scorer.score(before, after)[kind].fmeasure))
        if progress is not None and number % 64 == 0:
            progress(number / len(originals))
    return scores


def kept(originals: Sequence[str], releases: Sequence[str]) -> list[float]:
    """Return the share of each original's words, in any case, that its release holds as often; 1 without words."""
    shares = []
    for before, after in zip(originals, releases, strict=True):
        had, has = (Counter(_WORD.findall(text.casefold())) for text in (before, after))
        shares.append((had & has).total() / had.total() if had else 1.0)
    return shares
