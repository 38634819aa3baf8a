"""A public store of phrases by label: a user's file, and the built-in families for labels that it lacks."""

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
    """A store in ``path``, a JSON object of labels (or families, or "ANY") with lists of phrases; None: built in.

    If the file holds neither a label nor its family, the phrases of the built-in family are used. Raises
    ConfigurationError for a file of another form.
    """

    path: Path | None = None
    _families: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    @cached_property
    def sources(self) -> tuple[SourceFile, ...]:
        """Return the file, which must be public."""
        return () if self.path is None else (source_file(self.path),)

    @property
    def described(self) -> str:
        """Return where the phrases come from."""
        if self.path is None:
            return "built in"
        return f"{self.path.name} (sha256 {self.sources[0].sha256[:12]}), else built in"

    @cached_property
    def _listed(self) -> dict[str, tuple[str, ...]]:
        if self.path is None:
            return {}
        self.sources  # noqa: B018 (reports a file that cannot be read)
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
            return {_plain(label): _checked(phrases) for label, phrases in dict(content).items()}
        except (ValueError, TypeError):
            raise ConfigurationError(
                f"{self.path.name} is not a store of phrases; write a JSON object of labels with a list of phrases "
                "each."
            ) from None

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels that the file itself holds. Raise ConfigurationError as reading does."""
        return tuple(self._listed)

    def load(self) -> None:
        """Read the file now, so that its errors are reported now. Raise ConfigurationError."""
        self._listed  # noqa: B018

    def of(self, label: str) -> tuple[str, ...]:
        """Return the phrases that may replace a span with ``label``."""
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
    """Return the phrases, each once in any case. Raise ValueError for anything else, and for an empty list."""
    if not isinstance(phrases, list) or not all(isinstance(phrase, str) for phrase in phrases):
        raise ValueError("no phrases")
    distinct = {phrase.casefold(): phrase.strip() for phrase in reversed(phrases) if phrase.strip()}
    if not distinct:
        raise ValueError("no phrases")
    return tuple(reversed(distinct.values()))
