"""What a run may write beside its release: the encrypted map back, and what a language model found."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from sfumato.abstract.asking import ChatUse
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.errors import ConfigurationError, OutputError
from sfumato.files import Parts
from sfumato.release.map import check_map, write_map
from sfumato.release.options import Companion
from sfumato.storage import Place
from sfumato.storage.keys import secret_of
from sfumato.storage.sealing import check_sealing


def map_beside(
    path: Path, key: Path | bytes | None, input: Path, output: Path, replace: bool
) -> Callable[[Sanitizer], Companion]:
    """Return what writes the map beside the release of a sanitizer. Whatever would stop it is raised now.

    Raises ConfigurationError for a missing key, OutputError for a place that must not be written. What it returns
    raises ConfigurationError for a sanitizer of whose releases no map can be made.
    """
    if isinstance(key, Path) and key.resolve() == path.resolve():
        raise ConfigurationError("--map would replace the key that it is sealed with; choose another place for it.")
    secret = secret_of(key)
    check_sealing()
    check_map(path, input, output, replace)

    def companion(sanitizer: Sanitizer) -> Companion:
        if not sanitizer.makes_map:
            raise ConfigurationError(
                f"A map (--map) belongs to redaction, not to {sanitizer.implementation.__name__}; leave it out."
            )
        if sanitizer.chat is not None and not sanitizer.chat.keeps:
            raise ConfigurationError(
                "A map (--map) asks the language model a second time, which may answer otherwise; keep its answers "
                "(leave out --no-cache)."
            )
        return Companion(
            Place(path), lambda ready, release, _, source: write_map(sanitizer, source, release, ready, secret)
        )

    return companion


def rounds_place(output: Path, named: Path | None = None) -> Path:
    """Return where it is noted what a language model found: the place that was ``named``, or beside ``output``."""
    return named or output.with_name(f"{output.name}.rounds.jsonl")


def check_rounds(path: Path, input: Path, output: Path, replace: bool, beside: Sequence[Path] = ()) -> None:
    """Refuse a place for the rounds that would destroy the input, the output, or what is ``beside`` them."""
    if not path.parent.is_dir():
        raise OutputError(f"The folder of the rounds {path.name} does not exist; create it first.")
    parts = Parts(output, "", "")
    taken = {one.resolve() for one in (input, *(place.path for place in parts.places), *beside)}
    within = path.resolve().parents
    if path.resolve() in taken or input.resolve() in within or output.resolve() in within or path.is_dir():
        raise OutputError("The rounds must be a file apart from the input and the output; choose another place.")
    if os.path.lexists(path) and not replace:
        raise OutputError(f"{path.name} exists; choose another place with --rounds, or replace it (--force).")


def rounds_beside(use: ChatUse) -> list[Companion]:
    """Return what gives the rounds their name together with the release."""
    journal = use.journal
    if journal.path is None:
        return []
    return [Companion(Place(journal.path), lambda *_: journal.finish())]
