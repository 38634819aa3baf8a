"""Which types the fields of HL7 v2 have, by the tables of hl7apy; the newest version that knows a field says so."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

VERSIONS = ("2.8.2", "2.7", "2.6", "2.5.1", "2.4", "2.3.1", "2.3", "2.2", "2.1")
_VARIANT = re.compile(r"^CM_|_SIMPLE$")


@dataclass(frozen=True, slots=True)
class Kind:
    """What a field or a component is: its type, what a person calls it, and what it consists of."""

    type: str
    lead: str
    inner: tuple[Kind, ...] = ()


TEXT = Kind("ST", "")


def is_known(segment: str) -> bool:
    """Return whether a version of HL7 v2 has the segment."""
    return any(segment in _library(version).SEGMENTS for version in VERSIONS)


@cache
def field_kind(version: str, segment: str, number: int) -> Kind | None:
    """Return the kind of a field; None if no version has it."""
    for each in (version, *VERSIONS) if version in _versions() else VERSIONS:
        found = _library(each).FIELDS.get(f"{segment}_{number}")
        if found is not None and found[2] not in ("WD", None):
            return _kind(found)
    return None


@cache
def type_kind(version: str, name: str) -> Kind | None:
    """Return the kind of a type, such as what OBX-2 says of OBX-5; None if no version has it."""
    for each in (version, *VERSIONS) if version in _versions() else VERSIONS:
        inner = _library(each).DATATYPES_STRUCTS.get(name)
        if inner is not None:
            return Kind(name, "", tuple(_kind(child[1]) for child in inner))
    return Kind(name, "") if name in ("ST", "TX", "FT", "NM", "SI", "ID", "IS", "DT", "TM", "DTM", "GTS") else None


def _kind(found: Any) -> Kind:
    if found is None:
        return TEXT
    inner = found[1] if found[0] == "sequence" and found[1] else ()
    words = str(found[3] or "").replace("_", " ").strip().lower().capitalize()
    return Kind(
        _VARIANT.sub("", str(found[2])), f"{words}: " if words else "", tuple(_kind(child[1]) for child in inner)
    )


@cache
def _versions() -> frozenset[str]:
    from hl7apy import SUPPORTED_LIBRARIES

    return frozenset(SUPPORTED_LIBRARIES)


@cache
def _library(version: str) -> Any:
    from hl7apy import load_library

    return load_library(version)
