"""A document under way in DP-MLM: its stretches, windows and draws."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sfumato.abstract.contextual import RewriteBatch, RewriteState
from sfumato.abstract.models import MASKED, Cloze, MaskedModel, is_steady, scores_in_place
from sfumato.mechanisms._closeness import Closeness
from sfumato.models.masked.windows import nearest
from sfumato.privacy.score_law import AnyScores, Scores, on_host
from sfumato.text.marks import Layout
from sfumato.text.sentences import begins_sentence, capitalised
from sfumato.types import FloatArray, IntArray

_PIECES_OF_A_WORD = 4  # of the window: 1.3 to 2 in each half, with the signs between words
_PARTS = re.compile(r"\s+|\S{1,40}")


class Edits(NamedTuple):
    """The probabilities of Algorithm 3: that a word is deleted, and that a new one follows it."""

    deletion: float
    addition: float


class Rewriting(NamedTuple):
    """How a document is rewritten: words a pass, edits, and whether the model sees the original too."""

    block: int = 1
    edits: Edits | None = None
    beside: bool = True


class MaskedBatch(RewriteBatch):
    """Documents whose next masked words are scored in one batch; when one is finished, the next one enters."""

    def __init__(
        self, model: MaskedModel, states: Sequence[MaskedRewrite], at_once: int, closeness: Closeness | None = None
    ) -> None:
        self._model, self._states, self._at_once, self._closeness = model, states, at_once, closeness
        self._originals: list[str] = []
        self._entered = 0
        self._under_way: list[int] = []
        self._asked: list[tuple[Cloze, int]] = []
        """For each row of the latest scores its question, and which mask of it."""

    @property
    def states(self) -> Sequence[MaskedRewrite]:
        """Return the documents, in the order in which they were given."""
        return self._states

    def scores(self) -> tuple[AnyScores, list[int]]:
        """Return scores at the next marked word of each document under way (at the next words, in a block)."""
        self._under_way = [number for number in self._under_way if not self._states[number].finished]
        while len(self._under_way) < self._at_once and self._entered < len(self._states):
            if not self._states[self._entered].finished:
                self._under_way.append(self._entered)
            self._entered += 1
        questions = [question for number in self._under_way for question in self._states[number].questions()]
        owners = [number for number in self._under_way for _ in self._states[number].waiting]
        self._asked = [(question, mask) for question in questions for mask in range(question.copy.count(MASKED))]
        if not questions:
            return np.empty((0, len(self._model.words)), dtype=np.float32), []
        scores = scores_in_place(self._model, questions)
        if self._closeness is None:
            return scores, owners
        self._originals = [word for number in self._under_way for word in self._states[number].originals]
        return self._closeness.rescored(on_host(scores), self._originals), owners

    @property
    def steady(self) -> bool:
        """Return whether the model gives a question the same bits whatever it is asked beside it."""
        return is_steady(self._model)

    def alone(self, row: int) -> Scores:
        """Return the scores of a row, computed for its question by itself."""
        question, mask = self._asked[row]
        scores: Scores = self._model.scores([question])[mask]
        if self._closeness is None:
            return scores
        rescored: Scores = self._closeness.rescored(scores[None], [self._originals[row]])[0]
        return rescored

    def take(self, outcomes: IntArray) -> None:
        """Hand the outcomes back to the documents that asked."""
        first = 0
        for number in self._under_way:
            state = self._states[number]
            last = first + len(state.waiting)
            state.take(outcomes[first:last].tolist())
            first = last


@dataclass(slots=True)
class _Stretch:
    """A stretch of the document, with its pieces in the original and in the copy. A marked one has a ``label``."""

    text: str
    original: list[int]
    copy: list[int]
    label: str | None = None
    word: str = ""
    """The original word; nothing, where a word is added."""


class MaskedRewrite(RewriteState):
    """One document under way: its stretches, and which of them are still to be drawn.

    ``coins`` (spans, 2) decide the edits; without edits they are not read.
    """

    def __init__(self, model: MaskedModel, layout: Layout, coins: FloatArray, how: Rewriting) -> None:
        self._model, self._beside = model, how.beside
        stretches = _read(model, layout)
        self._stretches = stretches if how.edits is None else _edited(stretches, how.edits, coins)
        todo = [index for index, stretch in enumerate(self._stretches) if stretch.label is not None]
        self._passes = _apart(todo, how.block, model.window)
        self.waiting: list[int] = []
        """Indices of the stretches whose outcomes are awaited, in the order in which they were asked for."""

    @property
    def finished(self) -> bool:
        """Return whether every marked word was drawn."""
        return not self._passes and not self.waiting

    @property
    def originals(self) -> list[str]:
        """Return the original words at the places whose outcomes are awaited."""
        return [self._stretches[index].word for index in self.waiting]

    def questions(self) -> list[Cloze]:
        """Ask about the words of the next pass: one question for all that share a window."""
        asked = list(self._asked(self._passes.pop() if self._passes else []))
        self.waiting = [index for _, indices in asked for index in indices]
        return [question for question, _ in asked]

    def question_about(self, position: int) -> tuple[Cloze, int]:
        """Return the question about the marked word ``position`` in its pass, and which mask of it is that word."""
        index = [other for other, stretch in enumerate(self._stretches) if stretch.label is not None][position]
        todo = next(indices for indices in self._passes if index in indices)
        return next((question, indices.index(index)) for question, indices in self._asked(todo) if index in indices)

    def _asked(self, todo: list[int]) -> Iterator[tuple[Cloze, list[int]]]:
        """Yield questions about the stretches ``todo`` of a pass, each with its indices."""
        while todo:
            masked = frozenset(todo)  # words asked about earlier in this pass keep their text in the copy
            first, last = self._window(todo[0], masked)
            yield self._question(first, last, masked), [index for index in todo if first <= index < last]
            todo = [index for index in todo if index >= last]

    def _window(self, index: int, masked: frozenset[int]) -> tuple[int, int]:
        """Return which stretches around ``index`` fit the model: the nearest ones, as many on either side as there
        are.
        """
        return nearest(index, len(self._stretches), lambda unit: self._length(unit, masked), self._model.window)

    def _length(self, index: int, masked: frozenset[int]) -> int:
        stretch = self._stretches[index]
        return len(stretch.original) * self._beside + (1 if index in masked else len(stretch.copy))

    def _question(self, first: int, last: int, masked: frozenset[int]) -> Cloze:
        context: list[int] = []
        copy: list[int] = []
        for index in range(first, last):
            stretch = self._stretches[index]
            context += stretch.original * self._beside
            copy += [MASKED] if index in masked else stretch.copy
        return Cloze(context, copy)

    def take(self, outcomes: Sequence[int]) -> None:
        """Write the drawn words into the copy."""
        for index, outcome in zip(self.waiting, outcomes, strict=True):
            stretch = self._stretches[index]
            stretch.text, stretch.copy = self._model.words[outcome], [int(self._model.word_pieces[outcome])]
        self.waiting = []

    def parts(self) -> list[str]:
        """Return layout and outputs in turns; an output that begins a sentence begins with a capital."""
        parts = [""]
        for stretch in self._stretches:
            if stretch.label is None:
                parts[-1] += stretch.text
                continue
            opens = begins_sentence(parts[-1], len(parts) == 1)
            parts += [capitalised(stretch.text) if opens else stretch.text, ""]
        return parts

    @property
    def labels(self) -> Sequence[str]:
        """Return a label for each output."""
        return [stretch.label for stretch in self._stretches if stretch.label is not None]


def _apart(todo: list[int], block: int, window: int) -> list[list[int]]:
    """Return passes, the last one first, of words as far apart as possible, about ``block`` of them in a window.

    A long document has many windows, and a pass takes words in all of them. A block of 1 is the paper's order: one
    word a pass.
    """
    within = len(todo) if block == 1 else min(len(todo), max(1, window // _PIECES_OF_A_WORD))
    rounds = -(-within // block)
    return [todo[first::rounds] for first in reversed(range(rounds))]


def _read(model: MaskedModel, layout: Layout) -> list[_Stretch]:
    """Return the stretches of a document: what stays and what is drawn."""
    texts = list(_cut(layout))
    pieces = model.pieces(list(_units([text for text, _ in texts])))
    return [
        _Stretch(text, own, own) if label is None else _Stretch("", own, own, label, text)
        for (text, label), own in zip(texts, pieces, strict=True)
    ]


def _edited(stretches: list[_Stretch], edits: Edits, coins: FloatArray) -> list[_Stretch]:
    """Apply Algorithm 3: each marked word is deleted with one coin, and followed by a new one with another."""
    edited: list[_Stretch] = []
    tosses = iter(coins)
    for stretch in stretches:
        if stretch.label is None:
            edited.append(stretch)
            continue
        deleted, added = next(tosses) < edits
        if deleted and edited and edited[-1].label is None:
            edited[-1].text = edited[-1].text.removesuffix(" ")
        edited.append(_Stretch("", stretch.original, []) if deleted else stretch)
        if added:
            edited += [_Stretch(" ", [], []), _Stretch("", [], [], stretch.label)]
    return edited


def _cut(layout: Layout) -> Iterator[tuple[str, str | None]]:
    """Yield spans with their labels, and the text between them cut at white space, in order."""
    end_before = 0
    for (start, end), label in zip(layout.spans, layout.labels, strict=True):
        yield from ((part, None) for part in _PARTS.findall(layout.text[end_before:start]))
        yield layout.text[start:end], label
        end_before = end
    yield from ((part, None) for part in _PARTS.findall(layout.text[end_before:]))


def _units(texts: Sequence[str]) -> Iterator[str]:
    """Yield ``texts`` as a tokenizer wants them: one space before a stretch belongs to it."""
    space = ""
    for text in texts:
        yield space + text.removesuffix(" ")
        space = " " if text.endswith(" ") else ""
