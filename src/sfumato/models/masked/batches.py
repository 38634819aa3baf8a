"""Rows cut into batches for a masked network, so that memory stays constant and no row shows in another's answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sfumato.errors import ConfigurationError
from sfumato.models.bert.rows import Row, Shape
from sfumato.models.masked.answering import Answering
from sfumato.models.masked.steadiness import is_steady

if TYPE_CHECKING:
    from sfumato.types import IntArray

_PIECES_AT_ONCE = {"cpu": 1 << 9}  # so many fit into a CPU's caches
_PIECES_ELSEWHERE = 1 << 16


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
            batch = [row.lengthened(shape.length) for row in batch]
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
            "--number-format float32."
        )
