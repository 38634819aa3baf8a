"""What is put in at the marked places of texts, spelled as code points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.text.marks import CODEC, Codes, codes_of
from sfumato.text.sentences import capitalised
from sfumato.types import IntArray


@dataclass(frozen=True, eq=False)
class Spelled:
    """Texts as code points, end to end: ``edges`` bound the entries in ``codes``."""

    codes: Codes
    edges: IntArray

    @classmethod
    def of(cls, texts: Sequence[str]) -> Spelled:
        """Spell ``texts``, an entry each."""
        edges = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)), out=edges[1:])
        return cls(codes_of("".join(texts)), edges)

    @classmethod
    def of_tokens(cls, tokens: Sequence[str]) -> Spelled:
        """Spell the V ``tokens`` of a vocabulary, then the same tokens as they are at the start of a sentence."""
        return cls.of([*tokens, *map(capitalised, tokens)])

    def entries(self, tokens: IntArray, opening: NDArray[np.bool_]) -> IntArray:
        """Return which entry spells each of ``tokens`` (n,); ``opening`` (n,) says which begin a sentence."""
        return tokens + opening * (len(self.edges) // 2)


@dataclass(frozen=True, eq=False)
class Outputs:
    """What is put in: ``entries`` of ``spelled`` at ``places``, both (m,)."""

    spelled: Spelled
    places: IntArray
    entries: IntArray

    @classmethod
    def of(cls, places: IntArray, texts: Sequence[str]) -> Outputs:
        """Return what puts one of ``texts`` at each of ``places``."""
        return cls(Spelled.of(texts), places, np.arange(len(places)))

    @property
    def texts(self) -> list[str]:
        """Return the text at each place."""
        edges, codes = self.spelled.edges, self.spelled.codes
        bounds = zip(edges[self.entries].tolist(), edges[self.entries + 1].tolist(), strict=True)
        return [codes[start:end].tobytes().decode(CODEC, "surrogatepass") for start, end in bounds]
