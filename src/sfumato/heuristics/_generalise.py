"""Generalisation: dates to month or year, ages to bands, places to their country, numbers rounded.

A text that no rule can generalise gives None, and becomes its label.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache

from sfumato.kinds.dates.date import Date
from sfumato.kinds.places.geonames import listed_cities, listed_countries, listed_states
from sfumato.language.en.calendar import MONTHS
from sfumato.language.en.numbers import ONES, TENS
from sfumato.language.en.units import (
    COUNTED_IN_TEXT,
    TIMES_IN_TEXT,
    UNITS_IN_TEXT,
    codes_of_currencies,
    names_of_currencies,
)
from sfumato.language.patterns import choice

_DATES = [Date(first=1000, last=9999, day_first=day_first) for day_first in (True, False)]
"""Readers of dates, one for each order of day and month."""
_NUMBER = re.compile(r"\d+(?:[,. \u00a0\u202f']\d{3})*(?:[.,]\d+)?")
_AGE = re.compile(r"\d{1,3}")
_SPELLED = re.compile(rf"\b{choice((*ONES[1:], *TENS, 'half', 'quarter', 'dozen'))}\b", re.IGNORECASE)
_MEDICAL = r"g|[lL]|d[lL]|mol|mEq|m?IU|kcal|k?J|k?Pa|[kMG]?Hz"
_JOINED = r"to|and|per|about|around|nearly|over|under|some|hundred|thousand|million|billion|k|bn|US|A|C"
_LEFT = re.compile(r"[\s.,+%°$€£¥₺₹₽₩₪/'’–-]*")
_STUCK = re.compile(r"([^\W\d_]+)\d")
_LONG = 100  # such a text is not an amount, and the search for marked texts takes the square of its words
_FEW_PEOPLE = 100_000
"""A country with fewer people identifies as much as a town: its continent replaces it."""
_CONTINENTS = {
    **{"AF": "Africa", "AN": "Antarctica", "AS": "Asia", "EU": "Europe", "NA": "North America", "OC": "Oceania"},
    "SA": "South America",
}
_TO = ("year", "month", "decade")


def _readings(text: str) -> set[tuple[int, int | None, int | None]]:
    """Return year, month and day as far as ``text`` gives them; two readings if day and month may have changed
    places.

    Return an empty set if the text is not a date with a year.
    """
    readings = set[tuple[int, int | None, int | None]]()
    for reading in filter(None, (kind.read(text) for kind in _DATES)):
        if reading.form.grain in ("day", "month", "year"):
            year, *rest = map(int, reading.value.split("-"))
            readings.add((year, rest[0] if rest else None, rest[1] if rest[1:] else None))
        elif reading.form.grain == "season":
            readings.add((int(reading.value[-4:]), None, None))
    return readings


def date_of(text: str, to: str, offset: int = 0) -> str | None:
    """Return ``text`` to its "year", "month" or "decade", after a shift by ``offset`` days; a lone year to its
    decade.

    A date that lacks its day or month is shifted from the middle of its month or year. If day and month may have
    changed places, the result is what both readings agree on, or None. A number that can hardly be a year gives None.
    """
    readings, lone = _readings(text.strip()), text.strip().isdecimal()
    if not readings or (lone and not 1500 <= min(readings)[0] <= 2100):
        return None
    results = {_broader(*reading, to, offset, lone) for reading in readings}
    if len(results) == 1:
        return results.pop()
    return None if offset else str(next(iter(readings))[0])


def _broader(year: int, month: int | None, day: int | None, to: str, offset: int, lone: bool) -> str | None:
    """Return the date as a "year", "month" or "decade"; ``lone`` says that the text was only a year."""
    whole = month is not None
    if offset:
        try:
            moved = date(year, month or 7, day or (15 if whole else 1)) + timedelta(days=offset)
        except OverflowError:
            return None
        year, month = moved.year, moved.month
    if to == "decade" or (not offset and lone):
        return f"{year // 10 * 10}s"
    if to == "month" and whole and month is not None:
        return f"{MONTHS.full[month - 1].capitalize()} {year}"
    return str(year)


def age_band(text: str, width: int = 10) -> str | None:
    """Return the band of ``width`` years that the age in ``text`` lies in: "34-year-old" to "30-39"."""
    numbers = _AGE.findall(text)
    if len(numbers) != 1 or (_NUMBER.sub("", text).strip() and re.search(r"month|week|day", text)):
        return None
    low = int(numbers[0]) // width * width
    return f"{low}-{low + width - 1}" if low < 90 else "90 or older"


def rounded(text: str, digits: int = 1) -> str | None:
    """Return ``text`` with each number in it rounded to ``digits`` significant digits; its unit remains.

    Return None if a number is round already, because nothing would be hidden, and if :func:`renumbered` does.
    """
    if any(_is_round(match.group(), digits) for match in _NUMBER.finditer(text)):
        return None
    return renumbered(text, lambda number: _round(number, digits))


def renumbered(text: str, change: Callable[[str], str]) -> str | None:
    """Return ``text`` with each number in it changed; its units remain.

    Return None if there is no number; if anything beside the numbers is not a known unit, time, currency or counted
    thing (so that no name in an amount remains); if a number is part of a word, as in a postcode; and if words repeat
    the number ("EUR 325 (three hundred and twenty-five euros)").
    """
    if len(text) > _LONG or _NUMBER.search(text) is None or _SPELLED.search(text) or not _only_units(text):
        return None
    return _NUMBER.sub(lambda match: change(match.group()), text)


def _only_units(text: str) -> bool:
    if any(match.group(1) not in codes_of_currencies() for match in _STUCK.finditer(text)):
        return False
    return _LEFT.fullmatch(_units().sub("", _NUMBER.sub(" ", text))) is not None


@lru_cache(maxsize=1)
def _units() -> re.Pattern[str]:
    """Return a pattern for whole words that only say what a number counts."""
    currencies = "|".join(sorted(codes_of_currencies() | names_of_currencies()))
    return re.compile(
        rf"(?<!\w)(?:{UNITS_IN_TEXT}|{TIMES_IN_TEXT}|{COUNTED_IN_TEXT}|{_MEDICAL}|{_JOINED}|{currencies})(?!\w)"
    )


def _is_round(figure: str, digits: int) -> bool:
    value = _value(figure)
    return float(f"{value:.{digits - 1}e}") == value


def _value(figure: str) -> float:
    grouped = figure.count(".") != 1 or "," in figure.partition(".")[2]  # a single stop is a decimal point
    plain = re.sub(rf"[,{'.' if grouped else ''} \u00a0\u202f'](?=\d{{3}}(?!\d))", "", figure).replace(",", ".")
    return float(plain)


def _round(figure: str, digits: int) -> str:
    value = float(f"{_value(figure):.{digits - 1}e}")
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


@lru_cache(maxsize=1)
def _gazetteer() -> tuple[dict[str, str], dict[str, str]]:
    """Return places to countries, of two with one name the one with more people; and countries to continents."""
    countries = {country["iso"]: country for country in listed_countries()}
    regions = {
        _plain(country["name"]): _CONTINENTS.get(country["continentcode"], "") for country in countries.values()
    }
    broad = {
        code: country["name"]
        if country["population"] >= _FEW_PEOPLE
        else _CONTINENTS.get(country["continentcode"], "")
        for code, country in countries.items()
    }
    places: dict[str, str] = {}
    for city in sorted(
        listed_cities("name", "countrycode", "population", "alternatenames"), key=lambda city: city["population"]
    ):
        country = broad.get(city["countrycode"])
        if country:
            for name in (*city["alternatenames"], city["name"]):
                if len(name) > 2:
                    places[_plain(name)] = country
    for state in listed_states():
        places[_plain(state["name"])] = "United States"
    return places, regions


def _plain(name: str) -> str:
    """Return ``name`` without accents, case and article."""
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(sign))
    return re.sub(r"^the ", "", " ".join(bare.split()))


def place_of(text: str) -> str | None:
    """Return the country that the place lies in; of a country, and of a place in a small one, the continent.

    Of two cities with one name, the one with more people counts. Return None for an unknown place.
    """
    places, regions = _gazetteer()
    name = _plain(text)
    return regions.get(name) or places.get(name) or places.get(name.split(",")[0]) or None


def granularities() -> tuple[str, ...]:
    """Return what a date may be generalised to."""
    return _TO
