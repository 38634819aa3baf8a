"""What ``sfumato sanitize`` needs for the way back: an encrypted map of pseudonyms and originals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from sfumato import registry
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

    def check(self, method: str, asks: bool, no_cache: bool) -> None:
        """Refuse a map of a release that none can be made of, or that would not be the same one."""
        if not registry.method_class(method).makes_map:
            for flag, value in (("--map", self.map_file), ("--map-key", self.map_key)):
                if value is not None:
                    able = [name for name in registry.METHODS if registry.method_class(name).makes_map]
                    raise ConfigurationError(f"{flag} belongs to {', '.join(able)}, not to {method}; leave it out.")
        if asks and no_cache and self.map_file is not None:
            raise ConfigurationError(
                "--map asks the language model a second time, which may answer otherwise; leave out --no-cache."
            )


def map_writer(
    path: Path | None, key: Path | None, input: Path, output: Path, replace: bool
) -> Callable[[Sanitizer], Companion] | None:
    """Return what writes the map beside the release of an editor; whatever would stop it is said now."""
    if path is None:
        if key is not None:
            raise ConfigurationError("--map-key is the key of a map; say with --map FILE where it goes.")
        return None
    return map_beside(path, key, input, output, replace)
