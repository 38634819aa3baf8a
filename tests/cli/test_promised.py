"""The closing lines of a policy: units in words, one line for what costs nothing, and what often comes back."""

from __future__ import annotations

from typing import Any

from sfumato.cli.closing import treatments_told

STAYS = "Its law returns some values unchanged in more than half of draws."


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


def test_a_law_that_often_gives_values_back_is_named() -> None:
    often = {"PLACE": {"values": 3, "of": 50}}
    assert lines({"kinds": ["PLACE"], "mostly_unchanged": often})[0].endswith(STAYS)
    assert STAYS not in lines({"kinds": ["PLACE"]})[0]
