"""Questions to masked models: as much around a place as the model takes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from sfumato.abstract.models import MASKED, Cloze


def nearest(at: int, count: int, length: Callable[[int], int], room: int) -> tuple[int, int]:
    """The stretch [first, last) of ``count`` units around ``at`` that fits ``room`` pieces.

    The nearest units come first, as many on either side as there are; ``length`` says how many pieces a unit has.
    """
    left = room - length(at)
    first, last = at, at + 1
    while first > 0 or last < count:
        back = first > 0 and (last >= count or at - first <= last - 1 - at)
        left -= length(first - 1 if back else last)
        if left < 0:
            break
        first, last = (first - 1, last) if back else (first, last + 1)
    return first, last


def questions(
    pieces: Sequence[Sequence[int]], places: Sequence[int], window: int
) -> Iterator[tuple[Cloze, list[int]]]:
    """What stands at ``places`` of a text whose units have ``pieces``: questions and the places each is about.

    All are masked at once; a place is one mask, however many pieces its unit has. Places that one window does not
    hold are asked about in the next one, where those asked about before stand as they stood.
    """
    todo = sorted(places)
    while todo:
        masked = frozenset(todo)
        first, last = _around(pieces, todo[0], masked, window)
        copy = [piece for unit in range(first, last) for piece in ([MASKED] if unit in masked else pieces[unit])]
        yield Cloze([], copy), [unit for unit in todo if unit < last]
        todo = [unit for unit in todo if unit >= last]


def _around(pieces: Sequence[Sequence[int]], at: int, masked: Collection[int], window: int) -> tuple[int, int]:
    return nearest(at, len(pieces), lambda unit: 1 if unit in masked else len(pieces[unit]), window)
