"""What each person of a run spent, added up over all its records, with bounded memory.

A finished chunk keeps one row a person beside its part: a keyed 16-byte digest of the person's name and what the
chunk's records of that person spent, sorted by the digest. At the end the rows of all chunks are added up range by
range of digests. Only how many people spent each total is left, and no name and no digest.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError
from sfumato.text.document import Document, name_of_person

_ROW = np.dtype([("high", "<u8"), ("low", "<u8"), ("spent", "<i8")])
_ROWS_AT_ONCE = 1 << 20

Rows = NDArray[np.void]


def check_people(documents: Sequence[Document], field: str) -> None:
    """Refuse (InputError, which names the document) a document whose record names nobody in ``field``."""
    for number, document in enumerate(documents):
        value: Any = document.metadata.get(field)
        if value is None or (isinstance(value, str) and not name_of_person(value)):
            reason = f"the field {field!r}, which names the person of a record, is missing or empty"
        elif isinstance(value, bool) or not isinstance(value, str | int):
            reason = f"the field {field!r}, which names the person of a record, holds no string and no whole number"
        else:
            continue
        raise InputError(f"{reason}; correct the record, or leave out the subject field.", number)


def rows_of(spent: Iterable[tuple[str, int]], key: str) -> bytes:
    """Return the rows of a chunk for pairs of a person's name and what one record spent, under the run's ``key``."""
    people: Counter[bytes] = Counter()
    secret = key.encode()[: hashlib.blake2b.MAX_KEY_SIZE]
    for name, amount in spent:
        same = name_of_person(name)
        people[hashlib.blake2b(same.encode("utf-8", "surrogatepass"), key=secret, digest_size=16).digest()] += amount
    rows = np.empty(len(people), dtype=_ROW)
    digests = np.frombuffer(b"".join(people), dtype="<u8").reshape(-1, 2)
    rows["high"], rows["low"], rows["spent"] = digests[:, 0], digests[:, 1], list(people.values())
    return np.sort(rows, order=["high", "low"]).tobytes()


def added(chunks: Sequence[bytes]) -> bytes:
    """Return the rows of several chunks as those of one."""
    people, spent = _added(np.concatenate([np.frombuffer(rows, _ROW) for rows in chunks] or [np.empty(0, _ROW)]))
    rows = np.empty(len(people), dtype=_ROW)
    rows["high"], rows["low"], rows["spent"] = people["high"], people["low"], spent
    return rows.tobytes()


def _added(rows: Rows) -> tuple[Rows, NDArray[np.int64]]:
    """Return each digest of ``rows`` once, sorted, and what it spent altogether."""
    people, place = np.unique(rows[["high", "low"]], return_inverse=True)
    spent = np.zeros(len(people), dtype=np.int64)
    np.add.at(spent, place, rows["spent"])
    return people, spent


def totals(chunks: Sequence[Path], at_once: int = _ROWS_AT_ONCE) -> dict[int, int]:
    """Return how many people spent each total over all ``chunks``, about ``at_once`` rows of which are in memory."""
    files = [path for path in chunks if path.stat().st_size]
    ranges = -(-sum(path.stat().st_size for path in files) // (_ROW.itemsize * at_once))
    found: Counter[int] = Counter()
    for number in range(ranges):
        first, last = (number << 64) // ranges, ((number + 1) << 64) // ranges - 1
        rows = np.concatenate([_between(path, first, last) for path in files])
        _, spent = _added(rows)
        found.update(spent.tolist())
    return dict(sorted(found.items()))


def _between(path: Path, first: int, last: int) -> Rows:
    """Return the rows at ``path`` whose digests begin with a number from ``first`` to ``last``."""
    rows: Rows = np.fromfile(path, dtype=_ROW)  # a chunk has at most some ten thousand
    high = np.ascontiguousarray(rows["high"])
    start = np.searchsorted(high, np.uint64(first), side="left")
    return rows[start : np.searchsorted(high, np.uint64(last), side="right")]
