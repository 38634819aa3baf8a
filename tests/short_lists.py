"""Public lists of 600 names and of large cities alone, for tests that assert nothing about the lists.

Embedding 24,000 names and certifying laws over them, and over 30,000 cities, takes a minute. The Python of the pages
(``tests/test_docs.py``) does so for the policy ``clinical``, and ``tests/kinds`` looks at the lists themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from sfumato.kinds import _place_lists, embedded, person
from sfumato.kinds.gazetteer import cities

_NAMES = 600
_PEOPLE = 400_000


def _forget() -> None:
    for kept in (person._listed, embedded._vocabulary):
        kept.cache_clear()
    for made in (_place_lists._places, _place_lists.spellings, _place_lists.listed_places):
        made.cache_clear()


@contextmanager
def short_lists() -> Iterator[None]:
    """Let the kinds PERSON and PLACE write the first names of their list and large cities only, in this process."""
    large = tuple(city for city in cities() if city.people >= _PEOPLE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(person, "_WANTED", _NAMES)
        patch.setattr(person, "_LEAST", _NAMES)
        patch.setattr(_place_lists, "cities", lambda: large)
        _forget()
        yield
    _forget()
