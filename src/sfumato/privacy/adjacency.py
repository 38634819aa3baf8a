"""Which tokens a guarantee keeps apart, and at what distance, in the unit of its claim.

That unit is the distance that the guarantee names, 1 for LDP, and infinity between tokens of which it promises
nothing (CusText across its sets). Everything here is public: mechanism, vocabulary, parameters.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sfumato.privacy.distances import Distance
from sfumato.types import FloatArray, IntArray

Pair = tuple[int, int]
"""Two tokens of a vocabulary."""


@dataclass(frozen=True, eq=False)
class Adjacency:
    """``covered`` are the tokens that a guarantee is about. For metric guarantees ``points`` (V, D) carry the
    distance ``metric``; for LDP ``groups`` (V,) says which tokens are indistinguishable (None: all).
    """

    covered: IntArray
    points: FloatArray | None = None
    metric: Distance = field(default_factory=Distance)
    groups: IntArray | None = None

    def distances(self, tokens: IntArray, others: IntArray) -> FloatArray:
        """In the unit of the claim, shape (tokens, others); infinity where nothing is promised."""
        if self.points is not None:
            found = self.metric.block(self.points[tokens], self.points[others])
        elif self.groups is None:
            found = np.ones((len(tokens), len(others)))
        else:
            same = self.groups[tokens][:, None] == self.groups[others]
            found = np.where(same, 1.0, np.inf)
        outside = ~np.isin(tokens, self.covered)[:, None] | ~np.isin(others, self.covered)
        return np.where(tokens[:, None] == others, 0.0, np.where(outside, np.inf, found))
