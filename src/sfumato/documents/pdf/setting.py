"""Edits of a text, set in the content stream: what is removed leaves its room, and what replaces it is set there.

A removed word's room is filled: by the new text, which is narrowed if it is too wide, by what remains of the word,
and by a space as wide as what is left. So everything behind it stays where it is, and the lines and gaps that a
reader of the new file finds are those of the old one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sfumato.documents.pdf.glyphs import Glyph, Run
from sfumato.documents.pdf.lines import Block, Line
from sfumato.documents.slot import Edit

_LONGEST_REST = 400
_WITHOUT_SPACES = "\u2e80"
"""From here on, scripts have no spaces between words."""
Piece = str | Glyph
"""A new text, or a glyph that is moved to it."""
Spanned = tuple[Glyph, int, int]


@dataclass(eq=False)
class Room:
    """The room of what is removed in one line, and what is set in it.

    Attributes:
        first: The removed glyph at whose place it starts.
        end: Where it ends along the line.
        most: How far what is set may reach.
        words: What is set: words of pieces.
        spaced: Whether a space that was removed with it is set behind.
        start: Where it starts along the line.
        turned: Whether the line is one of which some runs from right to left.
        back: Whether it is drawn from right to left.
    """

    first: Glyph
    end: float
    most: float
    words: list[list[Piece]] = field(default_factory=list)
    spaced: bool = False
    start: float = float("nan")
    turned: bool = False
    back: bool = False

    def __post_init__(self) -> None:
        if self.start != self.start:
            self.start = self.first.start


@dataclass(eq=False)
class Setting:
    """What edits do to a content stream: the glyphs that are removed, and the rooms by their first glyphs."""

    gone: set[Glyph] = field(default_factory=set)
    rooms: dict[Glyph, Room] = field(default_factory=dict)

    @property
    def runs(self) -> set[Run]:
        """The operators that are rewritten."""
        return {glyph.run for glyph in self.gone}


@dataclass
class _Region:
    """Glyphs, as indexes of spans of a block, that are replaced by pieces."""

    first: int
    last: int
    words: list[list[Piece]]


def add(setting: Setting, block: Block, edits: Sequence[Edit], limit: Callable[[Line], float | None]) -> None:
    """Add the ``edits`` of the text of ``block``. ``limit`` says how far a line may reach where nothing follows."""
    order = {glyph: (number, at) for number, line in enumerate(block.lines) for at, glyph in enumerate(line.glyphs)}
    spans = sorted(block.spans, key=lambda span: order[span[0]])
    lines = [order[glyph][0] for glyph, _, _ in spans]
    for region in _regions(block.text, spans, lines, edits):
        _place(setting, block, spans, lines, region, limit)


def _regions(text: str, spans: Sequence[Spanned], lines: Sequence[int], edits: Sequence[Edit]) -> list[_Region]:
    """Return what is replaced: the glyphs of each edit, and the rest of the word, which moves to the new text."""
    found, groups = list[_Region](), _groups(text, spans, edits)
    glued = False
    for number, (first, last, output) in enumerate(groups):
        words: list[list[Piece]] = [[word] for word in output.split()] or [[]]
        if glued:
            found[-1].words[-1].extend(words[0])
            found[-1].words.extend(words[1:])
        else:
            found.append(_Region(first, last, words))
        until = groups[number + 1][0] if number + 1 < len(groups) else len(spans)
        rest = last
        while (
            rest + 1 < until
            and rest - last < _LONGEST_REST
            and not spans[last][0].run.font.vertical
            and _connected(spans, lines, rest + 1, removed=rest == last)
        ):
            rest += 1
            found[-1].words[-1].append(spans[rest][0])
        found[-1].last = rest
        glued = rest + 1 == until < len(spans) and _connected(spans, lines, until, removed=rest == last)
    return found


def _groups(text: str, spans: Sequence[Spanned], edits: Sequence[Edit]) -> list[tuple[int, int, str]]:
    """Return the first and the last glyph of edits, and what replaces them; edits of one glyph are one."""
    groups = list[tuple[int, int, list[Edit]]]()
    for edit in edits:
        hit = [at for at, span in enumerate(spans) if _covers(edit, span)] or [
            at for at, (_, start, end) in enumerate(spans) if start < end and start <= edit.start <= end
        ][-1:]
        if hit and groups and hit[0] <= groups[-1][1]:
            groups[-1] = (groups[-1][0], max(hit[-1], groups[-1][1]), [*groups[-1][2], edit])
        elif hit:
            groups.append((hit[0], hit[-1], [edit]))
    rows = list[tuple[int, int, str]]()
    for first, last, inside in groups:
        done, output = min(inside[0].start, spans[first][1]), ""
        for edit in inside:
            output, done = output + text[done : edit.start] + edit.output, edit.end
        rows.append((first, last, output + text[done : spans[last][2]]))
    return rows


def _covers(edit: Edit, span: Spanned) -> bool:
    _, start, end = span
    return start < edit.end and edit.start < end if start < end else edit.start < start < edit.end


def _connected(spans: Sequence[Spanned], lines: Sequence[int], at: int, removed: bool) -> bool:
    """Say whether the glyph ``at`` lies in one word with the one before, also a removed space, and in its line."""
    (before, _, done), (glyph, start, end) = spans[at - 1], spans[at]
    turned = before.run.along != glyph.run.along or before.start > glyph.start
    if (glyph.text or "") >= _WITHOUT_SPACES:
        return False
    blank = glyph.text is None or glyph.text.isspace() or (not removed and (before.text or " ").isspace())
    return lines[at] == lines[at - 1] and done == start < end and not turned and not blank


def _place(
    setting: Setting,
    block: Block,
    spans: Sequence[Spanned],
    lines: Sequence[int],
    region: _Region,
    limit: Callable[[Line], float | None],
) -> None:
    rooms = list[Room]()
    for number in sorted({lines[at] for at in range(region.first, region.last + 1)}):
        inside = [spans[at][0] for at in range(region.first, region.last + 1) if lines[at] == number]
        line, after = block.lines[number], region.last + 1
        setting.gone.update(inside)
        if line.turned:
            rooms.extend(_turned(line, inside))
            continue
        last = max(inside, key=lambda glyph: glyph.end)
        room = Room(min(inside, key=lambda glyph: glyph.start), last.end, last.end)
        if last is line.glyphs[-1]:
            most = limit(line)
            room.most = max(room.most, most if most is not None else room.most)
        elif lines[region.last] == number and after < len(spans) and lines[after] == number:
            _take_space(setting, room, spans[after][0])
        rooms.append(room)
    setting.rooms.update((room.first, room) for room in rooms)
    _share(rooms, region.words)


def _turned(line: Line, inside: Sequence[Glyph]) -> list[Room]:
    """Return the rooms of what is removed in a line of which some runs from right to left: glyphs side by side."""
    gone, groups = set(inside), list[list[Glyph]]()
    before: Glyph | None = None
    for glyph in sorted(line.glyphs, key=lambda glyph: glyph.start):
        if glyph in gone:
            if before not in gone:
                groups.append([])
            groups[-1].append(glyph)
        before = glyph
    drawn = {glyph: (glyph.run.at, glyph.run.parts.index(glyph)) for glyph in inside}
    rooms = list[Room]()
    for group in groups:
        first, end = min(group, key=drawn.__getitem__), max(glyph.end for glyph in group)
        rooms.append(Room(first, end, end, start=group[0].start, turned=True, back=first is not group[0]))
    return sorted(rooms, key=lambda room: inside.index(room.first))


def _take_space(setting: Setting, room: Room, glyph: Glyph) -> None:
    """Let the space behind a room be set with it, as wide as what is left of both."""
    behind = glyph.start >= room.end - glyph.run.em and glyph not in setting.rooms
    if behind and glyph.text is not None and glyph.text.isspace():
        setting.gone.add(glyph)
        room.spaced, room.end = True, glyph.end
        room.most = max(room.most, glyph.start)


def _share(rooms: Sequence[Room], words: list[list[Piece]]) -> None:
    """Give each room so many of the ``words`` that all are narrowed least."""
    if len(rooms) == 1 or len(words) == 1:
        rooms[0].words = words
        return
    sizes = [max(room.most - room.start, 1e-6) for room in rooms]
    lengths = [sum(len(piece) if isinstance(piece, str) else 1 for piece in word) + 1 for word in words]
    done, whole, part = 0, sum(lengths), 0.0
    for room, size in zip(rooms[:-1], sizes, strict=False):
        part += size / sum(sizes)
        while done < len(words) and sum(lengths[: done + 1]) <= part * whole + lengths[done] / 2:
            room.words.append(words[done])
            done += 1
        if room is rooms[0] and not done:
            room.words.append(words[0])
            done = 1
    rooms[-1].words = words[done:]


def joined(words: Sequence[Sequence[Piece]]) -> list[Piece]:
    """Return the pieces of ``words`` with spaces between them, and new texts that follow one another as one."""
    pieces = list[Piece]()
    for number, word in enumerate(words):
        for piece in ([" "] if number else []) + list(word):
            if isinstance(piece, str) and pieces and isinstance(pieces[-1], str):
                pieces[-1] += piece
            else:
                pieces.append(piece)
    return [piece for piece in pieces if piece]
