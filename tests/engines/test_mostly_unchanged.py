"""A warning where a law gives values back in more than half of draws, from the law itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.building.policies import domain_of
from sfumato.engines.routes import Route
from sfumato.engines.values import FEW, DrawnValues, mostly_unchanged
from sfumato.kinds.dates.age import Age
from sfumato.kinds.places.listed import AREA_SCALE, AREAS, listed_places
from sfumato.kinds.places.place import Place
from sfumato.mechanisms.custext import CusText
from sfumato.mechanisms.geometric import Geometric
from sfumato.mechanisms.independent import Independent
from sfumato.mechanisms.mahalanobis import Mahalanobis
from sfumato.mechanisms.santext import SanText
from sfumato.mechanisms.tem import TEM
from sfumato.policy import Policy
from sfumato.policy.tables import shipped_names

UNEVEN = Vocabulary(
    tuple("dabc"), np.array([[9.0], [0.0], [1.0], [1.5]]), "four values, one of them far", unit="step"
)
LAWS = (Geometric, SanText, TEM, CusText)


@pytest.mark.parametrize("made", LAWS)
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_it_is_the_diagonal_of_the_law(made: Any, epsilon: float) -> None:
    mechanism: Mechanism = made(UNEVEN, epsilon)
    own = mechanism.unchanged()
    assert own is not None
    assert own == pytest.approx([mechanism.law(token)[token] for token in range(4)], rel=1e-9)


def test_a_law_without_a_closed_form_has_none() -> None:
    plane = Vocabulary(tuple("abcd"), np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]), "four points")
    assert Mahalanobis(plane, 1.0).unchanged() is None
    assert mostly_unchanged({"points": Mahalanobis(plane, 1.0)}) == {}


def test_values_are_counted_and_many_domains_are_added_up() -> None:
    made = SanText(UNEVEN, 1.0)
    expected = [made.law(token)[token] for token in range(4)]
    entry = {"values": sum(often > 0.5 for often in expected), "of": 4, "at_most": pytest.approx(max(expected))}
    assert 0 < entry["values"] < 4
    assert mostly_unchanged({"one": made, "other": Independent(UNEVEN)}) == {"one": entry}
    many = mostly_unchanged({str(number): made for number in range(FEW + 1)})
    assert many == {f"{FEW + 1} domains": {**entry, "values": entry["values"] * (FEW + 1), "of": 4 * (FEW + 1)}}


def test_a_statement_holds_the_warning() -> None:
    """A decade of life is ten years from the next: at 0.5 a year it nearly always stays."""
    kind = Age()
    drawn = DrawnValues(kind, {grain: Route(Geometric(kind.vocabulary(grain), 0.5)) for grain in kind.grains})
    told = drawn.described()["mostly_unchanged"]
    assert told["decade"]["values"] == told["decade"]["of"] == 8
    assert told["decade"]["at_most"] > 0.98
    assert (told["year"]["values"], told["year"]["of"]) == (2, 110), "the ends of the line"
    low = DrawnValues(kind, {grain: Route(Independent(kind.vocabulary(grain))) for grain in kind.grains})
    assert "mostly_unchanged" not in low.described()


@pytest.mark.parametrize(
    "name", [name for name in shipped_names() if name not in ("internal", "research-words", "synthetic")]
)
@pytest.mark.parametrize("grain", sorted(AREAS))
def test_no_shipped_policy_gives_most_countries_back(name: str, grain: str) -> None:
    rule = Policy.load(name).treatment_of("PLACE")
    kind = Place()
    made = SanText(domain_of(kind, grain, None), rule.epsilon_per_unit)  # type: ignore[arg-type]
    assert mostly_unchanged({grain: made}) == {}


def test_the_scale_is_the_least_power_of_two_and_only_shrinks_distances() -> None:
    """A scale that grew a distance would break the guarantee per km; at half of it some areas would stay the same."""
    strictest = max(Policy.load(name).treatment_of("PLACE").epsilon_per_unit or 0 for name in ("clinical", "court"))
    halved = {}
    for grain in sorted(AREAS):
        domain = listed_places(15_000, grain)
        assert np.linalg.norm(domain.vectors, axis=1) == pytest.approx(6371.0088 / AREA_SCALE)
        nearer = Vocabulary(domain.tokens, domain.vectors * 2.0, "at half the scale")
        halved[grain] = SanText(nearer, strictest)
    assert mostly_unchanged(halved).keys() == AREAS - {"region-code"}
    assert np.linalg.norm(listed_places(15_000, "county").vectors, axis=1) == pytest.approx(6371.0088)
