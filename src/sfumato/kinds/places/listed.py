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
from sfumato.kinds.places.gazetteer import Area, City, cities, counties, countries, key, region_of, regions
from sfumato.kinds.places.geonames import NAME, version_of
from sfumato.language.en.offensive import PACKAGE, is_offensive
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


def _alone(least: int) -> Iterator[tuple[str, str, City]]:
    """Yield grain, name and position of every place that is named without another, the most likely meaning first."""
    cities_first = phrases_of(lists_of("en", "places")["cities_first"])
    yield from (("country", country.name, country.city) for country in countries())
    yield from (("city", city.name, city) for city in cities() if city.people >= max(least, _METROPOLIS))
    yield from (("region", region.name, region.city) for region in regions() if region.name not in cities_first)
    yield from (("county", county.name, county.city) for county in counties())
    yield from (("city", city.name, city) for city in cities() if city.people >= least)


def _with_another(least: int) -> Iterator[tuple[str, str, City]]:
    """Yield grain, name and position of every city with a region, its code or a country beside it."""
    by_code = {country.code: country for country in countries()}
    for city in cities():
        if city.people < least:
            continue
        region, country = region_of().get((city.country, city.region)), by_code[city.country]
        if region is not None:
            yield "city-region", f"{city.name}, {region.name}", city
        if region is not None and region.code:
            yield "city-code", f"{city.name}, {region.code}", city
        yield "city-country", f"{city.name}, {country.name}", city


@lru_cache(maxsize=4)
def places_by_key(least: int) -> dict[str, tuple[str, str, City]]:
    """Return grain, value and position by the key of a name; the first meaning of a name is the only one."""
    places: dict[str, tuple[str, str, City]] = {}
    for grain, value, city in (*_alone(least), *_with_another(least)):
        cased = value.upper() != value != value.lower()  # otherwise its case could not be read
        if cased and value[0].isupper() and not is_offensive(value):
            places.setdefault(key(value), (grain, value, city))
    return places


@lru_cache(maxsize=4)
def spellings(least: int) -> dict[str, Known]:
    """Return what every readable name means: the values, then other names of countries, counties and cities."""
    places = places_by_key(least)
    known = {name: Known(grain, value) for name, (grain, value, _) in places.items()}
    for country in countries():
        for alias in country.aliases:
            known.setdefault(key(alias), Known("country", country.name, alias.isupper()))
    for county in counties():
        for alias in county.aliases:
            known.setdefault(key(alias), Known("county", county.name))
    for city in cities():
        grain, value, place = places.get(key(city.name), ("", "", None))
        if place is city:
            for alias in city.aliases:
                known.setdefault(key(alias), Known(grain, value))
    return known


@lru_cache(maxsize=1)
def region_codes() -> dict[str, Area]:
    """Return the regions that addresses name by a code, by it; of two with one code, the more populous country's."""
    codes: dict[str, Area] = {}
    for region in regions():
        if region.code:
            codes.setdefault(region.code, region)
    return codes


@lru_cache(maxsize=24)
def listed_places(least: int, grain: str) -> Vocabulary:
    """Return the places of ``grain`` as a domain: points on a sphere, in km."""
    if grain == "region-code":
        listed = [(code, region.city) for code, region in region_codes().items()]
    else:
        listed = [(value, city) for of, value, city in places_by_key(least).values() if of == grain]
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
