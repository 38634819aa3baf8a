"""The phrases of the built-in families: public lists and fixed rules, in a fixed order, no random draw.

Persons are first and last names joined by rule, and institutions are kinds of institution joined to places, so no
entry was copied from a record of a person. A joined name can still belong to a person by coincidence. Digits come
from a hash of a running number, so they look arbitrary and are the same everywhere. Telephone numbers, e-mail and web
addresses lie in the ranges that are reserved for examples.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from itertools import chain, islice, product, zip_longest

from sfumato.kinds.codes import DOMAINS
from sfumato.kinds.people.names import LOCALES, names_of
from sfumato.kinds.phrases.group import languages
from sfumato.kinds.phrases.institutions import institutions
from sfumato.kinds.places.gazetteer import names_of_cities, names_of_countries, names_of_states
from sfumato.language.en.calendar import MONTHS, SEASONS, WEEKDAYS
from sfumato.language.en.numbers import spelled, spelled_ordinal
from sfumato.language.en.people import NATIONS, PEOPLES, RELIGIONS

_MONTHS = tuple(map(str.capitalize, MONTHS.full))
_DAYS = tuple(map(str.capitalize, WEEKDAYS.full))
_AGO = ("days", "weeks", "months", "years")
_LONGEST = {"minutes": 12, "hours": 24, "days": 30, "weeks": 12, "months": 24, "years": 40}
_UNITS = ("km", "metres", "miles", "kg", "mg", "ml", "litres", "hectares", "tonnes", "pages", "persons")
_FIRST_DAY, _DAYS_APART = date(1950, 1, 5), 19


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


def dates() -> Iterator[str]:
    """Yield days in five spellings, months, years, decades, weekdays, clock times, durations and ages."""
    spellings: list[Callable[[date], str]] = [
        lambda day: f"{day.day} {_MONTHS[day.month - 1]} {day.year}",
        lambda day: f"{_MONTHS[day.month - 1]} {day.day}, {day.year}",
        lambda day: f"{day.day:02d}/{day.month:02d}/{day.year}",
        lambda day: day.isoformat(),
        lambda day: f"{day.day} {_MONTHS[day.month - 1]}",
    ]
    yield from (str(year) for year in range(1930, 2036))
    yield from (f"the {decade}s" for decade in range(1900, 2030, 10))
    yield from _times()
    yield from (f"{month} {year}" for year, month in product(range(1990, 2030), _MONTHS))
    for number in range(1700):
        yield spellings[number % 5](_FIRST_DAY + timedelta(days=number * _DAYS_APART))


def _times() -> Iterator[str]:
    """Yield weekdays, parts of the day, clock times, durations and ages."""
    yield from _MONTHS
    yield from _DAYS
    yield from (f"{when} {day}" for when, day in product(("last", "next", "every"), _DAYS))
    yield from (f"{day} {part}" for day, part in product(_DAYS, ("morning", "afternoon", "evening")))
    yield from ("today", "yesterday", "tomorrow", "tonight", "noon", "midnight")
    yield from (f"{when} {unit}" for when, unit in product(("last", "next"), ("week", "month", "year")))
    yield from (f"{season} {year}" for season, year in product(SEASONS.full, range(2010, 2026)))
    yield from (f"{hour}:{minute:02d}" for hour, minute in product(range(24), (0, 30)))
    yield from (f"{hour} {half}" for hour, half in product(range(1, 13), ("a.m.", "p.m.")))
    for unit, most in _LONGEST.items():
        yield from (f"{spelled(number)} {unit}" for number in range(2, most + 1))
    yield from (f"{number} years old" for number in range(1, 96))
    yield from (f"{spelled(number)} {unit} ago" for number, unit in product(range(2, 12), _AGO))


def _pick(kind: str, number: int, low: int, high: int) -> int:
    """Return a whole number in [low, high) that depends on ``kind`` and ``number`` only."""
    digest = hashlib.sha256(f"{kind} {number}".encode()).digest()
    return low + int.from_bytes(digest[:8], "big") % (high - low)


def _identifier(number: int) -> str:
    def pick(kind: str, low: int, high: int) -> int:
        return _pick(f"identifier {kind}", number, low, high)

    letters = "".join(chr(65 + pick(position, 0, 26)) for position in "ab")
    forms = [
        f"{pick('n', 1000, 99999)}/{pick('y', 60, 124) % 100:02d}",
        f"no. {pick('n', 1000, 99999)}/{pick('y', 60, 124) % 100:02d}",
        f"{pick('n', 1, 999)} {letters} {pick('m', 1, 999)}/{pick('y', 80, 124) % 100:02d}",
        f"Case No. {pick('y', 1990, 2025)}-{letters}-{pick('n', 0, 99999):05d}",
        f"{letters}{pick('n', 0, 10**6):06d}",
        f"{letters}-{pick('n', 0, 10**4):04d}-{pick('m', 0, 10**4):04d}",
        f"{pick('n', 0, 10**8):08d}",
        f"ID {pick('n', 0, 10**6):06d}",
        f"(2{pick('n', 1, 99):02d}) 555-01{pick('m', 0, 100):02d}",
        f"+44 20 7946 0{pick('n', 0, 1000):03d}",
        f"user{pick('n', 1, 10**5)}@example.{DOMAINS[pick('m', 0, 3)]}",
        f"https://www.example.{DOMAINS[pick('m', 0, 3)]}/{letters.lower()}{pick('n', 1, 999)}",
        f"203.0.113.{pick('n', 0, 256)}",
        f"{pick('n', 10000, 99999)}",
        f"Article {pick('n', 1, 99)} § {pick('m', 1, 9)}",
        f"section {pick('n', 1, 300)}({pick('m', 1, 9)})",
    ]
    return forms[number % len(forms)]


def _amount(number: int) -> str:
    value = _pick("digits", number, 1, 1000) * 10 ** _pick("size", number, 0, 5)
    small = _pick("small", number, 1, 1000)
    forms = [
        f"EUR {value:,}",
        f"${value:,}",
        f"£{value:,}",
        f"{value:,} euros",
        f"{value:,} dollars",
        f"{small / 10:g}%",
        f"{1 + small % 99} percent",
        f"{small} {_UNITS[number // 9 % len(_UNITS)]}",
        f"{value:,}",
    ]
    return forms[number % len(forms)]


def codes() -> Iterator[str]:
    """Yield numbers in words and figures, ordinals, money, percentages, quantities and identifiers."""
    yield from (spelled(number) for number in range(100))
    yield from (spelled_ordinal(number) for number in range(1, 21))
    yield from (str(number) for number in range(100))
    yield from (_amount(number) for number in range(1200))
    yield from (_identifier(number) for number in range(2000))
