"""Cities, regions and countries of GeoNames, in a fixed order, with their positions.

A region lies at its most populous city, and a country at its capital. If the capital is not listed, the country lies
at its most populous city.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from sfumato.kinds.places.geonames import listed_cities, listed_countries, listed_states
from sfumato.language.languages import ENGLISH, LANGUAGES, language_of
from sfumato.language.lists import lists_of, phrases_of

_NAME = re.compile(r"[^\W\d_]+\.?(?:[ '’‘-]+[^\W\d_]+\.?)*")
_OF_A_CITY = ("geonameid", "name", "countrycode", "admin1code", "latitude", "longitude", "population")
_KNOWN_TO_MANY = 100_000
"""The other names of a city with fewer people are not read: most of them are spellings in other scripts."""


class City(NamedTuple):
    """A city: ``region`` is the code of its state or province; ``latitude`` and ``longitude`` are in degrees."""

    name: str
    country: str
    region: str
    latitude: float
    longitude: float
    people: int
    aliases: tuple[str, ...]


class Area(NamedTuple):
    """A country or region: its usual name, its code, other names, and the city where it lies."""

    name: str
    code: str
    aliases: tuple[str, ...]
    city: City


def key(name: str) -> str:
    """Return what the spellings of one name share, whatever their case, accents, apostrophes and spaces."""
    name = " ".join(name.split())
    if name.isascii():
        return name.replace("`", "'").lower()
    parts = unicodedata.normalize("NFKD", name)
    bare = "".join(sign for sign in parts if not unicodedata.combining(sign))
    return re.sub("[‘’ʻʼ`]", "'", bare).upper().casefold()


@cache
def cities() -> tuple[City, ...]:
    """Return the cities with a plain name, the most populous first."""
    listed = listed_cities(*_OF_A_CITY)
    others = {
        city["geonameid"]: _read_aliases(city["alternatenames"])
        for city in listed_cities("geonameid", "alternatenames", least=_KNOWN_TO_MANY)
    }
    return tuple(
        City(
            city["name"],
            city["countrycode"],
            city["admin1code"],
            city["latitude"],
            city["longitude"],
            city["population"],
            others.get(city["geonameid"], ()),
        )
        for city in sorted(listed, key=lambda city: (-city["population"], city["geonameid"]))
        if _NAME.fullmatch(city["name"])
    )


def _read_aliases(names: list[str]) -> tuple[str, ...]:
    """Return the names in Latin letters that are long enough not to be a word or a code."""
    return tuple(
        name
        for name in names
        if len(name) > 3 and name[0].isupper() and ord(max(name)) < 0x250 and _NAME.fullmatch(name)
    )


@cache
def names_of_cities(countries: frozenset[str] | None = None, language: str = ENGLISH.code) -> tuple[str, ...]:
    """Return city names by population, those in ``countries`` (two-letter codes) or all."""
    inside = (city for city in cities() if countries is None or city.country in countries)
    return tuple(dict.fromkeys(city_name(city, language) for city in inside))


@cache
def _exonyms(language: str) -> Mapping[City, str]:
    """Return the own names of cities in a ``language``; of cities with one name, the most populous is meant."""
    own = language_of(language).places.exonyms
    return {city: own[name] for name in own if (city := known_as(name)) is not None}


def known_as(name: str) -> City | None:
    """Return the most populous city of this ``name``. A large city of this other name goes before a small one."""
    return _by_name().get(key(name))


@cache
def _by_name() -> Mapping[str, City]:
    known: dict[str, City] = {}
    large = [city for city in cities() if city.people >= _KNOWN_TO_MANY]
    for city in large:
        known.setdefault(key(city.name), city)
    for city in large:
        for alias in city.aliases:
            known.setdefault(key(alias), city)
    for city in cities():
        known.setdefault(key(city.name), city)
    return known


def city_name(city: City, language: str = ENGLISH.code) -> str:
    """Return what a ``language`` calls ``city``."""
    return city.name if language == ENGLISH.code else _exonyms(language).get(city, city.name)


@cache
def renamed_cities(language: str) -> Mapping[str, City]:
    """Return the cities that have an own name in a ``language``, by the key of the name of GeoNames."""
    own = {} if language == ENGLISH.code else _exonyms(language)
    return {key(city.name): city for city, name in own.items() if key(name) != key(city.name)}


def every_exonym() -> Iterator[tuple[City, str]]:
    """Yield cities and what any of the languages calls them."""
    for language in LANGUAGES:
        yield from _exonyms(language).items()


@cache
def names_of_countries(language: str = ENGLISH.code) -> tuple[str, ...]:
    """Return the names of the countries by population."""
    by_people = sorted(listed_countries(), key=lambda country: (-country["population"], country["name"]))
    own = language_of(language).places.countries
    names = (own.get(country["iso"], country["name"]) for country in by_people if country["population"])
    return tuple(name for name in names if _NAME.fullmatch(name))


@cache
def names_of_states() -> tuple[str, ...]:
    """Return the names of the states of the United States, by alphabet."""
    return tuple(sorted(state["name"] for state in listed_states()))


@cache
def countries(language: str = ENGLISH.code) -> tuple[Area, ...]:
    """Return the countries with a listed city, the most populous first, without their articles.

    In another language than English their English names are other names of them.
    """
    import pycountry

    lists, own = lists_of("en", "places"), language_of(language).places.countries
    inside: dict[str, list[City]] = {}
    for city in cities():
        inside.setdefault(city.country, []).append(city)
    made = []
    for country in sorted(listed_countries(), key=lambda country: (-country["population"], country["iso"])):
        code = country["iso"]
        if not country["population"] or code not in inside:
            continue
        capital = key(country["capital"])
        place = next((city for city in inside[code] if key(city.name) == capital), inside[code][0])
        entry = pycountry.countries.get(alpha_2=code)
        official = [getattr(entry, form, "") for form in ("name", "common_name", "official_name")] if entry else []
        other = [name for name in (*official, *phrases_of(lists["other_names"].get(code, ""))) if name]
        english = country["name"].strip().removeprefix("The ")
        name = own.get(code, english)
        made.append(Area(name, code, tuple(other) if name == english else (english, *other), place))
    return tuple(made)


@cache
def regions(language: str = ENGLISH.code) -> tuple[Area, ...]:
    """Return the states of the United States, and the regions of a few countries; ``code`` is what addresses use.

    A region's ``code`` is empty if addresses name it in full.
    """
    own = language_of(language).places
    english = {("US", state["code"]): (state["name"], state["code"]) for state in listed_states()}
    english |= _named(lists_of("en", "places")["regions"])
    named, largest = english | _named(own.more_regions), largest_of_region()
    return tuple(
        Area(name, short, tuple({english[place][0]} - {name}) if place in english else (), largest[place])
        for place, (listed, short) in named.items()
        if place in largest and (name := own.regions.get(listed, listed))
    )


def _named(regions_of: Mapping[str, str]) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the names and short forms of listed regions, by country and code."""
    rows = [(country, row.split("=")) for country, listed in regions_of.items() for row in phrases_of(listed)]
    return {(country, code): (name, "".join(short)) for country, (code, name, *short) in rows}


@cache
def largest_of_region() -> dict[tuple[str, str], City]:
    """Return the most populous city of each region by country and by the code that its cities have."""
    largest: dict[tuple[str, str], City] = {}
    for city in cities():
        largest.setdefault((city.country, city.region), city)
    return largest


@cache
def region_of(language: str = ENGLISH.code) -> dict[tuple[str, str], Area]:
    """Return the regions by country and by the code that their cities have."""
    return {(region.city.country, region.city.region): region for region in regions(language)}


@cache
def counties() -> tuple[Area, ...]:
    """Return the counties of the British Isles, each at its town; "Co. Cork" is another name of "County Cork"."""
    towns: dict[tuple[str, str], City] = {}
    for city in cities():
        towns.setdefault((city.country, city.name), city)
    rows = [
        (country, *row.split("="))
        for country, listed in lists_of("en", "places")["counties"].items()
        for row in phrases_of(listed)
    ]
    return tuple(Area(name, "", _short(name), towns[country, town]) for country, name, town in rows)


def _short(name: str) -> tuple[str, ...]:
    own = name.removeprefix("County ")
    return () if own == name else (f"Co. {own}", f"Co {own}")
