"""Rows that a causal network continues together: caches, rows that end, and a GPU that runs out of memory.

Rows lie in parts, each with its own cache. A part that does not fit the device is cut in two, and the caches of the
halves are computed again from the pieces so far: the same scores, up to rounding, in less memory.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import OutputError
from sfumato.models.causal.networks import PlacedCausal

_PIECES_AT_ONCE = {"cpu": 1 << 13}
_ELSEWHERE = 1 << 17


@dataclass
class _Part:
    """Rows whose keys and values lie in one cache, and the scores of the next piece of each."""

    rows: list[list[int]]
    cache: Any = None
    mask: Any = None
    scores: NDArray[np.float32] | None = None

    def keep(self, going: list[int]) -> None:
        """Drop all rows but ``going``."""
        import torch

        if len(going) == len(self.rows):
            return
        self.rows = [self.rows[index] for index in going]
        if going and self.cache is not None:
            indices = torch.tensor(going, device=self.mask.device)
            try:
                self.cache.batch_select_indices(indices)
                self.mask = self.mask[indices]
            except torch.cuda.OutOfMemoryError:
                self.cache = self.mask = None

    def halves(self) -> list[_Part]:
        """Return the rows in two parts, without what was computed. Raise OutputError if there is only one row."""
        if len(self.rows) == 1:
            raise OutputError("The GPU has too little memory for one text of this length; use --device cpu.")
        half = len(self.rows) // 2
        return [_Part(self.rows[:half]), _Part(self.rows[half:])]


class TransformersSession:
    """A :class:`~sfumato.abstract.models.CausalSession` of a network on a device.

    ``turn`` is held while it computes.
    """

    def __init__(
        self, network: PlacedCausal, outcomes: Any, turn: threading.Lock, prompts: Sequence[Sequence[int]]
    ) -> None:
        self._network, self._columns, self._turn = network, outcomes, turn
        self._ids: NDArray[np.int64] = outcomes.cpu().numpy()
        most = _PIECES_AT_ONCE.get(network.device, _ELSEWHERE)
        self._parts = _parts([list(prompt) for prompt in prompts], most)

    def scores(self) -> NDArray[np.floating[Any]]:
        """Return logits of the outcomes after each unfinished row, shape (rows, V), float32."""
        done: list[_Part] = []
        todo = self._parts[::-1]
        with self._turn:
            while todo:
                part = todo.pop()
                if self._answered(part):
                    done.append(part)
                else:
                    todo += reversed(part.halves())
        self._parts = done
        logits = [part.scores for part in done if part.scores is not None]
        return np.concatenate(logits) if logits else np.empty((0, len(self._ids)), dtype=np.float32)

    def take(self, outcomes: Sequence[int | None]) -> None:
        """Append the drawn pieces to their rows, and drop the rows that end."""
        drawn = iter(outcomes)
        for part in self._parts:
            going = []
            for index, row in enumerate(part.rows):
                outcome = next(drawn)
                if outcome is not None:
                    row.append(int(self._ids[outcome]))
                    going.append(index)
            part.keep(going)
            part.scores = None
        self._parts = [part for part in self._parts if part.rows]

    def _answered(self, part: _Part) -> bool:
        """Return whether the scores of ``part`` are known now; False if the device is out of memory."""
        import torch

        if part.scores is not None:
            return True
        with contextlib.suppress(torch.cuda.OutOfMemoryError):
            if part.cache is None:
                logits, part.cache, part.mask = self._network.first(part.rows)
            else:
                logits, part.cache, part.mask = self._network.next(part.rows, part.cache, part.mask)
            part.scores = logits.index_select(1, self._columns).float().cpu().numpy()
            return True
        part.cache = part.mask = None
        torch.cuda.empty_cache()
        return False


def _parts(rows: list[list[int]], most: int) -> list[_Part]:
    """Return ``rows`` in order, in parts of at most ``most`` pieces with their padding, or of one row."""
    parts: list[_Part] = []
    for row in rows:
        longest = max([len(row), *map(len, parts[-1].rows)]) if parts else 0
        if parts and longest * (len(parts[-1].rows) + 1) <= most:
            parts[-1].rows.append(row)
        else:
            parts.append(_Part([row]))
    return parts
