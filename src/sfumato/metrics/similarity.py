"""How similar a release is to its originals: BLEU (sacrebleu), ROUGE (rouge-score), the words kept, and MAUVE.

The first three compare record by record. MAUVE (Pillutla et al., NeurIPS 2021) says how similarly the texts of two
sets are distributed, by the ``mauve-text`` package on given vectors. 1: the same distribution, 0: apart. It compares
sets and not records, so two sets may have the same distribution although every record differs, and the other way
round. Nothing is downloaded, because the package receives vectors. Differences: 40 texts or more a bucket (the
package takes 20, at which its clustering warns).
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.metrics.estimates import RESAMPLES, Estimate, nothing, of_resamples, resampled
from sfumato.text.sentences import words
from sfumato.types import FloatArray, Progress

_INSTALL = "pip install 'sfumato[evaluate]'"
_A_BUCKET = 40
_SCALING, _POINTS = 5, 25
"""The package's default settings."""


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
        had, has = (Counter(words(text)) for text in (before, after))
        shares.append((had & has).total() / had.total() if had else 1.0)
    return shares


def mauve_score(before: FloatArray, after: FloatArray, seed: int) -> Estimate:
    """Return MAUVE of two sets of vectors (n, D), with its bootstrap interval (over texts, with fixed buckets).

    Raise MissingExtraError without the package, and ConfigurationError for fewer than two buckets of texts.
    """
    buckets = (len(before) + len(after)) // _A_BUCKET
    if buckets < 2 or not len(before) or not len(after):
        raise ConfigurationError(f"it needs at least {_A_BUCKET} texts of each file.")
    package = _package()
    if np.ptp(np.vstack([before, after]), axis=0).max() < 1e-9:
        return Estimate(1.0, 1.0, 1.0, len(after), "texts")  # all texts are the same
    result = package.compute_mauve(
        p_features=before, q_features=after, num_buckets=buckets, seed=seed, mauve_scaling_factor=_SCALING,
        divergence_curve_discretization_size=_POINTS,
    )  # fmt: skip
    draw = np.random.default_rng(seed)
    rows = [draw.multinomial(n, p, RESAMPLES // 5) / n
            for n, p in ((len(before), result.p_hist), (len(after), result.q_hist))]  # fmt: skip
    resamples = np.array([_area(package, p, q) for p, q in zip(*rows, strict=True)])
    value = min(1.0, float(result.mauve))
    spread = of_resamples(value, resamples, len(after), "texts")
    # resamples of equal sets are less equal, so the value may lie above all of them
    return Estimate(value, min(spread.low, value), min(1.0, max(spread.high, value)), spread.n, spread.of)


def _area(package: Any, p: FloatArray, q: FloatArray) -> float:
    """Return the area under the curve of both divergences, computed as in the package."""
    from sklearn.metrics import auc

    mixtures = np.linspace(1e-6, 1 - 1e-6, _POINTS)
    x, y = package.get_divergence_curve_for_multinomials(p, q, mixtures, _SCALING).T
    return float(auc(*_ascending(x, y)) + auc(*_ascending(y, x))) / 2


def _ascending(x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    order = np.argsort(x)
    return x[order], y[order]


def _package() -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from mauve import compute_mauve
    except ImportError:
        raise MissingExtraError("it needs mauve-text; type: pip install 'sfumato[mauve]'") from None
    import sys

    return sys.modules[compute_mauve.__module__]
