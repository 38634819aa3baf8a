"""What ``sfumato sanitize`` needs for methods without a guarantee: operators, keys and the map back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.errors import ConfigurationError
from sfumato.release.companions import map_beside
from sfumato.release.options import Companion
from sfumato.storage.sealing import secret_of

RUN_KEY = "SFUMATO_KEY"

Operators = Annotated[
    list[str] | None,
    typer.Option(
        "--operator",
        help="redaction: label, mask, pseudonym, surrogate, generalise, hash or keep, or LABEL=one (repeatable).",
    ),
]
ScopeName = Annotated[
    str | None, typer.Option("--scope", help="redaction: the same name is replaced alike in a document, or in a run.")
]
Key = Annotated[
    Path | None, typer.Option("--key", help=f"redaction: secret key FILE for hashes and --scope run (or {RUN_KEY}).")
]
MapFile = Annotated[
    Path | None, typer.Option("--map", help="redaction: write an encrypted map for `sfumato restore` to FILE.")
]
MapKey = Annotated[
    Path | None, typer.Option("--map-key", help="Secret key FILE of the map (or SFUMATO_MAP_KEY, hexadecimal).")
]
DetectOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--detect-option", help="Option of the detector as NAME=VALUE, e.g. threshold=0.6, language=de (repeatable)."
    ),
]


def redaction_options(
    operators: Sequence[str] | None, scope: str | None, key: Path | None, shifted: bool = False
) -> dict[str, Any]:
    """Keyword arguments for a redaction; a key is looked for where one is needed, for ``shifted`` dates as well."""
    found: dict[str, Any] = {"scope": scope}
    by_label: dict[str, str] = {}
    for given in operators or []:
        label, equals, operator = given.partition("=")
        if not equals:
            label, operator = "", given
        if (by_label if equals else found).setdefault(label if equals else "operator", operator) != operator:
            raise ConfigurationError(f"--operator gives two operators for {label or 'all labels'}; keep one.")
    chosen = {*by_label.values(), found.get("operator")}
    if key is not None or scope == "run" or "hash" in chosen or shifted:
        found["key"] = secret_of(key, RUN_KEY, "--key")
    return {**found, "operators": by_label or None}


def for_method(
    method: str,
    operators: Sequence[str] | None,
    scope: str | None,
    key: Path | None,
    map_file: Path | None,
    map_key: Path | None,
    more: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Keyword arguments for ``method``; ConfigurationError for an option that belongs to redaction alone.

    ``more`` are its other options, as NAME=VALUE.
    """
    if method.lower() == "redaction":
        return redaction_options(operators, scope, key, any(one.startswith("shift=") for one in more or []))
    given = {"operator": operators, "scope": scope, "key": key, "map": map_file, "map-key": map_key}
    for name, value in given.items():
        if value is not None:
            raise ConfigurationError(f"--{name} belongs to -m redaction, not to {method}; leave it out.")
    return {}


def map_writer(
    path: Path | None, key: Path | None, input: Path, output: Path, replace: bool
) -> Callable[[Sanitizer], Companion] | None:
    """Return what writes the map beside the release of an editor; whatever would stop it is said now."""
    if path is None:
        if key is not None:
            raise ConfigurationError("--map-key is the key of a map; say with --map FILE where it goes.")
        return None
    return map_beside(path, key, input, output, replace)
