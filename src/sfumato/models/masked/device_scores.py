"""Scores that stay on the device that computed them, until an outcome is looked up among them.

The rank of an outcome is drawn on the host (:mod:`sfumato.privacy.rank_law`). The device gets the ranks, never random
numbers, and gives back one outcome a row. So 8 bytes a draw cross the bus, where all scores of a row are 150 kB.

An outcome is looked up in whole numbers. The bits of a score, read as a signed number, order as the scores do once
those of a negative score are flipped; -0 becomes 0. A bisection counts the scores at or above a number until the
score of the rank is found, and a running count finds the right one of several equals. Comparisons and sums of whole
numbers have one result on every device, so the outcome is that of numpy to the last bit, and the tests may put the
CPU in the place of a GPU. A device without the memory for it leaves the work to numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.privacy.score_law import AnyScores, HostScores, Scores
from sfumato.types import FloatArray, IntArray

_AT_ONCE = 1 << 26
"""So many scores are looked through together: 256 MB for their running counts."""


@dataclass(frozen=True, slots=True, eq=False)
class DeviceScores:
    """Scores (n, V) in a torch tensor of float32, bfloat16 or float16."""

    values: Any

    @classmethod
    def joined(cls, answers: Sequence[Any]) -> AnyScores:
        """Return the scores of all ``answers`` (masks, V), one after another."""
        import torch

        try:
            with torch.inference_mode():
                return cls(torch.cat(list(answers)))
        except torch.cuda.OutOfMemoryError:
            return np.concatenate([cls(answer).numpy() for answer in answers])

    @property
    def shape(self) -> tuple[int, ...]:
        """Return (n, V)."""
        return tuple(self.values.shape)

    def all_numbers(self) -> bool:
        """Return whether no score is NaN."""
        return not bool(self.values.isnan().any())

    def of_ranks(self, ranks: IntArray) -> IntArray:
        """Return the outcome of each row's rank."""
        import torch

        rows = max(1, _AT_ONCE // self.shape[1])
        try:
            with torch.inference_mode():
                asked: Any = torch.from_numpy(np.array(ranks, dtype=np.int64)).to(self.values.device)
                pairs = zip(self.values.split(rows), asked.split(rows), strict=True)
                return np.asarray(torch.cat([_outcomes(*pair) for pair in pairs]).cpu().numpy(), dtype=np.int64)
        except torch.cuda.OutOfMemoryError:
            return HostScores(self.numpy()).of_ranks(ranks)

    def gaps(self, firsts: IntArray) -> FloatArray:
        """Return by how much each row's last score of the ``firsts`` exceeds the next one."""
        most = self.shape[1] - 1
        above, below = (self._at(self.of_ranks(np.minimum(ranks, most))) for ranks in (firsts - 1, firsts))
        with np.errstate(invalid="ignore"):  # of two infinities, which are equals
            gaps = np.where(above == below, 0.0, above - below)
        return np.where(firsts > most, np.inf, gaps)

    def _at(self, outcomes: IntArray) -> FloatArray:
        """Return the score of each row's outcome, shape (n,)."""
        import torch

        columns = torch.from_numpy(outcomes).to(self.values.device)
        scores = self.values.gather(1, columns[:, None])[:, 0]
        return np.asarray(scores.float().cpu().numpy(), dtype=np.float64)

    def replaced(self, rows: IntArray, scores: Scores) -> AnyScores:
        """Return the same with other ``scores`` in ``rows``."""
        import torch

        try:
            with torch.inference_mode():
                made = self.values.clone()
                made[torch.from_numpy(rows).to(made.device)] = torch.from_numpy(np.array(scores)).to(made)
                return DeviceScores(made)
        except torch.cuda.OutOfMemoryError:
            return HostScores(self.numpy()).replaced(rows, scores)

    def numpy(self) -> Scores:
        """Return all scores on the host, in float32, which holds them exactly."""
        return np.asarray(self.values.cpu().float().numpy())


def _outcomes(values: Any, ranks: Any) -> Any:
    """Return the outcome of each row's rank among ``values`` (n, V), the highest first, equals in their order."""
    import torch

    keys = _keys(values)
    wanted = _key_of_rank(keys, ranks)[:, None]
    above = (keys > wanted).sum(1)
    equals = (keys == wanted).cumsum(1, dtype=torch.int32)
    return torch.searchsorted(equals, (ranks - above + 1).to(torch.int32)[:, None])[:, 0]


def _keys(values: Any) -> Any:
    """Return whole numbers that order as ``values`` do, equal for equal values."""
    import torch

    kind = torch.int32 if values.dtype == torch.float32 else torch.int16
    bits = values.contiguous().view(kind)
    keys = torch.where(bits < 0, bits ^ torch.iinfo(kind).max, bits)
    return keys.masked_fill(keys == -1, 0)  # -0


def _key_of_rank(keys: Any, ranks: Any) -> Any:
    """Return the key (n,) of each row's rank among ``keys`` (n, V): the largest with more than ``ranks`` at or above
    it.
    """
    import torch

    kind = torch.iinfo(keys.dtype)
    low, high = torch.full_like(ranks, kind.min), torch.full_like(ranks, kind.max + 1)
    for _ in range(kind.bits):
        middle = (low + high) >> 1
        enough = (keys >= middle.to(keys.dtype)[:, None]).sum(1) > ranks
        low, high = torch.where(enough, middle, low), torch.where(enough, high, middle)
    return low.to(keys.dtype)
