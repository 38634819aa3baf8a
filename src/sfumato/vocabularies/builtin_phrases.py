"""The phrases of the built-in families: public lists and fixed rules, in a fixed order, no random draw.

Persons are first and last names joined by rule, and institutions are kinds of institution joined to places, so no
entry was copied from a record of a person. A joined name can still belong to a person by coincidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest

from sfumato.kinds.gazetteer import names_of_cities, names_of_countries, names_of_states
from sfumato.kinds.institutions import institutions
from sfumato.kinds.peoples import NATIONS, PEOPLES, RELIGIONS, languages
from sfumato.kinds.person_names import LOCALES, names_of


def places() -> Iterator[str]:
    """Yield countries, US states, then cities by population."""
    yield from names_of_countries()
    yield from names_of_states()
    yield from names_of_cities()


def organisations() -> Iterator[str]:
    """Yield kinds of institution, each with its own run of places: courts, ministries, hospitals, firms, clubs."""
    yield from institutions(turns=60)


def persons() -> Iterator[str]:
    """Yield full names, locale by locale in turn, with a first or a last name alone after every eight."""
    columns = []
    for first, last in map(names_of, LOCALES):
        full = [f"{name} {last[number % len(last)]}" for number, name in enumerate(first)]
        alone = [name for pair in zip(reversed(first), reversed(last), strict=False) for name in pair]
        columns.append(_interleaved(full, alone, every=8))
    for row in zip_longest(*columns):
        yield from filter(None, row)


def _interleaved(many: Sequence[str], few: Sequence[str], every: int) -> Iterator[str]:
    rest = iter(few)
    for number, item in enumerate(many, 1):
        yield item
        if number % every == 0:
            yield from islice(rest, 1)


def groups() -> Iterator[str]:
    """Yield nationalities, religions, peoples and convictions, their plurals, and the languages of pycountry."""
    yield from chain(NATIONS, RELIGIONS, PEOPLES)
    yield from languages()
    named = (*NATIONS, *RELIGIONS, *PEOPLES)
    yield from (f"{name}s" for name in named if name.endswith(("an", "i", "ist")))
