"""``sfumato explain``: the law of one token, so that anybody can see what a guarantee means in practice."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from sfumato.abstract.detector import SAME_MARKS
from sfumato.abstract.law import SHOWN, Law
from sfumato.cli import options as choices
from sfumato.cli.flags import command
from sfumato.cli.options import MethodOptions
from sfumato.cli.policy_laws import PolicyName, law_of_policy, opened
from sfumato.cli.progress import progress_bar
from sfumato.cli.promised import model_told
from sfumato.engines.laws import law_of_word
from sfumato.engines.routes import Route
from sfumato.errors import ConfigurationError
from sfumato.privacy.composition import Composed, compose
from sfumato.privacy.guarantee import compared
from sfumato.registry import CONTEXTUAL
from sfumato.types import Progress

DRAWS = 80
"""The draws of the record whose cost is shown."""


@command
def explain(
    method: MethodOptions,
    policy: PolicyName = None,
    token: Annotated[str | None, typer.Option("--token", help="The word or phrase whose law is shown.")] = None,
    text: Annotated[str | None, typer.Option("--text", help="dp-mlm: the document that the word stands in.")] = None,
    position: Annotated[int | None, typer.Option("--position", help="dp-mlm: which word of it, from 0.")] = None,
    label: Annotated[
        str | None, typer.Option("--label", help="Label of the span, if labels have their own vocabularies.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help=f"The full support, not the {SHOWN} most likely.")
    ] = False,
    as_json: choices.Json = False,
) -> None:
    """Show what a token becomes and how likely: the law of one draw.

    Noise mechanisms have no law in closed form; theirs is estimated from draws and says so.
    """
    shown = None if everything else SHOWN
    if (policy is None) == (not method.mechanism):
        raise ConfigurationError("Whose law is to be shown? Give --mechanism or --policy, one of them.")
    if policy is not None:
        with progress_bar("Preparing the law", as_json) as told:
            law, cost = law_of_policy(opened(policy, method.set), token, label, DRAWS, told)
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
    table = Table(title=law.title)
    table.add_column("becomes")
    table.add_column("probability", justify="right")
    table.add_column("")
    rows = law.top(count)
    for outcome, probability in rows:
        table.add_row(outcome, f"{probability:.3g}", "█" * max(1, round(30 * probability / rows[0][1])))
    console.print(table)
    console.print(" ".join(filter(None, (law.unchanged, law.rest(count)))), markup=False)
    console.print(str(law.guarantee), markup=False)
    for line in model_told(law.source):
        console.print(line, markup=False)
    distance = law.guarantee.distance
    unit = law.guarantee.per or f"unit of {distance} distance"
    per = "" if distance is None else f", per {unit}"
    console.print(f"A record pays for all its draws{per}. {cost}.", markup=False)
