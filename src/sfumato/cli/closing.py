"""What a run of sanitize says at its end: what was done, what is promised, and where the statement is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import typer

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.told_labels import counts_for_people
from sfumato.cli import chat_options, streams
from sfumato.cli.options import counted
from sfumato.cli.printing import printing, tell
from sfumato.files.counts import NAMES
from sfumato.privacy.composition import rounded_up, worth_telling
from sfumato.privacy.guarantee import unit_in_words
from sfumato.release.files import Released
from sfumato.release.job import RunSummary
from sfumato.release.remains import told

_NAMES_SHOWN = 20
NOTHING_LEFT = 5
"""The exit code of a run that set every record aside."""
_OF_RECORDS = frozenset({".jsonl", ".csv", ".tsv", ".parquet"})


def finish(
    way: streams.Doors, released: Released, sanitizer: Sanitizer, chat: chat_options.ChatOptions, as_json: bool,
    quiet: bool, keep: Sequence[str] | None,
) -> None:  # fmt: skip
    """Give a stream its release and its statement, and tell what was done; ``keep`` are the other fields that stay.

    Raise SystemExit if every record was set aside.
    """
    if way.statement is not None:
        way.deliver(released.statement_path)
        released = released._replace(output=streams.STANDARD, statement_path=way.statement.path)
    labels = sanitizer.detector.public_labels and not sanitizer.rewrites_whole_text
    with printing(released.output, released.statement_path):
        lines = chain(_lines(released, labels, keep), _of_chat(released, sanitizer, chat))
        tell(_facts(released, labels), lines, as_json, quiet, err=way.statement is not None)
    _check_any(released)


def _of_chat(released: Released, sanitizer: Sanitizer, chat: chat_options.ChatOptions) -> list[str]:
    asked = sanitizer.chat is not None and released.summary is not None
    return chat_options.told(sanitizer.chat, chat.cost) if asked else []  # type: ignore[arg-type]


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


def _facts(released: Released, labels: bool) -> dict[str, Any]:
    """Return what was done and promised, as JSON; ``labels`` says whether how many spans have which may be told."""
    facts: dict[str, Any] = {"output": str(released.output), "statement": str(released.statement_path)}
    if (done := released.summary) is not None:
        facts |= {"seconds": round(done.seconds, 3), "characters": done.characters, "passing": dict(done.passing)}
        facts |= {"cautions": dict(done.cautions)}
        facts |= {"for_you_alone": {"returned": dict(done.returned), "remains": dict(done.remains)}}
        facts |= {"replaced": dict(done.labels), "untouched": done.untouched} if labels else {}
    return {**facts, "privacy": released.statement}


def _lines(released: Released, labels: bool, keep: Sequence[str] | None) -> Iterator[str]:
    """Yield what was done, what is promised, and where it is, for people."""
    done, promised = released.summary, released.statement
    if done is None:
        yield f"{released.output} and its statement are complete since an earlier run; nothing was left to do."
        return
    certificate, treatments = promised.get("certificate"), promised.get("treatments", ())
    draws = f", {counted(done.draws, 'draw')}" if certificate or treatments else ""
    where = "standard output" if released.output == streams.STANDARD else released.output
    yield f"{counted(done.records, 'record')}{draws} in {done.seconds:.1f} s -> {where}"
    if done.quarantined:
        aside = f"{released.output}.quarantine.jsonl (private!)"
        yield f"{counted(done.quarantined, 'broken record')} set aside in {aside}"
    if done.absent:
        be = "are" if done.absent > 1 else "is"
        yield f"{counted(done.absent, 'text')} {be} null or missing, and passed on as such."
    if not done.characters and not done.quarantined:
        yield f"The input holds no {'text' if done.records else 'record'}, so the release is empty."
    if labels or done.labels:
        yield _replaced(done, labels)
    yield from remains_told(done)
    yield from cautions_told(done.cautions)
    yield from _documents(done.documents, released.output)
    if done.passing:
        yield _passed(done, keep is None)
    elif keep is not None and not keep and _OF_RECORDS & set(released.output.suffixes):
        yield "No other field of the records is in it; --keep-field names those that stay."
    yield from treatments_told(promised) if treatments else [promised["summary"]]
    yield from model_told(promised)
    if certificate is None:
        yield f"Statement: {released.statement_path}"
        return
    yield from costs_told(promised)
    loss = f"{certificate['certified']:.6g} ({certificate['kind']})"
    yield f"Certified loss {loss}; statement: {released.statement_path}"


def _passed(done: RunSummary, all_pass: bool) -> str:
    """Which other fields were written as they were read, and that there is no other, or how to drop some of them."""
    names = [name if name.isprintable() else json.dumps(name) for name in done.passing]
    others = f" and {len(names) - _NAMES_SHOWN:,} others" if len(names) > _NAMES_SHOWN else ""
    line = f"Passed unchanged: {', '.join(names[:_NAMES_SHOWN])}{others}"
    if all_pass:
        return f"{line}, names in them included; --keep-field drops what you do not name."
    return f"{line}. No other field is in the release."


def _replaced(done: RunSummary, labels: bool) -> str:
    """How many spans were replaced, by kind if labels may be told, and in how many records there was none."""
    often = sorted(counts_for_people(done.labels).items(), key=lambda one: -one[1])
    each = f" ({', '.join(f'{name} {count:,}' for name, count in often)})" if often and labels else ""
    left = f"; none in {done.untouched:,} of {counted(done.records, 'record')}" if done.untouched else ""
    return f"Replaced {counted(sum(done.labels.values()), 'span')}{each}{left}."


_DONE = {"treat": "treated", "drop": "dropped", "keep": "kept"}


def _documents(parts: Mapping[str, Mapping[str, int]], output: Path) -> Iterator[str]:
    """Yield what became of the parts of documents, and for how many values the written files were searched."""
    if not parts:
        return
    if left_out := parts.get("left out"):
        endings = ", ".join(f"{ending or 'without ending'} {count:,}" for ending, count in left_out.items())
        yield f"LEFT OUT: {counted(sum(left_out.values()), 'file')} of a format that nothing here reads ({endings})."
    others = {name: own for name, own in parts.items() if name not in ("files", "values", "names", "left out")}
    each = [f"{name} {_DONE[rule]} {count:,}" for name, own in others.items() for rule, count in own.items()]
    yield f"Parts beside the text: {', '.join(each) or 'none'}."
    files, values = counted(parts["files"]["written"], "file"), counted(parts["values"]["searched for"], "value")
    yield f"None of {values} that were marked is left in {files}, as a second reading and all bytes show."
    if still := parts["values"]["still in a text"]:
        yield f"A text still holds {counted(still, 'other value')}, by a draw or because a mention was missed."
    if kept := [name for name, own in others.items() if "keep" in own]:
        yield f"Nothing looked into what was kept ({', '.join(kept)})."
    if "numbered" in parts.get("names", {}):
        yield f"Which file each number was: {output}{NAMES} (private!)."


def remains_told(done: RunSummary) -> Iterator[str]:
    """Yield what the release still shows of the originals, which is for the owner alone."""
    if shown := list(told(done.returned, done.remains)):
        yield f"For you alone, counted from the originals: {'; '.join(shown)}."


def cautions_told(cautions: Mapping[str, int]) -> Iterator[str]:
    """Yield what to be careful about in the marks of the detector."""
    for caution, records in cautions.items():
        yield f"Careful: {counted(records, 'record')} {'is' if records == 1 else 'are'} {caution}."


def costs_told(statement: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the most exposed record paid, and the most exposed person; nothing for a seeded run."""
    if not statement.get("private"):
        return
    records, people = statement.get("records", {}), statement.get("people", {})
    if most := records.get("cost_per_record", {}).get("maximum"):
        yield f"The largest record: {_told(most, statement)}."
    if most := people.get("cost_per_person", {}).get("maximum"):
        yield f"The largest total of {people['count']:,} people: {_told(most, statement)}."


def model_told(facts: Mapping[str, Any]) -> Iterator[str]:
    """Yield which model answered in which number format, and the reason for the format if nobody named it."""
    model = facts.get("model") or facts.get("parameters", {}).get("model")
    if isinstance(model, str):
        choice = facts.get("number_format")
        yield f"Model: {model}{f' ({choice})' if choice else ''}."


def treatments_told(statement: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each treatment of a policy: its guarantee and what the most exposed record paid, or none."""
    if not statement.get("private"):
        yield "NOT PRIVATE (a seeded run, for tests)."
    without, undrawn, free = [], [], []
    for treatment in statement["treatments"]:
        kinds = ", ".join(treatment["kinds"])
        if "epsilon_per_draw" not in treatment:
            without.append(f"{kinds} ({treatment['method']})")
        elif not treatment["draws"]:
            undrawn.append(f"{kinds} ({treatment['method']})")
        elif not treatment["epsilon_per_draw"]:
            free.append(f"{kinds} ({treatment['draws']:,})")
        else:
            yield _paying(kinds, treatment)
    if free:
        yield f"Draws that do not look at the value, and cost nothing (epsilon 0): {', '.join(free)}."
    if undrawn:
        yield f"Nothing was drawn for {'; '.join(undrawn)}."
    if without:
        yield f"No formal guarantee: {'; '.join(without)}."


def _paying(kinds: str, treatment: Mapping[str, Any]) -> str:
    """Return the line of a treatment whose draws cost something."""
    per = f" per {unit_in_words(treatment['per'])}" if treatment["per"] else ""
    per = per or (f" per unit of {treatment['distance']} distance" if treatment["distance"] else "")
    draws, most = treatment["draws"], treatment.get("largest_cost_of_a_record")
    paid = f"; the largest record: {_paid(most)}" if most else ""
    if most := treatment.get("cost_per_person", {}).get("maximum"):
        people = treatment["people_with_draws"]
        paid += f"; the largest total of {people:,} {'person' if people == 1 else 'people'}: {_paid(most)}"
    often = (
        " Its law returns some values unchanged in more than half of draws."
        if treatment.get("mostly_unchanged")
        else ""
    )
    return (
        f"{kinds}: {treatment['method']}, {treatment['definition']}, epsilon "
        f"{rounded_up(treatment['epsilon_per_draw'])}{per}, for {treatment['unit']}; {draws:,} draws{paid}.{often}"
    )


def _paid(cost: Mapping[str, Any]) -> str:
    return f"{cost['draws']:,} draw{'' if cost['draws'] == 1 else 's'}, epsilon {rounded_up(cost['epsilon'])}"


def _told(cost: Mapping[str, Any], statement: Mapping[str, Any]) -> str:
    """Return a cost in words: the pure one, and a smaller one with what it assumes."""
    unit = "documents" if "documents" in cost else "draws"
    per = f" per unit of {statement['distance']} distance" if statement.get("distance") else ""
    pure = f"{cost[unit]:,} {unit[:-1] if cost[unit] == 1 else unit}, epsilon {rounded_up(cost['epsilon'])}{per}"
    least = cost.get("epsilon_by_renyi", cost["epsilon"])  # never above the one by zCDP
    if not worth_telling(cost["epsilon"], least):
        return pure
    delta = rounded_up(cost["delta"])
    return f"{pure} (pure), or {rounded_up(least)} at delta {delta} (not pure; independent draws)"
