"""Questions to masked models: as much text around a mask as the model takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

from sfumato.abstract.models import MASKED, Cloze

WORDS = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


def units(text: str, pattern: re.Pattern[str] = WORDS) -> list[str]:
    """Return the words and signs of ``text``, each with the space before it, if there is one."""
    return [
        f" {unit.group()}" if unit.start() and text[unit.start() - 1].isspace() else unit.group()
        for unit in pattern.finditer(text)
    ]


def nearest(centre: int, count: int, length: Callable[[int], int], room: int) -> tuple[int, int]:
    """Return the stretch [first, last) of ``count`` units around the unit ``centre`` that fits ``room`` pieces.

    The nearest units come first, equally on both sides while there are any. ``length`` returns the number of pieces
    of a unit.
    """
    left = room - length(centre)
    first, last = centre, centre + 1
    while first > 0 or last < count:
        back = first > 0 and (last >= count or centre - first <= last - 1 - centre)
        left -= length(first - 1 if back else last)
        if left < 0:
            break
        first, last = (first - 1, last) if back else (first, last + 1)
    return first, last


def questions(
    pieces: Sequence[Sequence[int]], places: Sequence[int], window: int
) -> Iterator[tuple[Cloze, list[int]]]:
    """Yield questions about the units at ``places`` of a text, and the units that each question is about.

    ``pieces`` holds the pieces of each unit. All the units are masked at once, and a unit is one mask, however many
    pieces it has. Units beyond one window are asked about in the next window, where those of the windows before are
    unmasked again.
    """
    todo = sorted(places)
    while todo:
        masked = frozenset(todo)
        first, last = _around(pieces, todo[0], masked, window)
        copy = [piece for unit in range(first, last) for piece in ([MASKED] if unit in masked else pieces[unit])]
        yield Cloze([], copy), [unit for unit in todo if unit < last]
        todo = [unit for unit in todo if unit >= last]


def questions_in_blocks(
    pieces: Sequence[Sequence[int]], places: Sequence[int], window: int, block: int
) -> Iterator[tuple[Cloze, list[int]]]:
    """Yield the same with only about ``block`` units masked at once, as far from each other as possible."""
    step = -(-len(places) // block) if places else 1
    for start in range(step):
        yield from questions(pieces, places[start::step], window)


def _around(pieces: Sequence[Sequence[int]], centre: int, masked: Collection[int], window: int) -> tuple[int, int]:
    return nearest(centre, len(pieces), lambda unit: 1 if unit in masked else len(pieces[unit]), window)
