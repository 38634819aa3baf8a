"""The section of the guarantee study: the strongest attack on one draw, and what the guarantee permits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies.guarantee import (
    BAYES,
    COST,
    DRAWN,
    GUESSING,
    IN_CONTEXT,
    NAMED,
    PERMITTED,
    TREATMENTS,
)
from sfumato.privacy.composition import rounded_up, worth_telling
from sfumato.privacy.guarantee import unit_in_words
from sfumato.report import plots
from sfumato.report.section import Said, Section, Table, percent

_NAMES = {
    GUESSING: "without looking",
    BAYES: "by the strongest attacker",
    NAMED: "in this release",
    PERMITTED: "permitted by the guarantee",
}


_LOOSE = 0.99
"""Where a permitted success rate hardly limits an attacker."""


def guarantee_section(study: Study) -> Section:
    """Return bars for each vocabulary: guessing, the strongest attacker, and the most that the guarantee permits."""
    result = Section("What does the guarantee permit?")
    if not study.figures:
        return result
    result.sentences.append(
        "The attacker of one draw knows the mechanism, all its settings and how often words are used, and names the "
        "most likely original word. No attacker who knows nothing about the words around it can be right more often."
    )
    permitted = study.figure(PERMITTED)
    if permitted:
        result.sentences.append(
            "The last bar is the highest success rate that the guarantee alone permits any such attacker. Its "
            "distance to the strongest attacker's bar shows how much better this mechanism is than its guarantee."
        )
    if TREATMENTS in study.facts:
        result.sentences.append(
            "Of a kind with several domains (days, months, weekdays) only the domain of the certificate is attacked, "
            "which has the largest loss. The laws over its other domains are not attacked."
        )
    result.sentences += _cost(study.facts.get(COST, {}))
    _add_costs(result, study.facts.get(TREATMENTS, {}))
    for name in dict.fromkeys(figure.setting.get("vocabulary", "") for figure in study.figures):
        own = [figure for figure in study.figures if figure.setting.get("vocabulary", "") == name]
        counted = [
            figure for figure in study.figures if figure.name == NAMED and figure.setting["of"] in (DRAWN, IN_CONTEXT)
        ]
        of_policy = TREATMENTS in study.facts
        what = f"Values of {name}" if of_policy else f"Words of the vocabulary {name}"
        result.pictures += _picture(what, [*own, *counted]) if name else []
    result.sentences += (said.sentence for said in guarantee_headline(study))
    return result


class _Paid(NamedTuple):
    """What the most exposed record paid: its draws, their ε with its unit, and a smaller ε with what it assumes."""

    draws: int
    epsilon: float
    per: str
    independent: str

    @property
    def amount(self) -> str:
        """Return the ε with its unit."""
        return f"{rounded_up(self.epsilon)}{self.per}"


def _paid(cost: Any) -> _Paid | None:
    """Return what the most exposed record paid; None if the statement does not say it."""
    try:
        draws, pure = int(cost["draws"]), float(cost["epsilon"])
        per = f" per unit of {cost['distance']} distance" if cost.get("distance") else ""
        per = f" per {unit_in_words(str(cost['per']))}" if cost.get("per") else per
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
    try:
        least, delta = float(cost["epsilon_by_renyi"]), float(cost["delta"])
    except (KeyError, TypeError, ValueError):
        return _Paid(draws, pure, per, "")
    told = worth_telling(pure, least)
    return _Paid(draws, pure, per, f"{rounded_up(least)} at delta {rounded_up(delta)}" if told else "")


def _cost(cost: Any) -> Iterator[str]:
    """Yield what the most exposed record paid, with what the smallest figure assumes."""
    paid = _paid(cost)
    if paid is None:
        return
    yield f"The record with the most draws ({paid.draws:,}) pays {paid.amount} for all of them (pure)."
    if paid.independent:
        yield f"If the draws are independent, its epsilon is {paid.independent}, which is not pure."


def _add_costs(result: Section, treatments: Mapping[str, Any]) -> None:
    """Add what the most exposed record paid for each kind: a sentence for what cost nothing, a table of the rest."""
    every = [(kinds, paid) for kinds, facts in treatments.items() if (paid := _paid(facts.get(COST, {})))]
    free = [kinds for kinds, paid in every if paid.epsilon == 0.0]
    rows = [[kinds, f"{paid.draws:,}", paid.amount, paid.independent] for kinds, paid in every if paid.epsilon]
    if rows:
        result.sentences.append("The table lists what the record with the most draws of a kind pays for all of them.")
        header = ("kind", "draws", "epsilon (pure)", "if the draws are independent (not pure)")
        result.tables.append(Table("What a record pays at most, by kind", header, rows))
    if free:
        result.sentences.append(f"The draws of {', '.join(free)} do not look at the value, and cost nothing.")


def guarantee_headline(study: Study) -> Iterator[Said]:
    """Yield that the guarantee hardly limits an attacker of single words, if so."""
    for whose, permitted in _loose(study):
        what = "values" if TREATMENTS in study.facts else "words"
        yield Said(
            f"{whose} permits {percent(permitted.estimate)}: for single {what} it hardly limits an attacker. "
            "Only what the mechanism does beyond its guarantee protects them.",
            holds=False,
        )


def guarantee_advice(study: Study) -> Iterator[str]:
    """Yield whose epsilon to lower, if a guarantee hardly limits an attacker."""
    if TREATMENTS in study.facts:
        names = [str(permitted.setting["vocabulary"]) for _, permitted in _loose(study)]
        if names:
            yield f"Lower the epsilon of {', '.join(names)}, or do not count on the guarantee of these values."
    elif list(_loose(study)):
        yield "Lower epsilon, or do not count on the guarantee of single words."


def _loose(study: Study) -> Iterator[tuple[str, Figure]]:
    """Yield the guarantees that hardly limit an attacker, each with its name."""
    of_policy = TREATMENTS in study.facts
    for permitted in study.named(PERMITTED)[: None if of_policy else 1]:
        if permitted.estimate.value >= _LOOSE:
            yield f"The guarantee of {permitted.setting['vocabulary']}" if of_policy else "This guarantee", permitted


def _picture(what: str, figures: Sequence[Figure]) -> list[tuple[str, str]]:
    shown = [figure for key in _NAMES for figure in figures if figure.name == key]
    if not shown:
        return []
    picture = plots.bars([_label(figure) for figure in shown], [figure.estimate for figure in shown])
    return [(picture, f"{what} named right from one draw")]


def _label(figure: Figure) -> str:
    reads = figure.setting.get("of") == IN_CONTEXT
    return f"{_NAMES[figure.name]}, reading around" if reads else _NAMES[figure.name]
