"""PLACE: streets, cities, counties, regions and countries, as far apart as they are on the globe.

The vectors are points on a sphere with the Earth's mean radius, 6371.0088 km. Their Euclidean distance is the chord,
which is at most the way along the surface. So a guarantee per km of chord implies the same guarantee per km of the
surface: geo-indistinguishability (Andrés, Bordenabe, Chatzikokolakis and Palamidessi, CCS 2013) for listed places.

Countries and regions lie on a smaller sphere (:data:`AREA_SCALE`), so that a law which
hides a town among towns hides a country among countries. Their distances are smaller than those on the ground, so a
guarantee per km holds for them all the more.

One name is one place. Of places that share a name, a country comes first, then a city with 600,000 people or more, a
region, a county, and the most populous city. With a region or a country beside it ("Portland, Maine"), a city is
another value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from sfumato.abstract.kind import Form, Kind, Reading
from sfumato.abstract.options import Option
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import ConfigurationError
from sfumato.kinds.places.gazetteer import City, cities, counties, countries, key, region_of, regions
from sfumato.kinds.places.geonames import NAME, version_of
from sfumato.kinds.places.streets import (
    Address,
    address_of,
    house_in,
    listed_street,
    street_beside,
    street_domain,
    streets,
)
from sfumato.language.en.offensive import PACKAGE, is_offensive
from sfumato.language.lists import lists_of, phrases_of
from sfumato.types import FloatArray

RADIUS = 6371.0088
"""The Earth's mean radius (IUGG), in km."""
AREAS = frozenset({"region", "country"})
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
def _places(least: int) -> dict[str, tuple[str, str, City]]:
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
    places = _places(least)
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


@lru_cache(maxsize=24)
def listed_places(least: int, grain: str) -> Vocabulary:
    """Return the places of ``grain`` as a domain: points on a sphere, in km."""
    listed = [(value, city) for of, value, city in _places(least).values() if of == grain]
    about = (
        f"PLACE: {len(listed):,} values ({grain}) of {version_of(NAME)}, cities with "
        f"{least:,} people or more, points on a sphere in km, offensive names left out ({PACKAGE} "
        f"{metadata.version(PACKAGE)})"
    )
    scale = AREA_SCALE if grain in AREAS else 1
    about += f", each distance divided by {scale}" if grain in AREAS else ""
    return Vocabulary(tuple(value for value, _ in listed), _points([city for _, city in listed]) / scale, about)


def _points(listed: list[City]) -> FloatArray:
    """Return the positions on the sphere, shape (V, 3), in km from its centre."""
    north = np.radians([city.latitude for city in listed])
    east = np.radians([city.longitude for city in listed])
    return RADIUS * np.stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)], axis=1)


_LONGEST = 200
ARTICLE = frozenset(phrases_of(lists_of("en", "places")["article"]))
"""Countries and regions that are written with "the" in a sentence."""
_GRAINS = ("street", "city", "city-region", "city-code", "city-country", "county", "region", "country")
_TOWNS = ("city", "city-region", "city-code", "city-country")
_THE = re.compile(r"the\s+", re.IGNORECASE)


@dataclass(frozen=True)
class Place(Kind):
    """Places that GeoNames lists, counties of the British Isles, and streets.

    A form is a grain and whether its letters are small. Capitals are written as listed, because "USA" would be in
    capitals where "France" is not. Reading takes other names of a place as well ("Cologne", "USA"), any accents, and
    any article. Writing gives the listed name, with the article
    that the drawn place takes ("the Netherlands"), because an article in the form would disclose a part of the value.

    The form of an address says whether it has a house number and a town. The value is the town, or without a listed
    town the street. A street that is not listed counts as one public street, so that a draw shows nothing of it. What
    is written beside the value follows from it by a public rule (:mod:`sfumato.kinds.places.streets`).
    """

    least: Annotated[int, Option("fewest people of a city that is a value")] = 15_000
    name: ClassVar[str] = "PLACE"
    unit: ClassVar[str] = "km"

    @property
    def grains(self) -> tuple[str, ...]:
        """Return the domains: streets; cities alone, with a region, its code or a country; larger areas."""
        return _GRAINS

    def vocabulary(self, grain: str) -> Vocabulary:
        """Return the places of ``grain`` in km: points on the sphere, shape (V, 3), or streets along a line."""
        self._check(grain)
        return street_domain() if grain == "street" else listed_places(self.least, grain)

    def read(self, text: str) -> Reading | None:
        """Return the place that ``text`` names, or None if no list has it."""
        if len(text) > _LONGEST:
            return None
        meant = self._meant_with_article(text)
        case = "lower" if text.islower() else "listed"
        if meant is None:
            address = address_of(" ".join(text.split()))
            return None if address is None else self._read_address(address, case)
        return Reading(meant.value, Form(meant.grain, (case,)))

    def _read_address(self, address: Address, case: str) -> Reading | None:
        """Return the town of ``address``, or its street."""
        layout = "{house} {street}" if address.is_numbered else "{street}"
        town = self._meant_with_article(address.rest)
        if town is not None and town.grain in _TOWNS:
            return Reading(town.value, Form(town.grain, (case, f"{layout}, {{town}}")))
        return Reading(listed_street().get(address.street.casefold(), streets()[0]), Form("street", (case, layout)))

    def _meant_with_article(self, text: str) -> Known | None:
        return self._meant(text) or self._meant(_THE.sub("", text.strip(), count=1))

    def recognises(self, text: str) -> bool:
        """Return whether ``text`` names a place with a capital, even if no label says so: "nice" is a word.

        A street is recognised if its last word says that it is one, or if a number opens an address in a listed town.
        """
        reading = self.read(text)
        if reading is None or reading.form.style[0] == "lower":
            return False
        address = address_of(" ".join(text.split())) if reading.form.style[1:] else None
        return address is None or address.is_sure or (text[:1].isdigit() and reading.form.grain in _TOWNS)

    def _meant(self, text: str) -> Known | None:
        known = spellings(self.least)
        meant = known.get(key(text))
        if meant is None and ", " in text:
            city, _, country = text.rpartition(", ")
            inside, within = known.get(key(city)), self._meant(country)
            if inside is not None and within is not None and inside.grain == "city" and within.grain == "country":
                meant = known.get(key(f"{inside.value}, {within.value}"))
        short_word = meant is not None and meant.short and text.strip() != text.strip().upper()
        return None if short_word else meant  # "us" is a word

    def write(self, value: str, form: Form) -> str:
        """Return ``value`` with its article, in the case of ``form``."""
        self._check(form.grain)
        written = f"the {value}" if value in ARTICLE else value
        case, *layout = form.style
        if layout:
            street = value if form.grain == "street" else street_beside(value)
            written = layout[0].format(house=house_in(value), street=street, town=written)
        return written.lower() if case == "lower" else written

    @property
    def surrogate(self) -> Reading:
        """Return London, as listed."""
        return Reading("London", self.public_form("city"))

    def public_form(self, grain: str) -> Form:
        """Return the form with capitals as listed, of a street without a number."""
        self._check(grain)
        return Form(grain, ("listed", "{street}") if grain == "street" else ("listed",))

    def _check(self, grain: str) -> None:
        if grain not in _GRAINS:
            raise ConfigurationError(f"The kind PLACE has no domain {grain!r}; it has {', '.join(_GRAINS)}.")
