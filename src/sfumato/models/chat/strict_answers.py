"""Strict reading of a chat model's answers: the requested form, or ValueError. Nothing is guessed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_FENCE = re.compile(r"^\s*```(?:json)?\s*\n(.*?)\n\s*```\s*$", re.DOTALL)
_WHOLE = re.compile(r"\s*([0-9]{1,9})\.?\s*")


def json_object(text: str) -> Mapping[str, Any]:
    """Return the one JSON object in ``text``, in a code fence or not. Raise ValueError for anything else."""
    fenced = _FENCE.match(text)
    try:
        value = json.loads(fenced[1] if fenced else text, object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("too deep") from None
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose keys appear once. If a key has two values, neither can be trusted."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key appears twice")
    return value


def whole_number(text: str, least: int, most: int) -> int:
    """Return the whole number from ``least`` to ``most`` that is all of ``text``.

    Raise ValueError for anything else.
    """
    match = _WHOLE.fullmatch(text)
    if match is None or not least <= int(match[1]) <= most:
        raise ValueError("no such number")
    return int(match[1])
