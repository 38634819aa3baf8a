"""The places of a record hold together: one town for an address, its own street and postcode, its own institutions.

A street, a town, a postcode and a country are drawn one by one, so that "14 Elm Road, Leeds LS1 4AB, England" could
become a street of one country, a town of another and a code of none.

Analysis. The only input is the releases of a record, which are public: the drawn values, their kinds, and the text
between them. Whatever is computed from them is as private as they are, so no ε grows. Which town an address has, is
decided by the order of the marks and by the kinds of the values that were drawn, never by what was replaced. A
street, a postcode and an area beside a drawn town become those of the town by public rules
(:mod:`sfumato.kinds.places`), so they say less than before: what was drawn for them no longer shows. The institution
"Oslo Infirmary" beside a drawn "York" becomes "York Infirmary", whatever town the original was of. Two institutions
that were drawn apart stay apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from sfumato.abstract.kind import Form, Reading
from sfumato.kinds.phrases.institutions import local_parts, takes_the
from sfumato.kinds.phrases.institutions import named as institution_at
from sfumato.kinds.phrases.organization import Organization
from sfumato.kinds.places.place import TOWNS, Place
from sfumato.language.languages import language_of
from sfumato.text.document import Release, labels_of

_GAP = re.compile(r"[ \t\r]{0,3}[,;]?[ \t\r]{0,3}\n?[ \t]{0,8}")
"""The text between two parts of one address."""
_AREAS = frozenset({"county", "region", "region-code", "country"})
_STREET, _POSTCODE = "street", "postcode"


class _Drawn(NamedTuple):
    """A released value: the number of its release and of its part, where it starts, and what it says."""

    release: int
    part: int
    start: int
    reading: Reading

    @property
    def grain(self) -> str:
        return self.reading.form.grain

    @property
    def has_town(self) -> bool:
        return self.grain in TOWNS

    @property
    def is_name(self) -> bool:
        """Return whether it is the name of a place, with a capital, and nothing else."""
        return self.reading.form.style == ("listed",)

    @property
    def is_street(self) -> bool:
        """Return whether a street begins it."""
        return self.grain == _STREET or "{street}" in self.reading.form.style[-1]


@dataclass(frozen=True)
class HeldPlaces:
    """Makes the released places and institutions of one record fit each other.

    Attributes:
        places: The kind that reads and writes places.
        organizations: The kind that reads and writes institutions; None leaves them as drawn.
    """

    places: Place = field(default_factory=Place)
    organizations: Organization | None = field(default_factory=Organization)

    def held(self, releases: Sequence[Release]) -> list[Release]:
        """Return the ``releases`` of one record with addresses and institutions that fit."""
        parts = [list(release.parts) for release in releases]
        labels = [labels_of(release) for release in releases]
        before = [list(own) for own in parts]
        drawn = list(self._read(releases, parts, labels, self.places))
        if not any({self.places.name, Organization.name} & {*own} for own in labels):
            return list(releases)
        changed: dict[str, str] = {}
        inside = set()
        for address in _addresses(drawn, parts):
            for value, text in self._of_one_town(address):
                changed.setdefault(parts[value.release][value.part], text)
                parts[value.release][value.part] = text
                inside.add((value.release, value.part))
            self._put_in_order(address, parts)
        for value in drawn:  # the same value elsewhere
            if (value.release, value.part) not in inside and not value.has_town:
                own = parts[value.release][value.part]
                parts[value.release][value.part] = changed.get(own, own)
        if self.organizations is not None:
            towns = [value for value in drawn if value.has_town]
            self._institutions(list(self._read(releases, parts, labels, self.organizations)), towns, parts)
        self._articles(releases, parts, labels)
        return [
            release.of_parts(own) if own != old else release
            for release, own, old in zip(releases, parts, before, strict=True)
        ]

    def _read(
        self,
        releases: Sequence[Release],
        parts: list[list[str]],
        labels: list[Sequence[str]],
        kind: Place | Organization,
    ) -> Iterator[_Drawn]:
        """Yield the outputs of ``kind`` that can be read."""
        for number, release in enumerate(releases):
            for index, label in enumerate(labels[number]):
                reading = kind.read(parts[number][2 * index + 1]) if label == kind.name else None
                if reading is not None:
                    yield _Drawn(number, 2 * index + 1, release.bounds[2 * index], reading)

    def _of_one_town(self, address: Sequence[_Drawn]) -> Iterator[tuple[_Drawn, str]]:
        """Yield what the parts of an ``address`` become, which fit its town."""
        anchor = _anchor(address)
        if anchor is None:
            return
        value, town = anchor.reading.value, self.places.city_of(anchor.reading.value)
        street = next((number for number, own in enumerate(address) if own.grain == _STREET), None)
        own_place = address.index(anchor)
        for number, drawn in enumerate(address):
            case, *layout = drawn.reading.form.style
            if drawn.grain == _STREET:
                form = Form(anchor.grain, (case, f"{layout[0]}, {{town}}"))
                yield drawn, self.places.street_of(value, form)
            elif drawn.grain == _POSTCODE:
                yield drawn, self.places.postcode_of(value)
            elif drawn.grain in _AREAS and number > own_place:
                yield drawn, _cased(self.places.area_of(town, drawn.grain), case)
            elif drawn.has_town and street is not None and street < number < own_place:
                yield drawn, _cased(self.places.neighbour_of(value), case)

    def _put_in_order(self, address: Sequence[_Drawn], parts: list[list[str]]) -> None:
        """Let a town and its postcode change places where a blank is between them, as its country writes them."""
        for first, second in pairwise(address):
            town, is_turned = (second, first.grain == _POSTCODE) if second.has_town else (first, False)
            code = first if is_turned else second
            own = parts[first.release]
            if code.grain != _POSTCODE or not town.is_name or own[first.part + 1] != " ":
                continue
            if self.places.has_code_first(town.reading.value) != is_turned:
                own[first.part], own[second.part] = own[second.part], own[first.part]

    def _institutions(self, drawn: Sequence[_Drawn], towns: Sequence[_Drawn], parts: list[list[str]]) -> None:
        """Write local institutions with the town nearest to their first mention, unless two would become one."""
        if not towns or self.organizations is None:
            return
        named = {value.reading.value: value.reading.value for value in drawn}
        for value in drawn:
            own = value.reading.value
            local = local_parts(own, self.organizations.language)
            if local is None or named[own] != own:
                continue
            near = min(towns, key=lambda town: (town.release != value.release, abs(town.start - value.start)))
            moved = institution_at(local.form, near.reading.value.partition(", ")[0], self.organizations.language)
            if moved not in named.values():
                named[own] = moved
        for value in drawn:
            own = value.reading.value
            if named[own] != own:
                parts[value.release][value.part] = self.organizations.write(named[own], value.reading.form)

    def _articles(self, releases: Sequence[Release], parts: list[list[str]], labels: list[Sequence[str]]) -> None:
        """Give names of places and institutions the article that they take, and no other: "in the [Switzerland]"."""
        language = language_of(self.places.language)
        named = list(self._read(releases, parts, labels, self.places))
        rows: list[tuple[_Drawn, bool | None]]
        rows = [(value, language.places.takes_article(value.reading.value)) for value in named if value.is_name]
        if self.organizations is not None:
            institutions = self._read(releases, parts, labels, self.organizations)
            rows += [(value, takes_the(value.reading.value)) for value in institutions]
        for value, definite in rows:
            own, part = parts[value.release], value.part
            after = "".join(own[part + 1 : part + 3])
            own[part - 1], own[part] = language.article_before(own[part - 1], after, own[part], definite)


def _cased(text: str, case: str) -> str:
    return text.lower() if case == "lower" else text


def _addresses(drawn: Sequence[_Drawn], parts: list[list[str]]) -> Iterator[list[_Drawn]]:
    """Yield runs of values with nothing but a comma or a line break between them; a street opens another address."""
    address: list[_Drawn] = []
    for value in drawn:
        follows = (
            address
            and (value.release, value.part) == (address[-1].release, address[-1].part + 2)
            and _GAP.fullmatch(parts[value.release][value.part - 1])
        )
        opens = value.is_street and any(own.grain != _POSTCODE for own in address)
        if not follows or opens:
            yield from [address] if len(address) > 1 else []
            address = []
        address.append(value)
    if len(address) > 1:
        yield address


def _anchor(address: Sequence[_Drawn]) -> _Drawn | None:
    """Return the value whose town an address has: the town beside the postcode, before the areas, or the last one."""
    towns = [number for number, value in enumerate(address) if value.has_town]
    codes = [number for number, value in enumerate(address) if value.grain == _POSTCODE]
    areas = [number for number, value in enumerate(address) if value.grain in _AREAS]
    if not towns:
        return address[areas[0]] if areas and (codes or address[0].is_street) else None
    if codes:
        return address[min(towns, key=lambda number: abs(number - codes[0]))]
    before = [number for number in towns if areas and number < areas[0]]
    if address[0].is_street:
        return address[before[-1] if before else towns[-1]]
    return address[before[-1]] if before and before[-1] == areas[0] - 1 else None
