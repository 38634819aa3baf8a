"""``sfumato models`` and ``sfumato provision``: models fetched ahead, and how the scores of one decide."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from sfumato.abstract.contextual import Scoring
from sfumato.building.models import RANK, LawName, measured
from sfumato.building.option_groups import ModelOptions
from sfumato.cli import options as choices
from sfumato.cli.commands import group
from sfumato.cli.flags import command
from sfumato.cli.printing import named, progress_bar, tell
from sfumato.cli.settings import Setting, settings, values_of
from sfumato.errors import ConfigurationError, OutputError
from sfumato.models.calibration import PublicText
from sfumato.models.clip_ranges import BEST, Rule
from sfumato.models.provisioning import fetched, installed
from sfumato.options.option import chosen, options_of
from sfumato.privacy.clipped_softmax import ClipRange
from sfumato.storage import whole

FEW = 20  # sentences


@dataclass(frozen=True)
class LoadedOptions:
    """Which language model is asked, and how it computes."""

    set: Setting = None

    def given(self) -> dict[str, Any]:
        """Return them as keyword arguments. Raises ConfigurationError."""
        return chosen("the model", values_of(settings(self.set), options_of(ModelOptions)), options_of(ModelOptions))


app = group("Language models of dp-mlm, dp-prompt and dp-paraphrase: measure how their scores decide.")


@app.command()
@command
def calibrate(
    asked: LoadedOptions,
    text: Annotated[
        Path | None, typer.Option(help="PUBLIC text, a sentence a line; without it the shipped sentences.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", callback=named, help="JSON file for `--set clip` or `--set gains`."),
    ] = None,
    mechanism: Annotated[
        str, typer.Option("--mechanism", "-m", help="dp-mlm, dp-prompt or dp-paraphrase: how the model is asked.")
    ] = "dp-mlm",
    law: Annotated[str, typer.Option(help="rank: what ranks are worth; softmax: a clip range.")] = RANK,
    rule: Annotated[
        str | None,
        typer.Option(
            help="With --law softmax: best (the default: the original word is most likely), or paper (mean to mean + "
            "4 deviations)."
        ),
    ] = None,
    as_json: choices.Json = False,
) -> None:
    """Measure a model on public text: what the ranks of its scores are worth, or the range they are clipped to.

    Never use private text here: the statement holds the text's hash, and a range if there is one.
    """
    if rule is not None and rule not in get_args(Rule):
        raise ConfigurationError(f"The rule for a clip range is best or paper, not {rule!r}.")
    if law not in get_args(LawName):
        raise ConfigurationError(f"The law of a draw is rank or softmax, not {law!r}.")
    if law == RANK and rule is not None:
        raise ConfigurationError("The law by rank has no rule; leave out --rule, or give --law softmax.")
    public = None if text is None else PublicText.of(text)
    if public is not None and len(public.sentences) < FEW:
        typer.echo(f"{len(public.sentences)} sentences make a rough range; give {FEW} or more.", err=True)
    with progress_bar("Asking the model", as_json) as told:
        given = asked.given()
        name, scoring = measured(mechanism, law, **given, text=public, rule=rule or BEST, progress=told)  # type: ignore[arg-type]
    facts: dict[str, Any] = {"model": name, "source": scoring.source}
    if isinstance(scoring, ClipRange):
        facts |= {"lower": scoring.lower, "upper": scoring.upper}
    else:
        facts |= {"firsts": list(scoring.firsts), "gains": list(scoring.gains)}
    if scoring.text is not None:
        facts["text"] = {"sha256": scoring.text[0], "bytes": scoring.text[1]}
    if output is not None:
        try:
            with whole(output) as file:
                file.write(f"{json.dumps(facts, indent=2)}\n".encode())
        except OSError as error:
            raise OutputError(f"{output} cannot be written ({error.strerror}); choose another place.") from None
    lines = [f"{name}: {_in_words(scoring)}", f"Source: {scoring.source}."]
    if isinstance(scoring, ClipRange):
        lines.append(f"Use it with: --set clip={output or f'{scoring.lower:g},{scoring.upper:g}'}")
    elif output is not None:
        lines.append(f"Use it with: --set gains={output}")
    tell(facts, lines, as_json)


def _in_words(scoring: Scoring) -> str:
    if isinstance(scoring, ClipRange):
        return f"scores from {scoring.lower:g} to {scoring.upper:g}"
    ranks = ", ".join(f"{scoring.best(epsilon):,} at epsilon {epsilon:g}" for epsilon in (4.0, 8.0, 12.0))
    return f"best number of first ranks: {ranks}"


def provision(
    models: Annotated[
        list[str] | None, typer.Argument(help="Hugging Face names, such as FacebookAI/roberta-base.")
    ] = None,
    revision: Annotated[str | None, typer.Option(help="Commit or tag to pin.")] = None,
    as_json: choices.Json = False,
) -> None:
    """Fetch models by name, or say which of the models that come as packages are there.

    The only command that uses the network. Weights are taken as safetensors only.
    """
    folders = {name: str(fetched(name, revision)) for name in models or []}
    found: dict[str, Any] = {"fetched": folders} if models else {"packages": installed()}
    lines = [f"{name}: {folder}" for name, folder in folders.items()]
    for wheel, facts in found.get("packages", {}).items():
        state = facts.get("version", f"missing; {facts.get('missing')}")
        lines.append(f"{wheel} {state} ({facts['for']})")
    tell(found, lines, as_json)
