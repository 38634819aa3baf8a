"""Samples of records for slow measurements: the only place where an evaluation draws them."""

from __future__ import annotations

import numpy as np


def drawn(count: int, most: int | None, seed: int, stream: int = 11) -> list[int]:
    """Return ``most`` of ``count`` numbers, drawn at random, ascending; all of them if there are no more, or for
    None.

    ``stream`` keeps the draws of one study independent of those of another.
    """
    if most is None or most >= count:
        return list(range(count))
    return sorted(np.random.default_rng([seed, stream]).choice(count, most, replace=False).tolist())
