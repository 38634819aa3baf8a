"""Strict reading of what a chat model answers: it is what was asked for, or ValueError; nothing is guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_FENCE = re.compile(r"^\s*```(?:json)?\s*\n(.*?)\n\s*```\s*$", re.DOTALL)
_WHOLE = re.compile(r"\s*([0-9]{1,9})\.?\s*")


def json_object(text: str) -> Mapping[str, Any]:
    """The one JSON object that ``text`` is, in a code fence or not. Raises ValueError for anything else."""
    fenced = _FENCE.match(text)
    try:
        found = json.loads(fenced[1] if fenced else text, object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("too deep") from None
    if not isinstance(found, dict):
        raise ValueError("not an object")
    return found


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys stand there once: of two values none is the one that was meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands there twice")
    return found


def whole_number(text: str, least: int, most: int) -> int:
    """The whole number that ``text`` is, and nothing else, from ``least`` to ``most``. Raises ValueError."""
    found = _WHOLE.fullmatch(text)
    if found is None or not least <= int(found[1]) <= most:
        raise ValueError("no such number")
    return int(found[1])
