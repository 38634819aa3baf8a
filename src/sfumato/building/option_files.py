"""The public files that the options of a method name: a private input among them is refused before it is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

FILES = ("vocabulary", "clusters", "clip", "model", "encoder", "phrases", "allow", "deny")
"""Options of a method that may name files."""

RECOGNIZERS = "recognizers"
"""The option of a detector that names a file."""


def option_files(options: Mapping[str, Any]) -> list[Path]:
    """Return the files and folders that ``options`` name: vocabularies, phrases, models. All are public."""
    detecting = options.get("detect_options")
    named = [options[key] for key in FILES if key in options]
    named += [detecting[RECOGNIZERS]] if isinstance(detecting, Mapping) and RECOGNIZERS in detecting else []
    found = [Path(name) for value in named for name in _names(value) if Path(name).exists()]
    beside = [path.with_suffix(".txt") for path in found if path.suffix.lower() in (".npy", ".safetensors")]
    return [*found, *(path for path in beside if path.exists())]


def _names(value: Any) -> Iterator[str | Path]:
    """Yield what may be the name of a file: one, several, or one for each label."""
    if isinstance(value, str | Path):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _names(one)
