"""Postcodes: how one is recognised, the one of a town by a public rule, and those of nowhere in particular.

No list holds the postcodes of the world. A postcode that is read is one public value of its shape, so that a draw
shows nothing of it. Beside a town it follows from the town that is drawn: the shape is that of the town's country,
its beginning that of the region or of the nearest town with an area of postcodes, and a hash of the town gives the
rest.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from typing import NamedTuple

import numpy as np
import regex

from sfumato.abstract.vocabulary import Vocabulary
from sfumato.kinds.places.gazetteer import City, cities, region_of
from sfumato.language.lists import lists_of, phrases_of, words_of

_LISTS = lists_of("en", "places")
_SHAPES: Mapping[str, str] = _LISTS["postcodes"]
_FIRST = frozenset(words_of(_SHAPES["first"]))
_COUNT, _APART = 300, 0.004
_LETTERS = "BDFGHJLNPQRSTUWXYZ"
_DISTRICTS = 20
_BRITISH = r"[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2}"
_PATTERNS = {
    **{
        "A9 9AA": _BRITISH,
        "A9A 9A9": r"[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]",
        "A99 A9A9": r"[A-Z][0-9][0-9W] ?[A-Z0-9]{4}",
    },
    **{"9999 AA": r"[0-9]{4} ?[A-Z]{2}", "99999-9999": r"[0-9]{5}-[0-9]{4}", "9999-999": r"[0-9]{4}-[0-9]{3}"},
    **{"99999-999": r"[0-9]{5}-[0-9]{3}", "999-9999": r"[0-9]{3}-[0-9]{4}", "99-999": r"[0-9]{2}-[0-9]{3}"},
    **{"999 99": r"[0-9]{3} [0-9]{2}", "99999": r"(?:[A-Z]{1,2}-)?[0-9]{5}", "9999": r"(?:[A-Z]{1,2}-)?[0-9]{4}"},
    **{"999999": r"[0-9]{6}|[0-9]{3} [0-9]{3}", "9999999": r"[0-9]{7}"},
}
_FIGURE = regex.compile("[0-9]")
_SHAPED = {shape: regex.compile(pattern, regex.IGNORECASE) for shape, pattern in _PATTERNS.items()}
_AT_EDGES = [
    (
        regex.compile(rf"(?P<rest>.*\S) (?P<code>{pattern})", regex.IGNORECASE),
        regex.compile(rf"(?P<code>{pattern}) (?P<rest>\p{{L}}.*)", regex.IGNORECASE),
    )
    for pattern in _PATTERNS.values()
]


def shape_of(text: str) -> str | None:
    """Return the shape of ``text`` if it is written like a postcode, or None."""
    if len(text) > 12 or not _FIGURE.search(text):
        return None
    return next((shape for shape, pattern in _SHAPED.items() if pattern.fullmatch(text)), None)


def is_sure(text: str) -> bool:
    """Return whether ``text`` is a postcode even if no label says so: figures alone may be anything."""
    return _SHAPED["A9 9AA"].fullmatch(text) is not None or _SHAPED["A9A 9A9"].fullmatch(text) is not None


class Cut(NamedTuple):
    """A part of an address without what looks like a postcode: the ``rest``, the ``code``, and where that is."""

    rest: str
    code: str
    is_before: bool

    @property
    def is_long(self) -> bool:
        """Return whether the code has more figures than houses have."""
        return sum(map(str.isdigit, self.code)) > 4


def cuts(text: str) -> Iterator[Cut]:
    """Yield ``text``, a part of an address, without a postcode at its end, and without one at its start."""
    if not _FIGURE.search(text):  # every pattern has figures, and most parts of an address have none
        return
    for behind, _ in _AT_EDGES:
        if match := behind.fullmatch(text):
            yield Cut(match["rest"], match["code"], False)
    for _, before in _AT_EDGES:
        if match := before.fullmatch(text):
            yield Cut(match["rest"], match["code"], True)


@cache
def postcode_domain() -> Vocabulary:
    """Return postcodes of nowhere in particular as a domain: neighbours along a line, as streets are."""
    about = f"PLACE: {_COUNT} postcodes made by rule, {1000 * _APART:.0f} m apart (sfumato)"
    tokens = tuple(f"postcode {number:03d}" for number in range(1, _COUNT + 1))
    return Vocabulary(tokens, _APART * np.arange(_COUNT, dtype=np.float64)[:, None], about)


def postcode_written(value: str, shape: str) -> str:
    """Return the token ``value`` of :func:`postcode_domain` as a postcode of ``shape``."""
    return _written(shape)[value]


def postcode_read(text: str, shape: str) -> str:
    """Return the token that is written as ``text``; any other text of ``shape`` is the first token."""
    tokens = postcode_domain().tokens
    return next((token for token, code in _written(shape).items() if code == text.upper()), tokens[0])


@cache
def _written(shape: str) -> Mapping[str, str]:
    """Return the tokens as they are written in ``shape``, all different."""
    written: dict[str, str] = {}
    for token in postcode_domain().tokens:
        code = next(
            code for turn in range(1000) if (code := _filled(shape, f"{token} {turn}")) not in written.values()
        )
        written[token] = code
    return written


def is_before_town(country: str) -> bool:
    """Return whether addresses of ``country`` have the postcode before the town."""
    return country in _FIRST


@cache
def postcode_in(city: City) -> str:
    """Return the postcode that is written beside ``city``, by a public rule."""
    shape, about = _SHAPES.get(city.country, _SHAPES["other"]), f"postcode {city.name}, {city.region}, {city.country}"
    code = _filled(shape, about)
    if city.country == "GB":
        return f"{_area_near(city)}{_hashed(about) % _DISTRICTS + 1} {code[-3:]}"
    begins = _beginnings(city.country).get(_region_code(city), "")
    if "-" in begins:
        low, high = begins.split("-")
        first = str(int(low) + _hashed(f"{about} first") % (int(high) - int(low) + 1)).rjust(len(low), "0")
    else:
        first = begins[_hashed(about) % len(begins)] if begins else ""
    return first + code[len(first) :]


def _filled(shape: str, seed: str) -> str:
    """Return ``shape`` with figures and letters that look arbitrary; the first figure is not 0."""
    number, signs = _hashed(seed), []
    for place, sign in enumerate(shape):
        kinds = {"A": _LETTERS, "9": string.digits if place else string.digits[1:]}.get(sign, sign)
        number, chosen = divmod(number, len(kinds))
        signs.append(kinds[chosen])
    return "".join(signs)


def _region_code(city: City) -> str:
    region = region_of().get((city.country, city.region))
    return region.code if region else ""


@cache
def _beginnings(country: str) -> Mapping[str, str]:
    rows = (row.partition("=") for row in phrases_of(_LISTS["postcodes_of_regions"].get(country, "")))
    return {code: begins for code, _, begins in rows}


@cache
def _areas() -> tuple[tuple[str, City], ...]:
    towns: dict[str, City] = {}
    for city in cities():
        if city.country == "GB":
            towns.setdefault(city.name, city)
    rows = (row.split("=") for row in phrases_of(_LISTS["postcode_areas"]["GB"]))
    return tuple((area, towns[town]) for area, town in rows)


def _area_near(city: City) -> str:
    """Return the area of the nearest town that has one; a degree of longitude is half one of latitude there."""
    return min(
        _areas(),
        key=lambda row: (row[1].latitude - city.latitude) ** 2 + 0.3 * (row[1].longitude - city.longitude) ** 2,
    )[0]


def _hashed(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:12], "big")
