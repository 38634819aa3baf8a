"""Scores that stay where they were computed: the same outcomes as numpy's, to the last bit, by the same law.

torch on the CPU stands in for a GPU: what is looked up there is whole numbers, which have one result everywhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from in_context import law_in

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from scripted_models import ScriptedMasked
from sfumato.abstract.models import Cloze, is_steady
from sfumato.detectors.words import Words
from sfumato.engines.contextual import Contextual
from sfumato.engines.engine import Engine
from sfumato.errors import GuaranteeError
from sfumato.mechanisms._masked_rewrite import MaskedBatch
from sfumato.mechanisms.dp_mlm import DPMLM
from sfumato.models.masked import device_scores, networks
from sfumato.models.masked.device_scores import DeviceScores
from sfumato.models.masked.model import MaskedNetwork
from sfumato.privacy.clipped_softmax import ClippedSoftmax, ClipRange
from sfumato.privacy.randomness import PinnedRandomness, RandomDraws, Randomness, SeededRandomness
from sfumato.privacy.rank_law import RankLaw
from sfumato.privacy.rank_profile import RankGains
from sfumato.privacy.score_law import HostScores
from sfumato.text.document import Document
from tiny_models import Held, tiny_bert

pytestmark = pytest.mark.models

FORMATS = (torch.float32, torch.bfloat16, torch.float16)
RNG = np.random.default_rng(0)
TINY = float(np.finfo(np.float32).smallest_subnormal)
ROWS = {
    "apart": RNG.normal(size=(5, 41)),
    "tied": RNG.integers(-2, 3, size=(5, 41)),
    "constant": np.full((3, 41), -7.25),
    "huge": RNG.choice([-1e38, -3e37, 3e37, 1e38], size=(5, 41)),
    "zeros": RNG.choice([-0.0, 0.0, TINY, -TINY], size=(5, 41)),
    "endless": RNG.choice([-np.inf, -1.0, 1.0, np.inf], size=(5, 41)),
    "two": RNG.normal(size=(4, 2)),
}


def both(rows: Any, kind: Any = torch.float32) -> tuple[DeviceScores, HostScores]:
    values = torch.from_numpy(np.array(rows, dtype=np.float32)).to(kind)
    return DeviceScores(values), HostScores(values.float().numpy())


def draws(seed: int, n: int) -> RandomDraws:
    return RandomDraws(SeededRandomness(seed), n, [number.to_bytes(4, "little") for number in range(n)])


# --- what is looked up ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("name", list(ROWS))
def test_every_rank_has_the_outcome_that_it_has_in_numpy(name: str, kind: Any) -> None:
    device, host = both(ROWS[name], kind)
    n, outcomes = device.shape
    assert device.shape == host.shape
    for rank in range(outcomes):
        ranks = np.full(n, rank)
        np.testing.assert_array_equal(device.of_ranks(ranks), host.of_ranks(ranks))
        np.testing.assert_array_equal(device.gaps(ranks + 1), host.gaps(ranks + 1))
    order = np.argsort(-host.numpy().astype(np.float64), axis=1, kind="stable")  # and neither is wrong
    found = [device.of_ranks(np.full(n, rank)) for rank in range(outcomes)]
    np.testing.assert_array_equal(np.stack(found, axis=1), order)
    np.testing.assert_array_equal(device.numpy(), host.numpy())


@given(
    st.lists(st.floats(width=32, allow_nan=False), min_size=2, max_size=9),
    st.sampled_from(FORMATS),
)
def test_any_scores_are_looked_up_as_in_numpy(row: list[float], kind: Any) -> None:
    device, host = both([row] * len(row), kind)
    ranks = np.arange(len(row))
    np.testing.assert_array_equal(device.of_ranks(ranks), host.of_ranks(ranks))
    np.testing.assert_array_equal(device.gaps(ranks + 1), host.gaps(ranks + 1))


def test_rows_of_unequal_ranks_are_looked_up_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    device, host = both(RNG.integers(0, 4, size=(50, 30)))
    ranks = RNG.integers(0, 30, size=50)
    wanted = host.of_ranks(ranks)
    for at_once in (1, 64, 1 << 26):
        monkeypatch.setattr(device_scores, "_AT_ONCE", at_once)
        found = device.of_ranks(ranks)
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found, wanted)
    empty = DeviceScores(torch.empty((0, 30)))
    assert len(empty.of_ranks(np.empty(0, dtype=np.int64))) == 0


def test_a_device_without_memory_leaves_it_to_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    device, host = both(ROWS["tied"])
    ranks, rows = np.arange(5), np.array([1, 3])

    def full(*_: Any, **__: Any) -> Any:
        raise torch.cuda.OutOfMemoryError("CUDA out of memory.")

    for place, name in ((device_scores, "_outcomes"), (torch, "cat"), (torch.Tensor, "clone")):
        with monkeypatch.context() as patched:
            patched.setattr(place, name, full)
            np.testing.assert_array_equal(device.of_ranks(ranks), host.of_ranks(ranks))
            joined = DeviceScores.joined([device.values[:2], device.values[2:]])
            replaced = device.replaced(rows, np.zeros((2, 41)))
        for found, wanted in ((joined, host.numpy()), (replaced, host.replaced(rows, np.zeros((2, 41))))):
            np.testing.assert_array_equal(found if isinstance(found, np.ndarray) else found.numpy(), wanted)


# --- the law --------------------------------------------------------------------------------------------------


def law(outcomes: int, *firsts: int) -> RankLaw:
    edges = (*(firsts or (3,)), outcomes)
    return RankLaw(RankGains(edges, tuple(1.0 / edge**0.2 for edge in edges), "test"), outcomes)


@pytest.mark.parametrize("kind", FORMATS)
def test_draws_on_a_device_follow_the_law_and_no_other(kind: Any) -> None:
    epsilon, n = 1.5, 30_000
    made = law(8)
    device, host = both([[0, 3, 3, 5, -2, 3, 9, -np.inf]], kind)  # ties, some of them across the plateau's edge
    scores = DeviceScores(device.values.repeat(n, 1))
    drawn = made.draw(scores, [epsilon] * n, draws(3, n))
    np.testing.assert_array_equal(drawn, made.draw(np.repeat(host.numpy(), n, axis=0), [epsilon] * n, draws(3, n)))
    seen = np.bincount(drawn, minlength=8)
    np.testing.assert_array_equal(made.law(device, epsilon), made.law(host.numpy(), epsilon))
    assert chisquare(seen, made.law(device, epsilon)[0] * n).pvalue > 1e-4
    for factor in (0.7, 1.3):
        assert chisquare(seen, made.law(device, factor * epsilon)[0] * n).pvalue < 1e-6


def test_scores_on_a_device_that_are_not_numbers_or_too_few_are_refused() -> None:
    rows = np.zeros((2, 4))
    rows[1, 2] = np.nan
    device, soft = both(rows)[0], ClippedSoftmax(ClipRange(-1.0, 1.0, "test"), 4)
    for made in (law(4), soft):
        for ask in (lambda scores, made=made: made.law(scores, 1.0),
                    lambda scores, made=made: made.draw(scores, [1.0] * 2, draws(0, 2))):  # fmt: skip
            with pytest.raises(GuaranteeError, match="not numbers"):
                ask(device)
            with pytest.raises(GuaranteeError, match="4 outcomes"):
                ask(both(np.zeros((2, 5)))[0])
        made.check(both(np.full((2, 4), np.inf))[0])


def test_the_softmax_takes_its_scores_from_the_device() -> None:
    soft, (device, host) = ClippedSoftmax(ClipRange(-1.0, 1.0, "test"), 41), both(ROWS["apart"], torch.bfloat16)
    np.testing.assert_array_equal(soft.law(device, 3.0), soft.law(host.numpy(), 3.0))
    drawn = [soft.draw(scores, [3.0] * 5, draws(1, 5)) for scores in (device, host.numpy())]
    np.testing.assert_array_equal(*drawn)


# --- a model whose scores stay --------------------------------------------------------------------------------

TEXTS = ["The cat sat on the mat.", "Far away!", "", "Seven green halls in the park, seven dogs ran", "on " * 30]
DOCUMENTS = [Document(text, str(number)) for number, text in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Held:
    folder: Path = tiny_bert(tmp_path_factory.mktemp("models") / "bert")
    return Held(*networks.loaded_masked(folder))


@pytest.fixture(params=["float32", "bfloat16"])
def model(request: pytest.FixtureRequest, held: Held) -> MaskedNetwork:
    import copy

    return MaskedNetwork("m", request.param, "cpu", source=copy.deepcopy(held))


def staying(model: MaskedNetwork, stays: bool = True) -> MaskedNetwork:
    model._placed.stays = stays
    return model


def rewriter(model: MaskedNetwork, **given: Any) -> Engine:
    return Engine(Words(), Contextual(DPMLM(model, 3.0, law(len(model.words), 2).gains, **given)))


def test_scores_stay_only_where_they_are_to_stay(model: MaskedNetwork) -> None:
    pieces = model.word_pieces[:9].tolist()
    asked = [Cloze(pieces[:n], [*pieces[: n - 1], -1]) for n in (3, 9, 5)]
    assert isinstance(model.scores_in_place(asked), np.ndarray)
    stayed = staying(model).scores_in_place(asked)
    assert isinstance(stayed, DeviceScores)
    assert stayed.values.dtype == getattr(torch, model.number_format)
    np.testing.assert_array_equal(stayed.numpy(), model.scores(asked))


@pytest.mark.parametrize("block", [1, 4])
def test_a_run_is_the_same_through_the_device_and_through_the_host(model: MaskedNetwork, block: int) -> None:
    source: Randomness = PinnedRandomness(bytes(range(32)))
    if model.number_format == "bfloat16":  # never pinned
        source = SeededRandomness(5)
    released = [
        [one.text for one in rewriter(staying(model, stays), block=block).sanitize_batch(DOCUMENTS, source)]
        for stays in (False, True)
    ]
    assert released[0] == released[1]
    other = rewriter(model, block=block).sanitize_batch(DOCUMENTS, SeededRandomness(6))
    assert released[0] != [one.text for one in other]


def test_rows_are_computed_again_on_a_device_too_but_for_those_that_are_steady(
    model: MaskedNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = MaskedBatch.alone
    asked: list[int] = []
    monkeypatch.setattr(MaskedBatch, "alone", lambda batch, row: asked.append(row) or alone(batch, row))  # type: ignore[func-returns-value]
    monkeypatch.setattr("sfumato.privacy.rank_law.MARGIN", 1e9)  # every row is unclear
    steady = model.number_format == "bfloat16"
    assert is_steady(model) is steady
    for stays in (False, True):
        asked.clear()
        rewriter(staying(model, stays)).sanitize_batch(DOCUMENTS, SeededRandomness(1))
        assert bool(asked) is not steady


def test_only_a_model_that_says_so_is_steady() -> None:
    class Saying(ScriptedMasked):
        steady: Any = "yes"

    assert not is_steady(ScriptedMasked())
    assert not is_steady(Saying())


# --- a script in the place of a network -----------------------------------------------------------------------


class Staying(ScriptedMasked):
    """A scripted model whose scores stay in a tensor, a little different in every batch."""

    rounding: float = 1e-5

    def scores(self, questions: Sequence[Cloze]) -> Any:
        found = super().scores(questions)
        return (found + self.rounding * (np.arange(found.shape[1]) % 2) * (-1) ** len(questions)).astype(np.float32)

    def scores_in_place(self, questions: Sequence[Cloze]) -> DeviceScores:
        return DeviceScores(torch.from_numpy(self.scores(questions)))


def _tied(context: list[str], copy: list[str], place: int) -> list[float]:
    return [0.0] * 12


def apart(made: Engine) -> bool:
    """Whether documents are rewritten otherwise in company."""
    documents = [Document(f"horse {number}", id=str(number)) for number in range(6)]
    key = PinnedRandomness(bytes(range(32)))
    alone = [made.sanitize_batch([document], key)[0].text for document in documents]
    return alone != [release.text for release in made.sanitize_batch(documents, key)]


def test_the_law_of_a_text_on_a_device_depends_on_no_other_text(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Engine(Words(), Contextual(DPMLM(Staying(script=_tied), 6.0, RankGains((4, 12), (1.0, 0.3), "test"))))
    assert not apart(made)
    monkeypatch.setattr(MaskedBatch, "steady", True)
    assert apart(made)  # the mistake: a model is believed to be steady that is not


@pytest.mark.law
def test_the_law_of_a_device_is_the_one_that_is_explained() -> None:
    """Draws of whole runs, their scores in a tensor, against the law that the sanitizer gives for the text."""
    n, epsilon = 6_000, 2.0
    made = Engine(
        Words(),
        Contextual(DPMLM(Staying(rows=256), epsilon, RankGains((2, 5, 12), (1.0, 0.7, 0.4), "test"), batch=n)),
    )
    words, wanted = law_in(made, "horse", 0)
    released = made.sanitize_batch([Document("horse", str(number)) for number in range(n)], SeededRandomness(2))
    seen = [sum(one.text.lower() == word for one in released) for word in words]
    assert chisquare(seen, wanted * n).pvalue > 1e-4

    def nearest(asked: float) -> Engine:
        return Engine(made.detector, Contextual(replace(made.others.mechanism, epsilon=asked)))

    for factor in (0.7, 1.3):
        assert chisquare(seen, law_in(nearest(factor * epsilon), "horse", 0)[1] * n).pvalue < 1e-6


def test_all_orders_of_a_few_outcomes_are_found() -> None:
    orders = np.array(list(itertools.permutations(range(4))), dtype=np.float32)
    device, host = both(orders, torch.bfloat16)
    for rank in range(4):
        ranks = np.full(len(orders), rank)
        np.testing.assert_array_equal(device.of_ranks(ranks), host.of_ranks(ranks))
        assert (host.numpy()[np.arange(len(orders)), device.of_ranks(ranks)] == 3 - rank).all()
