"""Short public lists, for tests that assert nothing about the lists: of names, institutions, occupations and cities.

Embedding 24,000 names and certifying laws over them, and over 30,000 cities, takes a minute. ``tests/kinds`` looks at
the lists themselves.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import pytest

from sfumato.abstract.vocabulary import Vocabulary
from sfumato.kinds.people import person, written
from sfumato.kinds.phrases import embedded
from sfumato.kinds.phrases.embedded import Embedded, Phrases
from sfumato.kinds.phrases.occupation import Occupation
from sfumato.kinds.phrases.organization import Organization
from sfumato.kinds.places import listed
from sfumato.kinds.places.gazetteer import cities
from sfumato.storage.digests import digest_of_program
from sfumato.vocabularies import builtin

_NAMES = 600
_PHRASES = 1_000
_VALUES = 200
_PEOPLE = 400_000
_few = _VALUES
_KEPT = embedded._vocabulary
_whole = _KEPT.__wrapped__


def _forget() -> None:
    for kept in (written.names_written, _KEPT, _vocabulary):
        kept.cache_clear()
    for made in (listed.places_by_key, listed.spellings, listed.listed_places):
        made.cache_clear()


@lru_cache(maxsize=32)
def _vocabulary(kind: Embedded, grain: str) -> Vocabulary:
    """Return the values of a domain, of institutions and occupations the first ones; all of them are still read."""
    if type(kind) not in (Organization, Occupation):
        return _whole(kind, grain)
    tokens, left_out = kind.listed(grain)
    first = tuple(dict.fromkeys((*tokens[:_few], *{kind.surrogate.value} & set(tokens))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(kind), "listed", lambda *_: Phrases(first, left_out))
        return _whole(kind, grain)


@contextmanager
def short_lists(values: int = _VALUES) -> Iterator[None]:
    """Let the kinds of names and phrases write the first of their lists and large cities only, in this process.

    Domains of institutions and occupations have as many ``values``.

    The cache holds their domains under other names, because it is shared with processes of whole lists.
    """
    large = tuple(city for city in cities() if city.people >= _PEOPLE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(written, "_WANTED", _NAMES)
        patch.setattr(person, "_LEAST", _NAMES)
        patch.setattr(listed, "cities", lambda: large)
        patch.setattr(embedded, "_vocabulary", _vocabulary)
        patch.setattr(sys.modules[__name__], "_few", values)
        name = f"short lists of {values} values and "
        patch.setattr("sfumato.engines.known.digest_of_program", lambda: name + digest_of_program())
        _forget()
        yield
    _forget()


@contextmanager
def short_families(most: int = _PHRASES) -> Iterator[None]:
    """Let a built-in vocabulary hold its first ``most`` phrases only, in this process."""
    short = {name: family._replace(size=min(family.size, most)) for name, family in builtin.FAMILIES.items()}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builtin, "FAMILIES", short)
        yield
