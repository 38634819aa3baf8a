"""Ids that two shards of a run share, found with bounded memory and without keeping an id.

A finished shard keeps a keyed 16-byte digest of each of its ids, sorted. At the end the digests of all shards are
compared range by range. Within a shard, the reader itself refuses an id that was used before.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ROW = np.dtype([("high", "<u8"), ("low", "<u8")])
_ROWS_AT_ONCE = 1 << 22


def rows_of_ids(ids: Iterable[str], secret: str) -> bytes:
    """Return the rows of a shard with these ``ids``, under the run's ``secret``."""
    key = secret.encode()[: hashlib.blake2b.MAX_KEY_SIZE]
    digests = [
        hashlib.blake2b(name.encode("utf-8", "surrogatepass"), key=key, digest_size=16).digest() for name in ids
    ]
    rows = np.frombuffer(b"".join(digests), dtype=_ROW)
    return np.sort(rows, order=["high", "low"]).tobytes()


def repeated(shards: Sequence[Path], at_once: int = _ROWS_AT_ONCE) -> tuple[int, int] | None:
    """Return the places of two ``shards`` that share an id, or None; about ``at_once`` rows are in memory."""
    ranges = -(-sum(path.stat().st_size for path in shards) // (_ROW.itemsize * at_once))
    for number in range(ranges):
        first, last = (number << 64) // ranges, ((number + 1) << 64) // ranges - 1
        near = [_between(path, first, last) for path in shards]
        owners = np.repeat(np.arange(len(near)), [len(own) for own in near])
        digests = np.concatenate(near)
        order = np.lexsort((owners, digests["low"], digests["high"]))
        digests, owners = digests[order], owners[order]
        same = np.flatnonzero(digests[1:] == digests[:-1])
        if len(same):
            return int(owners[same[0]]), int(owners[same[0] + 1])
    return None


def _between(path: Path, first: int, last: int) -> NDArray[Any]:
    """Return the rows at ``path`` whose digests begin with a number from ``first`` to ``last``."""
    if not path.stat().st_size:
        return np.empty(0, _ROW)
    rows = np.memmap(path, dtype=_ROW, mode="r")
    high = rows["high"]  # searched without a copy: a shard may hold millions of rows
    return np.array(rows[bisect_left(high, first) : bisect_right(high, last)])
