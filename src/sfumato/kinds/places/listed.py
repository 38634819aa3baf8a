"""What the names of places mean, and the domains of listed places: points on a sphere in km.

One name is one place. Of places that share a name, a country comes first, then a city with 600,000 people or more, a
region, a county, and the most populous city. With a region or a country beside it ("Portland, Maine"), a city is
another value.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from importlib import metadata
from typing import NamedTuple

import numpy as np

from sfumato.abstract.vocabulary import Vocabulary
from sfumato.kinds.places.gazetteer import (
    Area,
    City,
    cities,
    city_name,
    counties,
    countries,
    every_exonym,
    key,
    region_of,
    regions,
    renamed_cities,
)
from sfumato.kinds.places.geonames import NAME, version_of
from sfumato.language.en.offensive import PACKAGE, is_offensive
from sfumato.language.languages import ENGLISH
from sfumato.language.lists import lists_of, phrases_of
from sfumato.types import FloatArray

RADIUS = 6371.0088
"""The Earth's mean radius (IUGG), in km."""
AREAS = frozenset({"region", "region-code", "country"})
AREA_SCALE = 32
"""By what distances between large areas are divided.

Towns are ten kilometres apart, regions and countries hundreds. A law that hides a town among its neighbours would
return nearly every country: Vietnam in .999 of draws at 0.02 per km. A distance that is divided is smaller, and a
loss of at most ε·d/32 is one of at most ε·d. So the guarantee per km holds as it is stated. The number is the power
of two from which on no area stays the same in more than half of draws under a shipped policy; a test computes it.
"""
_METROPOLIS = 600_000


class Known(NamedTuple):
    """What a spelling means: the grain, the value, whether the spelling is an abbreviation in capitals."""

    grain: str
    value: str
    short: bool = False


def _alone(least: int, language: str) -> Iterator[tuple[str, str, City]]:
    """Yield grain, name and position of every place that is named without another, the most likely meaning first."""
    yield from (("country", country.name, country.city) for country in countries(language))
    metropolises = (city for city in cities() if city.people >= max(least, _METROPOLIS))
    yield from (("city", city_name(city, language), city) for city in metropolises)
    named = (region for region in regions(language) if region.name not in _cities_first())
    yield from (("region", region.name, region.city) for region in named)
    yield from (("county", county.name, county.city) for county in counties())
    yield from (("city", city_name(city, language), city) for city in cities() if city.people >= least)


def _cities_first() -> tuple[str, ...]:
    return phrases_of(lists_of("en", "places")["cities_first"])


def _with_another(least: int, language: str) -> Iterator[tuple[str, str, City]]:
    """Yield grain, name and position of every city with a region, its code or a country beside it."""
    by_code = {country.code: country for country in countries(language)}
    for city in cities():
        if city.people < least:
            continue
        region, country = region_of(language).get((city.country, city.region)), by_code[city.country]
        name = city_name(city, language)
        if region is not None:
            yield "city-region", f"{name}, {region.name}", city
        if region is not None and region.code:
            yield "city-code", f"{name}, {region.code}", city
        yield "city-country", f"{name}, {country.name}", city


@lru_cache(maxsize=16)
def places_by_key(least: int, language: str = ENGLISH.code) -> dict[str, tuple[str, str, City]]:
    """Return grain, value and position by the key of a name; the first meaning of a name is the only one."""
    places: dict[str, tuple[str, str, City]] = {}
    renamed = renamed_cities(language)
    for grain, value, city in (*_alone(least, language), *_with_another(least, language)):
        cased = value.upper() != value != value.lower()  # otherwise its case could not be read
        if grain == "city" and renamed.get(key(value), city) is not city:
            continue  # "Vienna" is the one in Austria, whatever it is called
        if cased and value[0].isupper() and not is_offensive(value):
            places.setdefault(key(value), (grain, value, city))
    return places


@lru_cache(maxsize=16)
def spellings(least: int, language: str = ENGLISH.code) -> dict[str, Known]:
    """Return what every readable name means: the values, then other names of countries, counties and cities.

    In another language than English, what any of the languages calls a city is a name of it too.
    """
    places = places_by_key(least, language)
    known = {name: Known(grain, value) for name, (grain, value, _) in places.items()}
    for country in countries(language):
        for alias in country.aliases:
            known.setdefault(key(alias), Known("country", country.name, alias.isupper()))
    for county in counties():
        for alias in county.aliases:
            known.setdefault(key(alias), Known("county", county.name))
    for region in regions(language):
        for alias in set(region.aliases).difference(_cities_first()):
            known.setdefault(key(alias), Known("region", region.name))
    others = () if language == ENGLISH.code else ((city, (city.name, name)) for city, name in every_exonym())
    for city, aliases in (*others, *((city, city.aliases) for city in cities())):
        grain, value, place = places.get(key(city_name(city, language)), ("", "", None))
        if place is city:
            for alias in aliases:
                known.setdefault(key(alias), Known(grain, value))
    return known


@lru_cache(maxsize=8)
def region_codes(language: str = ENGLISH.code) -> dict[str, Area]:
    """Return the regions that addresses name by a code, by it; of two with one code, the more populous country's."""
    codes: dict[str, Area] = {}
    for region in regions(language):
        if region.code:
            codes.setdefault(region.code, region)
    return codes


def meant(text: str, least: int, language: str = ENGLISH.code) -> Known | None:
    """Return what ``text`` means as the name of a place, or None."""
    if text in region_codes(language):
        return Known("region-code", text)
    known = spellings(least, language)
    own = known.get(key(text))
    if own is None and " " in text:
        city, within = _within(text, least, language)
        inside = known.get(key(city))
        if inside is not None and within is not None and inside.grain == "city":
            own = known.get(key(f"{inside.value}, {within}"))
    short_word = own is not None and own.short and text.strip() != text.strip().upper()
    return None if short_word else own  # "us" is a word


def _within(text: str, least: int, language: str) -> tuple[str, str | None]:
    """Return the town in ``text``, and the country or the code of the region that is named behind it."""
    city, _, behind = text.rpartition(" ")
    if behind in region_codes(language):
        return city.removesuffix(","), behind
    city, comma, country = text.rpartition(", ")
    own = meant(country, least, language) if comma else None
    return city, own.value if own is not None and own.grain == "country" else None


@lru_cache(maxsize=80)
def listed_places(least: int, grain: str, language: str = ENGLISH.code) -> Vocabulary:
    """Return the places of ``grain`` as a domain: points on a sphere, in km."""
    if grain == "region-code":
        listed = [(code, region.city) for code, region in region_codes(language).items()]
    else:
        listed = [(value, city) for of, value, city in places_by_key(least, language).values() if of == grain]
    about = (
        f"PLACE: {len(listed):,} values ({grain}) of {version_of(NAME)}, cities with "
        f"{least:,} people or more, points on a sphere in km, offensive names left out ({PACKAGE} "
        f"{metadata.version(PACKAGE)})"
    )
    scale = AREA_SCALE if grain in AREAS else 1
    about += f", each distance divided by {scale}" if grain in AREAS else ""
    return Vocabulary(tuple(value for value, _ in listed), points_of([city for _, city in listed]) / scale, about)


def points_of(listed: list[City]) -> FloatArray:
    """Return the positions on the sphere, shape (V, 3), in km from its centre."""
    north = np.radians([city.latitude for city in listed])
    east = np.radians([city.longitude for city in listed])
    return RADIUS * np.stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)], axis=1)
