"""``sfumato explain``: the law of one token, so that anyone can see what a guarantee means in practice."""

from __future__ import annotations

import difflib
import json
from dataclasses import replace
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Column, Table

from sfumato.abstract.detector import SAME_MARKS
from sfumato.abstract.law import SHOWN, Law
from sfumato.building.policies import build_policy
from sfumato.cli import options as choices
from sfumato.cli.closing import model_told
from sfumato.cli.flags import command
from sfumato.cli.options import MethodOptions
from sfumato.cli.policy_flags import PolicyFlags
from sfumato.cli.printing import progress_bar
from sfumato.engines.laws import law_of_word
from sfumato.engines.routes import Route
from sfumato.errors import ConfigurationError
from sfumato.kinds.labels import is_listed, listed
from sfumato.policy import Policy
from sfumato.policy.suitability import KINDS
from sfumato.privacy.composition import Composed, compose
from sfumato.privacy.guarantee import compared
from sfumato.registry import CONTEXTUAL
from sfumato.types import Progress

DRAWS = 80
"""The draws of the record whose cost is shown."""


@command
def explain(
    method: MethodOptions,
    policy: PolicyFlags,
    token: Annotated[str | None, typer.Option(help="The word or phrase whose law is shown.")] = None,
    text: Annotated[str | None, typer.Option(help="dp-mlm: the document that the word is in.")] = None,
    position: Annotated[int | None, typer.Option(help="dp-mlm: which word of it, from 0.")] = None,
    label: choices.Label = None,
    everything: Annotated[
        bool, typer.Option("--all", help=f"The full support, not the {SHOWN} most likely.")
    ] = False,
    as_json: choices.Json = False,
) -> None:
    """Show what a token becomes and how likely: the law of one draw.

    Noise mechanisms have no law in closed form; theirs is estimated from draws and says so.
    """
    shown = None if everything else SHOWN
    if (policy.policy is None) == (not method.mechanism):
        raise ConfigurationError("Whose law is to be shown? Give --mechanism or --policy, one of them.")
    if policy.policy is not None:
        with progress_bar("Preparing the law", as_json) as told:
            law, cost = _law_of_policy(policy.loaded(), token, label, told)
        _show(law, cost, token, shown, as_json)
        return
    explained = method.explaining()
    with progress_bar("Preparing the law", as_json) as told:
        if explained.family == CONTEXTUAL:
            _show(*_law_in_context(explained, text, position, told), None, shown, as_json)
            return
        if token is None:
            raise ConfigurationError("Which word's law is to be shown? Give --token WORD.")
        made = explained.one_mechanism(label, told)
        made.certify(told)
        route = Route(made, "surrogate" if made.vocabulary.encoder is None else "nearest")
        promised = replace(made.guarantee, adjacency=compared(SAME_MARKS, made.guarantee.adjacency))
        law = law_of_word(route, token, promised)
        cost = compose(made.guarantee, DRAWS, curve=made.renyi)
    _show(law, cost, token, shown, as_json)


def _law_of_policy(
    chosen: Policy, token: str | None, label: str | None, told: Progress | None
) -> tuple[Law, Composed]:
    """Return the law of ``token`` under the treatment of its kind, and the cost of a record."""
    if token is None or label is None:
        raise ConfigurationError("A policy treats kinds differently; give --token VALUE and --label KIND.")
    _check_label(label, chosen)
    made = build_policy(chosen, progress=told)
    cost = made.treatment_of_value(label, token).cost(DRAWS)
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


def _law_in_context(
    method: MethodOptions, text: str | None, position: int | None, told: Progress | None
) -> tuple[Law, Composed]:
    if text is None or position is None:
        raise ConfigurationError(
            f"The law of {method.mechanism} depends on the document; give --text TEXT and --position I (from 0)."
        )
    rewriter = method.rewriter(told)
    return rewriter.explain(text, position), rewriter.cost(DRAWS)


def _show(law: Law, cost: Composed, asked: str | None, count: int | None, as_json: bool) -> None:
    if as_json:
        unknown = {} if law.unknown is None else {"asked": asked, "unknown": law.unknown}
        facts = {**law.as_dict(count), **unknown, "cost_of_a_record": cost.as_dict()}
        typer.echo(json.dumps(facts, ensure_ascii=False))
        return
    console = Console(highlight=False)
    if law.unknown is not None:
        console.print(f"Not in the vocabulary: {law.unknown}.", markup=False)
    table = Table("becomes", Column("probability", justify="right"), "", title=law.title)
    rows = law.top(count)
    for outcome, probability in rows:
        table.add_row(outcome, f"{probability:.3g}", "█" * max(1, round(30 * probability / rows[0][1])))
    console.print(table)
    console.print(" ".join(filter(None, (law.unchanged, law.rest(count)))), markup=False)
    if law.warning:
        console.print(law.warning, markup=False)
    console.print(str(law.guarantee), markup=False)
    for line in model_told(law.source):
        console.print(line, markup=False)
    distance = law.guarantee.distance
    unit = law.guarantee.per or f"unit of {distance} distance"
    per = "" if distance is None else f", per {unit}"
    console.print(f"A record pays for all its draws{per}. {cost}.", markup=False)
