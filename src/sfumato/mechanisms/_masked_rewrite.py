"""A document under way in DP-MLM: its places, windows and draws."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.contextual import RewriteBatch, RewriteState
from sfumato.abstract.models import MASKED, Cloze, MaskedModel
from sfumato.models.masked.windows import nearest
from sfumato.text.layout import Layout
from sfumato.text.sentences import begins_sentence, capitalised
from sfumato.types import FloatArray, IntArray

_PIECES_OF_A_WORD = 4  # of the window: 1.3 to 2 in each half, with what stands between words
_PARTS = re.compile(r"\s+|\S{1,40}")


class Edits(NamedTuple):
    """The probabilities of Algorithm 3: that a word is deleted, and that a new one follows it."""

    deletion: float
    addition: float


class MaskedBatch(RewriteBatch):
    """Documents whose next masked places are scored in one batch; where one is finished the next one enters."""

    def __init__(self, model: MaskedModel, states: Sequence[MaskedRewrite], at_once: int) -> None:
        self._model, self._states, self._at_once = model, states, at_once
        self._entered = 0
        self._under_way: list[int] = []

    @property
    def states(self) -> Sequence[MaskedRewrite]:
        """The documents, in the order they were given."""
        return self._states

    def scores(self) -> tuple[NDArray[np.floating[Any]], list[int]]:
        """Scores at the next place of each document under way (at the next places, in a block)."""
        self._under_way = [number for number in self._under_way if not self._states[number].finished]
        while len(self._under_way) < self._at_once and self._entered < len(self._states):
            if not self._states[self._entered].finished:
                self._under_way.append(self._entered)
            self._entered += 1
        questions = [question for number in self._under_way for question in self._states[number].questions()]
        owners = [number for number in self._under_way for _ in self._states[number].waiting]
        if not questions:
            return np.empty((0, len(self._model.words)), dtype=np.float32), []
        return self._model.scores(questions), owners

    def take(self, outcomes: IntArray) -> None:
        """Hand the outcomes back to the documents that asked."""
        first = 0
        for number in self._under_way:
            state = self._states[number]
            last = first + len(state.waiting)
            state.take(outcomes[first:last].tolist())
            first = last


@dataclass(slots=True)
class _Place:
    """A stretch of the document, with its pieces in the original and in the copy. One to be drawn has a ``label``."""

    text: str
    original: list[int]
    copy: list[int]
    label: str | None = None


class MaskedRewrite(RewriteState):
    """One document under way: its stretches, and which of them are still to be drawn.

    ``coins`` (spans, 2) decide the ``edits``; without edits they are not read.
    """

    def __init__(
        self, model: MaskedModel, layout: Layout, coins: FloatArray, block: int, edits: Edits | None = None
    ) -> None:
        self._model = model
        places = _laid_out(model, layout)
        self._places = places if edits is None else _edited(places, edits, coins)
        todo = [number for number, place in enumerate(self._places) if place.label is not None]
        self._passes = _apart(todo, block, model.window)
        self.waiting: list[int] = []
        """The places whose outcomes are awaited, in the order they were asked for."""

    @property
    def finished(self) -> bool:
        """Whether every marked place was drawn."""
        return not self._passes and not self.waiting

    def questions(self) -> list[Cloze]:
        """About the places of the next pass: one question for all that share a window."""
        asked = list(self._asked(self._passes.pop() if self._passes else []))
        self.waiting = [at for _, places in asked for at in places]
        return [question for question, _ in asked]

    def question_about(self, position: int) -> tuple[Cloze, int]:
        """What would be asked about the marked word ``position`` in its pass, and which mask of it is that word."""
        at = [number for number, place in enumerate(self._places) if place.label is not None][position]
        todo = next(places for places in self._passes if at in places)
        return next((question, places.index(at)) for question, places in self._asked(todo) if at in places)

    def _asked(self, todo: list[int]) -> Iterator[tuple[Cloze, list[int]]]:
        """Questions about the places ``todo`` of a pass, each with its places."""
        while todo:
            masked = frozenset(todo)  # places of this pass that were asked about before still stand as they stood
            first, last = self._window(todo[0], masked)
            yield self._question(first, last, masked), [at for at in todo if first <= at < last]
            todo = [at for at in todo if at >= last]

    def _window(self, at: int, masked: frozenset[int]) -> tuple[int, int]:
        """Which stretches around ``at`` fit the model: the nearest ones, as many on either side as there are."""
        return nearest(at, len(self._places), lambda unit: self._length(unit, masked), self._model.window)

    def _length(self, at: int, masked: frozenset[int]) -> int:
        place = self._places[at]
        return len(place.original) + (1 if at in masked else len(place.copy))

    def _question(self, first: int, last: int, masked: frozenset[int]) -> Cloze:
        context: list[int] = []
        copy: list[int] = []
        for at in range(first, last):
            place = self._places[at]
            context += place.original
            copy += [MASKED] if at in masked else place.copy
        return Cloze(context, copy)

    def take(self, outcomes: Sequence[int]) -> None:
        """Write the drawn words into the copy."""
        for at, outcome in zip(self.waiting, outcomes, strict=True):
            place = self._places[at]
            place.text, place.copy = self._model.words[outcome], [int(self._model.word_pieces[outcome])]
        self.waiting = []

    def parts(self) -> list[str]:
        """Layout and outputs in turns; an output that begins a sentence begins with a capital."""
        found = [""]
        for place in self._places:
            if place.label is None:
                found[-1] += place.text
                continue
            opens = begins_sentence(found[-1], len(found) == 1)
            found += [capitalised(place.text) if opens else place.text, ""]
        return found

    @property
    def labels(self) -> Sequence[str]:
        """A label for each output."""
        return [place.label for place in self._places if place.label is not None]


def _apart(todo: list[int], block: int, window: int) -> list[list[int]]:
    """Passes, the last one first, of places as far from each other as can be, about ``block`` of them in a window.

    A long document has many windows, and a pass takes places in all of them. A block of 1 is the paper's order: one
    place a pass.
    """
    within = len(todo) if block == 1 else min(len(todo), max(1, window // _PIECES_OF_A_WORD))
    rounds = -(-within // block)
    return [todo[first::rounds] for first in reversed(range(rounds))]


def _laid_out(model: MaskedModel, layout: Layout) -> list[_Place]:
    """Return the stretches of a document: what stays and what is drawn."""
    stretches = list(_stretches(layout))
    pieces = model.pieces(list(_units([text for text, _ in stretches])))
    return [
        _Place(text if label is None else "", own, own, label)
        for (text, label), own in zip(stretches, pieces, strict=True)
    ]


def _edited(places: list[_Place], edits: Edits, coins: FloatArray) -> list[_Place]:
    """Algorithm 3: each marked word is deleted with one coin, and followed by a new one with another."""
    found: list[_Place] = []
    tosses = iter(coins)
    for place in places:
        if place.label is None:
            found.append(place)
            continue
        deleted, added = next(tosses) < edits
        if deleted and found and found[-1].label is None:
            found[-1].text = found[-1].text.removesuffix(" ")
        found.append(_Place("", place.original, []) if deleted else place)
        if added:
            found += [_Place(" ", [], []), _Place("", [], [], place.label)]
    return found


def _stretches(layout: Layout) -> Iterator[tuple[str, str | None]]:
    """Spans with their labels, and the text between them cut at white space, in order."""
    at = 0
    for (start, end), label in zip(layout.spans, layout.labels, strict=True):
        yield from ((part, None) for part in _PARTS.findall(layout.text[at:start]))
        yield layout.text[start:end], label
        at = end
    yield from ((part, None) for part in _PARTS.findall(layout.text[at:]))


def _units(texts: Sequence[str]) -> Iterator[str]:
    """``texts`` as a tokenizer wants them: one space before a stretch belongs to it."""
    space = ""
    for text in texts:
        yield space + text.removesuffix(" ")
        space = " " if text.endswith(" ") else ""
