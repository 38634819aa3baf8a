"""What programs read about a page, such as a recipe or a person, written as JSON."""

from __future__ import annotations

import json
from collections.abc import Generator
from typing import Any

from sfumato.documents.rules import Refused
from sfumato.documents.slot import Slot


def json_treated(source: str, place: str) -> Generator[Slot, None, str]:
    """Yield each string and number of the JSON in ``source``; return it with their edits. Raise Refused."""
    try:
        value = json.loads(source)
    except (ValueError, RecursionError):
        value = None
    if value is None:
        raise Refused(f"the data at {place} are not JSON; remove them, or drop the properties")
    new = yield from _treated(value, place, [0])
    return json.dumps(new, indent=1).replace("<", "\\u003c")


def _treated(value: Any, place: str, count: list[int]) -> Generator[Slot, None, Any]:
    if isinstance(value, dict):
        pairs = list[tuple[Any, Any]]()
        for key, each in value.items():
            name = key if key.startswith("@") else (yield from _treated(key, place, count))
            pairs.append((name, (yield from _treated(each, place, count))))
        return dict(pairs)
    if isinstance(value, list):
        members = []
        for each in value:
            members.append((yield from _treated(each, place, count)))
        return members
    if value is None or isinstance(value, bool):
        return value
    count[0] += 1
    slot = Slot(str(value), f"{place}, data {count[0]}")
    yield slot
    return value if slot.new == slot.text else slot.new
