"""The laws and the certificates of a policy, for people and for programs."""

from __future__ import annotations

import difflib
import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from sfumato.abstract.law import Law
from sfumato.abstract.treatment import Treatment
from sfumato.building.policies import build_policy
from sfumato.errors import ConfigurationError
from sfumato.kinds.labels import is_listed, listed
from sfumato.policy import Policy
from sfumato.policy.changes import typed_changes
from sfumato.policy.suitability import KINDS
from sfumato.privacy.composition import Composed
from sfumato.types import Progress

PolicyName = Annotated[
    str | None, typer.Option("--policy", help="A policy, instead of one method: a NAME or a FILE.")
]


def opened(name: str, changes: list[str] | None) -> Policy:
    """Return the policy called ``name`` after the changes that were set. Raise ConfigurationError."""
    return Policy.load(name).with_changes(typed_changes(changes or ()))


def law_of_policy(
    chosen: Policy, token: str | None, label: str | None, draws: int, told: Progress | None
) -> tuple[Law, Composed]:
    """Return the law of ``token`` under the treatment of its kind, and the cost of so many draws."""
    if token is None or label is None:
        raise ConfigurationError("A policy treats kinds differently; give --token VALUE and --label KIND.")
    _check_label(label, chosen)
    made = build_policy(chosen, progress=told)
    cost = made.treatment_of_value(label, token).cost(draws)
    if cost is None:
        raise ConfigurationError(f"{label} has no formal guarantee under this policy, and so no law to show.")
    return made.explain(token, label=label), cost


def _check_label(label: str, policy: Policy) -> None:
    """Raise ConfigurationError for a label that is no kind, is not listed, and is not treated by ``policy``."""
    own = [name for rule in policy.treat for name in rule.labels]
    if label in KINDS or label in own or is_listed(label):
        return
    known = dict.fromkeys((*KINDS, *own, *listed()))
    near = difflib.get_close_matches(label.upper(), known, n=1, cutoff=0.6)
    meant = f"; did you mean {near[0]}?" if near else "."
    raise ConfigurationError(
        f"{label!r} is no kind and no label that sfumato knows, and the policy does not treat it{meant} Kinds: "
        f"{', '.join(KINDS)}."
    )


def certificates_of_policy(policy: Policy, told: Progress | None) -> list[dict[str, Any]]:
    """Return what is certified of each treatment of ``policy``. Raise GuaranteeError if a claim does not hold."""
    made = build_policy(policy)
    made.prepare(told)
    return [_certified(treatment) for treatment in made.treatments]


def _certified(treatment: Treatment) -> dict[str, Any]:
    stated: dict[str, Any] = {"kinds": list(treatment.kinds) or ["every other kind"], "method": treatment.name}
    for law in treatment.mechanisms.values():  # on the domains themselves, whatever the cache keeps of them
        law.certify()
    guarantee, certificate = treatment.guarantee, treatment.certificate
    if guarantee is None or certificate is None:
        return {**stated, "guarantee": None}
    return {**stated, "guarantee": str(guarantee), "per": guarantee.per or None, **certificate.as_dict()}


def print_certificates(certified: list[dict[str, Any]], as_json: bool) -> None:
    """Print a row for each treatment."""
    if as_json:
        typer.echo(json.dumps({"treatments": certified}, ensure_ascii=False))
        return
    table = Table()
    for column in ("kinds", "method", "claimed", "certified", "per", "how"):
        table.add_column(column)
    for row in certified:
        kinds = ", ".join(row["kinds"])
        if row["guarantee"] is None:
            table.add_row(kinds, row["method"], "no formal guarantee", "", "", "")
        else:
            numbers = f"{row['claimed']:.6g}", f"{row['certified']:.9g}"
            table.add_row(kinds, row["method"], *numbers, row["per"] or "", row["kind"])
    Console(highlight=False, markup=False).print(table)
