"""The short sections of a policy: fields of a record, randomness, and what happens after the draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from sfumato.abstract.options import Option
from sfumato.errors import ConfigurationError


@dataclass(frozen=True)
class Fields:
    """Which fields of a record are what. Raises ConfigurationError if a field has two parts to play."""

    text: Annotated[tuple[str, ...], Option("fields with the texts")] = ("text",)
    id: Annotated[str | None, Option("field with the record's id")] = None
    subject: Annotated[str | None, Option("field that says whom a record is about; else it is about itself")] = None
    keep: Annotated[tuple[str, ...] | None, Option("other fields that stay; none is named: all stay")] = None

    def __post_init__(self) -> None:
        if not self.text:
            raise ConfigurationError("text names at least one field.")
        kept = self.keep or ()
        if len({*self.text, *kept}) < len(self.text) + len(kept):
            raise ConfigurationError("A field is named twice; a text is replaced or kept, and not both.")


@dataclass(frozen=True)
class Randomness:
    """Where random numbers come from."""

    pin: Annotated[str | None, Option("file with a secret key; else the operating system's randomness")] = None


@dataclass(frozen=True)
class Mending:
    """What happens after the draws, from the released text alone."""

    repair: Annotated[bool, Option("mend articles, capitals and spaces at the edges of replacements")] = True
