"""Private records by the unit that the guarantee is for: a record, or a person with several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.abstract.synthesizer import Unit
from sfumato.errors import ConfigurationError, InputError
from sfumato.files import Source
from sfumato.synthesis.codes import CodeField, CodeTable, value_of
from sfumato.text.document import name_of_person


@dataclass(frozen=True)
class PrivateRecords:
    """The texts of an input with the fields that are read along, unit by unit. PRIVATE.

    A unit holds at most as many records as one may contribute: its first ones in the file.
    """

    units: Sequence[Sequence[tuple[str, Mapping[str, Any]]]] = field(repr=False)

    def check_names(self, codes: Sequence[CodeField], public: Sequence[str]) -> None:
        """Raise ConfigurationError for a field that no record has, or a code none of whose values any record has.

        Nothing is drawn yet, and nothing is paid. Single values that no record has stay: a list of values is public,
        and must not be fitted to the records.
        """
        for name in (*(code.name for code in codes), *public):
            if not any(_text(record.get(name)) for records in self.units for _, record in records):
                raise ConfigurationError(
                    f"No record has a value in the field {name!r}; name a field that the records have."
                )
        for code in codes:
            present = {value_of(record, code.name) for records in self.units for _, record in records}
            if code.values is not None and present.isdisjoint(code.values):
                raise ConfigurationError(
                    f"No record has one of the values that are declared for the code {code.name}; declare the values "
                    "as the records spell them."
                )

    def values(self, name: str) -> list[str]:
        """Return the value of the code ``name`` that each unit gives: that of its first record."""
        return [value_of(records[0][1], name) for records in self.units]

    def coded(self, table: CodeTable) -> list[Unit]:
        """Return the units with the index of each text's code in ``table``."""
        return [
            Unit(tuple(text for text, _ in records), tuple(table.index(record) for _, record in records))
            for records in self.units
        ]

    def with_public(self, fields: Sequence[str]) -> tuple[list[Unit], list[dict[str, str]]]:
        """Return units whose every record has its own code, and all codes: the public ``fields`` as they stand."""
        units, known = list[Unit](), list[dict[str, str]]()
        for records in self.units:
            first = len(known)
            for _, record in records:
                known.append({name: _text(record.get(name)) for name in fields})
            units.append(Unit(tuple(text for text, _ in records), tuple(range(first, len(known)))))
        return units, known


def read_units(source: Source, unit_field: str | None, texts_per_unit: int) -> PrivateRecords:
    """Return the records of ``source``, each a unit, or those with one value of ``unit_field`` together.

    Raise InputError for an input without a record, or for a record that names nobody.
    """
    people: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    count = 0
    for chunk in source.chunks():
        for document in chunk.documents:
            who = str(count) if unit_field is None else name_of_person(_text(document.metadata.get(unit_field)))
            count += 1
            if not who:
                raise InputError(
                    f"{chunk.file}: record {count} has no value in the field {unit_field!r}, which names its person; "
                    "correct the record."
                )
            own = people.setdefault(who, [])
            if len(own) < texts_per_unit:
                own.append((document.text, document.metadata))
    if not people:
        raise InputError(f"{source.name} holds no records.")
    return PrivateRecords(list(people.values()))


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def fields_read(codes: Sequence[CodeField], public: Sequence[str], unit_field: str | None) -> tuple[str, ...]:
    """Return the fields that are read beside the text."""
    return tuple(dict.fromkeys([*(code.name for code in codes), *public, *([unit_field] if unit_field else [])]))
