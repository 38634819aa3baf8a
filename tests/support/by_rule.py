"""The detector ``identifiers`` by its rules alone, without its network."""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import Any

from sfumato.detectors.identifier_finder import IdentifierFinder
from sfumato.detectors.identifiers import Identifiers


class _Rules(IdentifierFinder):
    """Does not ask the network."""

    def _seen(self, documents: Any, batch: Any, codes: Any) -> list[Any]:
        return []


class ByRule(Identifiers):
    """Finds by rules alone."""

    @cached_property
    def _finder(self) -> IdentifierFinder:
        return _Rules(**{option.name: getattr(self, option.name) for option in fields(self)})
