"""A public store of phrases by label: a user's file, the built-in families for what it does not hold."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from sfumato.abstract.vocabulary import SourceFile
from sfumato.errors import ConfigurationError
from sfumato.vocabularies.builtin import family, family_phrases
from sfumato.vocabularies.load import source_file

ANY = "ANY"


@dataclass(frozen=True, eq=False)
class PhraseStore:
    """``path`` is a JSON object of labels (or families, or "ANY") with a list of phrases each; None: built in.

    Labels that the file does not hold, by themselves or by their family, have the built-in family's phrases. Raises
    ConfigurationError for a file of another form.
    """

    path: Path | None = None
    _families: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    @cached_property
    def sources(self) -> tuple[SourceFile, ...]:
        """The file, which must be public."""
        return () if self.path is None else (source_file(self.path),)

    @property
    def described(self) -> str:
        """Where the phrases come from."""
        if self.path is None:
            return "built in"
        return f"{self.path.name} (sha256 {self.sources[0].sha256[:12]}), else built in"

    @cached_property
    def _listed(self) -> dict[str, tuple[str, ...]]:
        if self.path is None:
            return {}
        self.sources  # noqa: B018 (says what is wrong with a file that cannot be read)
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
            return {_plain(label): _checked(phrases) for label, phrases in dict(content).items()}
        except (ValueError, TypeError):
            raise ConfigurationError(
                f"{self.path.name} is no store of phrases; write a JSON object of labels with a list of phrases each."
            ) from None

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels that the file itself holds. Raises ConfigurationError as reading does."""
        return tuple(self._listed)

    def load(self) -> None:
        """Read the file, so that what is wrong with it is said now. Raises ConfigurationError."""
        self._listed  # noqa: B018

    def of(self, label: str) -> tuple[str, ...]:
        """The phrases that may stand in for a span with ``label``."""
        name = family(label)
        for key in (_plain(label), name, ANY):
            if key in self._listed:
                return self._listed[key]
        if name not in self._families:
            self._families[name] = family_phrases(name)
        return self._families[name]


def _plain(label: str) -> str:
    return label.strip().upper().replace("-", "_").replace(" ", "_")


def _checked(phrases: list[str]) -> tuple[str, ...]:
    """The phrases, each once, whatever its case; ValueError for anything else, and for an empty list."""
    if not isinstance(phrases, list) or not all(isinstance(one, str) for one in phrases):
        raise ValueError("no phrases")
    found = {one.casefold(): one.strip() for one in reversed(phrases) if one.strip()}
    if not found:
        raise ValueError("no phrases")
    return tuple(reversed(found.values()))
