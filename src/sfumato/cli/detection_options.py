"""Options of commands that look for spans: which detectors, with what, in which texts of which files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato import registry
from sfumato.abstract.options import Described, options_of
from sfumato.building import detectors
from sfumato.building.option_groups import DetectionOptions
from sfumato.cli.flags import Flags, named_values, read
from sfumato.files import FileOptions


def _of_detection() -> list[tuple[str, Described]]:
    return [("", option) for option in options_of(DetectionOptions)]


@dataclass(frozen=True)
class FoundOptions:
    """Detectors and their options as they were typed."""

    flags: Annotated[Mapping[str, Any], Flags(_of_detection)] = field(default_factory=dict)

    def names(self, usual: str) -> tuple[str, ...]:
        """Return the names of the detectors; ``usual`` is the one where none is named. Raises ConfigurationError."""
        return detectors.detector_names(self.flags.get("detect") or usual)

    def files(self, usual: str) -> list[Path]:
        """Return the files that the detectors are read from."""
        lists = (self.flags.get("allow") or (), self.flags.get("deny") or ())
        return detectors.detector_files(self.names(usual), *lists)

    def given(self, usual: str) -> dict[str, Any]:
        """Return keyword arguments for :func:`sfumato.build`. Raises ConfigurationError for what is no value."""
        names = self.names(usual)
        plain = {one.name: one for one in options_of(DetectionOptions)}
        found = {name: read(plain[name], typed) for name, typed in self.flags.items() if name != "detect_options"}
        own = {one.name: one for name in names for one in options_of(registry.detector_class(name))}
        options = named_values(self.flags.get("detect_options"), "--detect-option")
        typed = {name: read(own[name], text) if name in own else text for name, text in options.items()}
        return {**found, "detect": names, **({"detect_options": typed} if typed else {})}

    @property
    def spans_field(self) -> str | None:
        """Return the field of given spans as it was typed; None: the field that the detector reads, if any."""
        return self.flags.get("spans_field")


@dataclass(frozen=True)
class TextOptions:
    """Where the texts of a file are, and how it is read."""

    field: Annotated[
        list[str] | None,
        typer.Option(
            "--field", help="Text field of a record (repeatable); in .jsonl also patient.note or messages[].content."
        ),
    ] = None
    id_field: Annotated[str | None, typer.Option("--id-field", help="Field with the record's id.")] = None
    lines: Annotated[bool, typer.Option("--lines", help="In .txt, each line is a document.")] = False
    quoting: Annotated[
        str | None, typer.Option("--quoting", help="Quotation marks in .csv/.tsv cells: csv (syntax) or none (text).")
    ] = None
    encoding: Annotated[
        str, typer.Option("--encoding", help="Encoding of the input, unless Parquet; the output is UTF-8.")
    ] = "utf-8"
    missing: Annotated[
        str, typer.Option("--missing", help="A .jsonl record without a text field: stop, or pass it on as it is.")
    ] = "stop"

    def name_fields(self, read_as: FileOptions) -> bool:
        """Return whether fields of records were named, here or elsewhere in what a file is ``read_as``."""
        return bool(self.field) or read_as.of_records

    @property
    def typed(self) -> dict[str, Any]:
        """Return fields of `FileOptions`; None: not named, so that a policy may say it."""
        return {
            "fields": tuple(self.field) if self.field else None,
            "id_field": self.id_field,
            "lines": self.lines,
            "quoting": self.quoting,
            "missing": self.missing,
            "encoding": self.encoding,
        }

    def files(
        self, spans_field: str | None, keep: Sequence[str] | None = None, on_error: str = "stop",
        adjustable: bool = True,
    ) -> FileOptions:  # fmt: skip
        """Return what the readers take; ``spans_field`` holds given spans, ``keep`` are other fields that stay."""
        typed = {name: value for name, value in self.typed.items() if value is not None}
        return FileOptions(
            **typed,
            spans_field=spans_field,
            on_error=on_error,  # type: ignore[arg-type]
            keep=None if keep is None else tuple(keep),
            adjustable=adjustable,
        )
