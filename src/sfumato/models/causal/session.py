"""Texts that a causal network reads at once, and rows that it continues together, within the memory of its device.

Reading gives the surprise of every piece in its context, one pass a batch. A session keeps caches and ends rows. Its
rows lie in parts, each with its own cache. A part that does not fit the device is cut in two, and the caches of the
halves are computed again from the pieces so far: the same scores, up to rounding, in less memory.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import OutputError
from sfumato.models.causal.networks import PlacedCausal
from sfumato.models.devices import inference

_PIECES_AT_ONCE = {"cpu": 1 << 13}
_PIECES_ELSEWHERE = 1 << 17
_READ_AT_ONCE = {"cpu": 1 << 10}
_READ_ELSEWHERE = 1 << 14

Window = tuple[Sequence[int], Sequence[int]]
"""Pieces that are read, and the pieces after them that are scored."""


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
        most = _PIECES_AT_ONCE.get(network.device, _PIECES_ELSEWHERE)
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


def read_windows(network: PlacedCausal, columns: Any, turn: threading.Lock, windows: Sequence[Window]) -> list[float]:
    """Return the surprise (nats) of the scored pieces of each window, among the pieces ``columns`` (V,) only.

    ``turn`` is held while the network computes. Raise OutputError if a window does not fit the GPU's memory.
    """
    order = sorted(range(len(windows)), key=lambda index: len(windows[index][0]) + len(windows[index][1]))
    surprises = [0.0] * len(windows)
    for batch in _batches(order, windows, _READ_AT_ONCE.get(network.device, _READ_ELSEWHERE)):
        with turn:
            nats = _read(network, columns, [windows[index] for index in batch])
        for index, surprise in zip(batch, nats, strict=True):
            surprises[index] = surprise
    return surprises


def _batches(order: Sequence[int], windows: Sequence[Window], most: int) -> Iterator[list[int]]:
    """Yield ``order`` in parts of at most ``most`` pieces with their padding, or of one window."""
    part: list[int] = []
    for index in order:  # ascending, so that this one is the longest
        if part and (len(windows[index][0]) + len(windows[index][1])) * (len(part) + 1) > most:
            yield part
            part = []
        part.append(index)
    if part:
        yield part


def _read(network: PlacedCausal, columns: Any, windows: Sequence[Window]) -> list[float]:
    import torch

    try:
        with inference(network.network, len(windows) * max(len(before) + len(scored) for before, scored in windows)):
            return _answered(network, columns, windows)
    except torch.cuda.OutOfMemoryError:
        torch.cuda.empty_cache()
    if len(windows) == 1:
        raise OutputError("The GPU has too little memory for one text of this length; use --device cpu.")
    half = len(windows) // 2
    return _read(network, columns, windows[:half]) + _read(network, columns, windows[half:])


def _answered(network: PlacedCausal, columns: Any, windows: Sequence[Window]) -> list[float]:
    """Return the surprises of one pass. Padding comes after the texts, where a causal network does not look."""
    import torch

    rows = [[*before, *scored] for before, scored in windows]
    longest = max(map(len, rows))
    ids, seen = np.zeros((2, len(rows), longest), dtype=np.int64)
    wanted = np.zeros((len(rows), longest), dtype=np.bool_)
    for number, (row, (before, _)) in enumerate(zip(rows, windows, strict=True)):
        ids[number, : len(row)], seen[number, : len(row)] = row, 1
        wanted[number, len(before) - 1 : len(row) - 1] = True
    positions = np.broadcast_to(np.arange(longest), ids.shape).copy()
    arrays = {"input_ids": ids, "attention_mask": seen, "position_ids": positions}
    tensors: dict[str, Any] = {
        name: torch.from_numpy(array).to(network.device) for name, array in arrays.items() if name in network.known
    }
    if "use_cache" in network.known:
        tensors["use_cache"] = False
    scores = network.network(**tensors).logits[torch.from_numpy(wanted).to(network.device)]
    scores = scores.index_select(1, columns).float()
    column_of = torch.empty(int(columns.max()) + 1, dtype=torch.long, device=network.device)
    column_of[columns] = torch.arange(len(columns), device=network.device)
    pieces = torch.tensor([piece for _, scored in windows for piece in scored], device=network.device)
    nats = torch.logsumexp(scores, 1) - scores.gather(1, column_of[pieces][:, None])[:, 0]
    ends = np.cumsum([len(scored) for _, scored in windows])[:-1]
    return [float(window.sum()) for window in np.split(nats.double().cpu().numpy(), ends)]
