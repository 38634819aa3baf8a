"""Choose drawn words again: of the words that the public law makes likely, the one that fits its sentence best.

The law of a released word y gives weights P(w | y) over the public vocabulary; for CusText they are 0 outside the set
of y. A masked model reads the released words around y. The word that stays maximises

log P(w | y) + log p(w | released words around y).

Analysis. The release, the law and the model decide the outcome; no draw is made. Words around a word are drawn too,
so the texts are read again with the words that were chosen, and the law remains that of the released word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sfumato.abstract.detector import Detector
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.models import Cloze, MaskedModel
from sfumato.models.masked.windows import WORDS, questions, units
from sfumato.text.document import Document
from sfumato.text.sentences import capitalised
from sfumato.types import FloatArray, IntArray, in_batches

MOST = 50
"""The most words that one is chosen from: those with the highest weights."""
ROUNDS = 2
_AT_ONCE = 64


class Candidates(NamedTuple):
    """The words that a released word may become: vocabulary tokens, their numbers in the model, and log P(w | y)."""

    tokens: IntArray
    columns: IntArray
    weights: FloatArray


@dataclass
class _Text:
    """A text in turns: text that stays (even parts) and drawn words (odd parts); ``drawn`` are the released words."""

    parts: list[str]
    drawn: list[str]

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def starts(self) -> list[int]:
        """Return where each drawn word starts now."""
        ends = np.cumsum([0, *map(len, self.parts)])
        return [int(end) for end in ends[1:-1:2]]


class _Place(NamedTuple):
    """A drawn word that may become another: its text, its number there, the question, and what it may become."""

    text: _Text
    number: int
    question: Cloze
    candidates: Candidates


@dataclass(frozen=True, eq=False)
class Rechooser:
    """Chooses the words that ``detector`` marks in a release again, by the law of ``mechanism`` and by ``model``.

    A word stays if the vocabulary or the model lacks it, or if the guarantee does not cover it, so that it was not
    drawn.
    """

    mechanism: Mechanism
    detector: Detector
    model: MaskedModel
    rounds: int = ROUNDS
    most: int = MOST
    _known: dict[int, Candidates] = field(default_factory=dict, init=False, repr=False)
    how: ClassVar[str] = (
        "each drawn word became the word that its law and the released words around it make most likely"
    )

    @property
    def facts(self) -> dict[str, Any]:
        """Return what decides the outcome, for the statement."""
        return {"model": self.model.id, "place": "this machine", "rounds": self.rounds, "candidates": self.most}

    @property
    def counts(self) -> dict[str, int]:
        """Return no counts of its own: no text is lost."""
        return {}

    def polished(self, texts: Sequence[str]) -> list[str]:
        """Return each of ``texts`` with its words chosen again."""
        marked = self.detector.detect([Document(text) for text in texts])
        states = [_parted(text, list(spans.bounds)) for text, spans in zip(texts, marked, strict=True)]
        for _ in range(self.rounds):
            places = list(chain.from_iterable(map(self._places, states)))
            chosen: list[str] = []
            for batch in in_batches(places, _AT_ONCE):
                scores = np.asarray(self.model.scores([place.question for place in batch]), dtype=np.float64)
                chosen += [self._best(place, row) for place, row in zip(batch, scores, strict=True)]
            for place, word in zip(places, chosen, strict=True):  # after all were asked about: one round, one text
                place.text.parts[2 * place.number + 1] = word
        return [state.text for state in states]

    def _places(self, state: _Text) -> list[_Place]:
        """Return the words of a text that may become another, with a question about each."""
        text = state.text
        numbers = {unit.start(): (number, unit.end()) for number, unit in enumerate(WORDS.finditer(text))}
        pieces = self.model.pieces(units(text))
        places = []
        for number, start in enumerate(state.starts()):
            unit, end = numbers.get(start, (-1, -1))
            own = self._candidates(state.drawn[number]) if end == start + len(state.parts[2 * number + 1]) else None
            if own is not None:
                question, _ = next(questions(pieces, [unit], self.model.window))
                places.append(_Place(state, number, question, own))
        return places

    def _candidates(self, drawn: str) -> Candidates | None:
        """Return what the released word may become; None if it stays."""
        token = self.mechanism.vocabulary.find(drawn)
        if token is None or token not in self._covered or self._columns[token] < 0:
            return None
        if token not in self._known:
            law = self.mechanism.law(token)
            likely = np.argsort(-law, kind="stable")[: self.most]
            likely = likely[(law[likely] > 0.0) & (self._columns[likely] >= 0)]
            self._known[token] = Candidates(likely, self._columns[likely], np.log(law[likely]))
        known = self._known[token]
        return known if len(known.tokens) > 1 else None

    @cached_property
    def _covered(self) -> frozenset[int]:
        return frozenset(self.mechanism.covered.tolist())

    @cached_property
    def _columns(self) -> IntArray:
        """Return the number of each vocabulary token among the words of the model, -1 if the model lacks it."""
        numbers = {word.casefold(): number for number, word in reversed(list(enumerate(self.model.words)))}
        tokens = self.mechanism.vocabulary.tokens
        return np.array([numbers.get(token.casefold(), -1) for token in tokens], dtype=np.int64)

    def _best(self, place: _Place, scores: FloatArray) -> str:
        """Return the word that law and model together make most likely; the first by the law of equal ones."""
        own = place.candidates
        token = int(own.tokens[np.argmax(own.weights + scores[own.columns])])
        drawn, words = place.text.drawn[place.number], self.mechanism.vocabulary
        if token == words.find(drawn):
            return drawn
        return capitalised(words.tokens[token]) if drawn[:1].isupper() else words.tokens[token]


def _parted(text: str, bounds: Sequence[tuple[int, int]]) -> _Text:
    edges = [0, *chain.from_iterable(bounds), len(text)]
    parts = [text[start:end] for start, end in pairwise(edges)]
    return _Text(parts, parts[1::2])
