"""Texts of one record are looked at together, so that a value marked in one is marked in the others."""

from __future__ import annotations

from itertools import pairwise

from sfumato.protection.originals import batches


def test_a_record_is_in_one_batch() -> None:
    records = [number // 3 for number in range(1000)]
    cut = list(batches(records))
    assert [place for batch in cut for place in batch] == list(range(1000))
    assert len(cut) == 4
    owners = [{records[place] for place in batch} for batch in cut]
    assert all(not first & second for first, second in pairwise(owners))
