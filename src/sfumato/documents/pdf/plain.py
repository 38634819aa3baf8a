"""Values that hold no text of people: numbers, names of the format, and arrays and dictionaries of them."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from sfumato.documents.pdf.public import PUBLIC
from sfumato.documents.pdf.streams import isa

_DEEPEST = 5
_NUMBERS = (bool, int, float, Decimal)


def plain(value: Any, depth: int = 0) -> bool:
    """Say whether a ``value`` is plain. Strings, streams and names that the format does not have are not."""
    if value is None or isinstance(value, _NUMBERS):
        return True
    if isa(value, "Name"):
        return str(value) in PUBLIC
    if depth > _DEEPEST or isa(value, "Stream"):
        return False
    if isa(value, "Array"):
        return all(plain(each, depth + 1) for each in value)
    if isa(value, "Dictionary"):
        return all(key in PUBLIC and plain(inner, depth + 1) for key, inner in value.items())
    return False


def keep_plain(holder: Any, known: Iterable[str], handled: Iterable[str] = ()) -> None:
    """Take out of ``holder`` the entries that are not ``known``, and those that are not plain and not ``handled``."""
    kept, done = set(known), set(handled)
    for key in list(holder.keys()):
        if key not in done and (key not in kept or not plain(holder[key])):
            del holder[key]
