"""Presidio's patterns, tried only where a text can begin to match them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import regex
from presidio_analyzer import PatternRecognizer

from sfumato.detectors.anchored import MOST, group_of, matches_at


class SharedPlaces(threading.local):
    """Where each of the patterns of all recognisers may begin in the text that this thread reads."""

    def __init__(self, patterns: tuple[Any, ...]) -> None:
        self._groups = [patterns[first : first + MOST] for first in range(0, len(patterns), MOST)]
        self._text: str | None = None
        self._places: list[list[int] | None] = []

    @contextmanager
    def reading(self, text: str) -> Iterator[None]:
        """Look for places in ``text``, and forget them after the block."""
        self._places = [places for group in self._groups for places in group_of(group).places(text)]
        self._text = text
        try:
            yield
        finally:
            self._text, self._places = None, []

    def of(self, number: int, text: str) -> list[int] | None:
        """Return where the pattern ``number`` may begin; None for anywhere."""
        return self._places[number] if text is self._text else None


@dataclass(frozen=True, eq=False)
class _Anchored:
    """Stands in for a compiled pattern, of which Presidio uses ``finditer`` alone."""

    pattern: Any
    number: int
    shared: SharedPlaces

    def finditer(self, text: str, timeout: float) -> Iterator[Any]:
        """Return what the pattern's own method returns."""
        places = self.shared.of(self.number, text)
        return self.pattern.finditer(text, timeout=timeout) if places is None else self._at(text, places, timeout)

    def _at(self, text: str, places: list[int], timeout: float) -> Iterator[Any]:
        return matches_at(self.pattern, text, places, timeout)


def anchor(recognizers: list[Any]) -> SharedPlaces:
    """Make the pattern recognisers among ``recognizers`` try their patterns only where these may begin."""
    mine: list[Any] = [recognizer for recognizer in recognizers if isinstance(recognizer, PatternRecognizer)]
    pairs = [(pattern, recognizer.global_regex_flags) for recognizer in mine for pattern in recognizer.patterns]
    every = tuple(regex.compile(pattern.regex, flags) for pattern, flags in pairs)
    shared = SharedPlaces(every)
    for number, ((pattern, flags), compiled) in enumerate(zip(pairs, every, strict=True)):
        pattern.compiled_with_flags, pattern.compiled_regex = flags, _Anchored(compiled, number, shared)
    return shared
