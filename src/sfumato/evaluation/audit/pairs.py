"""Which pairs of tokens an audit plays where nobody names any."""

from __future__ import annotations

import numpy as np

from sfumato.abstract.mechanism import Mechanism
from sfumato.privacy.adjacency import Pair


def default_pairs(made: Mechanism) -> list[Pair]:
    """Return the token in the middle with the nearest other one, and with the farthest that the claim is about."""
    found = made.adjacency()
    middle = made.vocabulary.medoid(made.protected)
    apart = found.distances(np.array([middle]), found.covered)[0]
    nearest = int(found.covered[np.argmin(np.where(apart > 0.0, apart, np.inf))])
    farthest = int(found.covered[np.argmax(np.where(np.isfinite(apart), apart, 0.0))])
    return [(middle, other) for other in dict.fromkeys((nearest, farthest)) if other != middle]
