"""``sfumato restore`` and ``sfumato key``: the way back from a release, for who has the map and its key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options as choices
from sfumato.cli.options import counted
from sfumato.cli.printing import named, printing, tell
from sfumato.release.restore import restore as restored
from sfumato.storage.keys import made_key


def restore(
    release: Annotated[Path, typer.Argument(help="The release, or with --pseudonyms any text made of it.")],
    output: Annotated[Path, typer.Option("--output", "-o", callback=named, help="Where the original goes.")],
    map_file: Annotated[Path, typer.Option("--map", help="The map that `sfumato sanitize --map` wrote.")],
    map_key: choices.MapKey = None,
    pseudonyms: Annotated[
        bool, typer.Option("--pseudonyms", help="Only put names back for pseudonyms, in a text that was edited.")
    ] = False,
    record: Annotated[
        str | None, typer.Option(help="--pseudonyms: id of the record that the text belongs to.")
    ] = None,
    force: choices.Force = False,
    as_json: choices.Json = False,
    quiet: choices.Quiet = False,
) -> None:
    """Give the original back, byte for byte, from a release and its encrypted map.

    A wrong key, or a map or a release that was changed, is refused, and nothing is written.
    """
    done = restored(release, map_file, output, map_key, pseudonyms=pseudonyms, record=record, overwrite=force)
    told, facts = "The original, byte for byte", {"output": str(output), "files": done.files}
    if names := done.names:
        told = f"{counted(names.known, 'pseudonym')} put back"
        if names.unknown:
            told += f", {names.unknown:,} left that the map does not know"
        if names.doubtful:
            told += f", {names.doubtful:,} left that may be one (such as PERSON 1 or PERSON_1s): look for them"
        facts = {"output": str(output), "pseudonyms": names.known, "unknown": names.unknown}
        facts["doubtful"] = names.doubtful
    with printing(output):
        tell(facts, [f"{told} -> {output} (private!)"], as_json, quiet)


def key(
    path: Annotated[Path, typer.Argument(callback=named, help="Where the key goes; it must not exist.")],
    as_json: choices.Json = False,
    quiet: choices.Quiet = False,
) -> None:
    """Make a secret key: 32 random bytes in a file that only its owner can read."""
    made_key(path)
    with printing(path):
        line = f"A new key -> {path} (keep it apart from what it protects)"
        tell({"output": str(path)}, [line], as_json, quiet)
