"""What a statement says of costs, in lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sfumato.privacy.composition import rounded_up, worth_telling
from sfumato.privacy.guarantee import unit_in_words

COUNTRIES_STAY = 0.02
"""From which epsilon per km more than nine of ten draws return the same country, for most countries."""


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
    stays = " Most countries nearly always stay the same." if _keeps_countries(treatment) else ""
    return (
        f"{kinds}: {treatment['method']}, {treatment['definition']}, epsilon "
        f"{rounded_up(treatment['epsilon_per_draw'])}{per}, for {treatment['unit']}; {draws:,} draws{paid}.{stays}"
    )


def _keeps_countries(treatment: Mapping[str, Any]) -> bool:
    """Return whether countries are so far apart under a law per km that a draw nearly always returns the same one."""
    return treatment["per"] == "km" and float(treatment["epsilon_per_draw"]) >= COUNTRIES_STAY


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
