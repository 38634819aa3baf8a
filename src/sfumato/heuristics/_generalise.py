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
from sfumato.language.language import Language
from sfumato.language.languages import ENGLISH, language_of
from sfumato.language.numbers import Numbers
from sfumato.language.units import codes_of_currencies

_NUMBER = re.compile(r"\d+(?:[,. \u00a0\u202f']\d{3})*(?:[.,]\d+)?")
_AGE = re.compile(r"\d{1,3}")
_LEFT = re.compile(r"[\s.,+%°$€£¥₺₹₽₩₪/'’–-]*")
_STUCK = re.compile(r"([^\W\d_]+)\d")
_TURNED = str.maketrans(".,", ",.")
_LONG = 100  # such a text is not an amount, and the search for marked texts takes the square of its words
_FEW_PEOPLE = 100_000
"""A country with fewer people identifies as much as a town: its continent replaces it."""
_CONTINENTS = {
    **{"AF": "Africa", "AN": "Antarctica", "AS": "Asia", "EU": "Europe", "NA": "North America", "OC": "Oceania"},
    "SA": "South America",
}
_IN_CLDR = {"AF": "002", "AN": "AQ", "AS": "142", "EU": "150", "NA": "003", "OC": "009", "SA": "005"}
_TO = ("year", "month", "decade")


@lru_cache(maxsize=8)
def _dates(code: str) -> tuple[Date, ...]:
    """Return readers of dates, one for each order of day and month."""
    return tuple(Date(first=1000, last=9999, day_first=day_first, language=code) for day_first in (True, False))


def _readings(text: str, language: Language) -> set[tuple[int, int | None, int | None]]:
    """Return year, month and day as far as ``text`` gives them; two readings if day and month may have changed
    places.

    Return an empty set if the text is not a date with a year.
    """
    readings = set[tuple[int, int | None, int | None]]()
    for reading in filter(None, (kind.read(text) for kind in _dates(language.code))):
        if reading.form.grain in ("day", "month", "year"):
            year, *rest = map(int, reading.value.split("-"))
            readings.add((year, rest[0] if rest else None, rest[1] if rest[1:] else None))
        elif reading.form.grain == "season":
            readings.add((int(reading.value[-4:]), None, None))
    return readings


def date_of(text: str, to: str, offset: int = 0, language: Language = ENGLISH) -> str | None:
    """Return ``text`` to its "year", "month" or "decade", after a shift by ``offset`` days; a lone year to its
    decade.

    A date that lacks its day or month is shifted from the middle of its month or year. If day and month may have
    changed places, the result is what both readings agree on, or None. A number that can hardly be a year gives None.
    """
    readings, lone = _readings(text.strip(), language), text.strip().isdecimal()
    if not readings or (lone and not 1500 <= min(readings)[0] <= 2100):
        return None
    results = {_broader(*reading, to, offset, lone, language) for reading in readings}
    if len(results) == 1:
        return results.pop()
    return None if offset else str(next(iter(readings))[0])


def _broader(
    year: int, month: int | None, day: int | None, to: str, offset: int, lone: bool, language: Language
) -> str | None:
    """Return the date as a "year", "month" or "decade"; ``lone`` says that the text was only a year."""
    whole = month is not None
    if offset:
        try:
            moved = date(year, month or 7, day or (15 if whole else 1)) + timedelta(days=offset)
        except OverflowError:
            return None
        year, month = moved.year, moved.month
    if to == "decade" or (not offset and lone):
        return _bare(_written(f"{year // 10 * 10}s", "decade", language), language)
    if to == "month" and whole and month is not None:
        return _written(f"{year}-{month:02d}", "month", language)
    return str(year)


def _written(value: str, grain: str, language: Language) -> str:
    kind = _dates(language.code)[0]
    return kind.write(value, kind.public_form(grain))


def age_band(text: str, width: int = 10, language: Language = ENGLISH) -> str | None:
    """Return the band of ``width`` years that the age in ``text`` lies in: "34-year-old" to "30-39"."""
    numbers = _AGE.findall(text)
    if len(numbers) != 1 or (_NUMBER.sub("", text).strip() and language.counts.below_a_year.search(text)):
        return None
    low = int(numbers[0]) // width * width
    return f"{low}-{low + width - 1}" if low < 90 else language.counts.at_least(90)


def rounded(text: str, digits: int = 1, language: Language = ENGLISH) -> str | None:
    """Return ``text`` with each number in it rounded to ``digits`` significant digits; its unit remains.

    Return None if a number is round already, because nothing would be hidden, and if :func:`renumbered` does.
    """
    numbers = language.numbers
    if any(_is_round(match.group(), digits, numbers) for match in _NUMBER.finditer(text)):
        return None
    return renumbered(text, lambda figure: _round(figure, digits, numbers), language)


def renumbered(text: str, change: Callable[[str], str], language: Language = ENGLISH) -> str | None:
    """Return ``text`` with each number in it changed; its units remain.

    Return None if there is no number; if anything beside the numbers is not a known unit, time, currency or counted
    thing (so that no name in an amount remains); if a number is part of a word, as in a postcode; and if words repeat
    the number ("EUR 325 (three hundred and twenty-five euros)").
    """
    if len(text) > _LONG or _NUMBER.search(text) is None:
        return None
    beside, spelled = _patterns(language.code)
    if spelled.search(text) or not _only_units(text, beside):
        return None
    return _NUMBER.sub(lambda match: change(match.group()), text)


def _only_units(text: str, beside: re.Pattern[str]) -> bool:
    if any(match.group(1) not in codes_of_currencies() for match in _STUCK.finditer(text)):
        return False
    return _LEFT.fullmatch(beside.sub("", _NUMBER.sub(" ", text))) is not None


@lru_cache(maxsize=8)
def _patterns(code: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for whole words that only say what a number counts, and for a number in words."""
    language = language_of(code)
    currencies = "|".join(map(re.escape, sorted(codes_of_currencies() | language.money.names().singulars.keys())))
    beside = re.compile(rf"(?<!\w)(?:{language.units.beside}|{currencies})(?!\w)")
    return beside, re.compile(rf"\b(?:{language.units.spelled})\b", re.IGNORECASE)


def _is_round(figure: str, digits: int, numbers: Numbers) -> bool:
    value = _value(figure, numbers)
    return float(f"{value:.{digits - 1}e}") == value


def _value(figure: str, numbers: Numbers) -> float:
    figure = figure.translate(_TURNED) if numbers.point == "," else figure
    grouped = figure.count(".") != 1 or "," in figure.partition(".")[2]  # a single stop is a decimal point
    plain = re.sub(rf"[,{'.' if grouped else ''} \u00a0\u202f'](?=\d{{3}}(?!\d))", "", figure).replace(",", ".")
    return float(plain)


def _round(figure: str, digits: int, numbers: Numbers) -> str:
    value = float(f"{_value(figure, numbers):.{digits - 1}e}")
    written = f"{value:,.0f}" if value >= 1 else f"{value:g}"
    return written.translate({ord(","): numbers.group, ord("."): numbers.point})


def _continents(code: str) -> dict[str, str]:
    """Return the names of the continents in a language, by their two letters."""
    from babel import Locale  # large

    return _CONTINENTS if code == ENGLISH.code else {
        own: str(Locale(code).territories[number]) for own, number in _IN_CLDR.items()
    }  # fmt: skip


@lru_cache(maxsize=2)
def _gazetteer(code: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return places to countries, of two with one name the one with more people; and countries to continents.

    The countries and continents are named in the language ``code``; places are also known by their names in it.
    """
    own = {} if code == ENGLISH.code else language_of(code).places.countries
    countries, continents = {country["iso"]: country for country in listed_countries()}, _continents(code)
    named = {iso: own.get(iso, country["name"]) for iso, country in countries.items()}
    regions = {
        _plain(name): continents.get(country["continentcode"], "")
        for iso, country in countries.items()
        for name in (country["name"], named[iso])
    }
    broad = {
        iso: named[iso] if country["population"] >= _FEW_PEOPLE else continents.get(country["continentcode"], "")
        for iso, country in countries.items()
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
        places[_plain(state["name"])] = named["US"]
    if code != ENGLISH.code:
        exonyms = language_of(code).places.exonyms.items()
        places |= {_plain(name): places[_plain(city)] for city, name in exonyms if _plain(city) in places}
    return places, regions


def _plain(name: str) -> str:
    """Return ``name`` without accents, case and article."""
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(sign))
    return re.sub(r"^the ", "", " ".join(bare.split()))


def _bare(text: str, language: Language) -> str:
    """Return ``text`` without the article of the language that it may begin with."""
    return text.removeprefix("the ") if language.code == ENGLISH.code else language.places.bare(text)


def place_of(text: str, language: Language = ENGLISH) -> str | None:
    """Return the country that the place lies in; of a country, and of a place in a small one, the continent.

    Of two cities with one name, the one with more people counts. Return None for an unknown place.
    """
    places, regions = _gazetteer(language.code)
    names = [_plain(text), *([] if language.code == ENGLISH.code else [_plain(_bare(text, language))])]
    found = (regions.get(name) or places.get(name) or places.get(name.split(",")[0]) for name in names)
    return next(filter(None, found), None)


def granularities() -> tuple[str, ...]:
    """Return what a date may be generalised to."""
    return _TO
