"""The statement of a release with several treatments: each has its own guarantee and cost, or says that it has none.

Costs are added up where they have one meaning: over the draws of one treatment, and over treatments with an ε of LDP,
whose losses add up for a record whatever they replace. An ε per day and an ε per kilometre are never added.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato import version
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.abstract.treatment import Treatment
from sfumato.privacy.randomness import Randomness

Draws = Mapping[int, int]
"""How many records took each number of draws."""

NO_GUARANTEE = "no formal guarantee"


def stated_treatments(
    sanitizer: Sanitizer, randomness: Randomness, records: int, draws_by: Mapping[str, Draws]
) -> dict[str, Any]:
    """Return what the statement says of the treatments of ``sanitizer`` in a run over so many ``records``.

    ``draws_by`` maps the first kind of a treatment to the draws of the records that took some of it.
    """
    treatments = [
        _stated(treatment, draws_by.get(_key(treatment), {}), records) for treatment in sanitizer.treatments
    ]
    return {
        "summary": _summary(sanitizer, randomness),
        "private": randomness.private,
        "origin": version.origin(sanitizer.implementation),
        **sanitizer.statement_fields(),
        "treatments": treatments,
        "added_up": _added_up(sanitizer, draws_by, records),
    }


def _stated(treatment: Treatment, draws: Draws, records: int) -> dict[str, Any]:
    stated: dict[str, Any] = {"kinds": list(treatment.kinds) or ["every other kind"], "method": treatment.name}
    guarantee, certificate = treatment.guarantee, treatment.certificate
    if guarantee is None:
        return {**stated, "guarantee": NO_GUARANTEE, **treatment.described()}
    stated |= {
        "guarantee": str(guarantee),
        "definition": guarantee.definition,
        "epsilon_per_draw": guarantee.epsilon,
        "per": guarantee.per or None,
        "distance": guarantee.distance,
        "unit": guarantee.unit,
        "adjacency": guarantee.adjacency,
        "proof": guarantee.proof,
        "assumes": list(guarantee.assumes),
        "certificate": None if certificate is None else certificate.as_dict(),
        **treatment.described(),
        "records_with_draws": sum(draws.values()),
        "draws": sum(number * count for number, count in draws.items()),
    }
    if draws:
        most = treatment.cost(max(draws), records)
        stated["largest_cost_of_a_record"] = None if most is None else most.as_dict()
    return stated


def _added_up(sanitizer: Sanitizer, draws_by: Mapping[str, Draws], records: int) -> dict[str, Any]:
    """Return the sum of the largest costs of the treatments with an ε of LDP, and which are not in it."""
    total, counted, apart = 0.0, list[str](), list[str]()
    for treatment in sanitizer.treatments:
        guarantee, draws = treatment.guarantee, draws_by.get(_key(treatment), {})
        if guarantee is None or not draws:
            continue
        cost = treatment.cost(max(draws), records)
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


def _key(treatment: Treatment) -> str:
    return treatment.kinds[0] if treatment.kinds else ""
