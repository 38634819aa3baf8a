"""Marked texts rewritten by a masked model: whole words, drawn from left to right.

Paper: Semantics-preserved distortion (§4).

All mentions of a marked text are masked, a mask for each of its words, and so are the other marked texts around it:
what is drawn is drawn without having seen any of them. A word that would be a marked text is never drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.models import MASKED, Cloze, MaskedModel
from sfumato.heuristics._marked import Marked, Refused, cased
from sfumato.metrics.divergence import units
from sfumato.models.masked.windows import nearest
from sfumato.text.layout import Layout
from sfumato.types import FloatArray

_AT_ONCE = 32
_ROOM = 96  # pieces around a place: more context changes little


class _Slot(NamedTuple):
    """A word of the marked text number ``owner`` of its document, at ``place`` in it."""

    owner: int
    place: int


class Masks:
    """A document with a mask for each word of each marked text."""

    def __init__(self, model: MaskedModel, layout: Layout, items: Sequence[Marked]) -> None:
        owners = {span: number for number, one in enumerate(items) for span in one.spans}
        self._model = model
        self._units: list[Sequence[int] | _Slot] = []
        self._first: dict[int, int] = {}
        at = 0
        for number, (start, end) in enumerate(layout.spans):
            self._units += model.pieces(units(layout.text[at:start]))
            owner = owners[number]
            self._first.setdefault(owner, len(self._units))
            self._units += [_Slot(owner, place) for place in range(len(items[owner].words))]
            at = end
        self._units += model.pieces(units(layout.text[at:]))

    def question(self, owner: int, written: Sequence[int]) -> tuple[Cloze, int]:
        """What follows ``written`` in the marked text ``owner``, where it first stands, and which mask that is."""
        at = self._first[owner] + len(written)
        first, last = nearest(at, len(self._units), self._length, min(self._model.window, _ROOM))
        copy: list[int] = []
        mask = 0
        for number in range(first, last):
            if number == at:
                mask = copy.count(MASKED)
            unit = self._units[number]
            if not isinstance(unit, _Slot):
                copy += unit
            elif unit.owner == owner and unit.place < len(written):
                copy.append(int(self._model.word_pieces[written[unit.place]]))
            else:
                copy.append(MASKED)
        return Cloze([], copy), mask

    def _length(self, number: int) -> int:
        unit = self._units[number]
        return 1 if isinstance(unit, _Slot) else len(unit)


class Task(NamedTuple):
    """A marked text to be rewritten: its document, its number in it, what may not be drawn, and its own seed."""

    masks: Masks
    owner: int
    one: Marked
    refused: Refused
    seed: np.random.Generator


_Rows = list[list[tuple[int, ...] | None]]
"""For each task what was written of each text (None: nothing may be drawn)."""


@dataclass(frozen=True, eq=False)
class Filling:
    """Draws ``count`` texts for each task from the law of ``model``, its softmax over whole words."""

    model: MaskedModel
    count: int

    def draw(self, tasks: Sequence[Task]) -> list[list[str]]:
        """The texts for each task in the order drawn, repeats and refused ones left out."""
        uniforms = [task.seed.random((self.count, len(task.one.words))) for task in tasks]
        rows: _Rows = [[()] * self.count for _ in tasks]
        for step in range(max((len(task.one.words) for task in tasks), default=0)):
            self._write(tasks, rows, [own[:, step] if step < own.shape[1] else None for own in uniforms])
        return [self._texts(task, own) for task, own in zip(tasks, rows, strict=True)]

    def _write(self, tasks: Sequence[Task], rows: _Rows, uniforms: Sequence[FloatArray | None]) -> None:
        """A word more of each text; texts of a task that are alike so far share a question."""
        asked = [
            (number, row)
            for number, own in enumerate(rows)
            if uniforms[number] is not None
            for row in dict.fromkeys(own)
            if row is not None
        ]
        for first in range(0, len(asked), _AT_ONCE):
            some = asked[first : first + _AT_ONCE]
            questions = [tasks[number].masks.question(tasks[number].owner, row) for number, row in some]
            scores, at = self.model.scores([question for question, _ in questions]), 0
            for (number, row), (question, mask) in zip(some, questions, strict=True):
                sums, drawn = self._sums(scores[at + mask], tasks[number].refused), uniforms[number]
                at += list(question.copy).count(MASKED)
                assert drawn is not None
                for place, own in enumerate(rows[number]):
                    if own == row:
                        rows[number][place] = _next(sums, row, float(drawn[place]))

    def _sums(self, scores: NDArray[np.floating[Any]], refused: Refused) -> FloatArray:
        """The running sums of the law without the words that may not be drawn."""
        shifted = np.exp(np.asarray(scores, dtype=np.float64) - scores.max())
        shifted[[at for word in refused.words for at in self._known.get(word, ())]] = 0.0
        return np.asarray(np.cumsum(shifted))

    @cached_property
    def _known(self) -> dict[str, list[int]]:
        """Where each word stands among the model's, whatever its case."""
        found: dict[str, list[int]] = {}
        for at, word in enumerate(self.model.words):
            found.setdefault(word.casefold(), []).append(at)
        return found

    def _texts(self, task: Task, rows: Sequence[tuple[int, ...] | None]) -> list[str]:
        found: dict[str, None] = {}
        for row in rows:
            words = [cased(self.model.words[at], like) for at, like in zip(row or (), task.one.words, strict=False)]
            if words and not task.refused.refuses(" ".join(words), task.one):
                found[" ".join(words)] = None
        return list(found)


def _next(sums: FloatArray, row: tuple[int, ...], uniform: float) -> tuple[int, ...] | None:
    if not sums[-1] > 0.0:
        return None
    return (*row, min(int(np.searchsorted(sums, uniform * sums[-1], side="right")), len(sums) - 1))
