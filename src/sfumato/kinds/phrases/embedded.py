"""Kinds whose values are words or phrases, as far apart as their sentence embeddings are."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import metadata
from typing import ClassVar, NamedTuple

import numpy as np

from sfumato.abstract.kind import Kind
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import ConfigurationError
from sfumato.kinds.places.geonames import version_of
from sfumato.language.en.offensive import PACKAGE, is_offensive
from sfumato.types import FloatArray


@dataclass(frozen=True)
class Numbered:
    """Numbers phrases instead of embedding them, for a law that looks at no distance."""

    def __call__(self, phrases: Sequence[str]) -> FloatArray:
        """Return the numbers of ``phrases`` as vectors (n, 1)."""
        return np.arange(len(phrases), dtype=np.float64)[:, None]


class Phrases(NamedTuple):
    """The values of a domain, in a fixed order, and how many ``left_out`` phrases were offensive."""

    tokens: tuple[str, ...]
    left_out: int


@dataclass(frozen=True)
class Embedded(Kind):
    """A kind with listed phrases, whose distances are those between the vectors that ``embed`` gives.

    With :class:`Numbered` the distances mean nothing. Without ``embed`` the kind reads, writes and lists its phrases,
    but has no :meth:`vocabulary`. Two kinds are equal if they embed by the same function.
    """

    embed: Callable[[Sequence[str]], FloatArray] | None = None
    is_open: ClassVar[bool] = True
    packages: ClassVar[tuple[str, ...]] = ()
    """The packages that list the phrases, or the places of GeoNames, beside the lists of this room."""

    @abstractmethod
    def listed(self, grain: str) -> Phrases:
        """Return the values of ``grain``."""

    @property
    def is_measured(self) -> bool:
        """Return whether the distances are between embeddings."""
        return not isinstance(self.embed, Numbered)

    def without_distances(self) -> Embedded:
        """Return the kind with its phrases numbered instead of embedded."""
        return replace(self, embed=Numbered())

    @property
    def sources(self) -> str:
        """Return the packages of the phrases, with their versions."""
        return ", ".join(map(version_of, self.packages))

    def recognises(self, text: str) -> bool:
        """Return whether ``text`` is of this kind, even if no label says so: almost any text can be read as one."""
        return False

    def phrases(self, grain: str) -> tuple[str, ...]:
        """Return the values of ``grain``, without vectors."""
        self.check(grain)
        return self.listed(grain).tokens

    def vocabulary(self, grain: str) -> Vocabulary:
        """Return the values of ``grain`` with their vectors. Raise ConfigurationError without ``embed``."""
        self.check(grain)
        return _vocabulary(self, grain)

    def check(self, grain: str) -> None:
        """Raise ConfigurationError if there is no domain ``grain``."""
        if grain not in self.grains:
            raise ConfigurationError(
                f"The kind {self.name} has no domain {grain!r}; it has {', '.join(self.grains)}."
            )


@lru_cache(maxsize=32)
def _vocabulary(kind: Embedded, grain: str) -> Vocabulary:
    if kind.embed is None:
        raise ConfigurationError(f"The distances of the kind {kind.name} are between embeddings; give it an encoder.")
    tokens, left_out = kind.listed(grain)
    if not tokens:
        raise ConfigurationError(
            f"The kind {kind.name} has no public values in this language; treat it by label or keep it, as the lists "
            "of words and of conditions are English."
        )
    sources = f", {kind.sources}" if kind.sources else ""
    about = (
        f"{kind.name}: {len(tokens):,} values ({grain}){sources}, {left_out} offensive left out ({PACKAGE} "
        f"{metadata.version(PACKAGE)})"
    )
    return Vocabulary(tokens, kind.embed(tokens), about)


def clean(candidates: Iterable[str], wanted: int | None = None) -> Phrases:
    """Return the ``candidates`` (the first ``wanted``) that are not offensive and differ in more than case."""
    chosen: dict[str, str] = {}
    left_out: set[str] = set()
    for phrase in candidates:
        if len(chosen) == wanted:
            break
        if is_offensive(phrase):
            left_out.add(phrase.casefold())
        else:
            chosen.setdefault(phrase.casefold(), phrase)
    return Phrases(tuple(chosen.values()), len(left_out))
