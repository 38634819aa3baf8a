"""The part of ``sfumato certify`` that checks a statement: which vocabularies it needs, and what is printed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import typer

from sfumato.building.offers import Offer
from sfumato.building.public_arrays import StatedValues, stated_vocabularies
from sfumato.checker import TOLERANCE
from sfumato.cli.against import Finding, of_context, of_summary, of_vocabulary
from sfumato.cli.against_policy import Refused, of_treatments
from sfumato.cli.options import MethodOptions, counted
from sfumato.cli.progress import progress_bar
from sfumato.cli.settings import values_of
from sfumato.cli.stated import IN_CONTEXT, complete, read_statement
from sfumato.errors import ConfigurationError, InputError
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.types import Progress

_NAMED = 20
_TAKEN = frozenset({"vocabulary", "lower", "encoder", "clusters"})
"""The options that say where public inputs are; the statement says everything else."""


def check_statement(path: Path, method: MethodOptions, label: str | None, all_pairs: bool, as_json: bool) -> None:
    """Check the statement in the file ``path`` and print the findings.

    Raise SystemExit(1) if the statement is wrong, :class:`~sfumato.errors.InputError` for one that cannot be checked.
    """
    if (
        method.mechanism
        or method.epsilon is not None
        or label
        or {name.partition(".")[0] for name in method.typed} - _TAKEN
    ):
        raise ConfigurationError(
            "The statement says which method ran and how; beside --against set only vocabulary, lower, encoder and "
            "clusters."
        )
    statement = read_statement(path)
    if "treatments" in statement:
        _check_policy(path, statement, method, all_pairs, as_json)
        return
    with progress_bar("Checking", as_json) as told, complete(path), np.errstate(all="ignore"):  # NaN is no agreement
        if statement["mechanism"] in IN_CONTEXT:
            findings, summary = [of_context(statement)], None
        else:
            findings, summary = _of_vocabularies(statement, method, all_pairs, told), of_summary(statement)
    agrees = summary is None and all(finding.problem is None for finding in findings)
    if as_json:
        found = {
            "statement": path.name,
            "mechanism": statement["mechanism"],
            "agrees": agrees,
            "problem": summary,
            "all_pairs": all_pairs or statement["mechanism"] in IN_CONTEXT,
            "tolerance": TOLERANCE,
            "checked": [finding.as_dict() for finding in findings],
        }
        typer.echo(json.dumps(found, ensure_ascii=False))
    else:
        for finding in findings:
            typer.echo(_sentence(path, finding, all_pairs))
        if summary is not None:
            typer.echo(f"{path.name} is wrong: {summary}.")
    if not agrees:
        raise SystemExit(1)


def _check_policy(
    path: Path, statement: Mapping[str, Any], method: MethodOptions, all_pairs: bool, as_json: bool
) -> None:
    """Check each treatment of a policy's statement; raise SystemExit(1) where one is wrong, InputError where none is
    and one cannot be checked.
    """
    given = public_inputs(method)
    if method.sources or given.get("lower"):
        raise ConfigurationError("A policy draws values from domains of its own; leave out vocabulary and lower.")
    encoder = given.get("encoder")
    values = StatedValues() if encoder is None else StatedValues(SentenceEncoder(encoder))
    findings: list[Finding] = []
    refused: list[Refused] = []
    with progress_bar("Checking", as_json) as told, complete(path), np.errstate(all="ignore"):
        for found in of_treatments(statement, values, given.get("clusters"), all_pairs):
            (findings if isinstance(found, Finding) else refused).append(found)  # type: ignore[arg-type]
            if told is not None:
                told((len(findings) + len(refused)) / len(statement["treatments"]))
    agrees = not refused and all(finding.problem is None for finding in findings)
    if as_json:
        rows = [{"kinds": finding.vocabulary, **finding.as_dict()} for finding in findings]
        checked = [{key: value for key, value in row.items() if key != "vocabulary"} for row in rows]
        facts = {"statement": path.name, "mechanism": "policy", "agrees": agrees, "all_pairs": all_pairs}
        facts |= {"tolerance": TOLERANCE, "checked": checked, "refused": [vars(each) for each in refused]}
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        for finding in findings:
            typer.echo(_of_treatment(path, finding, all_pairs))
    if any(finding.problem is not None for finding in findings):
        raise SystemExit(1)
    if refused and as_json:
        raise SystemExit(2)
    if refused:
        reasons = "; ".join(f"the treatment of {each.kinds}, because {each.reason}" for each in refused)
        raise InputError(f"{path.name} cannot be checked in full: not {reasons}.")


def _of_treatment(path: Path, finding: Finding, all_pairs: bool) -> str:
    """Return what was found about a treatment, for people."""
    pair = "" if finding.tokens is None else f" ({' / '.join(finding.tokens)})"
    if finding.problem is not None:
        return f"{path.name}, treatment of {finding.vocabulary}, is wrong: {finding.problem}{pair}."
    found = f"loss {finding.stated:.9g} as stated{pair}, epsilon {finding.claimed:.9g} claimed"
    pairs = "of all pairs of values" if all_pairs else "of the pair stated as worst"
    scope = "this holds for all inputs" if pair == "" else f"the loss {pairs} was recomputed"
    return f"{path.name}, treatment of {finding.vocabulary}, agrees: {found}; {scope}{_left(finding)}."


def _left(finding: Finding) -> str:
    """Return which domains were not recomputed: the end of a sentence, or nothing."""
    names = finding.not_recomputed
    if not names:
        return ""
    more = f" and {len(names) - _NAMED:,} others, which --json lists" if len(names) > _NAMED else ""
    domains = counted(len(names), "more domain")
    return (
        f". Of {domains} ({', '.join(names[:_NAMED])}{more}) only the hash was compared, and no loss recomputed: the "
        "statement gives the loss of the weakest domain alone"
    )


def _of_vocabularies(
    statement: dict[str, object], method: MethodOptions, all_pairs: bool, told: Progress | None
) -> list[Finding]:
    given, names = public_inputs(method), list(statement["vocabularies"])  # type: ignore[call-overload]
    vocabularies = stated_vocabularies(names, method.sources, given.get("encoder"), bool(given.get("lower")), told)
    return [of_vocabulary(statement, name, vocabularies[name], given.get("clusters"), all_pairs) for name in names]


def public_inputs(method: MethodOptions) -> dict[str, Any]:
    """Return what was set of the public inputs, as values."""
    return values_of(method.typed, Offer("clusant").options)


def _sentence(path: Path, finding: Finding, all_pairs: bool) -> str:
    """Return what was found, for people."""
    where = path.name if finding.vocabulary is None else f"{path.name}, vocabulary {finding.vocabulary},"
    pair = "" if finding.tokens is None else f" ({' / '.join(finding.tokens)})"
    if finding.problem is not None:
        return f"{where} is wrong: {finding.problem}{pair}."
    found = f"loss {finding.stated:.9g} as stated{pair}, epsilon {finding.claimed:g} claimed"
    scope = "of all pairs of tokens, none loses more" if all_pairs else "the pair stated as worst was recomputed"
    return f"{where} agrees: {found}; {scope if finding.vocabulary else 'this holds for all pairs of inputs'}."
