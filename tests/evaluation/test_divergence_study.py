"""The divergence study: what stands, what changes, what is left out, against models whose answers are known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from scripted_models import ScriptedMasked
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.studies.tokens import CHANGE, GONE, NDD, PSEUDO, SIMILARITY, DivergenceStudy
from sfumato.metrics.divergence import Edit, NeighboringDivergence
from sfumato.metrics.perplexity import masked_surprises
from sfumato.types import FloatArray, Progress

TREES = ("ash", "birch", "cedar", "oak", "pine")


def neighbours(context: list[str], copy: list[str], place: int) -> Sequence[float]:
    """The words beside a mask are likely there."""
    near = copy[max(0, place - 1) : place] + copy[place + 1 : place + 2]
    return [2.0 if word in near else 0.0 for word in TREES]


MODEL = ScriptedMasked(words=TREES, script=neighbours)


class Letters:
    """How often each letter stands in a text."""

    id = "letters"
    dimensions = 26

    def encode(self, phrases: Sequence[str], progress: Progress | None = None) -> FloatArray:
        counts = [[1.0 + phrase.lower().count(chr(97 + at)) for at in range(26)] for phrase in phrases]
        return np.array(counts) / np.linalg.norm(counts, axis=1, keepdims=True)


def study(before: Sequence[str], after: Sequence[str | None], **setting: int) -> dict[tuple[str, str], float]:
    pairs = Pairs([str(number) for number in range(len(before))], before, after)
    found = DivergenceStudy(MODEL, Letters(), **setting).run(pairs)
    assert all(name in pairs.ids for name in found.records)
    return {(one.name, str(one.setting.get("of", ""))): one.estimate.value for one in found.figures}


def test_a_release_that_changes_nothing() -> None:
    found = study(["ash oak pine"] * 5, ["ash oak pine"] * 5)
    assert found[NDD, ""] == found[CHANGE, ""] == 0.0
    assert found[SIMILARITY, ""] == pytest.approx(1.0)


def test_the_figure_is_the_mean_of_the_metric() -> None:
    before, after = ["ash oak pine", "oak oak ash birch"], ["ash birch pine", "oak cedar ash birch"]
    expected = NeighboringDivergence(MODEL, block=4).of([Edit(*pair) for pair in zip(before, after, strict=True)])
    assert study(before, after)[NDD, ""] == pytest.approx(float(expected.mean()))
    assert expected.min() > 0.0


def test_nobody_passes_for_unchanged_who_was_replaced_or_is_missing() -> None:
    before = ["ash oak pine", "ash oak", "oak ash", "pine", " "]
    pairs = Pairs(list("abcde"), before, ["ash birch pine", "cedar birch", None, "", " "])
    found = DivergenceStudy(MODEL, Letters()).run(pairs)
    own = {name: values[NDD] for name, values in found.records.items()}
    assert set(own) == set("abcd")  # an empty original says nothing about a release
    assert 0.0 < own["a"] < 1.0
    assert (own["b"], own["c"], own["d"]) == (1.0, 1.0, 1.0)
    assert found.facts[GONE] == 3
    assert found.figure(NDD).estimate.value == pytest.approx((own["a"] + 3.0) / 4)  # type: ignore[union-attr]
    nobody = DivergenceStudy(MODEL, Letters()).run(Pairs(["a"], ["ash"], [None]))
    assert not nobody.figures
    assert nobody.skipped


def test_a_long_record_is_cut_where_words_were_left() -> None:
    long = " ".join(["ash oak pine birch"] * 100)
    cut = long.replace("oak", "cedar", 1)
    found = study([long] * 3, [long.replace("oak", "cedar elm")] * 3)
    assert 0.0 < found[NDD, ""] < 1.0
    assert study([long] * 3, [cut] * 3)[NDD, ""] < found[NDD, ""]
    assert study([long], [long + " pine"])[NDD, ""] == 0.0  # what was added stands outside every stretch


def test_seeds_decide_what_is_drawn() -> None:
    before = [f"ash {tree} pine" for tree in TREES for _ in range(4)]
    after = [text.replace("ash", "oak") if number % 3 else text for number, text in enumerate(before)]
    assert study(before, after, sampled=6, seed=1) == study(before, after, sampled=6, seed=1)
    assert study(before, after, sampled=6, seed=1) != study(before, after, sampled=6, seed=2)


def test_pseudo_perplexity_by_hand() -> None:
    one, two, none = masked_surprises(MODEL, ["ash ash", "ash, unknown oak", "unknown"], block=1)
    sure = np.log((np.exp(2.0) + 4.0) / np.exp(2.0))  # beside an ash an ash is likely
    assert (one.nats, one.pieces, one.words) == (pytest.approx(2 * sure), 2, 2)
    assert (two.nats, two.pieces, two.words) == (pytest.approx(2 * np.log(5)), 2, 3)
    assert (none.nats, none.pieces, none.words) == (0.0, 0, 1)
    found = study(["ash ash"], ["ash oak"], block=1)
    assert found[PSEUDO, "originals"] == pytest.approx(np.exp(sure))
    assert found[CHANGE, ""] == pytest.approx(found[PSEUDO, "release"] - found[PSEUDO, "originals"])
    assert found[CHANGE, ""] > 0.0
