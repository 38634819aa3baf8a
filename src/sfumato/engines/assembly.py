"""The one join: gaps and outputs laid end to end as code points, and decoded once a batch.

Everything here sees public things only, except the gaps' offsets in the private text: the spellings of what is put
in, which is put where, and the text that is released unchanged.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.batch import Batch, Made, Outputs
from sfumato.privacy.kernels import compiled
from sfumato.runtime import search_paused
from sfumato.text.document import Release
from sfumato.text.marks import CODEC, Codes, Marks
from sfumato.text.sentences import GAP_END, gap_characters
from sfumato.types import IntArray

Flags = NDArray[np.bool_]

_SPACE, _LINE, _OPENER, _CLOSER, _STOP, _LEADS = 1, 2, 4, 8, 16, 32


def joined(batch: Batch, made: Sequence[Made]) -> list[Release]:
    """Return the release of each document of ``batch``: what the treatments ``made``, and all text between."""
    names = [document.id for document in batch.documents]
    spent = np.sum([own.spent for own in made], axis=0) if made else np.zeros(len(names), dtype=np.int64)
    rewritten = [row for own in made for row in own.rewritten]
    if rewritten:
        rows = zip(names, rewritten, spent.tolist(), strict=True)
        return [Release.joined(name, parts, labels, draws) for name, (parts, labels), draws in rows]
    marks = batch.marks
    text, cuts, bounds = assembled(marks, [output for own in made for output in own.outputs])
    flat = array("q", bounds.tobytes())
    ends = [0, *(2 * np.cumsum(marks.counts)).tolist()]
    labels = [marks.labels] * len(names) if isinstance(marks.labels, str) else marks.labels
    with search_paused():
        return Release.several(
            names,
            [text[start:end] for start, end in pairwise(cuts.tolist())],
            [flat[start:end] for start, end in pairwise(ends)],
            labels,
            spent.tolist(),
        )


def opening(marks: Marks) -> Flags:
    """Return which spans begin a sentence, shape (n,).

    This is :func:`~sfumato.text.sentences.begins_sentence` for the gap before every span.
    """
    return _opening(marks.codes, marks.origins, marks.starts, marks.ends, marks.counts, _traits(), GAP_END)


def assembled(marks: Marks, outputs: Sequence[Outputs]) -> tuple[str, IntArray, IntArray]:
    """Return the released texts end to end, where each begins (and the last ends), and the bounds (n, 2) of outputs.

    The bounds count from the beginning of their own text.
    """
    sizes = np.zeros(len(marks.starts), dtype=np.int64)
    for output in outputs:
        sizes[output.places] = output.spelled.edges[output.entries + 1] - output.spelled.edges[output.entries]
    kept = int(marks.lengths.sum() - (marks.ends - marks.starts).sum())
    out = np.empty(kept + int(sizes.sum()), dtype=np.uint32)
    cuts, bounds, positions = _lay_gaps(
        out, marks.codes, marks.origins, marks.lengths, marks.starts, marks.ends, marks.counts, sizes
    )
    for output in outputs:
        _put_in(out, positions[output.places], output.spelled.codes, output.spelled.edges, output.entries)
    return out.tobytes().decode(CODEC, "surrogatepass"), cuts, bounds


@lru_cache(maxsize=1)
def _traits() -> NDArray[np.uint8]:
    """Return, for every code point up to the last in a class, its part in the rule for the start of a sentence."""
    classes = gap_characters()
    traits = np.zeros(max(map(ord, "".join(classes))) + 1, dtype=np.uint8)
    for trait, characters in zip((_SPACE, _LINE, _OPENER, _CLOSER, _STOP, _LEADS), classes, strict=True):
        traits[[ord(character) for character in characters]] |= trait
    traits.setflags(write=False)
    return traits


@compiled
def _trait(codes: Codes, index: int, traits: NDArray[np.uint8]) -> int:
    code = codes[index]
    return traits[code] if code < len(traits) else np.uint8(0)  # type: ignore[return-value]


@compiled
def _begins(codes: Codes, start: int, end: int, first: bool, traits: NDArray[np.uint8], window: int) -> bool:
    """Apply the rule to the gap ``codes[start:end]``, read from its end."""
    start = max(start, end - window)
    if first:
        index = end
        while index > start and _trait(codes, index - 1, traits) & _LEADS:
            index -= 1
        if index == start:
            return True
    index = end
    while index > start and _trait(codes, index - 1, traits) & _OPENER:
        index -= 1
    spaces = index
    while index > start and _trait(codes, index - 1, traits) & _SPACE:
        if _trait(codes, index - 1, traits) & _LINE:
            return True
        index -= 1
    if index == spaces:
        return False
    while index > start and _trait(codes, index - 1, traits) & _CLOSER:
        index -= 1
    return index > start and _trait(codes, index - 1, traits) & _STOP != 0


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
    """Copy the gaps and leave room for the outputs. Return cuts, bounds and the position of every output."""
    cuts = np.zeros(len(origins) + 1, dtype=np.int64)
    bounds = np.empty((len(starts), 2), dtype=np.int64)
    positions = np.empty(len(starts), dtype=np.int64)
    end = span = 0
    for document in range(len(origins)):
        begin, before = end, origins[document]
        for _ in range(counts[document]):
            for index in range(before, starts[span]):
                out[end] = codes[index]
                end += 1
            positions[span], bounds[span, 0] = end, end - begin
            end += sizes[span]
            bounds[span, 1], before = end - begin, ends[span]
            span += 1
        for index in range(before, origins[document] + lengths[document]):
            out[end] = codes[index]
            end += 1
        cuts[document + 1] = end
    return cuts, bounds, positions


@compiled
def _put_in(out: Codes, places: IntArray, codes: Codes, edges: IntArray, entries: IntArray) -> None:
    for output in range(len(places)):
        target = places[output]
        for source in range(edges[entries[output]], edges[entries[output] + 1]):
            out[target] = codes[source]
            target += 1
