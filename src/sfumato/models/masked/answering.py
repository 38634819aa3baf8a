"""Batches of questions to a masked network: memory stays constant, and no row shows in another's answer.

bfloat16 rounds so coarsely (0.1 of a score) that a trace of the neighbours would decide ranks. So a batch has a shape
that each of its rows alone decides, and before a shape is used, public rows are asked in it: copies of a row in every
place, then in every second place beside longer rows, then in the others beside idle ones. What a network computes for
a row follows from the shape and the place, not from the pieces. So if all copies get the same bits, then the answer
for a text depends neither on its place nor on its neighbours, and asking it by itself would give these bits again.

Where a shape fails, each of its rows gets a batch of its own, in which there is nothing beside it. That is slow, but
just as steady. A network that fails with one row computes at random, and is refused.

A device that runs out of memory gets smaller batches from then on. They have a trial of their own, and rows of the
step that were answered in larger ones are answered again.

The trial reads no text: it is the same whatever is rewritten, and its outcome discloses nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError, OutputError
from sfumato.models.bert.session import Row, Shape
from sfumato.types import IntArray

_PIECES_AT_ONCE = {"cpu": 1 << 9}  # so many fit into a CPU's caches
_PIECES_ELSEWHERE = 1 << 16
Ask = Callable[[Sequence[Row]], list[Any] | None]
"""Return the answer (masks, columns) for each row, or None without the memory for them."""


@dataclass
class Answering(ABC):
    """A network on a device. ``most`` is the batch limit (pieces) after running out of memory.

    It is kept by shape: in bfloat16 the number of rows in a batch must not depend on the other questions. ``steady``
    says of a shape and a number of rows whether their answers passed :mod:`sfumato.models.masked.answering`.
    """

    device: str
    number_format: str
    most: dict[Shape | None, int] = field(default_factory=dict, kw_only=True)
    steady: dict[tuple[Shape, int], bool] = field(default_factory=dict, kw_only=True)
    stays: bool = field(default=False, kw_only=True)
    """Whether scores are to stay on the device until an outcome is looked up."""

    @property
    @abstractmethod
    def positions(self) -> int:
        """Return the most pieces of an input."""

    @abstractmethod
    def vectors(self, pieces: IntArray) -> NDArray[np.float32]:
        """Return the input vectors of ``pieces``, shape (n, D)."""

    @abstractmethod
    def answer(self, rows: Sequence[Row], columns: IntArray | None = None) -> list[NDArray[np.float32]] | None:
        """Return logits (masks, columns) at the masks of each row; None if the device is out of memory.

        ``columns`` are numbers of pieces, None for all. A network may ask for the same ones in every call.
        """

    def in_place(self, rows: Sequence[Row], columns: IntArray | None = None) -> list[Any] | None:
        """Return what :meth:`answer` returns, in tensors of the device where it computes with torch."""
        return self.answer(rows, columns)

    def shrink(self, shape: Shape | None, tried: int, least: int) -> int:
        """Return half of the pieces ``tried``, the batch limit from now on.

        Raise OutputError if a row of ``least`` pieces is already too much.
        """
        if tried <= least:
            where = "There is" if self.device == "cpu" else "The GPU has"
            way = "close other programs" if self.device == "cpu" else "use --set device=cpu"
            raise OutputError(f"{where} too little memory for one text of this length; {way}.")
        self.most[shape] = max(least, tried // 2)
        return self.most[shape]


@dataclass(frozen=True, slots=True)
class Batches:
    """What asks ``network`` about ``columns``, and fills up a row with the piece ``padding``.

    Answers are tensors of the device if they are wanted ``in_place``.
    """

    network: Answering
    columns: IntArray
    padding: int
    in_place: bool = False

    def answers(self, rows: Sequence[Row]) -> list[Any]:
        """Return the answer (masks, columns) to each of ``rows``."""
        answers: list[Any] = [None] * len(rows)
        for shape, alike in self._alike(rows):
            todo = alike
            while todo:
                done = self._answer(rows, todo, shape, answers)
                todo = todo[done:] if done or shape is None else alike  # one size of batch for all of a shape
        return answers

    def _alike(self, rows: Sequence[Row]) -> Iterator[tuple[Shape | None, list[int]]]:
        """Yield the numbers of the rows that may share a batch, longest first.

        In float32 any rows may, and in int8, where each has scales of its own. bfloat16 rounds so coarsely that the
        shape of a batch can be seen in its answers (0.1 of a score), and neighbours influence the shape. So there all
        batches have a shape that the row alone decides.
        """
        if self.network.number_format != "bfloat16":
            yield None, sorted(range(len(rows)), key=lambda number: -len(rows[number].pieces))
            return
        most = self.network.positions
        lengths = [min(most, max(32, 1 << (len(row.pieces) - 1).bit_length())) for row in rows]
        shapes = [Shape(length, len(row.masks)) for length, row in zip(lengths, rows, strict=True)]
        for shape in sorted(set(shapes)):
            yield shape, [number for number, own in enumerate(shapes) if own == shape]

    def _answer(self, rows: Sequence[Row], todo: list[int], shape: Shape | None, answers: list[Any]) -> int:
        """Answer the first rows of ``todo``, and return how many; 0 if memory was too small for as many."""
        network, longest = self.network, shape.length if shape else len(rows[todo[0]].pieces)
        at_once = network.most.get(shape) or _PIECES_AT_ONCE.get(network.device, _PIECES_ELSEWHERE)
        most = max(1, at_once // longest)
        count = self._steady_count(shape, most) if shape else most
        batch = [rows[number] for number in todo[:count]]
        if shape:
            batch = [row._replace(length=shape.length) for row in batch]
            batch += [Row.idle(shape, self.padding)] * (count - len(batch))
        logits = self._asked(batch) if batch else None
        if logits is None:
            network.shrink(shape, (len(batch) or most) * longest, longest)
            return 0
        for number, answer in zip(todo[:count], logits, strict=False):  # idle rows come last and are dropped
            answers[number] = answer
        return count

    def _asked(self, rows: Sequence[Row]) -> list[Any] | None:
        ask = self.network.in_place if self.in_place else self.network.answer
        return ask(rows, self.columns)

    def _steady_count(self, shape: Shape, most: int) -> int:
        """Return how many rows of ``shape`` may share a batch: ``most``, or 1 if one could show in another.

        0: the device is out of memory. Raise ConfigurationError if a row by itself has no fixed answer.
        """
        known = self.network.steady
        for count in (most, 1):
            if (shape, count) not in known:
                steady = is_steady(self._asked, shape, count, self.columns, self.padding, self.network.positions)
                if steady is None:
                    return 0
                known[shape, count] = steady
            if known[shape, count]:
                return count
        raise ConfigurationError(
            "In bfloat16 this model gives a text other scores each time, so no law could be stated; use "
            "--set number_format=float32."
        )


def is_steady(ask: Ask, shape: Shape, count: int, pieces: IntArray, padding: int, most: int) -> bool | None:
    """Return whether rows of ``shape`` in batches of ``count`` have answers that depend on nothing else.

    The rows are made of public ``pieces``, at most ``most`` of them. None: the device is out of memory.
    """
    probe = _row(shape, min(most, max(shape.masks, 3 * shape.length // 4)), pieces, 7)
    longer, idle = _row(shape, min(most, shape.length), pieces, 11), Row.idle(shape, padding)
    wanted: Any = None
    for turns in ([probe], [probe, longer], [idle, probe]):
        rows = list(islice(cycle(turns), count))
        answers = ask(rows)
        if answers is None:
            return None
        for row, answer in zip(rows, answers, strict=True):
            if row is probe:
                wanted = answer if wanted is None else wanted
                if not bool((answer == wanted).all()):  # not for NaN
                    return False
    return True


def _row(shape: Shape, length: int, pieces: IntArray, step: int) -> Row:
    """Return a row of ``length`` pieces, padded to ``shape``, with masks all over it."""
    written = [int(pieces[step * position % len(pieces)]) for position in range(length)]
    masks = [mask * length // shape.masks for mask in range(shape.masks)]
    return Row(written, length, masks, shape.length)
