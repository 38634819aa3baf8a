"""How well a score tells members from others: the area under the ROC curve, and hits at few false alarms."""

from __future__ import annotations

import numpy as np

from sfumato.metrics.estimates import Estimate, nothing, of_resamples, share
from sfumato.types import FloatArray

_Z = 1.959964
_APART = 1e-12  # from the value itself, which solves the equation where it is 0 or 1
_RESAMPLES = 500


def auc(members: FloatArray, others: FloatArray) -> Estimate:
    """Return the probability that a member scores higher than another person; ties count half. 0.5 tells nothing.

    The interval is Newcombe's (Confidence intervals for an effect size measure based on the Mann-Whitney statistic,
    Part 2, Statistics in Medicine 2006, method 5): all areas whose variance by Hanley and McNeil is compatible with
    the one seen. Unlike the bootstrap it does not collapse where the scores separate.
    """
    from scipy.optimize import brentq  # slow to import
    from scipy.stats import rankdata

    n, m = len(members), len(others)
    if not n or not m:
        return nothing("people")
    ranks = rankdata(np.concatenate([members, others]))
    value = float((ranks[:n].sum() - n * (n + 1) / 2) / (n * m))
    more = (n + m) / 2 - 1

    def too_far(area: float, sign: float) -> float:
        variance = area * (1 - area) * (1 + more * ((1 - area) / (2 - area) + area / (1 + area))) / (n * m)
        return float(sign * (value - area) - _Z * np.sqrt(variance))

    low = 0.0 if value == 0.0 else float(brentq(too_far, 0.0, value - _APART, args=(1.0,)))
    high = 1.0 if value == 1.0 else float(brentq(too_far, value + _APART, 1.0, args=(-1.0,)))
    return Estimate(value, low, high, n + m, "people")


def hits_at(members: FloatArray, others: FloatArray, false_alarms: float, seed: int) -> Estimate | None:
    """Return the share of members above the score that at most ``false_alarms`` of the others exceed.

    None where there are too few others for one of them to be so rare. The interval holds the bootstrap over both
    groups, in which the threshold moves, and the Clopper-Pearson interval at the threshold, which does not collapse.
    """
    allowed = int(np.floor(false_alarms * len(others) + 1e-9))
    if not allowed or not len(members):
        return None
    draw = np.random.default_rng(seed)

    def rate(scores: FloatArray, rest: FloatArray) -> float:
        threshold = np.partition(rest, len(rest) - allowed - 1)[len(rest) - allowed - 1]
        return float((scores > threshold).mean())

    value = rate(members, others)
    resamples = [
        rate(draw.choice(members, len(members)), draw.choice(others, len(others))) for _ in range(_RESAMPLES)
    ]
    spread = of_resamples(value, np.array(resamples), len(members) + len(others), "people")
    exact = share(round(value * len(members)), len(members))
    return Estimate(value, min(spread.low, exact.low), max(spread.high, exact.high), spread.n, "people")
