"""The way back to text: gaps and outputs laid end to end as code points, decoded once a batch.

Everything here sees public things only, but for the gaps' offsets in the private text: the spellings of the
vocabulary, which token goes where, and the text that is released as it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.kernels import compiled
from sfumato.text.marks import CODEC, Codes, Marks, codes_of
from sfumato.text.sentences import GAP_END, capitalised, gap_characters
from sfumato.types import IntArray

Flags = NDArray[np.bool_]

_SPACE, _LINE, _OPENER, _CLOSER, _STOP, _LEADS = 1, 2, 4, 8, 16, 32


@dataclass(frozen=True, eq=False)
class Spelled:
    """The V tokens of a vocabulary as code points, then the V tokens as they stand at the start of a sentence."""

    codes: Codes
    edges: IntArray

    @classmethod
    def of(cls, tokens: Sequence[str]) -> Spelled:
        """Spell ``tokens``."""
        every = [*tokens, *map(capitalised, tokens)]
        edges = np.zeros(len(every) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, every), dtype=np.int64, count=len(every)), out=edges[1:])
        return cls(codes_of("".join(every)), edges)

    def entries(self, tokens: IntArray, opening: Flags) -> IntArray:
        """Which entry spells each of ``tokens`` (n,), where ``opening`` (n,) says that it begins a sentence."""
        return tokens + opening * (len(self.edges) // 2)


@dataclass(frozen=True, eq=False)
class Outputs:
    """What one route puts in: ``entries`` of ``spelled`` at ``places``, both (m,)."""

    spelled: Spelled
    places: IntArray
    entries: IntArray


def opening(marks: Marks) -> Flags:
    """Which spans begin a sentence: :func:`~sfumato.text.sentences.begins_sentence` for every gap before one."""
    return _opening(marks.codes, marks.origins, marks.starts, marks.ends, marks.counts, _traits(), GAP_END)


def assembled(marks: Marks, outputs: Sequence[Outputs]) -> tuple[str, IntArray, IntArray]:
    """The released texts end to end, where each begins (and the last one ends), and the bounds (n, 2) of outputs.

    The bounds count from the beginning of their own text.
    """
    sizes = np.zeros(len(marks.starts), dtype=np.int64)
    for one in outputs:
        sizes[one.places] = one.spelled.edges[one.entries + 1] - one.spelled.edges[one.entries]
    kept = int(marks.lengths.sum() - (marks.ends - marks.starts).sum())
    out = np.empty(kept + int(sizes.sum()), dtype=np.uint32)
    cuts, bounds, at = _lay_gaps(
        out, marks.codes, marks.origins, marks.lengths, marks.starts, marks.ends, marks.counts, sizes
    )
    for one in outputs:
        _put_in(out, at[one.places], one.spelled.codes, one.spelled.edges, one.entries)
    return out.tobytes().decode(CODEC, "surrogatepass"), cuts, bounds


@lru_cache(maxsize=1)
def _traits() -> NDArray[np.uint8]:
    """For every code point as far as any has one: what it is in the rule for the start of a sentence."""
    classes = gap_characters()
    traits = np.zeros(max(map(ord, "".join(classes))) + 1, dtype=np.uint8)
    for trait, characters in zip((_SPACE, _LINE, _OPENER, _CLOSER, _STOP, _LEADS), classes, strict=True):
        traits[[ord(character) for character in characters]] |= trait
    traits.setflags(write=False)
    return traits


@compiled
def _trait(codes: Codes, place: int, traits: NDArray[np.uint8]) -> int:
    code = codes[place]
    return traits[code] if code < len(traits) else np.uint8(0)  # type: ignore[return-value]


@compiled
def _begins(codes: Codes, start: int, end: int, first: bool, traits: NDArray[np.uint8], window: int) -> bool:
    """The rule for the gap ``codes[start:end]``, read from its end."""
    start = max(start, end - window)
    if first:
        place = end
        while place > start and _trait(codes, place - 1, traits) & _LEADS:
            place -= 1
        if place == start:
            return True
    place = end
    while place > start and _trait(codes, place - 1, traits) & _OPENER:
        place -= 1
    spaces = place
    while place > start and _trait(codes, place - 1, traits) & _SPACE:
        if _trait(codes, place - 1, traits) & _LINE:
            return True
        place -= 1
    if place == spaces:
        return False
    while place > start and _trait(codes, place - 1, traits) & _CLOSER:
        place -= 1
    return place > start and _trait(codes, place - 1, traits) & _STOP != 0


@compiled
def _opening(
    codes: Codes,
    origins: IntArray,
    starts: IntArray,
    ends: IntArray,
    counts: IntArray,
    traits: NDArray[np.uint8],
    window: int,
) -> Flags:
    flags = np.zeros(len(starts), dtype=np.bool_)
    span = 0
    for document in range(len(origins)):
        before = origins[document]
        for number in range(counts[document]):
            flags[span] = _begins(codes, before, starts[span], number == 0, traits, window)
            before = ends[span]
            span += 1
    return flags


@compiled
def _lay_gaps(
    out: Codes,
    codes: Codes,
    origins: IntArray,
    lengths: IntArray,
    starts: IntArray,
    ends: IntArray,
    counts: IntArray,
    sizes: IntArray,
) -> tuple[IntArray, IntArray, IntArray]:
    """Copy the gaps and leave room for the outputs; returns cuts, bounds and the place of every output."""
    cuts = np.zeros(len(origins) + 1, dtype=np.int64)
    bounds = np.empty((len(starts), 2), dtype=np.int64)
    places = np.empty(len(starts), dtype=np.int64)
    at = span = 0
    for document in range(len(origins)):
        begin, before = at, origins[document]
        for _ in range(counts[document]):
            for place in range(before, starts[span]):
                out[at] = codes[place]
                at += 1
            places[span], bounds[span, 0] = at, at - begin
            at += sizes[span]
            bounds[span, 1], before = at - begin, ends[span]
            span += 1
        for place in range(before, origins[document] + lengths[document]):
            out[at] = codes[place]
            at += 1
        cuts[document + 1] = at
    return cuts, bounds, places


@compiled
def _put_in(out: Codes, places: IntArray, codes: Codes, edges: IntArray, entries: IntArray) -> None:
    for number in range(len(places)):
        at = places[number]
        for place in range(edges[entries[number]], edges[entries[number] + 1]):
            out[at] = codes[place]
            at += 1
