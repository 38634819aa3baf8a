"""``sfumato polish``: a language model rewrites a release, and every ε stays as it is."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sfumato.building.chat import ChatChoice
from sfumato.cli import options as choices
from sfumato.cli.chat_options import EndpointOptions, told_first
from sfumato.cli.flags import command
from sfumato.cli.options import TextOptions, counted
from sfumato.cli.printing import named, printing, staged, tell
from sfumato.polishing.polish import polish as polished

SHOWN = "output chat_model field lines keep_field force as_json quiet"
"""The options that most runs need; the help lists these alone."""


@partial(command, shown=SHOWN)
def polish(
    release: Annotated[Path, typer.Argument(help="A release of words; its statement lies beside it.")],
    output: Annotated[Path, typer.Option("--output", "-o", callback=named, help="Where the polished release goes.")],
    chat: EndpointOptions,
    texts: TextOptions,
    keep_field: Annotated[list[str] | None, typer.Option(help="Only other field that is kept (repeatable).")] = None,
    force: choices.Force = False,
    as_json: choices.Json = False,
    quiet: choices.Quiet = False,
) -> None:
    """Rewrite a release with a language model that reads the release alone: every epsilon stays as it is.

    Without --chat-model each drawn word is chosen again, by its public law and the words around it.

    Beside OUTPUT stands OUTPUT.privacy.json: the statement of the release, with one more step.
    """
    model = None
    if chat.chat_model is None:
        chat.refuse("polish without --chat-model")
    else:
        model = chat.asked(ChatChoice(chat.chat_model, keep=False))
        told_first(model.notice(output))
    with staged(quiet or as_json) as stages:
        done = polished(
            release, output, chat_model=model, files=texts.files(None, keep_field), overwrite=force, progress=stages
        )
    with printing(done.output, done.statement_path):
        told = f"{done.changed:,} of {counted(done.texts, 'text')} polished -> {done.output}"
        stayed = [f"{counted(count, 'text')} stayed: the answer was {why}." for why, count in done.kept.items()]
        lines = [told, *stayed, str(done.statement["summary"]), f"Privacy statement: {done.statement_path}"]
        facts = {"output": str(done.output), "statement": str(done.statement_path), "texts": done.texts}
        facts |= {"changed": done.changed, "kept": dict(done.kept)}
        tell({**facts, "privacy": done.statement}, lines, as_json, quiet)
