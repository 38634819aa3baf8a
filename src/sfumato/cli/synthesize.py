"""``sfumato synthesize``: new records in the manner of private ones, guaranteed for a whole record or person."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.abstract.synthesizer import Synthesizer
from sfumato.building.chat import ChatChoice
from sfumato.building.synthesizers import build_synthesizer, public_files, synthesis_options
from sfumato.cli import options as choices
from sfumato.cli import signals
from sfumato.cli.chat_options import EndpointOptions
from sfumato.cli.flags import command
from sfumato.cli.options import TextOptions
from sfumato.cli.printing import named, printing, staged, tell
from sfumato.cli.settings import Setting, of_method, settings, values_of
from sfumato.errors import ConfigurationError
from sfumato.privacy.randomness import Randomness, SystemRandomness
from sfumato.release.job import RunOptions
from sfumato.run.synthesize_file import check_budget, synthesized
from sfumato.synthesis.codes import CodeField
from sfumato.synthesis.publishing import Synthesized, more_records
from sfumato.synthesis.request import Planned, Request, planned
from sfumato.synthesis.workspace import RunFolder


@dataclass(frozen=True)
class SynthesizerOptions:
    """The method and its options, as they were typed."""

    mechanism: Annotated[str, typer.Option("--mechanism", "-m", help="finetune, predict or evolve.")]
    set: Setting = None

    def given(self, chat: EndpointOptions) -> dict[str, Any]:
        """Return the options by name; ``chat`` says which language model is asked. Raises ConfigurationError."""
        known = synthesis_options(self.mechanism)
        options = values_of(of_method(settings(self.set)), known)
        if "chat_model" not in {option.name for option in known}:
            chat.refuse(self.mechanism)
        elif chat.chat_model is not None:
            options["chat_model"] = chat.asked(ChatChoice(chat.chat_model))
        return options


@dataclass(frozen=True)
class RequestOptions:
    """What is asked for, whatever the method."""

    units: Annotated[int | None, typer.Option(help="About how many people the input holds (public).")] = None
    records: Annotated[int | None, typer.Option(help="How many records are written.")] = None
    epsilon: Annotated[float | None, typer.Option("--epsilon", "-e", help="Privacy loss of a record or person.")] = (
        None
    )
    delta: Annotated[float | None, typer.Option(help="Delta of the guarantee (0.1/units).")] = None
    no_guarantee: Annotated[bool, typer.Option("--no-guarantee", help="No clipping, no noise, no guarantee.")] = False
    code: Annotated[
        list[str] | None, typer.Option(help="What records are about: FIELD=VALUE,VALUE (repeatable).")
    ] = None
    public_field: Annotated[list[str] | None, typer.Option(help="Field that is public (repeatable).")] = None
    unit_field: Annotated[str | None, typer.Option(help="Field that names the person of a record.")] = None
    texts_per_unit: Annotated[int, typer.Option(help="Most records used of a person.")] = 1
    topics: Annotated[int, typer.Option(help="How many public topics tell records apart.")] = 0

    def request(self) -> Request:
        """Return what is asked for. Raises ConfigurationError."""
        check_budget(self.epsilon, self.no_guarantee)
        if self.units is None:
            raise ConfigurationError(
                "About how many people or records does the input hold? Give --units: the number is public, because "
                "the noise depends on it, so it is not counted in the private records."
            )
        return Request(
            self.records, self.units, self.epsilon, self.delta, tuple(map(CodeField.of, self.code or ())),
            tuple(self.public_field or ()), self.unit_field, self.texts_per_unit, self.topics,
        )  # fmt: skip


@dataclass(frozen=True)
class SynthesisRun:
    """How the run is made."""

    resume: choices.Resume = False
    force: choices.Force = False
    seed: choices.Seed = None
    save_model: Annotated[Path | None, typer.Option(help="Keep the tuned model in this folder.")] = None
    model_folder: Annotated[
        Path | None, typer.Option("--from", help="Write with a kept model; costs nothing more.")
    ] = None
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Report plan and costs; read no record.")] = False

    @property
    def randomness(self) -> Randomness:
        """Return where random numbers come from."""
        return choices.seeded(self.seed) or SystemRandomness()


SHOWN = (
    "output mechanism set chat_model units records epsilon code topics unit_field field save_model "
    "model_folder resume force dry_run as_json quiet"
)
"""The options that the help lists; --help-all lists every one."""


@partial(command, shown=SHOWN)
def synthesize(
    output: Annotated[Path, typer.Option("--output", "-o", callback=named, help="Where the records go.")],
    method: SynthesizerOptions,
    chat: EndpointOptions,
    wanted: RequestOptions,
    texts: TextOptions,
    run: SynthesisRun,
    input: Annotated[
        Path | None, typer.Argument(help=".jsonl, .csv, .tsv, .parquet (each also .gz), .txt, or a folder.")
    ] = None,
    as_json: choices.Json = False,
    quiet: choices.Quiet = False,
) -> None:
    """Write synthetic records in the manner of a file's, with a guarantee for a whole record or person.

    Beside OUTPUT stands OUTPUT.privacy.json: what is promised, to whom, and everything that was spent.
    """
    given = method.given(chat)
    synthesizer = build_synthesizer(method.mechanism, **given)
    if run.model_folder is not None:
        made = _more(synthesizer, run.model_folder, input, output, wanted, run, quiet or as_json)
    else:
        plan = planned(synthesizer, wanted.request())
        if run.dry_run:
            _tell_plan(plan, as_json)
            return
        if input is None:
            raise ConfigurationError("Name the input, or with --from the folder of a model that was kept.")
        options = RunOptions(texts.files(None, adjustable=False), 1, run.force, run.resume)
        public, begin = public_files(method.mechanism, given), partial(_begin, output, plan, as_json)
        with staged(quiet or as_json) as stages:
            made = synthesized(plan, input, output, options, run.randomness, public, run.save_model, stages, begin)
    with printing(made.output, made.statement_path):
        facts = {"output": str(made.output), "statement": str(made.statement_path), "records": made.records}
        done = f"{choices.counted(made.records, 'synthetic record')} -> {made.output}"
        lines = [done, str(made.statement["summary"]), f"Privacy statement: {made.statement_path}"]
        tell({**facts, "privacy": made.statement}, lines, as_json, quiet)


def _begin(output: Path, plan: Planned, as_json: bool) -> None:
    signals.paid_in(RunFolder(output, "", "").folder)
    for warning in () if as_json else plan.schedule.warnings:
        typer.echo(f"Note: {warning}", err=True)


def _more(
    synthesizer: Synthesizer, folder: Path, input: Path | None, output: Path, wanted: RequestOptions,
    run: SynthesisRun, silent: bool,
) -> Synthesized:  # fmt: skip
    """Write more records with a model that was kept; whatever would pay again is refused."""
    asked = (input, wanted.epsilon, wanted.delta, wanted.units, run.save_model)
    lists = (wanted.code, wanted.public_field, wanted.unit_field, wanted.topics)
    if any(one is not None for one in asked) or any(lists) or wanted.no_guarantee or run.resume or run.dry_run:
        raise ConfigurationError("--from writes with a model that was paid for; give -m, -o and --records alone.")
    with staged(silent) as stages:
        told = partial(stages, "Synthesizing")
        return more_records(synthesizer, folder, output, wanted.records, run.randomness, run.force, told)


def _tell_plan(plan: Planned, as_json: bool) -> None:
    """Say what a run would do and cost."""
    facts: dict[str, Any] = {
        "method": plan.synthesizer.name,
        "guarantee": None if plan.guarantee is None else str(plan.guarantee),
        "certificate": None if plan.guarantee is None else plan.certificate().as_dict(),
        "schedule": plan.schedule.as_dict(),
        "seconds": plan.schedule.seconds,
        "warnings": list(plan.schedule.warnings),
    }
    tell(facts, [*plan.lines(), "Nothing was read; leave out --dry-run to do it."], as_json)
