"""Models without weights that answer by rule, for tests of everything around a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.models import MASKED, Cloze
from sfumato.types import IntArray

_WORDS = ("ash", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine", "rowan", "willow")


@dataclass(frozen=True)
class ScriptedMasked:
    """A masked model whose pieces are whole units of text and whose scores ``script`` decides.

    ``script(context, copy, place)`` receives the units of both halves as text ("[MASK]" for a mask) and the index of
    the mask in question. It returns a score for each of ``words``. By default the word with the length of the
    context's unit at that index scores highest.
    """

    words: tuple[str, ...] = _WORDS
    script: Callable[[list[str], list[str], int], Sequence[float]] | None = None
    window: int = 400
    rows: int = 8
    _units: dict[str, int] = field(default_factory=dict, repr=False, compare=False)

    @property
    def id(self) -> str:
        """Return a name with the number of words."""
        return f"scripted/{len(self.words)}"

    @cached_property
    def word_pieces(self) -> IntArray:
        """Return the piece of each word, shape (V,)."""
        return np.arange(len(self.words), dtype=np.int64)

    def pieces(self, units: Sequence[str]) -> list[list[int]]:
        """Return one piece a unit.

        White space around a unit does not count, and a unit of white space has no piece.
        """
        return [[self._piece(unit.strip())] if unit.strip() else [] for unit in units]

    def _piece(self, unit: str) -> int:
        if unit in self.words:
            return self.words.index(unit)
        return self._units.setdefault(unit, len(self.words) + len(self._units))

    def scores(self, questions: Sequence[Cloze]) -> NDArray[np.floating[Any]]:
        """Return the script's scores at each mask, shape (masks, V)."""
        names = [*self.words, *self._units]
        rows = []
        for question in questions:
            context = [names[piece] for piece in question.context]
            copy = ["[MASK]" if piece == MASKED else names[piece] for piece in question.copy]
            answer = self.script or self._by_length
            rows += [answer(context, copy, index) for index, piece in enumerate(question.copy) if piece == MASKED]
        return np.array(rows, dtype=np.float64).reshape(-1, len(self.words))

    def _by_length(self, context: list[str], copy: list[str], index: int) -> list[float]:
        wanted = len(context[index]) if index < len(context) else 0
        return [-float(abs(len(word) - wanted)) for word in self.words]


@dataclass(frozen=True)
class ScriptedCausal:
    """A causal model whose pieces are words between white space and whose scores ``script`` decides.

    ``script(prompt, written)`` receives the words of the prompt and those written so far. It returns a score for each
    of ``words`` and, last, for the end. By default it writes, for each word of the text, the word of that length.
    """

    words: tuple[str, ...] = _WORDS
    script: Callable[[list[str], list[str]], Sequence[float]] | None = None
    window: int = 400
    rows: int = 4
    _units: dict[str, int] = field(default_factory=dict, repr=False, compare=False)

    @property
    def id(self) -> str:
        """Return a name with the number of words."""
        return f"scripted-causal/{len(self.words)}"

    @cached_property
    def outcomes(self) -> IntArray:
        """Return the words, and the end after them, shape (V,)."""
        return np.arange(len(self.words) + 1, dtype=np.int64)

    @property
    def end(self) -> int:
        """Return the index of the last outcome."""
        return len(self.words)

    @property
    def opening(self) -> tuple[int, ...]:
        """Return no pieces."""
        return ()

    def pieces(self, text: str) -> list[int]:
        """Return a piece for each word."""
        return [self._piece(unit) for unit in text.split()]

    def _piece(self, unit: str) -> int:
        if unit in self.words:
            return self.words.index(unit)
        return self._units.setdefault(unit, len(self.words) + 1 + len(self._units))

    def text(self, pieces: Sequence[int]) -> str:
        """Return the words with a space between them."""
        return " ".join(self.names()[piece] for piece in pieces)

    def names(self) -> list[str]:
        """Return the text of each piece; "" for the end."""
        return [*self.words, "", *self._units]

    def prompt(self, instruction: str, text: Sequence[int]) -> list[int]:
        """Return the instruction's words, a colon and the text."""
        return [*self.pieces(instruction), self._piece(":"), *text]

    def begin(self, prompts: Sequence[Sequence[int]]) -> ScriptedSession:
        """Return a session with a row for each prompt."""
        return ScriptedSession(self, prompts)

    def answer(self, prompt: list[str], written: list[str]) -> Sequence[float]:
        """Return the scores after ``written``."""
        if self.script is not None:
            return self.script(prompt, written)
        text = prompt[prompt.index(":") + 1 :] if ":" in prompt else prompt
        if len(written) >= len(text):
            return [-9.0] * len(self.words) + [0.0]
        wanted = len(text[len(written)])
        return [-float(abs(len(word) - wanted)) for word in self.words] + [-9.0]


class ScriptedSession:
    """Rows that a :class:`ScriptedCausal` continues."""

    def __init__(self, model: ScriptedCausal, prompts: Sequence[Sequence[int]]) -> None:
        self._model = model
        self._rows: list[tuple[Sequence[int], list[int]]] = [(prompt, []) for prompt in prompts]

    def scores(self) -> NDArray[np.floating[Any]]:
        """Return the script's scores for each unfinished row, shape (rows, V)."""
        names = self._model.names()
        rows = [
            self._model.answer([names[piece] for piece in prompt], [names[piece] for piece in written])
            for prompt, written in self._rows
        ]
        return np.array(rows, dtype=np.float64).reshape(-1, len(self._model.outcomes))

    def take(self, outcomes: Sequence[int | None]) -> None:
        """Write the words; None ends a row."""
        kept = []
        for (prompt, written), outcome in zip(self._rows, outcomes, strict=True):
            if outcome is not None:
                kept.append((prompt, [*written, outcome]))
        self._rows = kept
