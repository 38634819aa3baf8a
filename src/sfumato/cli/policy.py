"""``sfumato policy``: show the policies that there are, check a file, begin a file of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.cli import options as choices
from sfumato.cli.commands import group
from sfumato.cli.printing import tell
from sfumato.cli.settings import Language, Setting, in_language, settings
from sfumato.cli.streams import STANDARD
from sfumato.errors import ConfigurationError
from sfumato.files import FileOptions, open_source
from sfumato.policy import Policy, Rule
from sfumato.policy.suitability import KINDS
from sfumato.policy.tables import shipped_content, shipped_names
from sfumato.policy.wording import lines_of
from sfumato.run.checks import suiting
from sfumato.run.fallbacks import Sampled, sampled
from sfumato.run.policy_checks import check_policy, checked
from sfumato.storage import whole, writing

_SETTINGS = "These are settings. The statement of a release says what is certified."

app = group("Policies: one file says what is looked for, and how every kind of value is treated.")


@app.command()
def show(
    name: Annotated[
        str | None, typer.Argument(help="A shipped policy or a FILE; without it, the shipped ones.")
    ] = None,
    changes: Setting = None,
    language: Language = None,
    as_json: choices.Json = False,
) -> None:
    """Show what a policy does with every kind of value, or list the policies that there are."""
    if name is None:
        about = {known: Policy.load(known).about for known in shipped_names()}
        tell({"policies": about}, [f"{known}: {line}" for known, line in about.items()], as_json)
        return
    loaded = Policy.load(name).with_changes(settings(in_language(changes, language)))
    tell(_facts(loaded), [*lines_of(loaded), _SETTINGS], as_json)


@app.command()
def check(
    policy: Annotated[str, typer.Argument(help="A policy: NAME or FILE.")],
    changes: Setting = None,
    language: Language = None,
    subject_field: choices.SubjectField = None,
    ledger: choices.LedgerOfRun = None,
    ledger_key: choices.LedgerKey = None,
    sample: Annotated[
        Path | None,
        typer.Option(help="A file of records: how many marks are replaced by a fallback, by kind."),
    ] = None,
    field: Annotated[
        list[str] | None, typer.Option(help="--sample: text field, such as patient.note (repeatable).")
    ] = None,
    as_json: choices.Json = False,
) -> None:
    """Check a policy and the files that it names; the first mistake is reported with its place.

    Whatever a run would refuse before it reads a record is refused here, in seconds: nothing is embedded. Name here
    what you name for the run. With --sample, the records of a file are read, and nothing is drawn.
    """
    loaded = Policy.load(policy).with_changes(settings(in_language(changes, language)))
    if ledger_key is not None and ledger is None and loaded.ledger is None:
        raise ConfigurationError("--ledger-key is for a ledger; name one with --ledger.")
    if field and sample is None:
        raise ConfigurationError("--field names the texts of a sample; name its file with --sample.")
    if loaded.synthesize:
        _checked_synthesis(loaded, policy, sample, as_json)
        return
    made, warnings = checked(loaded, ledger, ledger_key, subject_field)
    counted_marks = None if sample is None else _sampled(loaded, made, sample, field)
    guaranteed = sum(treatment.has_guarantee for treatment in loaded.treat)
    count = choices.counted(len(loaded.treat), "treatment")
    line = f"{Path(policy).name} can be used: {count}, {guaranteed} of them by a mechanism with a guarantee."
    facts = {"file": policy, "treatments": len(loaded.treat), "fingerprint": loaded.fingerprint, "warnings": warnings}
    if counted_marks is not None:
        facts["sample"] = counted_marks.as_json()
    tell(facts, [line, *warnings, *(counted_marks.lines() if counted_marks else ())], as_json)


def _checked_synthesis(loaded: Policy, name: str, sample: Path | None, as_json: bool) -> None:
    """Say whether the synthesis of a policy can be planned, and by what."""
    if sample is not None:
        raise ConfigurationError("Nothing is marked by this policy, so it has no sample; leave out --sample.")
    check_policy(loaded)
    asked = loaded.synthesize
    line = f"{Path(name).name} can be used: new records by {asked.method}, epsilon {asked.epsilon:g} for each unit."
    tell({"file": name, "treatments": 0, "fingerprint": loaded.fingerprint, "warnings": []}, [line], as_json)


def _sampled(policy: Policy, made: Sanitizer, sample: Path, field: list[str] | None) -> Sampled:
    """Return how many marks in the file ``sample`` have a fallback under ``policy``, of which ``made`` was built."""
    named = tuple(field or policy.fields.text or ())
    return sampled(made, open_source(sample, suiting(made, FileOptions(fields=named) if named else FileOptions())))


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="The shipped policy to begin with.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write; - is standard output.")],
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Write a shipped policy with its comments into a file, to change it there."""
    content = shipped_content(name)
    if output == STANDARD:
        typer.echo(content, nl=False)
        return
    if output.exists() and not force:
        raise ConfigurationError(f"{output} exists; choose another name, or give --force.")
    with writing(output), whole(output) as file:
        file.write(content.encode())
    typer.echo(f"Wrote {output}. After a change: sfumato policy check {output}")


def _facts(policy: Policy) -> dict[str, Any]:
    """What a policy decides, as JSON: its tables, and each kind with its treatment."""
    if policy.synthesize:
        return {"policy": policy.as_tables(), "kinds": {}, "labels": {}}
    kinds = {kind: _treated(policy.treatment_of(kind), kind) for kind in KINDS}
    labels = {label: _treated(treatment) for treatment in policy.treat for label in treatment.labels}
    languages = list(policy.find.languages)
    return {"policy": policy.as_tables(), "languages": languages, "kinds": kinds, "labels": labels}


def _treated(treatment: Rule, kind: str | None = None) -> dict[str, Any]:
    fact: dict[str, Any] = {"by": treatment.name, "guarantee": treatment.has_guarantee}
    if treatment.has_guarantee:
        fact |= {"epsilon": treatment.epsilon_per_unit or 0.0, "drawn_once": treatment.drawn_once}
        fact |= {"unit": KINDS[kind].unit} if kind and KINDS[kind].unit else {}
    return fact
