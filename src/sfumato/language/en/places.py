"""English words for places: names with "the", and streets that are made by rule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from sfumato.language.lists import lists_of, phrases_of, words_of
from sfumato.language.phrasing import Phrasing
from sfumato.language.place_words import NEVER, PlaceWords

_THE = re.compile(r"the\s+", re.IGNORECASE)


class EnglishPlaces(PlaceWords):
    """English words for places; GeoNames, whose names are English, gives most of them."""

    countries: Mapping[str, str] = {}
    street_layout = "{house} {street}"
    street_pattern = NEVER
    regions: Mapping[str, str] = {}
    more_regions: Mapping[str, str] = {}

    def __init__(self, phrasing: Phrasing) -> None:
        super().__init__("en", lists_of("en", "places"), phrasing)

    @cached_property
    def with_the(self) -> frozenset[str]:
        """Return the countries and regions that are written with "the" in a sentence."""
        return frozenset(phrases_of(self._lists["article"]))

    def takes_article(self, name: str) -> bool:
        """Return whether "the" stands before ``name`` in a sentence."""
        return name in self.with_the

    def bare(self, text: str) -> str:
        """Return ``text`` without "the"."""
        return _THE.sub("", text.strip(), count=1)

    def with_article(self, name: str) -> str:
        """Return ``name`` with the article that it takes."""
        return f"the {name}" if self.takes_article(name) else name

    @cached_property
    def streets(self) -> tuple[str, ...]:
        """Return the streets that are made by rule."""
        kinds, names = words_of(self._lists["street_types"]), words_of(self._lists["streets"])
        return tuple(f"{name} {of}" for of in kinds for name in names)
