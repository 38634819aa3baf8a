"""What a run of sanitize says at its end: what was done, what is promised, and where the statement is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from typing import Any

import typer

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.cli import chat_options as asking
from sfumato.cli import streams
from sfumato.cli.options import counted
from sfumato.cli.printing import printing
from sfumato.cli.promised import costs_told, model_told, treatments_told
from sfumato.release.files import Released
from sfumato.release.job import RunSummary

_NAMES_SHOWN = 20
PASS, GO, NAMED = "pass", "go", "named"
"""What becomes of the fields that nobody named: they pass, they go, or somebody named those that stay."""
NOTHING_LEFT = 5
"""The exit code of a run that set every record aside."""
_OF_RECORDS = frozenset({".jsonl", ".csv", ".tsv", ".parquet"})


def finish(
    way: streams.Doors, released: Released, sanitizer: Sanitizer, chat: asking.ChatOptions, as_json: bool,
    quiet: bool, keep: Sequence[str] | None,
) -> None:  # fmt: skip
    """Give a stream its release and its statement, and tell what was done; ``keep`` are the other fields that stay.

    Raise SystemExit if every record was set aside.
    """
    use, others = sanitizer.chat, PASS if keep is None else NAMED if keep else GO
    if way.statement is not None:
        way.deliver(released.statement_path)
        released = released._replace(output=streams.STANDARD, statement_path=way.statement.path)
    labels = sanitizer.detector.public_labels and not sanitizer.rewrites_whole_text
    with printing(released.output, released.statement_path):
        _close(released, as_json, quiet, labels, way.statement is not None, others)
        if use is not None and not (quiet or as_json) and released.summary is not None:
            for line in asking.told(use, chat.cost):
                typer.echo(line)
    _check_any(released)


def _check_any(released: Released) -> None:
    """Say that the release is empty because every record was broken, and end with a code of its own."""
    records = released.statement["records"]
    if records["count"] or not records["quarantined"]:
        return
    number = records["quarantined"]
    every = "The only record was broken" if number == 1 else f"All {number:,} records were broken"
    typer.echo(
        f"{every}, so {released.output} is empty; {released.output}.quarantine.jsonl (private!) says why.", err=True
    )
    raise SystemExit(NOTHING_LEFT)


def _close(released: Released, as_json: bool, quiet: bool, labels: bool, aside: bool, others: str) -> None:
    """Tell what was done; ``labels`` says whether how many spans have which label may be told.

    It is told on standard error where ``aside``: standard output holds the release. ``others`` says what becomes of
    the fields that nobody named.
    """
    done, promised, tell = released.summary, released.statement, partial(typer.echo, err=aside)
    if as_json:
        facts: dict[str, Any] = {"output": str(released.output), "statement": str(released.statement_path)}
        if done is not None:
            facts |= {"seconds": round(done.seconds, 3), "characters": done.characters, "passing": dict(done.passing)}
        if labels and done is not None:
            facts |= {"replaced": dict(done.labels), "untouched": done.untouched}
        tell(json.dumps({**facts, "privacy": promised}, ensure_ascii=False))
        return
    if quiet:
        return
    if done is None:
        typer.echo(f"{released.output} and its statement are complete since an earlier run; nothing was left to do.")
        return
    certificate, treatments = promised.get("certificate"), promised.get("treatments", ())
    draws = f", {counted(done.draws, 'draw')}" if certificate or treatments else ""
    where = "standard output" if released.output == streams.STANDARD else released.output
    tell(f"{counted(done.records, 'record')}{draws} in {done.seconds:.1f} s -> {where}")
    if done.quarantined:
        tell(
            f"{counted(done.quarantined, 'broken record')} set aside in {released.output}.quarantine.jsonl (private!)"
        )
    if done.absent:
        texts = f"{done.absent:,} texts are" if done.absent > 1 else "1 text is"
        tell(f"{texts} null or missing, and passed on as such.")
    if labels or done.labels:
        tell(_replaced(done, labels))
    if done.passing:
        tell(_passed(done, others == PASS))
    elif others == GO and _OF_RECORDS & set(released.output.suffixes):
        tell("No other field of the records is in it; --keep-field names those that stay.")
    for line in [promised["summary"]] if not treatments else treatments_told(promised):
        tell(line)
    for line in model_told(promised):
        tell(line)
    if certificate is None:
        tell(f"Statement: {released.statement_path}")
        return
    for line in costs_told(promised):
        tell(line)
    tell(
        f"Certified loss {certificate['certified']:.6g} ({certificate['kind']}); statement: {released.statement_path}"
    )


def _passed(done: RunSummary, all_pass: bool) -> str:
    """Which other fields were written as they were read, and how to drop them if nobody has named them to stay."""
    names = [name if name.isprintable() else json.dumps(name) for name in done.passing]
    others = f" and {len(names) - _NAMES_SHOWN:,} others" if len(names) > _NAMES_SHOWN else ""
    line = f"Passed unchanged: {', '.join(names[:_NAMES_SHOWN])}{others}"
    return f"{line}, names in them included; --keep-field drops what you do not name." if all_pass else f"{line}."


def _replaced(done: RunSummary, labels: bool) -> str:
    """How many spans were replaced, by label if those may be told, and in how many records there was none."""
    often = sorted(done.labels.items(), key=lambda one: -one[1])
    each = f" ({', '.join(f'{name} {count:,}' for name, count in often)})" if often and labels else ""
    left = f"; none in {done.untouched:,} of {counted(done.records, 'record')}" if done.untouched else ""
    return f"Replaced {counted(sum(done.labels.values()), 'span')}{each}{left}."
