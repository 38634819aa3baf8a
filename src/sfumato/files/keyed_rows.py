"""What each person of a run spent, and which ids two shards share, with bounded memory and without keeping a name.

A finished chunk keeps a row for each person beside its part: a keyed 16-byte digest of the person's name and what the
chunk's records of that person spent. A finished shard keeps the digest of each of its ids. Rows are sorted by their
digests, so that at the end those of all parts are read range by range. Only how many people spent each total is left,
and no name and no digest. Within a shard, the reader itself refuses an id that was used before.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError
from sfumato.text.document import Document, name_of_person

_DIGEST = [("high", "<u8"), ("low", "<u8")]
_ID = np.dtype(_DIGEST)
_PERSON = np.dtype([*_DIGEST, ("spent", "<i8")])
_PEOPLE_AT_ONCE, _IDS_AT_ONCE = 1 << 20, 1 << 22

Rows = NDArray[np.void]


def _digest(name: str, key: str) -> bytes:
    """Return what stands for ``name`` under the ``key`` of a run."""
    secret = key.encode()[: hashlib.blake2b.MAX_KEY_SIZE]
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), key=secret, digest_size=16).digest()


def _in_ranges(parts: Sequence[Path], row: np.dtype[Any], at_once: int) -> Iterator[list[Rows]]:
    """Yield the rows of each of ``parts`` range by range of digests, about ``at_once`` rows in a range."""
    ranges = -(-sum(path.stat().st_size for path in parts) // (row.itemsize * at_once))
    for number in range(ranges):
        first, last = (number << 64) // ranges, ((number + 1) << 64) // ranges - 1
        yield [_between(path, row, first, last) for path in parts]


def _between(path: Path, row: np.dtype[Any], first: int, last: int) -> Rows:
    """Return the rows at ``path`` whose digests begin with a number from ``first`` to ``last``."""
    if not path.stat().st_size:
        return np.empty(0, row)
    rows = np.memmap(path, dtype=row, mode="r")
    high = rows["high"]  # searched without a copy: a shard may hold millions of rows
    return np.array(rows[bisect_left(high, first) : bisect_right(high, last)])


# People.


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
    for name, amount in spent:
        people[_digest(name_of_person(name), key)] += amount
    rows = np.empty(len(people), dtype=_PERSON)
    digests = np.frombuffer(b"".join(people), dtype="<u8").reshape(-1, 2)
    rows["high"], rows["low"], rows["spent"] = digests[:, 0], digests[:, 1], list(people.values())
    return np.sort(rows, order=["high", "low"]).tobytes()


def added(chunks: Sequence[bytes]) -> bytes:
    """Return the rows of several chunks as those of one."""
    every = [np.frombuffer(rows, _PERSON) for rows in chunks]
    people, spent = _added(np.concatenate(every or [np.empty(0, _PERSON)]))
    rows = np.empty(len(people), dtype=_PERSON)
    rows["high"], rows["low"], rows["spent"] = people["high"], people["low"], spent
    return rows.tobytes()


def _added(rows: Rows) -> tuple[Rows, NDArray[np.int64]]:
    """Return each digest of ``rows`` once, sorted, and what it spent altogether."""
    people, place = np.unique(rows[["high", "low"]], return_inverse=True)
    spent = np.zeros(len(people), dtype=np.int64)
    np.add.at(spent, place, rows["spent"])
    return people, spent


def totals(chunks: Sequence[Path], at_once: int = _PEOPLE_AT_ONCE) -> dict[int, int]:
    """Return how many people spent each total over all ``chunks``, about ``at_once`` rows of which are in memory."""
    people: Counter[int] = Counter()
    for rows in _in_ranges(chunks, _PERSON, at_once):
        people.update(_added(np.concatenate(rows))[1].tolist())
    return dict(sorted(people.items()))


# Ids.


def rows_of_ids(ids: Iterable[str], key: str) -> bytes:
    """Return the rows of a shard with these ``ids``, under the run's ``key``."""
    rows = np.frombuffer(b"".join(_digest(name, key) for name in ids), dtype=_ID)
    return np.sort(rows, order=["high", "low"]).tobytes()


def repeated(shards: Sequence[Path], at_once: int = _IDS_AT_ONCE) -> tuple[int, int] | None:
    """Return the places of two ``shards`` that share an id, or None; about ``at_once`` rows are in memory."""
    for near in _in_ranges(shards, _ID, at_once):
        owners = np.repeat(np.arange(len(near)), [len(own) for own in near])
        digests = np.concatenate(near)
        order = np.lexsort((owners, digests["low"], digests["high"]))
        digests, owners = digests[order], owners[order]
        same = np.flatnonzero(digests[1:] == digests[:-1])
        if len(same):
            return int(owners[same[0]]), int(owners[same[0] + 1])
    return None
