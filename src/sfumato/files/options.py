"""How a file is to be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sfumato.errors import ConfigurationError

OnError = Literal["stop", "quarantine"]
Quoting = Literal["csv", "none"]


def no_field_to_keep(name: str) -> ConfigurationError:
    """The error for a field that is to stay and is not there."""
    return ConfigurationError(f"There is no field {name!r} to keep; look at how its name is written.")


@dataclass(frozen=True, slots=True)
class FileOptions:
    """How a file is to be read.

    ``fields`` are the text fields of a record. ``id_field`` names the field with the record's id (without
    it, the id is the record's 0-based place; in a folder the relative path). ``spans_field`` names the
    field with given spans; in the output it holds the released spans instead. ``keep`` names the other fields
    that the output holds; without it they all stay. ``labels`` are fields that are
    read along where the file has them, for an evaluation or a method. ``lines`` makes every line of
    a .txt one document. ``quoting`` says whether quotation marks around a cell are syntax ("csv") or text
    ("none"); without it they are syntax in .csv and text in .tsv. ``on_error`` says whether a bad record
    stops the run or is set aside. A chunk ends at ``chunk_records`` records or ``chunk_characters``
    characters of text, whichever is first. ``adjustable`` says whether these options are the user's to choose,
    so that errors may advise another one.
    """

    fields: tuple[str, ...] = ("text",)
    id_field: str | None = None
    spans_field: str | None = None
    lines: bool = False
    quoting: Quoting | None = None
    on_error: OnError = "stop"
    chunk_records: int = 20_000
    chunk_characters: int = 1_000_000
    labels: tuple[str, ...] = ()
    keep: tuple[str, ...] | None = None
    adjustable: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.fields, str) or not self.fields:
            raise ConfigurationError('fields must be a tuple of one or more names, for example ("text",).')
        if isinstance(self.keep, str):
            raise ConfigurationError("The fields to keep must be a tuple of names, or None for all.")
        named = [*self.fields, *(name for name in (self.id_field, self.spans_field) if name is not None)]
        if len(set(named)) < len(named):
            raise ConfigurationError(
                "The text fields, the id field and the spans field must be different fields; name each once."
            )
        if self.spans_field is not None and len(self.fields) > 1:
            raise ConfigurationError("A spans field belongs to one text field; sanitize the fields one by one.")
        if len(self.fields) > 1 and any("/" in name for name in self.fields):
            raise ConfigurationError(
                "Several text fields need names without '/', which joins them to the record's id."
            )
        if self.on_error not in ("stop", "quarantine"):
            raise ConfigurationError(f'on_error must be "stop" or "quarantine", not {self.on_error!r}.')
        if self.quoting not in (None, "csv", "none"):
            raise ConfigurationError(f'quoting must be "csv" or "none", not {self.quoting!r}.')
        if self.chunk_records < 1 or self.chunk_characters < 1:
            raise ConfigurationError("A chunk must hold at least one record and one character.")

    @property
    def needed(self) -> tuple[str, ...]:
        """Every field that a record must have."""
        return (*self.fields, *(name for name in (self.id_field, self.spans_field) if name is not None))

    def reading(self, names: Sequence[str]) -> FileOptions:
        """The same where the fields ``names`` are read along as well."""
        return replace(self, labels=tuple(dict.fromkeys((*self.labels, *names))))

    def stays(self, name: str) -> bool:
        """Whether the output holds the field ``name``."""
        return self.keep is None or name in self.keep or name in self.needed

    def places(self, names: Sequence[str]) -> tuple[int, ...]:
        """Where among the ``names`` of columns those are that the output holds."""
        return tuple(place for place, name in enumerate(names) if self.stays(name))

    @property
    def others_kept(self) -> tuple[str, ...] | None:
        """The fields that stay beside those that are needed; None where all do."""
        return (
            None if self.keep is None else tuple(dict.fromkeys(name for name in self.keep if name not in self.needed))
        )

    def must_have(self, names: Sequence[str]) -> None:
        """Refuse a field to keep that is not among the ``names`` of the fields there are: nobody would miss it."""
        for name in self.keep or ():
            if name not in names:
                raise no_field_to_keep(name)
