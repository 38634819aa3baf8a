"""Texts that a causal network reads at once: the surprise of every piece in its context, one pass a batch."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sfumato.errors import OutputError
from sfumato.models.causal.networks import PlacedCausal
from sfumato.models.inference import inference

_PIECES_AT_ONCE = {"cpu": 1 << 10}
_ELSEWHERE = 1 << 14

Window = tuple[Sequence[int], Sequence[int]]
"""Pieces that are read, and the pieces after them that are scored."""


def read_windows(network: PlacedCausal, columns: Any, turn: threading.Lock, windows: Sequence[Window]) -> list[float]:
    """Return the surprise (nats) of the scored pieces of each window, among the pieces ``columns`` (V,) only.

    ``turn`` is held while the network computes. Raise OutputError if a window does not fit the GPU's memory.
    """
    order = sorted(range(len(windows)), key=lambda index: len(windows[index][0]) + len(windows[index][1]))
    surprises = [0.0] * len(windows)
    for batch in _batches(order, windows, _PIECES_AT_ONCE.get(network.device, _ELSEWHERE)):
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
