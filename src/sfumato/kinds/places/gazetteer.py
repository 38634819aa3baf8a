"""Cities, regions and countries of GeoNames, in a fixed order, with their positions.

A region lies at its most populous city, and a country at its capital. If the capital is not listed, the country lies
at its most populous city.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from sfumato.kinds.places.geonames import listed_cities, listed_countries, listed_states
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
def names_of_cities(countries: frozenset[str] | None = None) -> tuple[str, ...]:
    """Return city names by population, those in ``countries`` (two-letter codes) or all."""
    return tuple(dict.fromkeys(city.name for city in cities() if countries is None or city.country in countries))


@cache
def names_of_countries() -> tuple[str, ...]:
    """Return the names of the countries by population."""
    by_people = sorted(listed_countries(), key=lambda country: (-country["population"], country["name"]))
    return tuple(c["name"] for c in by_people if c["population"] and _NAME.fullmatch(c["name"]))


@cache
def names_of_states() -> tuple[str, ...]:
    """Return the names of the states of the United States, by alphabet."""
    return tuple(sorted(state["name"] for state in listed_states()))


@cache
def countries() -> tuple[Area, ...]:
    """Return the countries with a listed city, the most populous first, without their articles."""
    import pycountry

    lists = lists_of("en", "places")
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
        made.append(Area(country["name"].strip().removeprefix("The "), code, tuple(other), place))
    return tuple(made)


@cache
def regions() -> tuple[Area, ...]:
    """Return the states of the United States, and the regions of a few countries; ``code`` is what addresses use.

    A region's ``code`` is empty if addresses name it in full.
    """
    named = {("US", state["code"]): (state["name"], state["code"]) for state in listed_states()}
    for country, rows in lists_of("en", "places")["regions"].items():
        for row in phrases_of(rows):
            code, name, *short = row.split("=")
            named[country, code] = (name, "".join(short))
    largest = largest_of_region()
    return tuple(Area(name, short, (), largest[place]) for place, (name, short) in named.items() if place in largest)


@cache
def largest_of_region() -> dict[tuple[str, str], City]:
    """Return the most populous city of each region by country and by the code that its cities have."""
    largest: dict[tuple[str, str], City] = {}
    for city in cities():
        largest.setdefault((city.country, city.region), city)
    return largest


@cache
def region_of() -> dict[tuple[str, str], Area]:
    """Return the regions by country and by the code that their cities have."""
    return {(region.city.country, region.city.region): region for region in regions()}


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
