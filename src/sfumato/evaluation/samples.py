"""Samples of records for what takes long: the one place where an evaluation draws them."""

from __future__ import annotations

import numpy as np


def drawn(count: int, most: int | None, seed: int, stream: int = 11) -> list[int]:
    """``most`` of ``count`` numbers, drawn at random, ascending; all of them where there are no more, or for None.

    ``stream`` keeps the draws of one study from deciding those of another.
    """
    if most is None or most >= count:
        return list(range(count))
    return sorted(np.random.default_rng([seed, stream]).choice(count, most, replace=False).tolist())
