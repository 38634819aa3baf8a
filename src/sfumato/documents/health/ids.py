"""Ids of records are numbered: the same one has the same number everywhere in a file, and files may share numbers."""

from __future__ import annotations

import re

from sfumato.documents.rules import Numbers

_UUID = re.compile(r"(urn:uuid:)?[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_OID = re.compile(r"urn:oid:[\d.]+")
_ADDRESS = re.compile(
    r"(?P<base>https?://[^?#\s]*/)?(?P<type>[A-Z][A-Za-z]+)/(?P<id>[A-Za-z0-9.\-]{1,128})(/_history/[^/?#\s]+)?"
)


def is_uuid(text: str) -> bool:
    """Return whether ``text`` is a UUID, or a URN of one."""
    return _UUID.fullmatch(text) is not None


def numbered(text: str, numbers: Numbers) -> str:
    """Return another id for ``text``: a UUID for a UUID, and a number for every other id.

    The number is no word of its own, so that a search for a value such as "101" does not find it.
    """
    bare = text.lower().removeprefix("urn:uuid:") if is_uuid(text) else text
    number = numbers.of(bare)
    if is_uuid(text):
        begin = "urn:uuid:" if text.lower().startswith("urn:") else ""
        return f"{begin}00000000-0000-4000-8000-{number:012x}"
    if "://" in text:
        return f"https://n{number}.invalid/"
    return f"urn:oid:2.25.{10**12 + number}" if _OID.fullmatch(text) else f"n{number}"


def renumbered(reference: str, numbers: Numbers, types: frozenset[str]) -> str | None:
    """Return where ``reference`` leads after ids are numbered, or None if it is no address of a record.

    The ``types`` are the names of resources that may be in it. A server is numbered as well; a version is left out.
    """
    if reference.startswith("#"):
        return f"#{numbered(reference[1:], numbers)}" if reference[1:] else reference
    if is_uuid(reference) or _OID.fullmatch(reference) or reference in numbers:
        return numbered(reference, numbers)
    found = _ADDRESS.fullmatch(reference)
    if found is None or found["type"] not in types:
        return None
    base = numbered(found["base"], numbers) if found["base"] else ""
    return f"{base}{found['type']}/{numbered(found['id'], numbers)}"


def id_in(reference: str) -> str:
    """Return what two references to one record have in common. PRIVATE."""
    if is_uuid(reference):
        return reference.lower().removeprefix("urn:uuid:")
    found = _ADDRESS.fullmatch(reference)
    return f"{found['type']}/{found['id']}" if found else reference
