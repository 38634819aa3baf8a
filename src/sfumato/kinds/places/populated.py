"""Where listed places lie, one inside another, and how many people live in each, by GeoNames.

A city has the people that GeoNames lists for it, and so has a country. A region has those of its largest city, and a
county of the British Isles those of its town: fewer than live there, so nobody is taken for better hidden than they
are. The cities of a region are not added up, because parts of a city are listed beside it. A name means the place
that :mod:`sfumato.kinds.places.listed` says.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from sfumato.kinds.places.gazetteer import City, cities, key
from sfumato.kinds.places.geonames import listed_countries
from sfumato.kinds.places.place import Place

CONTINENTS = {
    **{"africa": "AF", "antarctica": "AN", "asia": "AS", "europe": "EU", "north america": "NA", "oceania": "OC"},
    "south america": "SA",
}
"""The codes of the continents by their names in small letters."""
_FINER = ("{street}", "{postcode}")
_INITIALS = 3
"""The most letters of a name that may be initials in small letters, such as "uk"."""


class Located(NamedTuple):
    """Where a place lies; what is empty is not said: a country has no city."""

    continent: str
    country: str = ""
    region: str = ""
    city: str = ""

    def within(self, area: Located) -> bool:
        """Return whether the place is ``area``, or lies inside it."""
        return all(part in ("", own) for own, part in zip(self, area, strict=True))


def located(name: str) -> Located | None:
    """Return where ``name`` lies; None for a place that no list has, and for one inside a town (street, postcode)."""
    if (continent := CONTINENTS.get(key(name).removeprefix("the ").lower())) is not None:
        return Located(continent)
    place = Place()
    reading = place.read(name) or (place.read(name.upper()) if len(name) <= _INITIALS else None)
    if reading is None or reading.form.grain in ("street", "postcode"):
        return None
    if any(part in layout for layout in reading.form.style[1:] for part in _FINER):
        return None
    city = place.city_of(reading.value)
    continent, country, region = _continents()[city.country], city.country, city.region
    if reading.form.grain == "country":
        return Located(continent, country)
    if reading.form.grain in ("region", "region-code"):
        return Located(continent, country, region)
    town = Located(continent, country, region, _name_of(city))
    return _county_of(town) if reading.form.grain == "county" else town


@cache
def people_in() -> dict[Located, int]:
    """Return how many people live in every place, at least."""
    people: dict[Located, int] = {}
    for city in cities():
        region = Located(_continents()[city.country], city.country, city.region)
        town = region._replace(city=_name_of(city))
        people[town] = city.people
        people[_county_of(town)] = city.people
        people[region] = max(people.get(region, 0), city.people)
    for country in listed_countries():
        continent = Located(country["continentcode"])
        people[continent._replace(country=country["iso"])] = country["population"]
        people[continent] = people.get(continent, 0) + country["population"]
    return people


def people_of_countries() -> int:
    """Return how many people all countries have."""
    return sum(country["population"] for country in listed_countries())


def _county_of(town: Located) -> Located:
    return town._replace(city=f"county of {town.city}")


def _name_of(city: City) -> str:
    """Return what tells a city from all others, also from those of its name."""
    return f"{city.name} {city.latitude} {city.longitude}"


@cache
def _continents() -> dict[str, str]:
    return {country["iso"]: country["continentcode"] for country in listed_countries()}
