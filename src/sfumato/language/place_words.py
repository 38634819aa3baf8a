"""What a language calls places, and how it writes streets: own names of cities, countries and regions, articles."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import regex

from sfumato.language.institutions import Listed, listed_phrase
from sfumato.language.lists import pairs_of, phrases_of
from sfumato.language.phrasing import Phrasing

NEVER = r"(?!)"
_PLAIN = re.compile(r" \(|, ")
"""What begins a remark behind the name of a country."""


class PlaceWords:
    """The words of a language for places and streets."""

    def __init__(self, code: str, lists: Mapping[str, Any], phrasing: Phrasing) -> None:
        self._code, self._lists, self._phrasing = code, lists, phrasing

    @property
    def surrogate(self) -> str:
        """Return the city that stands for a place that cannot be read."""
        return str(self._lists.get("surrogate", "London"))

    @cached_property
    def exonyms(self) -> Mapping[str, str]:
        """Return the own names of cities by the names that GeoNames gives them."""
        return pairs_of(self._lists.get("exonyms", ""))

    @property
    def more_regions(self) -> Mapping[str, str]:
        """Return the regions of countries, each with its code of GeoNames, by the code of the country."""
        rows: Mapping[str, str] = self._lists.get("more_regions", {})
        return rows

    @cached_property
    def regions(self) -> Mapping[str, str]:
        """Return the own names of regions by their English names."""
        return pairs_of(self._lists.get("regions", ""))

    @cached_property
    def countries(self) -> Mapping[str, str]:
        """Return the names of countries by their two-letter codes, without articles."""
        from babel import Locale  # large

        listed = ((str(code), str(name)) for code, name in Locale(self._code).territories.items())
        own = {code: _PLAIN.split(name, maxsplit=1)[0] for code, name in listed if len(code) == 2 and code.isalpha()}
        return own | pairs_of(self._lists.get("countries", ""))

    @cached_property
    def _articled(self) -> Mapping[str, Listed]:
        rows = [listed_phrase(text, self._phrasing) for text in phrases_of(self._lists.get("articles", ""))]
        return {_straight(row.phrase): row for row in rows}

    def takes_article(self, name: str) -> bool:
        """Return whether the place ``name`` has an article in a sentence."""
        return _straight(name) in self._articled

    def gender_of(self, name: str) -> str:
        """Return the gender of the place ``name``, whose article the lists say; "" for any other."""
        listed = self._articled.get(_straight(name))
        return listed.gender if listed else ""

    def with_comma(self, text: str) -> str:
        """Return ``text`` with a comma before the code of a region: "Recife, PE" for "Recife/PE"."""
        written: str = self._before_code.sub(", ", text)
        return written

    @cached_property
    def _before_code(self) -> regex.Pattern[str]:
        rows = [row.split("=") for listed in self.more_regions.values() for row in phrases_of(listed)]
        codes = "|".join(row[2] for row in rows if len(row) > 2)
        return regex.compile(rf"(?<=\p{{Ll}})\s?[/–-]\s?(?=(?:{codes})$)" if codes else NEVER)

    def bare(self, text: str) -> str:
        """Return ``text`` without the article that it may begin with."""
        *_, cut = self._phrasing.cuts(text, articles=True)
        return cut.phrase

    def with_article(self, name: str) -> str:
        """Return ``name`` as it is written: an article is a matter of the text before it."""
        return name

    def written(self, name: str, case: str) -> str:
        """Return ``name`` in a case of grammar: "genitive", or any other for none."""
        return (self.genitive(name) if case == "genitive" else None) or self.with_article(name)

    def genitive(self, name: str) -> str | None:
        """Return the genitive of the place ``name``, or None if the language has none: "Deutschlands", "Polens"."""
        if not self._lists.get("genitive"):
            return None
        article = {"m": "des", "n": "des", "f": "der", "p": "der"}.get(self.gender_of(name))
        return f"{article} {name}" if article else f"{name}’" if name.endswith(("s", "ß", "x", "z")) else f"{name}s"

    def without_genitive(self, text: str) -> str:
        """Return the place whose genitive ``text`` may be; "" otherwise."""
        name = text.removeprefix("des ") if text.startswith("des ") else text[:-1]
        return name if self.genitive(name) == text[:-1] + text[-1:].replace("'", "’") else ""

    @cached_property
    def streets(self) -> tuple[str, ...]:
        """Return the streets that are made by rule."""
        names, forms = (
            phrases_of(self._lists.get("street_names", "")),
            phrases_of(self._lists.get("street_forms", "")),
        )
        return tuple(form.format(name) for form in forms for name in names)

    @property
    def street_layout(self) -> str:
        """Return where the number of a house stands."""
        return str(self._lists.get("street_layout", "{street} {house}"))

    @property
    def postcode(self) -> str:
        """Return the shape of a postcode of nowhere in particular."""
        return str(self._lists.get("postcode", "99999"))

    @cached_property
    def street_pattern(self) -> str:
        """Return a pattern for all of a name whose beginning or end says that it is a street."""
        listed = phrases_of(self._lists.get("streets", ""))
        behind = "|".join(regex.escape(word[1:]) for word in listed if word.startswith("-"))
        before = "|".join(regex.escape(word) for word in listed if not word.startswith("-"))
        ends, begins = (rf".*(?:{behind})" if behind else NEVER), (rf"(?:{before})[ ].+" if before else NEVER)
        return rf"(?:{ends}|{begins})"

    @cached_property
    def unit(self) -> str:
        """Return a pattern for a word before the number of a flat or a floor."""
        return "|".join(map(regex.escape, phrases_of(self._lists.get("units", "")))) or NEVER


def _straight(name: str) -> str:
    return name.replace("’", "'")
