"""Models that answer by rule: for tests of everything around a model, without weights."""

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
    """A masked model whose pieces are whole units of text and whose scores are the answer of ``script``.

    ``script(context, copy, place)`` gets the units of both halves as text ("[MASK]" where a mask is) and the number
    of the place asked about, and answers with a score for each of ``words``. By default the word that has the length
    of the unit at that place of the context scores highest.
    """

    words: tuple[str, ...] = _WORDS
    script: Callable[[list[str], list[str], int], Sequence[float]] | None = None
    window: int = 400
    rows: int = 8
    _units: dict[str, int] = field(default_factory=dict, repr=False, compare=False)

    @property
    def id(self) -> str:
        """A name that says how many words there are."""
        return f"scripted/{len(self.words)}"

    @cached_property
    def word_pieces(self) -> IntArray:
        """The piece of each word."""
        return np.arange(len(self.words), dtype=np.int64)

    def pieces(self, units: Sequence[str]) -> list[list[int]]:
        """One piece a unit; white space around it does not count, and nothing but white space has none."""
        return [[self._piece(unit.strip())] if unit.strip() else [] for unit in units]

    def _piece(self, unit: str) -> int:
        if unit in self.words:
            return self.words.index(unit)
        return self._units.setdefault(unit, len(self.words) + len(self._units))

    def scores(self, questions: Sequence[Cloze]) -> NDArray[np.floating[Any]]:
        """The script's scores at each mask, shape (masks, V)."""
        names = [*self.words, *self._units]
        rows = []
        for question in questions:
            context = [names[piece] for piece in question.context]
            copy = ["[MASK]" if piece == MASKED else names[piece] for piece in question.copy]
            answer = self.script or self._by_length
            rows += [answer(context, copy, at) for at, piece in enumerate(question.copy) if piece == MASKED]
        return np.array(rows, dtype=np.float64).reshape(-1, len(self.words))

    def _by_length(self, context: list[str], copy: list[str], place: int) -> list[float]:
        wanted = len(context[place]) if place < len(context) else 0
        return [-float(abs(len(word) - wanted)) for word in self.words]


@dataclass(frozen=True)
class ScriptedCausal:
    """A causal model whose pieces are words between white space and whose scores are the answer of ``script``.

    ``script(prompt, written)`` gets the words of the prompt and those written so far, and answers with a score for
    each of ``words`` and, last, for the end. By default it writes for each word of the text the one of that length.
    """

    words: tuple[str, ...] = _WORDS
    script: Callable[[list[str], list[str]], Sequence[float]] | None = None
    window: int = 400
    rows: int = 4
    _units: dict[str, int] = field(default_factory=dict, repr=False, compare=False)

    @property
    def id(self) -> str:
        """A name that says how many words there are."""
        return f"scripted-causal/{len(self.words)}"

    @cached_property
    def outcomes(self) -> IntArray:
        """The words, and the end behind them."""
        return np.arange(len(self.words) + 1, dtype=np.int64)

    @property
    def end(self) -> int:
        """The last outcome."""
        return len(self.words)

    @property
    def opening(self) -> tuple[int, ...]:
        """Nothing."""
        return ()

    def pieces(self, text: str) -> list[int]:
        """A piece for each word."""
        return [self._piece(unit) for unit in text.split()]

    def _piece(self, unit: str) -> int:
        if unit in self.words:
            return self.words.index(unit)
        return self._units.setdefault(unit, len(self.words) + 1 + len(self._units))

    def text(self, pieces: Sequence[int]) -> str:
        """The words with a space between them."""
        return " ".join(self.names()[piece] for piece in pieces)

    def names(self) -> list[str]:
        """The text of each piece; nothing for the end."""
        return [*self.words, "", *self._units]

    def prompt(self, instruction: str, text: Sequence[int]) -> list[int]:
        """The instruction's words, a colon and the text."""
        return [*self.pieces(instruction), self._piece(":"), *text]

    def begin(self, prompts: Sequence[Sequence[int]]) -> ScriptedSession:
        """A session with a row for each prompt."""
        return ScriptedSession(self, prompts)

    def answer(self, prompt: list[str], written: list[str]) -> Sequence[float]:
        """The scores behind ``written``."""
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
        """The script's scores for each row still going."""
        names = self._model.names()
        rows = [
            self._model.answer([names[piece] for piece in prompt], [names[piece] for piece in written])
            for prompt, written in self._rows
        ]
        return np.array(rows, dtype=np.float64).reshape(-1, len(self._model.outcomes))

    def take(self, outcomes: Sequence[int | None]) -> None:
        """Write the words; a row without one ends."""
        kept = []
        for (prompt, written), outcome in zip(self._rows, outcomes, strict=True):
            if outcome is not None:
                kept.append((prompt, [*written, outcome]))
        self._rows = kept
