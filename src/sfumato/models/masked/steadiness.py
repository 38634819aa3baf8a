"""Whether a row's answer in bfloat16 is the same to the last bit in any company: tried out for each shape of a batch.

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

from collections.abc import Callable, Sequence
from itertools import cycle, islice
from typing import Any

from sfumato.models.bert.rows import Row, Shape
from sfumato.types import IntArray

Ask = Callable[[Sequence[Row]], list[Any] | None]
"""Return the answer (masks, columns) for each row, or None without the memory for them."""


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
    written = [int(pieces[step * place % len(pieces)]) for place in range(length)]
    masks = [mask * length // shape.masks for mask in range(shape.masks)]
    return Row(written, length, masks, shape.length)
