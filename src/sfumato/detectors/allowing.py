"""Texts that are left unchanged on purpose: a list of words, phrases and patterns that are never marked."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sfumato.detectors.rules import Listed, Rule
from sfumato.errors import InputError

ANY = "ANY"
"""The label of an entry without its own: the entry is allowed with every label."""


@dataclass(frozen=True)
class Allowed:
    """The entries of a list, in the form that ``list:FILE`` takes.

    A text is allowed if all of it is an entry, in any case and with any white space between its words. A detector's
    list ignores punctuation and more, as a miss would leak; here a match too many would leak, so nothing else is
    ignored. ``LABEL<TAB>phrase``, or a pattern behind a label, is allowed only if it was marked with that label.
    """

    rules: tuple[Rule, ...] = field(repr=False)
    name: str = "a list"
    timeout: float = 5.0

    @classmethod
    def from_file(cls, path: str | Path) -> Allowed:
        """Read the list at ``path``. Raise InputError or ConfigurationError, without its content."""
        listed = Listed.from_file(path, ANY)
        return cls(listed.rules, listed.name, listed.timeout)

    @property
    def description(self) -> str:
        """Return what is allowed, for the statement: the file, never its content."""
        return f"{Path(self.name).name} ({len(self.rules)} entries)"

    def allows(self, text: str, label: str) -> bool:
        """Return whether ``text``, marked with ``label``, is allowed. Raise InputError if a pattern is too slow."""
        return not self._phrases.isdisjoint({(ANY, _folded(text)), (label, _folded(text))}) or any(
            self._matches(rule, text)
            for rule in self.rules
            if rule.pattern is not None and rule.label in (ANY, label)
        )

    @cached_property
    def _phrases(self) -> frozenset[tuple[str, str]]:
        return frozenset((rule.label, _folded(rule.source)) for rule in self.rules if rule.pattern is None)

    def _matches(self, rule: Rule, text: str) -> bool:
        pattern: Any = rule.pattern
        try:
            return pattern.fullmatch(text, timeout=self.timeout) is not None
        except TimeoutError:
            pass
        raise InputError(
            f"the regular expression at {rule.place} took more than {self.timeout:g} seconds; simplify it."
        )


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
