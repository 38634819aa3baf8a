"""The closing lines of a policy: units in words, one line for what costs nothing, and what becomes of a country."""

from __future__ import annotations

import statistics
from typing import Any

from sfumato.building.policies import build_policy
from sfumato.cli.closing import COUNTRIES_STAY, treatments_told
from sfumato.kinds.places.gazetteer import countries
from sfumato.policy import Policy

STAYS = "Most countries nearly always stay the same."


def lines(*treatments: dict[str, Any]) -> list[str]:
    usual = {
        "method": "santext", "epsilon_per_draw": 0.5, "per": "year", "definition": "metric-LDP",
        "unit": "one mention", "draws": 3,
    }  # fmt: skip
    return list(treatments_told({"private": True, "treatments": [{**usual, **each} for each in treatments]}))


def test_what_costs_nothing_shares_a_line() -> None:
    free = [{"kinds": [kind], "epsilon_per_draw": 0.0} for kind in ("PERSON", "CODE", "PHONE")]
    told = lines(*free, {"kinds": ["AGE"]})
    assert len(told) == 2
    assert told[1] == (
        "Draws that do not look at the value, and cost nothing (epsilon 0): PERSON (3), CODE (3), PHONE (3)."
    )


def test_an_e_fold_has_words_beside_it() -> None:
    [line] = lines({"kinds": ["MONEY"], "per": "e-fold"})
    assert "epsilon 0.5 per e-fold (a ratio of 2.72), for one mention" in line


def test_countries_are_named_where_the_law_hardly_moves_them() -> None:
    assert lines({"kinds": ["PLACE"], "per": "km", "epsilon_per_draw": COUNTRIES_STAY})[0].endswith(STAYS)
    assert STAYS not in lines({"kinds": ["PLACE"], "per": "km", "epsilon_per_draw": COUNTRIES_STAY / 2})[0]
    assert STAYS not in lines({"kinds": ["AGE"]})[0]


def test_the_law_says_what_the_line_says(short_lists: None) -> None:
    policy = f'[[treat]]\nkinds = ["PLACE"]\nmechanism = "santext"\nepsilon = {COUNTRIES_STAY}\n'
    made = build_policy(Policy.parse(policy))
    laws = [made.explain(country.name, label="PLACE") for country in countries()[:120]]
    assert statistics.median(law.probability(str(law.subject)) for law in laws) > 0.9
