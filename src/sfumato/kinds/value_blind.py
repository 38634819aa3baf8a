"""Kinds whose replacement does not look at the value: codes, telephone numbers and addresses.

Reading gives every text of such a kind the same public value in the same public form. So nothing after the reader can
depend on the text, except that a text of this kind is there.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from functools import lru_cache
from typing import ClassVar

import numpy as np

from sfumato.abstract.kind import Form, Kind, Reading
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import ConfigurationError

LONGEST = 200
"""A longer text is not read."""


class ValueBlind(Kind):
    """A kind with one domain and one written form, both public.

    Writing is not the inverse of reading: :meth:`read` gives the surrogate, whatever the text says, and :meth:`write`
    writes the value that it is given. The vectors of the domain are arbitrary: no distance means anything.
    """

    looks: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def values(cls) -> Iterator[str]:
        """Yield the values of the domain, which belong to nobody."""

    @abstractmethod
    def looks_like_one(self, text: str) -> bool:
        """Return whether ``text``, of at most :data:`LONGEST` characters, is written like a value of this kind."""

    def recognises(self, text: str) -> bool:
        """Return whether ``text`` is of this kind, even if no label says so."""
        return self.read(text) is not None

    @property
    def grains(self) -> tuple[str, ...]:
        """Return the name of the only domain."""
        return (self.name.lower(),)

    def vocabulary(self, grain: str) -> Vocabulary:
        """Return the domain. Its vectors are the numbers of its values, and mean nothing."""
        self.public_form(grain)
        return _vocabulary(type(self))

    def read(self, text: str) -> Reading | None:
        """Return :attr:`surrogate` if ``text`` is written like a value of this kind, or None."""
        return self.surrogate if len(text) <= LONGEST and self.looks_like_one(text) else None

    def write(self, value: str, form: Form) -> str:
        """Return ``value``. Raise ConfigurationError if it is not in the domain: then it may be private."""
        if form != self.public_form(form.grain) or value not in _known(type(self)):
            raise ConfigurationError(f"A {self.name} is written from its public domain, in its public form only.")
        return value

    @property
    def surrogate(self) -> Reading:
        """Return the first value of the domain."""
        return Reading(next(self.values()), Form(self.grains[0]))

    def public_form(self, grain: str) -> Form:
        """Return the only form."""
        if grain not in self.grains:
            raise ConfigurationError(f"The kind {self.name} has no domain {grain!r}.")
        return Form(grain)


@lru_cache(maxsize=16)
def _vocabulary(kind: type[ValueBlind]) -> Vocabulary:
    values = tuple(kind.values())
    about = f"{kind.name}: {len(values):,} values that belong to nobody, by rule, without distances"
    return Vocabulary(values, np.arange(len(values), dtype=np.float64)[:, None], about)


@lru_cache(maxsize=16)
def _known(kind: type[ValueBlind]) -> frozenset[str]:
    return frozenset(kind.values())
