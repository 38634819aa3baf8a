"""Causal torch networks: loaded safely, checked, put on a device, and run there within its memory.

Reading gives the surprise of every piece of a text in its context, one pass a batch. A session continues rows piece
by piece, keeps caches and ends rows. Its rows lie in parts, each with its own cache. A part that does not fit the
device is cut in two, and the caches of the halves are computed again from the pieces so far: the same scores, up to
rounding, in less memory.
"""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError, OutputError
from sfumato.models.devices import inference, usable_device
from sfumato.models.local_files import pretrained, quiet

_TRIED = 9
_PIECES_AT_ONCE = {"cpu": 1 << 13}
_PIECES_ELSEWHERE = 1 << 17
_READ_AT_ONCE = {"cpu": 1 << 10}
_READ_ELSEWHERE = 1 << 14

Window = tuple[Sequence[int], Sequence[int]]
"""Pieces that are read, and the pieces after them that are scored."""


def loaded_causal(folder: Path, **options: Any) -> tuple[Any, Any]:
    """Return the causal model in ``folder`` and its fast tokenizer, checked.

    Opens no connection and runs no foreign code. ``options`` go to transformers, for files that are not safetensors.
    Raise MissingExtraError if transformers is missing. Raise ConfigurationError if weights are missing or are not
    numbers, or if the network is not causal.
    """
    network, tokenizer = pretrained(folder, "causal", **options)
    with quiet():
        _check_causal(PlacedCausal(network, "cpu"), folder)
    return network, tokenizer


@dataclass
class PlacedCausal:
    """A causal network on a device."""

    network: Any
    device: str
    known: frozenset[str] = field(init=False)
    """The arguments that this architecture takes."""

    def __post_init__(self) -> None:
        self.known = frozenset(inspect.signature(self.network.forward).parameters)

    def first(self, rows: Sequence[Sequence[int]]) -> tuple[Any, Any, Any]:
        """Return logits (rows, pieces) after the last piece of each row, the cache, and the attention mask."""
        longest = max(map(len, rows))
        ids, seen = np.zeros((len(rows), longest), dtype=np.int64), np.zeros((len(rows), longest), dtype=np.int64)
        for number, row in enumerate(rows):
            ids[number, longest - len(row) :] = row
            seen[number, longest - len(row) :] = 1
        positions = np.maximum(np.cumsum(seen, axis=1) - 1, 0)
        mask = self._sent(seen)
        return *self._answer(self._sent(ids), mask, self._sent(positions), None), mask

    def next(self, rows: Sequence[Sequence[int]], cache: Any, mask: Any) -> tuple[Any, Any, Any]:
        """Return the same after one more piece a row; only that piece is computed."""
        import torch

        mask = torch.cat([mask, mask.new_ones((len(rows), 1))], dim=1)
        ids = self._sent(np.array([[row[-1]] for row in rows], dtype=np.int64))
        positions = self._sent(np.array([[len(row) - 1] for row in rows], dtype=np.int64))
        return *self._answer(ids, mask, positions, cache), mask

    def _sent(self, numbers: Any) -> Any:
        import torch

        return torch.from_numpy(numbers).to(self.device)

    def _answer(self, ids: Any, mask: Any, places: Any, cache: Any) -> tuple[Any, Any]:
        arguments = {"input_ids": ids, "attention_mask": mask, "position_ids": places, "past_key_values": cache}
        arguments |= {"use_cache": True, "logits_to_keep": 1}
        with inference(self.network, ids.numel()):
            answer = self.network(**{name: value for name, value in arguments.items() if name in self.known})
        return answer.logits[:, -1], answer.past_key_values


def placed_causal(network: Any, device: str | None, number_format: str) -> PlacedCausal:
    """Return ``network`` on ``device`` (None: a GPU if there is one) in ``number_format``."""
    import torch

    target = usable_device(device)
    if number_format == "bfloat16":
        network = network.to(torch.bfloat16)
    return PlacedCausal(network.to(target), target)


def _check_causal(placed: PlacedCausal, folder: Path) -> None:
    """Refuse a network that looks ahead, or whose answer changes with the padding or the cache."""
    import torch

    count = int(placed.network.config.get_text_config().vocab_size)
    row = [(7 * position + 3) % count for position in range(_TRIED)]
    other = [*row[:-1], (row[-1] + 1) % count]
    try:
        with inference(placed.network, 2 * len(row)):
            both = placed.network(input_ids=torch.tensor([row, other])).logits[:, -2]
        plain, _, _ = placed.first([row[2:]])
        _, cache, mask = placed.first([row[2:-1], row[:-1]])
        cache.batch_select_indices(torch.tensor([0]))
        stepped, _, _ = placed.next([row[2:]], cache, mask[:1])
    except (RuntimeError, IndexError, TypeError, ValueError, AttributeError):
        raise ConfigurationError(
            f"The model in {folder} cannot be asked piece by piece; give a causal transformer that keeps a cache."
        ) from None
    bound = 1e-3 * (1.0 + float(plain.abs().max()))
    if not float((both[0] - both[1]).abs().max()) <= bound:
        raise ConfigurationError(f"The model in {folder} looks ahead in the text; give a causal language model.")
    if not float((plain - stepped).abs().max()) <= bound:
        raise ConfigurationError(
            f"The model in {folder} answers differently with a cache or beside longer texts; give another one."
        )


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
            raise OutputError("The GPU has too little memory for one text of this length; use --set device=cpu.")
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
        parts = _in_parts([len(prompt) for prompt in prompts], range(len(prompts)), most)
        self._parts = [_Part([list(prompts[number]) for number in part]) for part in parts]

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


def _in_parts(lengths: Sequence[int], order: Iterable[int], most: int) -> list[list[int]]:
    """Return ``order``, in parts of at most ``most`` pieces with their padding, or of one row."""
    parts, longest = list[list[int]](), 0
    for number in order:
        longest = max(longest, lengths[number]) if parts else 0
        if parts and longest * (len(parts[-1]) + 1) <= most:
            parts[-1].append(number)
        else:
            parts.append([number])
            longest = lengths[number]
    return parts


def read_windows(network: PlacedCausal, columns: Any, turn: threading.Lock, windows: Sequence[Window]) -> list[float]:
    """Return the surprise (nats) of the scored pieces of each window, among the pieces ``columns`` (V,) only.

    ``turn`` is held while the network computes. Raise OutputError if a window does not fit the GPU's memory.
    """
    lengths, surprises = [len(before) + len(scored) for before, scored in windows], [0.0] * len(windows)
    order = sorted(range(len(windows)), key=lengths.__getitem__)
    for batch in _in_parts(lengths, order, _READ_AT_ONCE.get(network.device, _READ_ELSEWHERE)):
        with turn:
            nats = _read(network, columns, [windows[index] for index in batch])
        for index, surprise in zip(batch, nats, strict=True):
            surprises[index] = surprise
    return surprises


def _read(network: PlacedCausal, columns: Any, windows: Sequence[Window]) -> list[float]:
    import torch

    try:
        with inference(network.network, len(windows) * max(len(before) + len(scored) for before, scored in windows)):
            return _answered(network, columns, windows)
    except torch.cuda.OutOfMemoryError:
        torch.cuda.empty_cache()
    if len(windows) == 1:
        raise OutputError("The GPU has too little memory for one text of this length; use --set device=cpu.")
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
