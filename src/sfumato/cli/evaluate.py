"""``sfumato evaluate``: an original and a release in; what can still be inferred, and what is left of use, out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.building.chat import ChatChoice
from sfumato.cli import options as choices
from sfumato.cli.chat_options import ChatOptions, told_first
from sfumato.cli.flags import Flags, command, read
from sfumato.cli.printing import named, printing, staged
from sfumato.errors import ConfigurationError
from sfumato.evaluation.bench import Bench, estimate
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.studies.files import chat_studies, read_files, studies
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.options.option import options_of
from sfumato.report.evaluate import Evaluation, evaluate_plan


@dataclass(frozen=True)
class PlanOptions:
    """What is measured, and how, as it was typed."""

    flags: Annotated[Mapping[str, Any], Flags(Plan)] = field(default_factory=dict)
    votes: Annotated[int, typer.Option(help="How often a language model judges each claim.")] = ChatChoice.votes

    def plan(self, chat: ChatOptions) -> Plan:
        """Return the plan, with the language model that is named by ``chat``. Raises ConfigurationError."""
        known = {one.name: one for one in options_of(Plan)}
        given = {name: read(known[name], typed) for name, typed in self.flags.items()}
        asked = None
        if chat.chat_model is not None:
            asked = chat.choice("an evaluation", self.votes, given.get("seed", Plan.seed))
        return Plan(**given, chat=asked)


SHOWN = (
    "output attacks metrics id_field field labels tasks sample claims one_to_one held_out canaries unit_field "
    "chat_model dry_run show_text as_json quiet"
)
"""The options that the help lists; --help-all lists every one."""


@partial(command, shown=SHOWN)
def evaluate(
    original: Annotated[Path, typer.Argument(help="What was sanitized: .jsonl, .csv, .parquet, .txt, a folder.")],
    release: Annotated[Path, typer.Argument(help="The release, from any tool; the same kind.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", callback=named, help="Folder for results.json and report.html.")
    ],
    asked: PlanOptions,
    chat: ChatOptions,
    show_text: Annotated[bool, typer.Option("--show-text", help="Show records on the page (private then).")] = False,
    as_json: choices.Json = False,
    quiet: choices.Quiet = False,
) -> None:
    """Attack a release: are people re-identified, what is learned about them, what is the text still good for?

    OUTPUT/report.html opens without a network; results.json holds every figure with its interval. Neither holds text
    of a record. Finished studies are kept, so that a stopped run continues.
    """
    plan = asked.plan(chat)
    if chat.dry_run:
        _estimated(original, release, plan)
        return
    if plan.chat is not None:
        told_first(plan.chat.notice(output))
    with staged(quiet or as_json) as stages:
        results = evaluate_plan(
            plan, original, release, output, show_text, lambda name, share: stages(f"Measuring: {name}", share)
        )
    with printing(output / "results.json", output / "report.html"):
        if as_json:
            typer.echo(results.as_text())
        elif not quiet:
            _close(results, output)


def _estimated(original: Path, release: Path, plan: Plan) -> None:
    """What the language model would be asked."""
    if plan.chat is None:
        raise ConfigurationError("Only a language model costs anything; name one with --chat-model.")
    few, encoder = chat_studies(plan), SentenceEncoder(plan.encoder)
    spent = estimate(lambda chat: studies(Bench(few, encoder, chat)), read_files(original, release, plan))
    typer.echo(spent.sentence(plan.chat.price))


def _close(results: Evaluation, output: Path) -> None:
    for line in (*(f"* {line}" for line in results.headline), *results.skipped_lines):
        typer.echo(line)
    count = sum(len(study.figures) for study in results.studies)
    typer.echo(
        f"Open {output / 'report.html'} in a browser; all {count} figures are in {output / 'results.json'}, "
        "with their intervals."
    )
