"""Curves of mechanisms: of their actual laws, kept in the cache, and refused where an entry was edited."""

from __future__ import annotations

import copy
import itertools
import math
from typing import Any

import numpy as np
import pytest

from sfumato.building import methods
from sfumato.errors import GuaranteeError
from sfumato.privacy import renyi_of_sets
from sfumato.privacy.composition import ORDERS, of_guarantee, of_pure_loss
from sfumato.privacy.renyi_of_sets import pair_divergences
from sfumato.storage import cache

SETS = {
    "custext": {"set_size": 4}, "custext+": {"set_size": 3}, "clusant": {"k": math.inf, "set_size": 4},
}  # fmt: skip
FEW = ORDERS[[0, 100, 200, -1]]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def entries(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The entries of curves, in the test's hands: an attacker who can even seal them."""
    kept: dict[str, Any] = {}
    monkeypatch.setattr(renyi_of_sets.cache, "save_json", lambda key, value: kept.__setitem__(key, value))
    monkeypatch.setattr(renyi_of_sets.cache, "load_json", lambda key: kept.get(key))
    return kept


def by_all_pairs(made: Any, orders: Any) -> Any:
    """The largest divergence between any two tokens that share a set, from the laws over the whole vocabulary."""
    covered = made.covered
    groups = made.adjacency().groups
    laws = {token: made.law(int(token)) for token in covered}
    pairs = [(x, y) for x, y in itertools.permutations(covered, 2) if groups[x] == groups[y]]
    return np.max([pair_divergences(laws[x], laws[y], orders) for x, y in pairs], axis=0)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("toy", ["unit", "duplicates", "near", "outlier", "line"])
@pytest.mark.parametrize("epsilon", [0.5, 6.0])
def test_the_curve_of_a_mechanism_is_that_of_its_laws(toys: Any, name: str, toy: str, epsilon: float) -> None:
    made = methods.mechanism(name, toys[toy], epsilon, **SETS[name])
    exact = by_all_pairs(made, FEW)
    found = made.renyi(FEW)
    assert (found >= exact * (1 - 1e-12) - 1e-12).all()
    assert found == pytest.approx(exact, rel=1e-7, abs=2e-9)
    assert (found <= of_pure_loss(epsilon, FEW) * (1 + 1e-9) + 1e-9).all()
    assert made.renyi(ORDERS)[[0, 100, 200, -1]] == pytest.approx(found, rel=1e-9, abs=2e-9)


def test_a_metric_guarantee_has_no_curve(toys: Any) -> None:
    for name, options in (("santext", {}), ("tem", {}), ("clusant", {"k": 4.0, "set_size": 3})):
        with pytest.raises(GuaranteeError, match="purely"):
            methods.mechanism(name, toys["unit"], 2.0, **options).renyi(FEW)


def test_a_mechanism_that_says_nothing_has_the_curve_of_its_guarantee(toys: Any) -> None:
    made = methods.mechanism("custext", toys["unit"], 2.0, set_size=4)
    assert super(type(made), made).renyi(FEW) == pytest.approx(of_guarantee(made.guarantee, FEW))


def _only_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on all pairs may be looked at for a few orders alone."""
    real = renyi_of_sets.worst_divergences

    def few(laws: Any, orders: Any) -> Any:
        assert len(orders) < 10, "it was kept"
        return real(laws, orders)

    monkeypatch.setattr(renyi_of_sets, "worst_divergences", few)


def test_a_curve_is_computed_once_and_then_read(
    toys: Any, entries: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = methods.mechanism("custext", toys["unit"], 2.0, set_size=4).renyi(ORDERS)
    [content] = entries.values()
    assert set(content) == {"claimed", "certified", "scale", "divergences", "pairs"}
    _only_checked(monkeypatch)
    assert (methods.mechanism("custext", toys["unit"], 2.0, set_size=4).renyi(ORDERS) == first).all()


def test_a_curve_survives_in_the_cache_folder(toys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first = methods.mechanism("custext", toys["unit"], 2.0, set_size=4).renyi(ORDERS)
    folder = cache.folder()
    assert folder is not None
    assert list(folder.glob("*.json"))
    _only_checked(monkeypatch)
    assert (methods.mechanism("custext", toys["unit"], 2.0, set_size=4).renyi(ORDERS) == first).all()


def _lower(content: dict[str, Any]) -> None:
    content["divergences"] = [0.9 * value for value in content["divergences"]]


def _lower_at_one(content: dict[str, Any]) -> None:
    content["divergences"][150] -= 1e-4 * content["divergences"][150]


def _another_pair(content: dict[str, Any]) -> None:
    content["pairs"] = [[b, a] if place % 2 else [a, b] for place, (a, b) in enumerate(content["pairs"])]
    content["pairs"][7] = [content["pairs"][7][0]] * 2


def _across(content: dict[str, Any]) -> None:
    content["pairs"][3] = [0, 13]


def _negative(content: dict[str, Any]) -> None:
    content["pairs"][3] = [-1, -2]


def _higher(content: dict[str, Any]) -> None:
    content["divergences"][-1] = content["claimed"] * 1.1


def _claim(content: dict[str, Any]) -> None:
    content["claimed"] = 1.0


def _scale(content: dict[str, Any]) -> None:
    content["scale"] *= 1.5


def _certified(content: dict[str, Any]) -> None:
    content["certified"] *= 0.5


def _nan(content: dict[str, Any]) -> None:
    content["divergences"][0] = math.nan


def _shorter(content: dict[str, Any]) -> None:
    content["divergences"].pop()


def _missing(content: dict[str, Any]) -> None:
    del content["pairs"]


def _text(content: dict[str, Any]) -> None:
    content["divergences"] = "low"


def _nobody(content: dict[str, Any]) -> None:
    """A token has no divergence from itself."""
    content["divergences"] = [0.0] * len(content["divergences"])
    content["pairs"] = [[0, 0]] * len(content["pairs"])


EDITS = [
    _nobody, _lower, _lower_at_one, _another_pair, _across, _negative, _higher, _claim, _scale, _certified, _nan,
    _shorter, _missing, _text,
]  # fmt: skip


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_an_edited_curve_is_refused(toys: Any, entries: dict[str, Any], edit: Any) -> None:
    made = methods.mechanism("custext", toys["unit"], 2.0, set_size=4)
    assert made.set_of[0] != made.set_of[13]
    honest = made.renyi(ORDERS)
    [content] = entries.values()
    kept = copy.deepcopy(content)
    edit(content)
    again = methods.mechanism("custext", toys["unit"], 2.0, set_size=4).renyi(ORDERS)
    assert (again == honest).all()
    [renewed] = entries.values()
    assert renewed == kept  # it was written again: a curve of another claim or scale is not believed either


def test_the_curve_of_a_milder_pair_is_refused(toys: Any, entries: dict[str, Any]) -> None:
    """The edit keeps every rule but one: it names a pair that is not the worst, with that pair's own divergences."""
    made = methods.mechanism("custext", toys["unit"], 2.0, set_size=4)
    honest = made.renyi(ORDERS)
    law = made.set_law  # type: ignore[attr-defined]
    rows = law.weights[0].astype(np.float64)
    pairs = [(i, j) for i in range(4) for j in range(4) if i != j]
    mild = min(pairs, key=lambda pair: pair_divergences(rows[pair[0]], rows[pair[1]], ORDERS)[-1])
    curve = pair_divergences(rows[mild[0]], rows[mild[1]], ORDERS)
    assert (curve < 0.9 * honest).any()
    [content] = entries.values()
    content["divergences"] = curve.tolist()
    content["pairs"] = [[int(law.group(0)[place]) for place in mild]] * len(ORDERS)
    assert (methods.mechanism("custext", toys["unit"], 2.0, set_size=4).renyi(ORDERS) == honest).all()


def test_a_curve_of_another_law_is_not_read(toys: Any, entries: dict[str, Any]) -> None:
    """Epsilon, calibration, set size and vocabulary each name another entry."""
    laws: list[tuple[str, float, dict[str, Any]]] = [
        ("duplicates", 2.0, {"set_size": 4}),
        ("duplicates", 2.1, {"set_size": 4}),
        ("duplicates", 2.0, {"set_size": 3}),
        ("duplicates", 2.0, {"set_size": 4, "calibration": "paper"}),
        ("offset", 2.0, {"set_size": 4}),
    ]
    curves = [methods.mechanism("custext", toys[toy], nats, **options).renyi(ORDERS) for toy, nats, options in laws]
    assert len(entries) == len(curves)
    assert len({curve.tobytes() for curve in curves}) == len(curves)
