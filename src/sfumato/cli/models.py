"""``sfumato models``: the language models that there are, and the public clip range of one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from rich.console import Console

from sfumato.abstract.options import Described, options_of
from sfumato.building.models import measured_range
from sfumato.building.option_groups import ModelOptions
from sfumato.cli import options as choices
from sfumato.cli.flags import Flags, command, read
from sfumato.cli.progress import progress_bar
from sfumato.errors import ConfigurationError, OutputError
from sfumato.models.clip_measurement import BEST, Rule
from sfumato.models.public_text import PublicText
from sfumato.storage import whole

FEW = 20  # sentences


def _of_models() -> list[tuple[str, Described]]:
    return [("", option) for option in options_of(ModelOptions)]


@dataclass(frozen=True)
class LoadedOptions:
    """Which language model is asked, and how it computes."""

    flags: Annotated[Mapping[str, Any], Flags(_of_models)] = field(default_factory=dict)

    def given(self) -> dict[str, Any]:
        """Return them as keyword arguments. Raises ConfigurationError."""
        known = {one.name: one for one in options_of(ModelOptions)}
        return {name: read(known[name], typed) for name, typed in self.flags.items()}


app = typer.Typer(
    help="Language models of dp-mlm, dp-prompt and dp-paraphrase: measure the range that scores are clipped to.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback()
def models() -> None:
    """Language models of dp-mlm, dp-prompt and dp-paraphrase: measure the range that scores are clipped to."""


@app.command()
@command
def calibrate(
    asked: LoadedOptions,
    text: Annotated[
        Path | None, typer.Option("--text", help="PUBLIC text, a sentence a line; without it the shipped sentences.")
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="JSON file for `--clip`.")] = None,
    mechanism: Annotated[
        str, typer.Option("--mechanism", "-m", help="dp-mlm, dp-prompt or dp-paraphrase: how the model is asked.")
    ] = "dp-mlm",
    rule: Annotated[
        str, typer.Option("--rule", help="best: what stood there is most likely; paper: mean + 4 deviations.")
    ] = BEST,
    as_json: choices.Json = False,
) -> None:
    """Measure a model's clip range on public text: what its scores are clipped to before anything is drawn.

    Never use private text here: the range stands in the statement.
    """
    if rule not in get_args(Rule):
        raise ConfigurationError(f"The rule for a clip range is best or paper, not {rule!r}.")
    public = None if text is None else PublicText.of(text)
    if public is not None and len(public.sentences) < FEW:
        typer.echo(f"{len(public.sentences)} sentences make a rough range; give {FEW} or more.", err=True)
    with progress_bar("Asking the model", as_json) as told:
        given = asked.given()
        name, found = measured_range(mechanism, **given, text=public, rule=rule, progress=told)  # type: ignore[arg-type]
    facts: dict[str, Any] = {"model": name, "lower": found.lower, "upper": found.upper, "source": found.source}
    if found.text is not None:
        facts["text"] = {"sha256": found.text[0], "bytes": found.text[1]}
    if output is not None:
        try:
            with whole(output) as file:
                file.write(f"{json.dumps(facts, indent=2)}\n".encode())
        except OSError as error:
            raise OutputError(f"{output} cannot be written ({error.strerror}); choose another place.") from None
    if as_json:
        typer.echo(json.dumps(facts, ensure_ascii=False))
        return
    console = Console(highlight=False)
    console.print(f"{facts['model']}: scores from {found.lower:g} to {found.upper:g}", markup=False)
    console.print(f"Source: {found.source}.", markup=False)
    console.print(f"Use it with: --clip {output or f'{found.lower:g},{found.upper:g}'}", markup=False)
