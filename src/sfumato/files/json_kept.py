"""Refuse a field to keep that no record of any file has: its name is misspelt, and its loss would go unnoticed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sfumato.files import json_paths
from sfumato.files.json_paths import Steps
from sfumato.files.json_text import scan_object
from sfumato.files.options import FileOptions, no_field_to_keep
from sfumato.files.reading import InputFile
from sfumato.files.source import RecordError, usual_or_near


def check_kept(paths: Iterable[Path], options: FileOptions) -> None:
    """Raise ConfigurationError for a field to keep that no record of the files at ``paths`` has.

    Reads until every one was seen, which is the first record if it has them all. The error lists the keys that every
    record has.
    """
    left = {name: json_paths.parsed(name) for name in options.others_kept or ()}
    every: set[str] | None = None
    records = 0
    for path in paths if left else ():
        with InputFile(path, options.encoding) as file:
            for line in file.lines():
                record = _record(line)
                if record is None:
                    continue
                records += 1
                every = set(record) if every is None else every & record.keys()
                left = {name: steps for name, steps in left.items() if not _leads(record, steps)}
                if not left:
                    return
    if every is not None:
        for name in left:
            raise no_field_to_keep(name, every if records > 1 else set(usual_or_near(name, list(every))))


def _record(line: bytes) -> dict[str, Any] | None:
    """Return the record on ``line``; None if there is none that can be read."""
    try:
        return None if line.isspace() else scan_object(line.decode(), frozenset())[0]
    except (UnicodeDecodeError, RecordError):
        return None


def _leads(value: Any, steps: Steps) -> bool:
    """Return whether ``steps`` lead from ``value`` to something, or to a null on the way."""
    if not steps or value is None:
        return True
    key, rest = steps[0], steps[1:]
    if key is None:
        return isinstance(value, list) and any(_leads(element, rest) for element in value)
    return isinstance(value, dict) and key in value and _leads(value[key], rest)
