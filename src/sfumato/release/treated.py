"""The statement of a release with several treatments: each has its own guarantee and cost, or says that it has none.

Costs are added up where they have one meaning: over the draws of one treatment, and over treatments with an ε of LDP,
whose losses add up for a record whatever they replace. An ε per day and an ε per kilometre are never added.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sfumato import version
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.abstract.treatment import Treatment
from sfumato.privacy.guarantee import Certificate, Guarantee
from sfumato.privacy.randomness import Randomness

ADDS_UP = "over all records of a person in this run; other releases about the same person are not counted"
ONCE = "one draw for all records of a person in this run, which pays once; another run about the person pays again"
AT_MOST = (
    f"{ADDS_UP}; a value is drawn once for a person and counted in each record that holds it, so the true cost is at "
    "most this"
)
APART = (
    "each treatment has the cost of a person of its own; here epsilon of LDP is added up over treatments, and what "
    "is per unit of a distance is kept apart"
)
Draws = Mapping[int, int]
"""How many records, or people, took each number of draws."""

NO_GUARANTEE = "no formal guarantee"


@dataclass(frozen=True)
class Spent:
    """How many records (or people) a run had, and what those spent on each treatment that took some of it.

    ``draws_by`` maps the first kind of a treatment to their draws.
    """

    count: int
    draws_by: Mapping[str, Draws]

    def on(self, treatment: Treatment) -> Draws:
        """Return the draws of one treatment."""
        return self.draws_by.get(treatment.kinds[0] if treatment.kinds else "", {})


def stated_treatments(
    sanitizer: Sanitizer, randomness: Randomness, records: Spent, people: Spent | None = None
) -> dict[str, Any]:
    """Return what the statement says of the treatments of ``sanitizer`` in a run over ``records``.

    ``people`` is None in a run that does not say whose records they are.
    """
    if people is not None:
        paid = {key: _of_person(sanitizer, key, draws) for key, draws in people.draws_by.items()}
        people = Spent(people.count, paid)
    treatments = [_stated(treatment, records, people) for treatment in sanitizer.treatments]
    return {
        "summary": _summary(sanitizer, randomness),
        "private": randomness.private,
        "origin": version.origin(sanitizer.implementation),
        **sanitizer.statement_fields(),
        "treatments": treatments,
        "added_up": _added_up(sanitizer, records),
        **({} if people is None else {"people": _people(sanitizer, people)}),
    }


def promised(guarantee: Guarantee, certificate: Certificate | None) -> dict[str, Any]:
    """Return a ``guarantee`` and its ``certificate`` as JSON types."""
    names = ("definition", "distance", "unit", "adjacency", "proof")
    shown = {
        "assumes": list(guarantee.assumes),
        "certificate": None if certificate is None else certificate.as_dict(),
    }
    return {**{name: getattr(guarantee, name) for name in names}, **shown}


def median(draws: Draws) -> int:
    """Return the lower median of the number of draws over records, or over people."""
    count, passed = sum(draws.values()), 0
    for number in sorted(draws):
        passed += draws[number]
        if 2 * passed >= count:
            return number
    return 0


def _stated(treatment: Treatment, records: Spent, people: Spent | None) -> dict[str, Any]:
    stated: dict[str, Any] = {"kinds": list(treatment.kinds) or ["every other kind"], "method": treatment.name}
    guarantee, certificate = treatment.guarantee, treatment.certificate
    if guarantee is None:
        return {**stated, "guarantee": NO_GUARANTEE, **treatment.described()}
    draws = records.on(treatment)
    stated |= {
        "guarantee": str(guarantee),
        "epsilon_per_draw": guarantee.epsilon,
        "per": guarantee.per or None,
        **promised(guarantee, certificate),
        **treatment.described(),
        "records_with_draws": sum(draws.values()),
        "draws": sum(number * count for number, count in draws.items()),
    }
    if draws:
        most = treatment.cost(max(draws), records.count)
        stated["largest_cost_of_a_record"] = None if most is None else most.as_dict()
    if people is not None:
        stated |= _cost_of_people(treatment, people)
    return stated


def _cost_of_people(treatment: Treatment, people: Spent) -> dict[str, Any]:
    """Return what the records of a person paid together, for the median and the maximum over those that paid."""
    draws = people.on(treatment)
    if not draws:
        return {"people_with_draws": 0}
    figures = {"median": median(draws), "maximum": max(draws)}
    costs = {name: treatment.cost(number, people.count) for name, number in figures.items()}
    told = {name: cost.as_dict() for name, cost in costs.items() if cost is not None}
    return {"people_with_draws": sum(draws.values()), "cost_per_person": {**told, "adds_up": _adds_up(treatment)}}


def _of_person(sanitizer: Sanitizer, key: str, draws: Draws) -> Draws:
    """Return how many people pay for each number of draws, where their records took ``draws`` of a treatment."""
    [treatment] = [treatment for treatment in sanitizer.treatments if treatment.kinds[:1] == (key,)]
    paid: Counter[int] = Counter()
    for number, people in draws.items():
        paid[treatment.draws_of_person(number)] += people
    return paid


def _adds_up(treatment: Treatment) -> str:
    """Return over what the cost of a person is a total."""
    if not treatment.for_subjects:
        return ADDS_UP
    return ONCE if treatment.draws_of_person(2) == 1 else AT_MOST


def _people(sanitizer: Sanitizer, people: Spent) -> dict[str, Any]:
    """Return how many people a run was about, and the sum over treatments of what may be added for one of them."""
    added = _added_up(sanitizer, people)
    del added["note"]
    return {"count": people.count, "adds_up": APART, **added}


def _added_up(sanitizer: Sanitizer, spent: Spent) -> dict[str, Any]:
    """Return the sum of the largest costs of the treatments with an ε of LDP, and which are not in it."""
    total, counted, apart = 0.0, list[str](), list[str]()
    for treatment in sanitizer.treatments:
        guarantee, draws = treatment.guarantee, spent.on(treatment)
        if guarantee is None or not draws:
            continue
        cost = treatment.cost(max(draws), spent.count)
        if guarantee.definition == "LDP" and cost is not None:
            total += cost.pure
            counted += treatment.kinds
        else:
            apart += treatment.kinds
    return {
        "epsilon_of_ldp_at_most": total,
        "kinds": counted,
        "kept_apart": apart,
        "note": "epsilon of LDP adds up over the draws of a record, whatever they replace; epsilon per unit of a "
        "distance is stated for its treatment and added to nothing else",
    }


def _summary(sanitizer: Sanitizer, randomness: Randomness) -> str:
    """Return a sentence for each treatment: what it promises, or that it promises nothing."""
    promised, none = [], []
    for treatment in sanitizer.treatments:
        guarantee, kinds = treatment.guarantee, " and ".join(treatment.kinds) or "every other kind"
        if guarantee is None:
            none.append(f"{kinds} ({treatment.name})")
        else:
            promised.append(f"{kinds}: {guarantee.definition}, epsilon {guarantee.measured}, for {guarantee.unit}.")
    text = " ".join(promised)
    if none:
        text += f" No formal guarantee for {', '.join(none)}."
    return text.strip() if randomness.private else f"NOT PRIVATE (a seeded run, for tests): {text.strip()}"
