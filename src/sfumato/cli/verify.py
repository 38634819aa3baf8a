"""``sfumato verify``: whether a release is byte for byte what was signed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options as choices
from sfumato.cli.flags import command


@command
def verify(
    folder: Annotated[Path, typer.Argument(help="The folder NAME.release.")],
    key: Annotated[
        Path | None,
        typer.Option("--key", help="Public key of whoever signed, from them; else the one in the folder."),
    ] = None,
    as_json: choices.Json = False,
) -> None:
    """Check a release against its signature. Exit 0: nothing differs. Exit 1: says what does.

    Without --key it is not checked who signed, and that is said on standard error.
    """
    from sfumato.protection.verifying import verify as verified

    found = verified(folder, key)
    if as_json:
        facts = {"holds": found.holds, "differences": list(found.differences), "key": found.key}
        typer.echo(json.dumps({**facts, "signed_by": found.signed_by}, ensure_ascii=False))
    elif found.holds:
        files = 0 if found.envelope is None else len(found.envelope.digests) + 1
        typer.echo(f"{folder.name}: nothing differs from what was signed ({files} files, key {found.key[:16]}).")
    else:
        for difference in found.differences:
            typer.echo(f"{folder.name}: {difference}.")
    if not found.holds:
        raise SystemExit(1)
    if found.signed_by is None:
        typer.echo(
            "The files agree with the signed statement. WHO SIGNED WAS NOT CHECKED: the key lies in the folder, and "
            "anyone can put one there. Give the signer's public key with --key.",
            err=True,
        )
