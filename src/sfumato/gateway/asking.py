"""What a request of the server's own doors may hold: known keys, each of the type that it needs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from sfumato.gateway.slots import RefusedError

STRING, NUMBER, WHOLE, TRUTH, LIST, OBJECT = "text", "number", "whole number", "true or false", "list", "object"
_TYPES: Mapping[str, Any] = {
    STRING: str, NUMBER: (int, float), WHOLE: int, TRUTH: bool, LIST: list, OBJECT: dict
}  # fmt: skip
_NEEDED = object()


class Telling(Protocol):
    """Tells errors as the clients of a door read them."""

    def error(self, kind: str, message: str) -> dict[str, Any]:
        """Return the body of an error of a ``kind``."""


class Plain:
    """Tells an error as an object with one sentence, as Presidio does."""

    def error(self, kind: str, message: str) -> dict[str, Any]:
        """Return the body of an error."""
        return {"error": message}


@dataclass(frozen=True)
class Asked:
    """The ``body`` of a request, or an object in it at ``place``, with these ``keys`` and no others."""

    body: Mapping[str, Any] = field(repr=False)
    keys: str
    place: str = "The body"

    def __post_init__(self) -> None:
        if not isinstance(self.body, dict):
            raise RefusedError(f"{self.place} is not an object.")
        known = self.keys.split()
        if strange := len(self.body.keys() - set(known)):
            raise RefusedError(
                f"{self.place} has {strange} keys that the server does not know; it takes {', '.join(known)}."
            )

    def of(self, key: str, kind: str, usual: Any = _NEEDED) -> Any:
        """Return the value of a ``kind`` at ``key``, or ``usual`` if there is none. Raise RefusedError."""
        value = self.body.get(key)
        if value is None:
            if usual is _NEEDED:
                raise RefusedError(f"{self.place} lacks {key}, a {kind}.")
            return usual
        is_truth = isinstance(value, bool)
        if not isinstance(value, _TYPES[kind]) or (is_truth and kind != TRUTH):
            raise RefusedError(f"{key} is not a {kind}.")
        if isinstance(value, float) and not math.isfinite(value):
            raise RefusedError(f"{key} is not a {kind}.")
        return value

    def strings(self, key: str) -> list[str]:
        """Return the list of texts at ``key``, empty if it is absent. Raise RefusedError."""
        values: list[str] = self.of(key, LIST, [])
        if not all(isinstance(value, str) for value in values):
            raise RefusedError(f"{key} is not a list of texts.")
        return values
