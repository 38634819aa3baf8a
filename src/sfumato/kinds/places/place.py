"""PLACE: streets, cities, counties, regions and countries, as far apart as they are on the globe.

The vectors are points on a sphere with the Earth's mean radius, 6371.0088 km. Their Euclidean distance is the chord,
which is at most the way along the surface. So a guarantee per km of chord implies the same guarantee per km of the
surface: geo-indistinguishability (Andrés, Bordenabe, Chatzikokolakis and Palamidessi, CCS 2013) for listed places.

Countries and regions lie on a smaller sphere (:data:`sfumato.kinds.places.listed.AREA_SCALE`), so that a law which
hides a town among towns hides a country among countries. Their distances are smaller than those on the ground, so a
guarantee per km holds for them all the more.

:mod:`sfumato.kinds.places.listed` says which place a name means.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np

from sfumato.abstract.kind import Form, Kind, Reading
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import ConfigurationError
from sfumato.kinds.places.gazetteer import (
    Area,
    City,
    city_name,
    counties,
    countries,
    key,
    largest_of_region,
    region_of,
)
from sfumato.kinds.places.listed import Known, listed_places, meant, places_by_key, points_of, region_codes
from sfumato.kinds.places.postcodes import (
    cuts,
    is_before_town,
    is_sure,
    postcode_domain,
    postcode_in,
    postcode_read,
    postcode_written,
    shape_of,
)
from sfumato.kinds.places.streets import (
    house_in,
    is_unit,
    listed_street,
    street_beside,
    street_domain,
    street_of,
    streets,
)
from sfumato.language.languages import ENGLISH, language_of
from sfumato.language.people import OTHER_MARK, OTHER_NAME
from sfumato.language.place_words import PlaceWords
from sfumato.options.option import Option, Part

_LONGEST = 200
_MADE = ("street", "postcode")
TOWNS = ("city", "city-region", "city-code", "city-country")
_GRAINS = ("street", "postcode", *TOWNS, "county", "region", "region-code", "country")
_PARTS = re.compile(r"\s*[,;\n]\s*")
_MOST_PARTS = 8
_HOUSE_BEHIND = re.compile(
    r"(?<=[^\W\d_]{3})\s*,\s*(?=(?:(?:n[º°.]\s?|No\.\s?)?[0-9]{1,4}\s?[A-Za-z]?|[Ss]/[Nn])\s*(?:[,;\n]|$))"
)
"""The comma between a street and the number of a house: "Calle Mayor, 5"."""
_NUMBER_BEFORE = re.compile(rf"(?:^|[\s({OTHER_NAME}{OTHER_MARK}])[0-9]{{1,3}}[A-Za-z]? $")
_CODE = re.compile(r"(?=.*[0-9].*[0-9])(?=.{4,12}$)[A-Z0-9]+(?:[-/][A-Z0-9]+){0,2}")
"""What is marked as a place, has figures and is no name: a postcode of an unusual shape."""
_ENDS_LINE = re.compile(rf"[,;.\n{OTHER_NAME}{OTHER_MARK}]|$")


@dataclass(frozen=True)
class Place(Kind):
    """Places that GeoNames lists, counties of the British Isles, codes of states, streets and postcodes.

    A form is a grain and whether its letters are small. Capitals are written as listed, because "USA" would be in
    capitals where "France" is not. Reading takes other names of a place as well ("Cologne", "USA"), any accents, and
    any article. Writing gives the listed name, with the article
    that the drawn place takes ("the Netherlands"), because an article in the form would disclose a part of the value.

    The form of an address says whether it has a house number, a town and a postcode. The value is the town, or
    without a listed town the area or the street. A street that is not listed counts as one public street, and a
    postcode as one of its shape, so that a draw shows nothing of them. What is written beside the value follows from
    it by a public rule, in the manner of the drawn town's country (:mod:`sfumato.kinds.places.streets`,
    :mod:`sfumato.kinds.places.postcodes`).

    A number in the text directly before a town makes it a street: "at 14 [Windsor], [Leeds]".
    """

    least: Annotated[int, Option("fewest people of a city that is a value")] = 15_000
    language: Annotated[str, Part("the code of the language that places are named in")] = "en"
    name: ClassVar[str] = "PLACE"
    unit: ClassVar[str] = "km"
    reads_around: ClassVar[bool] = True

    @property
    def grains(self) -> tuple[str, ...]:
        """Return the domains: streets, postcodes, cities alone or with a region, its code or a country, areas."""
        return _GRAINS

    def vocabulary(self, grain: str) -> Vocabulary:
        """Return the places of ``grain`` in km: points on the sphere, shape (V, 3), or made ones along a line."""
        self._check(grain)
        if grain in _MADE:
            return street_domain(self.language) if grain == "street" else postcode_domain()
        return listed_places(self.least, grain, self.language)

    def read(self, text: str) -> Reading | None:
        """Return the place that ``text`` names, or None if no list has it."""
        if len(text) > _LONGEST:
            return None
        text = self._words.with_comma(text)
        case, plain = "lower" if text.islower() else "listed", " ".join(text.split())
        meant, of = self._meant_with_article(plain), self._meant(self._words.without_genitive(plain))
        if of and (meant is None or key(meant.value) != key(plain)):
            return Reading(of.value, Form(of.grain, ("genitive",)))
        if meant:
            return Reading(meant.value, Form(meant.grain, ("listed" if meant.grain == "region-code" else case,)))
        if shape := shape_of(plain) or ("99999" if _CODE.fullmatch(plain) else None):
            return Reading(postcode_read(plain, shape), Form("postcode", ("listed", shape)))
        whole = text.strip() if self.language == ENGLISH.code else _HOUSE_BEHIND.sub(" ", text.strip())
        parts = [" ".join(part.split()) for part in _PARTS.split(whole) if part]
        return self._read_address(parts, case) if len(parts) <= _MOST_PARTS else None

    def _read_address(self, parts: list[str], case: str) -> Reading | None:
        """Return the town of an address, or its area, or its street."""
        rows = [self._without_postcode(part, number > 0, parts[-1]) for number, part in enumerate(parts)]
        names, has_postcode = [name for name, _ in rows if name], any(had for _, had in rows)
        has_unit = bool(names) and is_unit(names[0], self.language)
        names = names[has_unit:]
        streets_of = [street_of(name, self.language) for name in names[:2]]
        first = next((number for number, own in enumerate(streets_of) if own and own.is_sure), 0)
        street = streets_of[first] if names else None
        if street is not None and not (has_unit or street.is_numbered):
            named = self._meant(names[first])
            street = None if not street.is_sure or (named is not None and named.grain in TOWNS) else street
        rest = names[first + 1 :] if street else names
        inside = self._place_in(rest) if street or has_postcode else None
        if inside is None:
            if street is None or not (street.is_likely or rest):
                return None
            layout = "{house} {street}" if street.is_numbered or has_unit else "{street}"
            value = listed_street(self.language).get(street.name.casefold(), streets(self.language)[0])
            return Reading(value, Form("street", (case, layout)))
        before = f"{'{house} ' * (street.is_numbered or has_unit)}{{street}}, " if street else ""
        layout = f"{before}{{town}}{' {postcode}' * has_postcode}"
        return Reading(inside.value, Form(inside.grain, (case, layout)))

    def _without_postcode(self, part: str, is_later: bool, last: str) -> tuple[str, bool]:
        """Return a ``part`` of an address without its postcode, and whether it has one.

        Before a town it may be the number of a house instead, in a country that has no postcodes there.
        """
        if is_later and shape_of(part):
            return "", True
        for cut in cuts(part):
            meant, area = self._meant_with_article(cut.rest), self._meant(last)
            if not cut.is_before:
                is_code = is_sure(cut.code) or cut.rest.upper() in self._codes or (is_later and cut.is_long)
                fits = meant is not None or is_code
            else:
                inside = [self.city_of(own.value).country for own in (meant, area) if own is not None]
                fits = meant is not None and (is_later or cut.is_long or any(map(is_before_town, inside)))
            if fits:
                return cut.rest, True
        return part, False

    def _place_in(self, names: list[str]) -> Known | None:
        """Return the town that most ``names`` in a row mean, of equal ones the last, or else an area."""
        count = len(names)
        rows = [(start, start + size) for size in range(count, 0, -1) for start in range(count - size, -1, -1)]
        means = [meant for start, end in rows if (meant := self._meant_with_article(", ".join(names[start:end])))]
        return next((meant for meant in means if meant.grain in TOWNS), means[0] if means else None)

    def _meant_with_article(self, text: str) -> Known | None:
        return self._meant(text) or self._meant(self._words.bare(text.strip()))

    def placed(self, reading: Reading, before: str, after: str) -> Reading:
        """Return the public street if the number of a house stands before a place that is read as a town or area."""
        if reading.form.style[1:] or reading.form.grain in _MADE or not _NUMBER_BEFORE.search(before[-8:]):
            return reading
        if not _ENDS_LINE.match(after):
            return reading
        return Reading(streets(self.language)[0], Form("street", (reading.form.style[0], "{street}")))

    def recognises(self, text: str) -> bool:
        """Return whether ``text`` names a place with a capital, even if no label says so: "nice" is a word.

        A street is recognised if its last word says that it is one, or if a number opens an address in a listed town.
        """
        reading = self.read(text)
        if reading is None or reading.form.style[0] in ("lower", "genitive"):
            return False
        if reading.form.grain == "postcode" or "{postcode}" in reading.form.style[-1]:
            return is_sure(text.strip()) or reading.form.grain in TOWNS
        if reading.form.grain == "region-code" or not reading.form.style[1:]:
            return reading.form.grain != "region-code"
        streets_of = [street_of(part, self.language) for part in _PARTS.split(" ".join(text.split()))[:2]]
        return any(own is not None and own.is_sure for own in streets_of) or (
            text[:1].isdigit() and reading.form.grain in TOWNS
        )

    def _meant(self, text: str) -> Known | None:
        return meant(text, self.least, self.language)

    @cached_property
    def _words(self) -> PlaceWords:
        return language_of(self.language).places

    @property
    def _codes(self) -> Mapping[str, Area]:
        return region_codes(self.language)

    def city_of(self, value: str) -> City:
        """Return the city where the listed ``value`` lies."""
        if value in self._codes:
            return self._codes[value].city
        return places_by_key(self.least, self.language)[key(value)][2]

    def street_of(self, value: str, form: Form) -> str:
        """Return the street beside the listed ``value``, with a number if the ``form`` of an address has one."""
        street = street_beside(value, self.city_of(value).country, "{house}" in form.style[1], self.language)
        return street.lower() if form.style[0] == "lower" else street

    def postcode_of(self, value: str) -> str:
        """Return the postcode beside the listed ``value``."""
        return postcode_in(self.city_of(value))

    def has_code_first(self, value: str) -> bool:
        """Return whether the postcode stands before the listed town ``value`` in its country."""
        return is_before_town(self.city_of(value).country)

    def area_of(self, town: City, grain: str) -> str:
        """Return the area of ``grain`` that ``town`` lies in, as it is written; a list may have a larger one only.

        A town in a region that no list has is said to be of the most populous town of its region.
        """
        country = next(own.name for own in countries(self.language) if own.code == town.country)
        region = region_of(self.language).get((town.country, town.region))
        near = [county for county in counties() if county.city.country == town.country] if grain == "county" else []
        if near:
            return min(near, key=lambda county: _apart(county.city, town)).name
        if grain == "country":
            return self._words.with_article(country)
        if region is None:
            return city_name(largest_of_region()[town.country, town.region], self.language)
        return region.code if grain == "region-code" and region.code else self._words.with_article(region.name)

    def neighbour_of(self, value: str) -> str:
        """Return the listed town that is nearest to the listed ``value``, and another one."""
        here, towns = self.city_of(value), listed_places(self.least, "city", self.language)
        apart = np.linalg.norm(towns.vectors - points_of([here]), axis=1)
        nearest = [str(towns.tokens[number]) for number in np.argsort(apart, kind="stable")[:3]]
        return next(town for town in nearest if town != value.partition(", ")[0])

    def write(self, value: str, form: Form) -> str:
        """Return ``value`` with its article, in the case of ``form``."""
        self._check(form.grain)
        case, *layout = form.style
        if form.grain == "postcode":
            return postcode_written(value, layout[0])
        written = self._written_address(value, form.grain, layout[0]) if layout else self._words.written(value, case)
        return written.lower() if case == "lower" else written

    def _written_address(self, value: str, grain: str, layout: str) -> str:
        """Return the address of ``value``: street and postcode by a public rule, in the manner of its country."""
        is_numbered = "{house}" in layout
        if grain == "street":
            layout = self._words.street_layout
            return layout.format(house=house_in(value), street=value) if is_numbered else value
        city, written = self.city_of(value), self._words.with_article(value)
        street = f"{street_beside(value, city.country, is_numbered, self.language)}, " if "{street}" in layout else ""
        if "{postcode}" not in layout:
            return street + written
        code = postcode_in(city)
        if is_before_town(city.country):
            return f"{street}{code} {written}"
        town, comma, country = written.partition(", ") if grain == "city-country" else (written, "", "")
        return f"{street}{town} {code}{comma}{country}"

    @property
    def surrogate(self) -> Reading:
        """Return a large city, as listed."""
        return Reading(self._words.surrogate, self.public_form("city"))

    def public_form(self, grain: str) -> Form:
        """Return the form with capitals as listed, of a street without a number, of a postcode of five figures."""
        self._check(grain)
        return Form(grain, ("listed", *{"street": ["{street}"], "postcode": [self._words.postcode]}.get(grain, ())))

    def _check(self, grain: str) -> None:
        if grain not in _GRAINS:
            raise ConfigurationError(f"The kind PLACE has no domain {grain!r}; it has {', '.join(_GRAINS)}.")


def _apart(first: City, second: City) -> float:
    return float(np.linalg.norm(points_of([first]) - points_of([second])))
