"""The Rényi curve of a mechanism whose laws stay inside sets, kept in the cache beside its certificate.

A kept curve is input like any other. It is believed only if it was made for this claim, this certified loss, this
scale and this vocabulary, if it never decreases and never exceeds what the certified loss permits, and if at every
order the divergence of the pair that it names, computed again from the law, is the one it states. At a few orders the
curve is compared with all pairs again, so that no other pairs can be named for a lower price. (The cache itself
checks that this user made the entry.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from sfumato.privacy.certificates import ANALYSIS, Claiming
from sfumato.privacy.guarantee import Certificate
from sfumato.privacy.renyi import ORDERS, of_pure_loss
from sfumato.privacy.renyi_of_sets import Laws, Worst, pair_divergences, worst_divergences
from sfumato.privacy.set_law import SetLaw
from sfumato.storage import cache
from sfumato.types import FloatArray, IntArray

_REPEATED = 1e-7
_ROUNDING = 1e-9
_CHECKED = np.searchsorted(ORDERS, (1.1, 1.5, 3.0, 20.0))
"""The orders at which a kept curve is compared with all pairs: those that are best for about 1 to 1,000 draws."""


class LawsInSets(Claiming, Protocol):
    """A mechanism whose guarantee holds between the tokens of one set, whose laws stay inside it."""

    def certify(self) -> Certificate:
        """Return the certificate."""

    @property
    def set_law(self) -> SetLaw:
        """Return the certified laws in whole numbers."""


def curve_of_sets(mechanism: LawsInSets, orders: FloatArray) -> FloatArray:
    """Return the largest divergence over all ordered pairs of all sets at ``orders`` (A,), in nats, shape (A,).

    The curve at :data:`~sfumato.privacy.renyi.ORDERS` is computed once a process, and kept in the cache.
    """
    if not np.array_equal(orders, ORDERS):
        return worst_divergences(_laws(mechanism), orders).divergences
    known = vars(mechanism)
    if "_renyi" not in known:
        known["_renyi"] = _remembered(mechanism)
    curve: FloatArray = known["_renyi"]
    return curve


def _laws(mechanism: LawsInSets) -> list[Laws]:
    return [weights.astype(np.float64) for weights in mechanism.set_law.weights]


def _sets(law: SetLaw) -> list[IntArray]:
    return [law.group(number) for number in range(len(law.weights))]


def _remembered(mechanism: LawsInSets) -> FloatArray:
    """Return the kept curve of exactly this law if it holds; else compute it and keep it."""
    law = mechanism.set_law
    key = cache.content_key("renyi", ANALYSIS, ORDERS.tobytes(), law.digest)
    kept = _believed(cache.load_json(key), mechanism)
    if kept is not None:
        return kept
    worst = worst_divergences(_laws(mechanism), ORDERS)
    if worst.exact and np.isfinite(worst.divergences).all():
        cache.save_json(key, {**_claim(mechanism), **_stated(worst, _sets(law))})
    return worst.divergences


def _claim(mechanism: LawsInSets) -> dict[str, float]:
    certificate = mechanism.certify()
    return {"claimed": mechanism.epsilon, "certified": certificate.certified, "scale": certificate.scale}


def _stated(worst: Worst, sets: Sequence[IntArray]) -> dict[str, Any]:
    """Return the curve and its pairs, as tokens, as JSON types."""
    pairs = [sets[number][pair].tolist() for number, pair in zip(worst.sets, worst.pairs, strict=True)]
    return {"divergences": worst.divergences.tolist(), "pairs": pairs}


def _believed(content: Any, mechanism: LawsInSets) -> FloatArray | None:
    """Return the curve of a cache entry; None if it does not hold for ``mechanism``."""
    try:
        if {name: content[name] for name in ("claimed", "certified", "scale")} != _claim(mechanism):
            return None
        curve = np.array(content["divergences"], dtype=np.float64)
        pairs = np.array(content["pairs"], dtype=np.int64)
        if curve.shape != ORDERS.shape or pairs.shape != (len(ORDERS), 2) or not _possible(curve, mechanism):
            return None
        again = _repeated(pairs, mechanism)
        if not np.allclose(curve, again, rtol=_REPEATED, atol=_ROUNDING):
            return None
        curve = np.maximum(curve, again)
        everywhere = worst_divergences(_laws(mechanism), ORDERS[_CHECKED]).divergences
        return curve if (curve[_CHECKED] >= everywhere * (1.0 - _REPEATED) - _ROUNDING).all() else None
    except (KeyError, IndexError, TypeError, ValueError, OverflowError):
        return None


def _possible(curve: FloatArray, mechanism: LawsInSets) -> bool:
    """Return whether ``curve`` is one that laws with the certified loss can have."""
    if not np.isfinite(curve).all() or (curve < 0.0).any() or (np.diff(curve) < -_ROUNDING).any():
        return False
    most = of_pure_loss(mechanism.certify().certified, ORDERS)
    return bool((curve <= most * (1.0 + _REPEATED) + _ROUNDING).all())


def _repeated(pairs: IntArray, mechanism: LawsInSets) -> FloatArray:
    """Return at each order the divergence of its one of ``pairs`` (A, 2). Raise ValueError if a pair has no set."""
    law = mechanism.set_law
    set_of = law.set_of
    if (pairs[:, 0] == pairs[:, 1]).any():
        raise ValueError("a token beside itself")
    if (pairs < 0).any() or (set_of[pairs[:, 0]] != set_of[pairs[:, 1]]).any():
        raise ValueError("pairs of different sets")
    found = np.empty(len(ORDERS))
    for first, second in np.unique(pairs, axis=0):
        places = (pairs == (first, second)).all(axis=1)
        members, rows = law.group(int(set_of[first])), law.weights[int(set_of[first])].astype(np.float64)
        one, other = (rows[np.flatnonzero(members == token)[0]] for token in (first, second))
        found[places] = pair_divergences(one, other, ORDERS[places])
    return found
