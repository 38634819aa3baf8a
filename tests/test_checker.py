"""The checker agrees with honest certificates, finds wrong ones, and shares nothing with the analysis."""

from __future__ import annotations

import ast
import itertools
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from brute_force import pairwise_loss
from sfumato import checker
from sfumato.building import methods
from sfumato.checker import InSets, Public, TwoSteps, law_of, rank_loss, softmax_loss
from sfumato.cli.against import of_vocabulary
from sfumato.engines.routes import Route
from sfumato.errors import SfumatoError
from sfumato.privacy import clipped_softmax
from sfumato.privacy.clipped_softmax import ClippedSoftmax, ClipRange
from sfumato.privacy.integer_law import TOTAL, integer_loss, integer_weights

SOURCE = Path(checker.__file__).parent


def imported(path: Path) -> set[str]:
    """The modules that the file at ``path`` imports, wherever it does."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add("." * node.level + (node.module or ""))
    return names


@pytest.mark.parametrize("name", ["checker.py", "value_checker.py"])
def test_the_checker_imports_numpy_and_the_standard_library_alone(tmp_path: Path, name: str) -> None:
    path = SOURCE / name
    strange = {name for name in imported(path) if name.partition(".")[0] not in sys.stdlib_module_names}
    assert strange == {"numpy"}
    assert "importlib" not in imported(path)
    assert "__import__" not in path.read_text(encoding="utf-8")
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 225
    mistake = tmp_path / "mistake.py"
    mistake.write_text("def late():\n    from sfumato.privacy import guarantee\n", encoding="utf-8")
    assert imported(mistake) == {"sfumato.privacy"}


def test_only_the_command_uses_the_checker() -> None:
    users = {
        path.relative_to(SOURCE).parts[0]
        for path in SOURCE.rglob("*.py")
        if path.stem not in ("checker", "value_checker") and "checker" in (text := path.read_text(encoding="utf-8"))
        if {"sfumato.checker", "sfumato.value_checker"} & imported(path) or "import checker" in text
    }
    assert users == {"cli"}


def statement_of(mechanism: Any) -> dict[str, Any]:
    """The part of a statement that is about the law of ``mechanism``, as it is read from a file."""
    entry = Route(mechanism).described(mechanism.guarantee)
    stated = {
        "mechanism": mechanism.name,
        "definition": mechanism.guarantee.definition,
        "distance": mechanism.guarantee.distance,
        "epsilon_per_draw": mechanism.epsilon,
        "certificate": entry["certificate"],
        "vocabularies": {"ANY": entry},
    }
    return json.loads(json.dumps(stated))  # type: ignore[no-any-return]


@pytest.mark.parametrize("epsilon", [1e-6, 6.0])
def test_honest_certificates_agree_on_vocabularies_made_to_break_them(finite: Any, toys: Any, epsilon: float) -> None:
    agreed = 0
    for name in ("duplicates", "near", "outlier", "offset", "line", "cases"):
        vocabulary = toys[name]
        try:
            stated = statement_of(finite.on(vocabulary, epsilon))
        except SfumatoError:  # this claim is not certified on this vocabulary
            continue
        typed = {"clusters": str(len(vocabulary))} if finite.id == "clusant-single" else {}
        found = of_vocabulary(stated, "ANY", vocabulary, typed, all_pairs=True)
        assert found.problem is None, (name, found)
        agreed += 1
    assert agreed >= 3


def test_pairs_are_the_worst_of_the_law_by_brute_force(finite: Any, toys: Any) -> None:
    """Every pair of tokens, every output: the law as the mechanism draws it against the checker's loss."""
    vocabulary = toys["unit"]
    made = finite.on(vocabulary, 3.0)
    entry = statement_of(made)["vocabularies"]["ANY"]
    law = law_of(made.name, entry, Public(vocabulary.vectors, made.covered, made.sets))
    adjacency, drawn = made.adjacency(), np.array([made.law(token) for token in range(len(vocabulary))])
    compared = 0
    for i, j in itertools.combinations(made.covered.tolist(), 2):
        apart = float(adjacency.distances(np.array([i]), np.array([j])).item())
        loss = law.pair(i, j)[0]
        if not math.isfinite(apart):
            assert math.isinf(loss)
            continue
        given = (drawn[i] > 0) | (drawn[j] > 0)
        expected = np.abs(np.log(drawn[i][given]) - np.log(drawn[j][given])).max() / apart
        assert loss == pytest.approx(expected, rel=1e-9)
        compared += 1
    assert compared > 5


def test_no_pair_above_a_floor_is_left_out(finite: Any, toys: Any) -> None:
    vocabulary = toys["unit"]
    made = finite.on(vocabulary, 3.0)
    entry = statement_of(made)["vocabularies"]["ANY"]
    law = law_of(made.name, entry, Public(vocabulary.vectors, made.covered, made.sets))
    pairs = list(itertools.combinations(made.covered.tolist(), 2))
    losses = {frozenset(pair): law.pair(*pair)[0] for pair in pairs}
    finite_losses = sorted(loss for loss in losses.values() if math.isfinite(loss))
    for floor in (0.5 * finite_losses[-1], 0.999 * finite_losses[-1]):
        found = {frozenset(pair) for pair in law.above(floor)}
        if isinstance(law, TwoSteps):
            assert found >= {pair for pair, loss in losses.items() if loss > floor}
        else:  # of each set its worst pair
            assert max(losses[pair] for pair in found) == finite_losses[-1]
    assert all(losses[frozenset(pair)] <= finite_losses[-1] for pair in law.above(finite_losses[-1]))


@pytest.mark.parametrize("outcomes", [2, 3, 4])
@pytest.mark.parametrize("scale", [1e-6, 0.7, 5.0])
def test_the_softmax_is_searched_over_all_extreme_scores(scale: float, outcomes: int) -> None:
    vectors = np.array(list(itertools.product([0.0, scale], repeat=outcomes)))
    laws = vectors - np.log(np.exp(vectors).sum(axis=1, keepdims=True))
    assert softmax_loss(scale, outcomes) == pytest.approx(pairwise_loss(laws), rel=1e-7, abs=1e-14)


@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 25.0, 500.0])
@pytest.mark.parametrize("outcomes", [2, 22_541, 50_265])
def test_the_softmax_agrees_with_the_formula(epsilon: float, outcomes: int) -> None:
    scale = ClippedSoftmax(ClipRange(0.0, 1.0, "a test"), outcomes).scale(epsilon)
    assert softmax_loss(scale, outcomes) == pytest.approx(clipped_softmax.loss(scale, outcomes), rel=1e-7)
    assert softmax_loss(1.01 * scale, outcomes) > 1.004 * epsilon


def test_a_law_by_rank_costs_first_over_last() -> None:
    last = (TOTAL - 3 * 1000) // 4000
    first = TOTAL - 3 * last
    assert rank_loss([[1, first], [3, last]], 4) == math.log(first / last)
    for wrong in (
        [[1, first + 1], [3, last]],
        [[3, last], [1, first]],
        [[1, TOTAL], [3, 0]],
        [[1, first], [2, last]],
        [[2, first], [3, last], [-1, first]],
    ):
        assert math.isinf(rank_loss(wrong, 4))


def test_a_table_in_whole_numbers_is_a_law(toys: Any) -> None:
    """What an optimal law is checked as; a table whose rows are not whole is none."""
    weights = integer_weights(np.array([[5.0, 2.0, 1.0], [2.0, 5.0, 1.0], [1.0, 1.0, 3.0]]))
    members = np.array([0, 1, 2])
    entry = {"parameters": {}, "certificate": {}}
    law = law_of("custext", entry, Public(toys["line"].vectors, members, [members], [weights]))
    assert isinstance(law, InSets)
    losses = [law.pair(i, j)[0] for i, j in itertools.combinations(range(3), 2)]
    assert max(losses) == pytest.approx(integer_loss(weights), rel=1e-12)
    with pytest.raises(ValueError, match="no laws"):
        law_of("custext", entry, Public(toys["line"].vectors, members, [members], [weights + 1])).pair(0, 1)


@pytest.mark.parametrize("epsilon", [3.0, 40.0])
def test_laws_that_are_drawn_in_whole_numbers_are_rounded_as_they_are(epsilon: float, toys: Any) -> None:
    vocabulary = toys["unit"]
    made = methods.mechanism("custext", vocabulary, epsilon, set_size=4)
    entry = statement_of(made)["vocabularies"]["ANY"]
    entry["law"]["bits"] = 62
    law = law_of("custext", entry, Public(vocabulary.vectors, made.covered, made.sets))
    for members in made.sets:
        probabilities = np.array([made.law(token)[members] for token in members])
        losses = [law.pair(i, j)[0] for i, j in itertools.combinations(members.tolist(), 2)]
        assert max(losses) == pytest.approx(integer_loss(integer_weights(probabilities)), rel=1e-9)


def test_sets_that_are_no_partition_are_not_checked(toys: Any) -> None:
    vocabulary = toys["unit"]
    made = methods.mechanism("custext", vocabulary, 2.0, set_size=4)
    entry = statement_of(made)["vocabularies"]["ANY"]
    with pytest.raises(checker.UnreadableError, match="each covered token once"):
        law_of("custext", entry, Public(vocabulary.vectors, made.covered, [*made.sets[:-1], made.sets[0]]))
    with pytest.raises(checker.UnreadableError, match="no finite law"):
        law_of("fbdd", entry, Public(vocabulary.vectors, made.covered))
