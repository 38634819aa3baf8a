"""``sfumato certify``: the numerical check of a claim on the actual vocabulary."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Column, Table

from sfumato import registry
from sfumato.abstract.treatment import Treatment
from sfumato.building.offers import Offer
from sfumato.building.policies import build_policy
from sfumato.building.public_arrays import StatedValues, stated_vocabularies
from sfumato.checker import TOLERANCE
from sfumato.cli import options as choices
from sfumato.cli.against import IN_CONTEXT, Finding, complete, of_context, of_summary, of_vocabulary, read_statement
from sfumato.cli.against_policy import Refused, of_treatments
from sfumato.cli.flags import command
from sfumato.cli.options import MethodOptions, counted
from sfumato.cli.policy_flags import PolicyFlags
from sfumato.cli.printing import progress_bar
from sfumato.cli.settings import values_of
from sfumato.errors import ConfigurationError, InputError
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.policy import Policy
from sfumato.types import Progress


@command
def certify(
    method: MethodOptions,
    policy: PolicyFlags,
    label: choices.Label = None,
    against: Annotated[
        Path | None, typer.Option(help="Recompute the loss that this STATEMENT names, by a checker of its own.")
    ] = None,
    all_pairs: Annotated[
        bool, typer.Option("--all-pairs", help="With --against: every pair of tokens, not the worst alone.")
    ] = False,
    as_json: choices.Json = False,
) -> None:
    """Check the claimed epsilon on the actual vocabulary: exact where the law is finite, analytic for noise.

    Slow once for a large vocabulary, then remembered by its hash. Fails where the claim does not hold.

    With --against, a checker that shares nothing with this analysis recomputes what a statement says; exit code 1
    where it disagrees, 2 for a statement that it cannot check.
    """
    if against is not None:
        if policy.policy is not None:
            raise ConfigurationError(
                "The statement says which policy ran; --against checks it, and --policy certifies a policy: give one."
            )
        check_statement(against, method, label, all_pairs, as_json)
        return
    if all_pairs or (policy.policy is None) == (not method.mechanism):
        raise ConfigurationError(
            "What is to be certified? Give --mechanism or --policy, or a statement with --against."
        )
    if policy.policy is not None:
        with progress_bar("Certifying", as_json) as told:
            certified = treatments_of(policy.loaded(), told)
        _print_treatments(certified, as_json)
        return
    explained = method.explaining()
    with progress_bar("Certifying", as_json) as told:
        _print(_CERTIFICATES[explained.family](explained, label, told), as_json)


def treatments_of(policy: Policy, told: Progress | None) -> list[dict[str, Any]]:
    """Return what is certified of each treatment of ``policy``."""
    made = build_policy(policy)
    made.prepare(told)
    return [_of_treatment(treatment) for treatment in made.treatments]


def _of_treatment(treatment: Treatment) -> dict[str, Any]:
    """Return what is certified of a treatment of a policy."""
    stated: dict[str, Any] = {"kinds": list(treatment.kinds) or ["every other kind"], "method": treatment.name}
    for law in treatment.mechanisms.values():  # on the domains themselves, whatever the cache keeps of them
        law.certify()
    guarantee, certificate = treatment.guarantee, treatment.certificate
    if guarantee is None or certificate is None:
        return {**stated, "guarantee": None}
    return {**stated, "guarantee": str(guarantee), "per": guarantee.per or None, **certificate.as_dict()}


def _print_treatments(certified: list[dict[str, Any]], as_json: bool) -> None:
    """Print a row for each treatment."""
    if as_json:
        typer.echo(json.dumps({"treatments": certified}, ensure_ascii=False))
        return
    table = Table("kinds", "method", "claimed", "certified", "per", "how")
    for row in certified:
        numbers = ["no formal guarantee"]
        if row["guarantee"] is not None:
            numbers = [f"{row['claimed']:.6g}", f"{row['certified']:.9g}", row["per"] or "", row["kind"]]
        table.add_row(", ".join(row["kinds"]), row["method"], *numbers)
    Console(highlight=False, markup=False).print(table)


def _of_words(method: MethodOptions, label: str | None, told: Progress | None) -> dict[str, Any]:
    """The certificate of a mechanism over tokens, on its vocabulary."""
    made = method.one_mechanism(label, told)
    certificate = made.certify(told).as_dict()
    if certificate.get("worst_pair"):
        certificate["worst_pair"] = [made.vocabulary.tokens[index] for index in certificate["worst_pair"]]  # public
    return {
        **certificate,
        "mechanism": made.name,
        "calibration": made.parameters.get("calibration"),
        "guarantee": str(made.guarantee),
        "vocabulary": made.vocabulary.provenance,
        "vocabulary_hash": made.vocabulary.hash,
    }


def _in_context(method: MethodOptions, _: str | None, told: Progress | None) -> dict[str, Any]:
    """Return the certificate of one draw, with outcomes and clip range."""
    rewriter = method.rewriter(told)
    certificate, described = rewriter.certificate().as_dict(), rewriter.statement_fields()
    for name in ("parameters", "epsilon_per_draw", "epsilon_per_document"):
        described.pop(name, None)
    return {
        **certificate,
        "certified_for": "one document" if rewriter.spends_by_document else "one draw",
        "guarantee": str(rewriter.guarantee),
        "outcomes": certificate["conditions"]["outcomes"],
        **described,
    }


_CERTIFICATES = {registry.TOKENS: _of_words, registry.CONTEXTUAL: _in_context}


def _print(certificate: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(certificate, ensure_ascii=False))
        return
    claim = f"claimed {certificate['claimed']:g}, certified {certificate['certified']:.9g} ({certificate['kind']})"
    table = Table("", Column("", justify="right"), title=f"{certificate['mechanism']}: {claim}")
    for key, value in {**certificate, **certificate.pop("conditions")}.items():
        if key not in ("conditions", "claimed", "certified", "kind") and not isinstance(value, dict):
            shown = ", ".join(map(str, value)) if isinstance(value, list) else value
            table.add_row(key.replace("_", " "), f"{shown:.6g}" if isinstance(shown, float) else str(shown))
    Console(highlight=False, markup=False).print(table)


_NAMED = 20
_TAKEN = frozenset({"vocabulary", "lower", "encoder", "clusters", "similarity"})
"""The options that say where public inputs are; the statement says everything else."""


def check_statement(path: Path, method: MethodOptions, label: str | None, all_pairs: bool, as_json: bool) -> None:
    """Check the statement in the file ``path`` and print the findings.

    Raise SystemExit(1) if the statement is wrong, InputError if it, or a part that is not wrong, cannot be checked.
    """
    others = {name.partition(".")[0] for name in method.typed} - _TAKEN
    if method.mechanism or method.epsilon is not None or label or others:
        raise ConfigurationError(
            "The statement says which method ran and how; beside --against set only vocabulary, lower, encoder, "
            "clusters and similarity."
        )
    options = (*Offer("clusant").options, *Offer("custext").options)
    statement, given = read_statement(path), values_of(method.typed, options)
    of_policy, in_context = "treatments" in statement, statement.get("mechanism") in IN_CONTEXT
    findings, refused, wrong = list[Finding](), list[Refused](), None
    with progress_bar("Checking", as_json) as told, complete(path), np.errstate(all="ignore"):  # NaN is no agreement
        if of_policy:
            findings, refused = _of_treatments(statement, method, given, all_pairs, told)
        elif in_context:
            findings = [of_context(statement)]
        else:
            findings, wrong = _of_vocabularies(statement, method, given, all_pairs, told), of_summary(statement)
    agrees = not (refused or wrong or any(finding.problem for finding in findings))
    if as_json:
        name = "kinds" if of_policy else "vocabulary"
        checked = [{name: each.vocabulary, **each.as_dict()} for each in findings]
        facts = {"statement": path.name, "mechanism": statement.get("mechanism"), "agrees": agrees}
        facts |= {"all_pairs": all_pairs or in_context, "tolerance": TOLERANCE, "checked": checked}
        facts |= {"refused": [vars(each) for each in refused]} if of_policy else {"problem": wrong}
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        for finding in findings:
            typer.echo(_sentence(path, finding, all_pairs, "treatment of" if of_policy else "vocabulary"))
        if wrong is not None:
            typer.echo(f"{path.name} is wrong: {wrong}.")
    if wrong or any(finding.problem for finding in findings):
        raise SystemExit(1)
    if refused and as_json:
        raise SystemExit(2)
    if refused:
        reasons = "; ".join(f"the treatment of {each.kinds}, because {each.reason}" for each in refused)
        raise InputError(f"{path.name} cannot be checked in full: not {reasons}.")


def _of_treatments(
    statement: Mapping[str, Any], method: MethodOptions, given: Mapping[str, Any], all_pairs: bool,
    told: Progress | None,
) -> tuple[list[Finding], list[Refused]]:  # fmt: skip
    """Return what was found about each treatment of a policy, and those that cannot be checked."""
    if method.sources or given.get("lower"):
        raise ConfigurationError("A policy draws values from domains of its own; leave out vocabulary and lower.")
    encoder, checked = given.get("encoder"), list[Finding | Refused]()
    values = StatedValues() if encoder is None else StatedValues(SentenceEncoder(encoder))
    for each in of_treatments(statement, values, given, all_pairs):
        checked.append(each)
        if told is not None:
            told(len(checked) / len(statement["treatments"]))
    refused = [each for each in checked if isinstance(each, Refused)]
    return [each for each in checked if isinstance(each, Finding)], refused


def _of_vocabularies(
    statement: Mapping[str, Any], method: MethodOptions, given: Mapping[str, Any], all_pairs: bool,
    told: Progress | None,
) -> list[Finding]:  # fmt: skip
    names = list(statement["vocabularies"])
    vocabularies = stated_vocabularies(names, method.sources, given.get("encoder"), bool(given.get("lower")), told)
    return [of_vocabulary(statement, name, vocabularies[name], given, all_pairs) for name in names]


def _sentence(path: Path, finding: Finding, all_pairs: bool, what: str) -> str:
    """Return what was found about ``what``, for people."""
    where = path.name if finding.vocabulary is None else f"{path.name}, {what} {finding.vocabulary},"
    pair = "" if finding.tokens is None else f" ({' / '.join(finding.tokens)})"
    if finding.problem is not None:
        return f"{where} is wrong: {finding.problem}{pair}."
    told = f"loss {finding.stated:.9g} as stated{pair}, epsilon {finding.claimed:.9g} claimed"
    scope = "of all pairs, none loses more" if all_pairs else "the loss of the pair stated as worst was recomputed"
    return f"{where} agrees: {told}; {scope if pair else 'this holds for all inputs'}{_left(finding)}."


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
