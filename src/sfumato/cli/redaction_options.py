"""What ``sfumato sanitize`` needs for the way back: an encrypted map of pseudonyms and originals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.errors import ConfigurationError
from sfumato.release.companions import map_beside
from sfumato.release.options import Companion

MapKey = Annotated[
    Path | None, typer.Option("--map-key", help="Secret key FILE of the map (or SFUMATO_MAP_KEY, hexadecimal).")
]


@dataclass(frozen=True)
class MapOptions:
    """Where the map goes, and the key that seals it."""

    map_file: Annotated[
        Path | None,
        typer.Option("--map", help="redaction: write an encrypted map for `sfumato restore` to FILE."),
    ] = None
    map_key: MapKey = None


def map_writer(
    path: Path | None, key: Path | None, input: Path, output: Path, replace: bool
) -> Callable[[Sanitizer], Companion] | None:
    """Return what writes the map beside the release of an editor; whatever would stop it is said now."""
    if path is None:
        if key is not None:
            raise ConfigurationError("--map-key is the key of a map; say with --map FILE where it goes.")
        return None
    return map_beside(path, key, input, output, replace)
