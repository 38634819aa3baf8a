"""Marked texts of a document, each once for all its mentions, rewritten by a masked model from left to right.

Paper: Semantics-preserved distortion (§4).

All mentions of a marked text are masked, a mask for each of its words, and so are the other marked texts around it:
the model sees none of them when words are drawn. A word that would be a marked text is never drawn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.models import MASKED, Cloze, MaskedModel
from sfumato.language.en.words import stop_words
from sfumato.language.letter_case import capitalised_like
from sfumato.models.masked.windows import nearest, units
from sfumato.text.marks import Layout
from sfumato.text.occurrences import Occurrences, folded, name_of
from sfumato.types import FloatArray, in_batches

WORD = re.compile(r"\w+(?:['’]\w+)*")
_PEOPLE = frozenset({"PERSON", "PER", "NAME", "FULL_NAME", "PATIENT", "DOCTOR"})
_MOST_WORDS = 12  # of a replacement: longer phrases become this long
_AT_ONCE = 32
_ROOM = 96  # pieces around a mask: more context changes little
_Rows = list[list[tuple[int, ...] | None]]
"""For each task, the words written so far of each text (None: no word may be drawn)."""


class MarkedText(NamedTuple):
    """A text that was marked, in any spelling: its label, its words, and the numbers of the spans that hold it."""

    text: str
    label: str
    words: Sequence[str]
    spans: Sequence[int]


def marked(layout: Layout) -> list[MarkedText]:
    """Return the marked texts of a document, in the order of their first mentions."""
    texts: dict[str, MarkedText] = {}
    for number, ((start, end), label) in enumerate(zip(layout.spans, layout.labels, strict=True)):
        text = layout.text[start:end]
        words = WORD.findall(text)[:_MOST_WORDS] or [text]
        texts.setdefault(name_of(text) or text, MarkedText(text, label, words, [])).spans.append(number)  # type: ignore[attr-defined]
    return list(texts.values())


class Forbidden:
    """The texts that may not appear in a document once it is distorted: its marked texts, in any spelling."""

    def __init__(self, layout: Layout) -> None:
        texts = {layout.text[start:end] for start, end in layout.spans}
        self.words = frozenset(text.casefold() for text in texts)
        self._inside = Occurrences(texts)

    def refuses(self, candidate: str, replaced: MarkedText) -> bool:
        """Return whether ``candidate`` is or holds a marked text, or shares a name with the person ``replaced``."""
        if not candidate.strip() or candidate.casefold() in self.words:
            return True
        if any(self._inside.find(candidate)):
            return True
        return replaced.label.upper() in _PEOPLE and bool(_names(WORD.findall(candidate)) & _names(replaced.words))


def _names(words: Sequence[str]) -> set[str]:
    return {folded(word).text for word in words} - stop_words()


class _Slot(NamedTuple):
    """The word ``number`` of the marked text ``owner`` of its document, both counted from 0."""

    owner: int
    number: int


class Masks:
    """A document with a mask for each word of each marked text."""

    def __init__(self, model: MaskedModel, layout: Layout, items: Sequence[MarkedText]) -> None:
        owners = {span: number for number, item in enumerate(items) for span in item.spans}
        self._model = model
        self._units: list[Sequence[int] | _Slot] = []
        self._first: dict[int, int] = {}
        end_before = 0
        for number, (start, end) in enumerate(layout.spans):
            self._units += model.pieces(units(layout.text[end_before:start]))
            owner = owners[number]
            self._first.setdefault(owner, len(self._units))
            self._units += [_Slot(owner, index) for index in range(len(items[owner].words))]
            end_before = end
        self._units += model.pieces(units(layout.text[end_before:]))

    def question(self, owner: int, written: Sequence[int]) -> tuple[Cloze, int]:
        """Return the question for the word after ``written`` in the first mention of ``owner``, and its mask."""
        position = self._first[owner] + len(written)
        first, last = nearest(position, len(self._units), self._length, min(self._model.window, _ROOM))
        copy: list[int] = []
        mask = 0
        for number in range(first, last):
            if number == position:
                mask = copy.count(MASKED)
            unit = self._units[number]
            if not isinstance(unit, _Slot):
                copy += unit
            elif unit.owner == owner and unit.number < len(written):
                copy.append(int(self._model.word_pieces[written[unit.number]]))
            else:
                copy.append(MASKED)
        return Cloze([], copy), mask

    def _length(self, number: int) -> int:
        unit = self._units[number]
        return 1 if isinstance(unit, _Slot) else len(unit)


class Task(NamedTuple):
    """A marked text to be rewritten: its document, its number there, what may not be drawn, and its own generator."""

    masks: Masks
    owner: int
    marked: MarkedText
    refused: Forbidden
    seed: np.random.Generator


@dataclass(frozen=True, eq=False)
class Filling:
    """Draws ``count`` texts for each task from the law of ``model``, its softmax over whole words."""

    model: MaskedModel
    count: int

    def draw(self, tasks: Sequence[Task]) -> list[list[str]]:
        """Return the texts for each task in the order drawn, without repeats and refused ones."""
        uniforms = [task.seed.random((self.count, len(task.marked.words))) for task in tasks]
        rows: _Rows = [[()] * self.count for _ in tasks]
        for step in range(max((len(task.marked.words) for task in tasks), default=0)):
            self._write(tasks, rows, [draws[:, step] if step < draws.shape[1] else None for draws in uniforms])
        return [self._texts(task, texts) for task, texts in zip(tasks, rows, strict=True)]

    def _write(self, tasks: Sequence[Task], rows: _Rows, uniforms: Sequence[FloatArray | None]) -> None:
        """Write one more word of each text; texts of a task that are alike so far share a question."""
        pending = [
            (number, row)
            for number, texts in enumerate(rows)
            if uniforms[number] is not None
            for row in dict.fromkeys(texts)
            if row is not None
        ]
        for chunk in in_batches(pending, _AT_ONCE):
            questions = [tasks[number].masks.question(tasks[number].owner, row) for number, row in chunk]
            scores, first_mask = self.model.scores([question for question, _ in questions]), 0
            for (number, row), (question, mask) in zip(chunk, questions, strict=True):
                sums, drawn = self._sums(scores[first_mask + mask], tasks[number].refused), uniforms[number]
                first_mask += list(question.copy).count(MASKED)
                assert drawn is not None
                for index, text in enumerate(rows[number]):
                    if text == row:
                        rows[number][index] = _next(sums, row, float(drawn[index]))

    def _sums(self, scores: NDArray[np.floating[Any]], refused: Forbidden) -> FloatArray:
        """Return the running sums of the law without the words that may not be drawn."""
        shifted = np.exp(np.asarray(scores, dtype=np.float64) - scores.max())
        shifted[[index for word in refused.words for index in self._known.get(word, ())]] = 0.0
        return np.asarray(np.cumsum(shifted))

    @cached_property
    def _known(self) -> dict[str, list[int]]:
        """Return the indices of each word among the model's, in any case."""
        indices: dict[str, list[int]] = {}
        for index, word in enumerate(self.model.words):
            indices.setdefault(word.casefold(), []).append(index)
        return indices

    def _texts(self, task: Task, rows: Sequence[tuple[int, ...] | None]) -> list[str]:
        texts: dict[str, None] = {}
        for row in rows:
            words = [
                capitalised_like(self.model.words[outcome], like)
                for outcome, like in zip(row or (), task.marked.words, strict=False)
            ]
            if words and not task.refused.refuses(" ".join(words), task.marked):
                texts[" ".join(words)] = None
        return list(texts)


def _next(sums: FloatArray, row: tuple[int, ...], uniform: float) -> tuple[int, ...] | None:
    if not sums[-1] > 0.0:
        return None
    return (*row, min(int(np.searchsorted(sums, uniform * sums[-1], side="right")), len(sums) - 1))
