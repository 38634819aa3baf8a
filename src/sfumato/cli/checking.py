"""The part of ``sfumato certify`` that checks a statement: which vocabularies it needs, and what is printed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import typer

from sfumato.building.public_arrays import stated_vocabularies
from sfumato.checker import TOLERANCE
from sfumato.cli.against import Finding, of_context, of_summary, of_vocabulary
from sfumato.cli.options import MethodOptions
from sfumato.cli.progress import progress_bar
from sfumato.cli.stated import IN_CONTEXT, complete, read_statement
from sfumato.errors import ConfigurationError
from sfumato.types import Progress

_TAKEN = frozenset({"vocabulary", "lower", "encoder", "clusters"})
"""The flags that say where public inputs are; the statement says everything else."""


def check_statement(path: Path, method: MethodOptions, label: str | None, all_pairs: bool, as_json: bool) -> None:
    """Check the statement in the file ``path`` and print the findings.

    Raise SystemExit(1) if the statement is wrong, :class:`~sfumato.errors.InputError` for one that cannot be checked.
    """
    if method.mechanism or method.epsilon is not None or method.option or label or set(method.flags) - _TAKEN:
        raise ConfigurationError(
            "The statement says which method ran and how; beside --against give only --vocabulary, --lower, "
            "--encoder and --clusters."
        )
    statement = read_statement(path)
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


def _of_vocabularies(
    statement: dict[str, object], method: MethodOptions, all_pairs: bool, told: Progress | None
) -> list[Finding]:
    flags, names = method.flags, list(statement["vocabularies"])  # type: ignore[call-overload]
    vocabularies = stated_vocabularies(names, method.sources, flags.get("encoder"), bool(flags.get("lower")), told)
    return [of_vocabulary(statement, name, vocabularies[name], flags.get("clusters"), all_pairs) for name in names]


def _sentence(path: Path, finding: Finding, all_pairs: bool) -> str:
    """Return what was found, for people."""
    where = path.name if finding.vocabulary is None else f"{path.name}, vocabulary {finding.vocabulary},"
    pair = "" if finding.tokens is None else f" ({' / '.join(finding.tokens)})"
    if finding.problem is not None:
        return f"{where} is wrong: {finding.problem}{pair}."
    found = f"loss {finding.stated:.9g} as stated{pair}, epsilon {finding.claimed:g} claimed"
    scope = "of all pairs of tokens, none loses more" if all_pairs else "the pair stated as worst was recomputed"
    return f"{where} agrees: {found}; {scope if finding.vocabulary else 'this holds for all pairs of inputs'}."
