"""The sum of all weights of every law over a vocabulary, kept in the cache when its certificate is computed.

It is public: it depends on the vocabulary and on the law. An entry saves time only (:mod:`sfumato.privacy.heads`),
and a law tries some of its numbers before it believes them.
"""

from __future__ import annotations

import numpy as np

from sfumato.privacy.certificates import ANALYSIS
from sfumato.privacy.distances import Distance
from sfumato.storage import cache
from sfumato.types import FloatArray


def key(vocabulary: str, metric: Distance, scale: float, limit: float) -> str:
    """Return the name of the sums of exp(-scale · min(d, limit)) over the vocabulary with the hash ``vocabulary``."""
    numbers = (float(number).hex() for number in (metric.p, scale, limit))
    return cache.content_key("log sums 1", ANALYSIS, vocabulary, *numbers)


def keep(name: str, log_sums: FloatArray | None) -> None:
    """Keep ``log_sums`` (V,) in the cache under ``name``; nothing if there are none."""
    if log_sums is not None:
        cache.save_array(name, log_sums)


def kept(name: str, tokens: int) -> FloatArray | None:
    """Return the sums of so many ``tokens`` that were kept under ``name``, as logarithms (V,); None without them."""
    found = cache.load_array(name)
    if found is None or found.shape != (tokens,) or found.dtype != np.float64 or not np.isfinite(found).all():
        return None
    return np.array(found)
