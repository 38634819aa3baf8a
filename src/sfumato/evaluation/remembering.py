"""An encoder and a splitter that remember: runs of a comparison share their originals, which are read only once."""

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
    """Results for texts, in memory only; the results that were used longest ago are dropped first.

    ``most`` bounds the sum of the ``weight`` of the texts that are kept.
    """

    most: int
    weight: Callable[[str], int]
    kept: OrderedDict[str, Any] = field(default_factory=OrderedDict, repr=False)  # texts are private

    def get(self, texts: Sequence[str], make: Callable[[list[str]], Sequence[Any]]) -> list[Any]:
        """Return one result a text; ``make`` is called once, for the texts that are not remembered."""
        distinct = list(dict.fromkeys(texts))
        new = [text for text in distinct if text not in self.kept]
        results = dict(zip(new, make(new), strict=True)) if new else {}
        answers = {text: results[text] if text in results else self.kept[text] for text in distinct}
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
        """Return the identifier of ``encoder``."""
        return self.encoder.id

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""
        return self.encoder.dimensions

    def encode(self, phrases: Sequence[str], progress: Progress | None = None) -> FloatArray:
        """Return vectors (n, dimensions) of ``phrases``; new phrases take one call of ``encoder``."""
        vectors = self._memory.get(phrases, lambda new: self._rows(new, progress))
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
        """Return the splitter's description."""
        return str(self.splitter.description)

    def split(self, texts: Sequence[str], progress: Progress | None = None) -> list[tuple[str, ...]]:
        """Return the claims of each text, as the splitter finds them."""
        return self.memory.get(texts, lambda new: self.splitter.split(new, progress))
