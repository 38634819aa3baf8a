"""Recompute privacy losses with numpy alone: nothing here comes from the rest of sfumato.

``sfumato certify --against STATEMENT`` hands over what a statement says of a law, and the public vocabulary as plain
arrays. The laws are written down a second time, from the papers' formulas at the stated scales, and a loss is a
difference of their log probabilities. A mistake in the analysis that certified a release is not repeated here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]
TOLERANCE, ROUNDING = 1e-7, 1e-14  # relative, and in nats: both sides take logarithms and distances in float64
_BITS = 62  # the weights of a law in whole numbers add up to 2^62


class UnreadableError(ValueError):
    """A statement that cannot be checked, because no law in this file is its mechanism's."""


class Public(NamedTuple):
    """A vocabulary: vectors (V, D), the tokens that the claim covers, by number, and the sets that they are cut into.

    ``tables`` holds, for laws that no formula gives, the whole weights (K, K) out of 2^62 of each set.
    """

    vectors: Array
    covered: Array
    sets: Sequence[Array] = ()
    tables: Sequence[Array] = ()


def distances(x: Array, y: Array, p: float) -> Array:
    """Return the Lp distances of the rows of ``x`` (a, D) and ``y`` (b, D), shape (a, b)."""
    if p != 2.0:
        return np.stack([_norms(row - y, p) for row in x])
    norms = (x * x).sum(axis=1)[:, None] + (y * y).sum(axis=1)
    squares = norms - 2.0 * (x @ y.T)
    close = squares < 0.01 * norms  # where digits cancel, take the difference itself
    found = np.sqrt(np.where(close, 0.0, squares))
    for row in np.flatnonzero(close.any(axis=1)):
        found[row, close[row]] = _norms(x[row] - y[close[row]], 2.0)
    return np.asarray(found)


def _norms(gaps: Array, p: float) -> Array:
    largest = np.abs(gaps).max(axis=1, initial=0.0, keepdims=True)
    return np.asarray(largest[:, 0] * np.linalg.norm(gaps / np.where(largest > 0.0, largest, 1.0), p, axis=1))


def rate(vectors: Array, p: float, how: str) -> float:
    """Return CluSanT's r_C: 1 if distances are ``plain``, else one over their spread in a cluster.

    Where there is none, it is 1 if they are ``normalised``, and 0 if they are ``stretched``.
    """
    spread = 0.0 if how == "plain" else float(np.ptp(distances(vectors, vectors, p)))
    return 1.0 / spread if spread else float(how != "stretched")


def _log_laws(scores: Array) -> Array:
    return np.asarray(scores - np.logaddexp.reduce(scores, axis=1, keepdims=True))


class TwoSteps:
    """CluSanT: a cluster ∝ exp(-s₁·d_c), then a token of it ∝ exp(-s₂·r_C·d). One cluster: SanText, and TEM with γ.

    Losses are per unit of d_c. f'(x) = k·C_x + f(x) - C_x; inside a cluster d_c is d. ``how`` distances are taken:
    "stretched", they run from 0 to 1 over a cluster for each input (or 0.001 of the diameter, if they differ less).
    """

    def __init__(self, vectors: Array, sets: Sequence[Array], first: float, second: float, p: float, k: float = 1.0,
                 limit: float = math.inf, how: str = "plain") -> None:  # fmt: skip
        sizes = [len(members) for members in sets]
        self.order, self.starts = np.concatenate(sets), np.cumsum([0, *sizes[:-1]])
        self.points, self.cluster = vectors[self.order], np.repeat(range(len(sets)), sizes)
        self.p, self.limit, self.stretched = p, limit, how == "stretched"
        centres = np.stack([vectors[members].mean(axis=0) for members in sets])
        self.moved = self.points + (k - 1.0) * centres[self.cluster]
        self.rates = np.array([rate(vectors[members], p, how) for members in sets])
        self.steepness = second * self.rates
        between = distances(k * centres, k * centres, p)
        self.log_first = _log_laws(-first * np.where(np.eye(len(sets)), 0.0, between))

    def _rows(self, places: Any) -> tuple[Array, Array, Array, Array]:
        """Return min(d, γ), d_c and scores to every token, and log P₁(C) - log Z_C for every cluster."""
        apart = distances(self.points[places], self.points, self.p)
        inside = self.cluster[places][:, None] == self.cluster
        metric = np.where(inside, apart, distances(self.moved[places], self.moved, self.p))
        near = np.minimum(apart, self.limit)
        least = np.minimum.reduceat(near, self.starts, axis=1) * self.stretched
        penalties = (near - least[:, self.cluster]) / self._widths(near)[:, self.cluster]
        scores = -self.steepness[self.cluster] * penalties
        sums = np.logaddexp.reduceat(scores, self.starts, axis=1)
        return near, metric, scores, self.log_first[self.cluster[places]] - sums

    def _widths(self, near: Array) -> Array:
        """Return the spread of ``near`` (a, V) over each cluster, or 1 if it is not stretched; shape (a, m)."""
        if not self.stretched:
            return np.ones((len(near), len(self.starts)))
        widths = np.maximum.reduceat(near, self.starts, axis=1) - np.minimum.reduceat(near, self.starts, axis=1)
        least = np.divide(0.001, self.rates, out=np.ones_like(self.rates), where=self.rates > 0.0)
        return np.asarray(np.maximum(widths, least))

    def _reach(self, apart: Any, widths: Array, others: Array) -> Array:
        """Return the largest part of step 2's scores in a loss, for each cluster: d, or less if d is stretched."""
        step = np.minimum(1.0, 2.0 * apart / np.maximum(widths, others)) if self.stretched else apart
        return np.asarray(self.steepness * step)

    def pair(self, i: int, j: int, bound: bool = False) -> tuple[float, float]:
        """Return the loss of two tokens and d_c; with ``bound`` max_C |A - A'| + s₂·r_C·d above that loss."""
        places = np.array([place for token in (i, j) for place in np.flatnonzero(self.order == token)])
        if len(places) < 2:
            return math.inf, 1.0  # a token that the claim does not cover
        near, metric, scores, table = self._rows(places)
        law, apart = table[:, self.cluster] + scores, metric[0, places[1]]
        upper = np.abs(table[0] - table[1]) + self._reach(near[0, places[1]], *self._widths(near))
        loss = upper.max() if bound else np.abs(law[0] - law[1]).max()
        copies = np.ptp(self.points[places], axis=0).max() == 0.0 == np.ptp(self.cluster[places])
        return (float(loss / apart), float(apart)) if 0.0 < apart < math.inf else (0.0 if copies else math.inf, 1.0)

    def above(self, floor: float) -> Iterator[tuple[int, int]]:
        """Yield every pair that may lose more than ``floor``: bounds rule out the others."""
        parts = np.array_split(np.arange(len(self.order)), len(self.order) // 256 + 1)
        table = np.concatenate([self._rows(part)[3] for part in parts])
        widths = np.concatenate([self._widths(self._rows(part)[0] if self.stretched else part) for part in parts])
        between = np.stack([np.abs(self.log_first - row).max(axis=1) for row in self.log_first])
        for part in parts:
            for place, near, metric in zip(part, *self._rows(part)[:2], strict=True):
                steps = 1.0 if self.stretched else near
                coarse = between[self.cluster[place]][self.cluster] + 2.0 * self.steepness.max() * steps
                others = np.flatnonzero(~((coarse <= floor * metric) & (metric < math.inf)))  # NaN is not within
                others = others[others > place]
                reach = self._reach(near[others, None], widths[others], widths[place])
                upper = np.abs(table[others] - table[place]) + reach
                for other in others[~(upper.max(axis=1) <= floor * metric[others]) | ~(metric[others] < math.inf)]:
                    yield int(self.order[place]), int(self.order[other])


class InSets(NamedTuple):
    """A token of the same set is drawn: ``laws`` holds log P (K, K) of each of ``sets``. Losses are in nats."""

    sets: Sequence[Array]
    laws: Sequence[Array]

    def pair(self, i: int, j: int, bound: bool = False) -> tuple[float, float]:
        """Return the loss of two tokens, and 1; across sets it is infinite, because the set shows."""
        for members, law in zip(self.sets, self.laws, strict=True):
            if i in members and j in members:
                return float(np.abs(law[members == i] - law[members == j]).max()), 1.0
        return math.inf, 1.0

    def above(self, floor: float) -> Iterator[tuple[int, int]]:
        """Yield for each set the pair with the largest loss of it, if that is more than ``floor``."""
        for members, law in zip(self.sets, self.laws, strict=True):
            output = int(np.argmax(np.ptp(law, axis=0)))
            if not np.ptp(law[:, output]) <= floor:
                yield int(members[np.argmax(law[:, output])]), int(members[np.argmin(law[:, output])])


def custext_laws(vectors: Array, sets: Sequence[Array], scales: Sequence[float], cosine: bool) -> Iterator[Array]:
    """Yield log P ∝ -s·u of each set, u its distances (cosine: half their squares) normalised to [0, 1]."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    points = vectors / np.where(norms > 0.0, norms, 1.0) if cosine else vectors
    for members, scale in zip(sets, scales, strict=True):
        u = distances(points[members], points[members], 2.0) ** (2 if cosine else 1)
        yield _log_laws(-scale * (u - u.min()) / (np.ptp(u) or 1.0))


def rounded(law: Array) -> Array:
    """Return log P (K, K) rounded once to whole numbers out of 2^62, all up; the largest takes the rest."""
    weights = np.maximum(np.ceil(np.exp(law) * 2.0**_BITS), 1.0).astype(np.int64)
    rows, largest = np.arange(len(law)), law.argmax(axis=1)
    weights[rows, largest] = 0
    weights[rows, largest] = 2**_BITS - weights.sum(axis=1)
    return np.asarray(np.log(weights) - _BITS * math.log(2.0))


def softmax_loss(scale: float, outcomes: int) -> float:
    """Return the largest loss over all pairs of score vectors in {0, τ}^V, by how many scores are at the top."""
    top = np.arange(outcomes)  # how many of the V - 1 other scores
    with np.errstate(divide="ignore"):
        sums = [np.logaddexp(scale + np.log(top + own), np.log(outcomes - top - own)) for own in (0, 1)]
    return max((a - b) * scale + float(sums[b].max() - sums[a].min()) for a in (0, 1) for b in (0, 1))


def rank_loss(profile: Sequence[Sequence[int]], outcomes: int) -> float:
    """Return log(first / last) of a ``profile`` of [ranks, the whole weight of each]; infinite if it is no law."""
    counts, weights = zip(*profile, strict=True)
    whole = sum(counts) == outcomes and sum(count * weight for count, weight in profile) == 2**_BITS
    falling = list(weights) == sorted(weights, reverse=True) and min(counts) > 0 and weights[-1] > 0
    return math.log(weights[0] / weights[-1]) if whole and falling else math.inf


def law_of(mechanism: str, stated: Mapping[str, Any], public: Public) -> TwoSteps | InSets:
    """Return the law of the tokens of a vocabulary, as the statement's entry about it describes the law.

    Raise UnreadableError for a mechanism without a finite law here, or for sets that are no partition.
    """
    given, certificate, (vectors, covered, sets, tables) = stated["parameters"], stated["certificate"], public
    if sets and not np.array_equal(np.sort(np.concatenate(sets)), covered):
        raise UnreadableError("its sets do not hold each covered token once")
    if tables:  # an optimal law has no formula: its table is the law
        if len(tables) != len(sets) or not all((table.sum(axis=1) == 2**_BITS).all() for table in tables):
            raise UnreadableError("its tables are no laws")
        return InSets(sets, [np.log(np.maximum(table, 5e-324)[:, table.any(axis=0)]) for table in tables])
    if mechanism in ("santext", "santext+", "tem"):
        limit = float(given["threshold"]) if mechanism == "tem" else math.inf
        return TwoSteps(vectors, [covered], 0.0, float(certificate["scale"]), float(given["p"]), limit=limit)
    if mechanism in ("custext", "custext+"):
        scales = [float(scale) for scale in stated["law"]["scales"].split()]
        laws = custext_laws(vectors, sets, scales, given["similarity"] == "cosine")
        return InSets(sets, [rounded(law) for law in laws])
    if mechanism == "clusant":
        p, k, how = float(given["p"]), float(given["k"]), str(given["token_distance"])
        first, second = (float(certificate["conditions"][name]) for name in ("cluster_scale", "token_scale"))
        if math.isfinite(k):
            return TwoSteps(vectors, sets, first, second, p, k, how=how)
        scores = [-second * rate(x, p, how) * distances(x, x, p) for x in (vectors[group] for group in sets)]
        return InSets(sets, [rounded(_log_laws(score)) for score in scores])
    raise UnreadableError(f"{mechanism} has no finite law that the checker knows")
