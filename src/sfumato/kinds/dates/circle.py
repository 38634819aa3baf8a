"""Values that come round again: minutes of a day, days of a year without a year, days of a week."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.types import FloatArray


def around(positions: Sequence[float], circumference: float) -> FloatArray:
    """Return points on a circle of ``circumference``, one for each of the ``positions`` along it, shape (n, 2).

    The Euclidean distance of two points is the chord. It is at most the way around the circle between them, so a
    guarantee per unit of chord holds per unit on the circle too. Near points keep their distance; points opposite to
    each other are 2/π of half the circumference apart.
    """
    angles = np.asarray(positions, dtype=np.float64) * (2.0 * np.pi / circumference)
    radius = circumference / (2.0 * np.pi)
    return np.column_stack((radius * np.cos(angles), radius * np.sin(angles)))
