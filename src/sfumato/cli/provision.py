"""``sfumato provision``: fetch models ahead, so that nothing is fetched at run time."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console

from sfumato.cli import options as choices
from sfumato.models.provisioning import fetched, installed


def provision(
    models: Annotated[
        list[str] | None, typer.Argument(help="Hugging Face names, such as FacebookAI/roberta-base.")
    ] = None,
    revision: Annotated[str | None, typer.Option("--revision", help="Commit or tag to pin.")] = None,
    as_json: choices.Json = False,
) -> None:
    """Fetch models by name, or say which of the models that come as packages are there.

    The only command that uses the network. Weights are taken as safetensors only.
    """
    folders = {name: str(fetched(name, revision)) for name in models or []}
    found: dict[str, Any] = {"fetched": folders} if models else {"packages": installed()}
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
        return
    console = Console(highlight=False, soft_wrap=True)
    for name, folder in folders.items():
        console.print(f"{name}: {folder}", markup=False)
    for wheel, facts in found.get("packages", {}).items():
        state = facts.get("version", f"missing; {facts.get('missing')}")
        console.print(f"{wheel} {state} ({facts['for']})", markup=False)
