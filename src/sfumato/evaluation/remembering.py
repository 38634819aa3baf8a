"""An encoder and a splitter that remember: runs of one comparison share their originals, which are read once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sfumato.abstract.models import Encoder
from sfumato.types import FloatArray, Progress

_PHRASES = 40_000  # vectors kept: about 120 MB
_CHARACTERS = 40_000_000  # of the texts whose claims are kept


@dataclass(frozen=True, eq=False)
class Memory:
    """What was found for texts, in memory only; the ones not asked for longest go first.

    ``most`` bounds the sum of the ``weight`` of what is kept.
    """

    most: int
    weight: Callable[[str], int]
    kept: OrderedDict[str, Any] = field(default_factory=OrderedDict, repr=False)  # texts are private

    def found(self, texts: Sequence[str], make: Callable[[list[str]], Sequence[Any]]) -> list[Any]:
        """One answer a text; ``make`` is asked, once, for those that are not remembered."""
        asked = list(dict.fromkeys(texts))
        new = [text for text in asked if text not in self.kept]
        made = dict(zip(new, make(new), strict=True)) if new else {}
        answers = {text: made[text] if text in made else self.kept[text] for text in asked}
        for text, answer in answers.items():
            self.kept[text] = answer
            self.kept.move_to_end(text)
        full = sum(map(self.weight, self.kept))
        while self.kept and full > self.most:
            full -= self.weight(self.kept.popitem(last=False)[0])
        return [answers[text] for text in texts]


@dataclass(eq=False)
class RememberingEncoder:
    """``encoder``, with the vectors of ``most`` texts kept in memory (3 KB each by default)."""

    encoder: Encoder
    most: int = _PHRASES
    _memory: Memory = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._memory = Memory(self.most, lambda _: 1)

    @property
    def id(self) -> str:
        """That of ``encoder``."""
        return self.encoder.id

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self.encoder.dimensions

    def encode(self, phrases: Sequence[str], progress: Progress | None = None) -> FloatArray:
        """Vectors of ``phrases``, those that are new in one call of ``encoder``."""
        vectors = self._memory.found(phrases, lambda new: self._rows(new, progress))
        return np.array(vectors, dtype=np.float64).reshape(len(phrases), self.dimensions)

    def _rows(self, new: list[str], progress: Progress | None) -> list[FloatArray]:
        return [row.copy() for row in self.encoder.encode(new, progress)]  # a view would hold all of them


@dataclass(frozen=True, eq=False)
class RememberingSplitter:
    """A splitter that parses a text once."""

    splitter: Any
    memory: Memory = field(default_factory=lambda: Memory(_CHARACTERS, len), repr=False)

    @property
    def description(self) -> str:
        """That of the splitter itself."""
        return str(self.splitter.description)

    def split(self, texts: Sequence[str], progress: Progress | None = None) -> list[tuple[str, ...]]:
        """As the splitter itself does it."""
        return self.memory.found(texts, lambda new: self.splitter.split(new, progress))
