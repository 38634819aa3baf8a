"""bfloat16: a shape is tried out before rows share it, and rows that could show in one another share nothing."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from sfumato.abstract.models import MASKED, Cloze
from sfumato.errors import ConfigurationError
from sfumato.models.bert.session import Row, Shape
from sfumato.models.calibration import PublicText
from sfumato.models.masked import answering, choosing, networks
from sfumato.models.masked.answering import is_steady
from sfumato.models.masked.model import MaskedNetwork
from sfumato.models.masked.networks import Placed
from tiny_models import Held, bert_network, bert_tokenizer, tiny_bert

pytestmark = pytest.mark.models

SHAPE = Shape(32, 2)
PIECES = np.arange(5, 90)


def honest(rows: Sequence[Row]) -> list[Any]:
    """An answer that depends on the row alone."""
    return [np.array([[hash((mask, *row.pieces)) % 1000 / 7.0, 1.0] for mask in row.masks]) for row in rows]


def of_neighbours(rows: Sequence[Row]) -> list[Any]:
    longest = max(len(row.pieces) + row.pieces[0] for row in rows)
    return [answer + 1e-3 * longest for answer in honest(rows)]


def of_the_place(rows: Sequence[Row]) -> list[Any]:
    return [answer + 1e-3 * (place == len(rows) - 1) for place, answer in enumerate(honest(rows))]


def of_idle_rows(rows: Sequence[Row]) -> list[Any]:
    idle = any(set(row.pieces) == {0} for row in rows)
    return [answer + 1e-3 * idle for answer in honest(rows)]


def of_no_number(rows: Sequence[Row]) -> list[Any]:
    return [answer * np.nan for answer in honest(rows)]


@pytest.mark.parametrize("count", [1, 2, 5, 16])
def test_a_network_without_faults_is_steady(count: int) -> None:
    assert is_steady(honest, SHAPE, count, PIECES, 0, 512) is True
    assert is_steady(lambda rows: [torch.from_numpy(one) for one in honest(rows)], SHAPE, count, PIECES, 0, 512)
    assert is_steady(lambda _: None, SHAPE, count, PIECES, 0, 512) is None


@pytest.mark.parametrize("mistake", [of_neighbours, of_the_place, of_idle_rows, of_no_number])
def test_every_trace_of_others_is_noticed(mistake: Callable[[Sequence[Row]], list[Any]]) -> None:
    assert is_steady(mistake, SHAPE, 6, PIECES, 0, 512) is False


def test_an_answer_by_chance_is_noticed_even_alone() -> None:
    calls: Iterator[int] = iter(range(99))
    assert (
        is_steady(lambda rows: [answer + next(calls) for answer in honest(rows)], SHAPE, 1, PIECES, 0, 512) is False
    )


@pytest.mark.parametrize("shape", [Shape(32, 1), Shape(64, 7), Shape(32, 32), Shape(128, 1)])
def test_rows_of_a_trial_fit_the_network(shape: Shape) -> None:
    seen: list[Row] = []
    is_steady(lambda rows: seen.extend(rows) or honest(rows), shape, 4, PIECES, 0, 100)  # type: ignore[func-returns-value]
    for row in seen:
        assert row.length == shape.length
        assert len(row.masks) == shape.masks
        assert len(set(row.pieces)) == 1 or len(row.pieces) <= 100  # idle rows have no positions of their own
        assert all(mask < len(row.pieces) for mask in row.masks)


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Held:
    folder: Path = tiny_bert(tmp_path_factory.mktemp("models") / "bert")
    return Held(*networks.loaded_masked(folder))


@pytest.fixture
def model(held: Held) -> MaskedNetwork:
    return MaskedNetwork("m", "bfloat16", "cpu", source=copy.deepcopy(held))


def questions(model: MaskedNetwork) -> list[Cloze]:
    pieces = model.word_pieces.tolist()
    return [Cloze(pieces[n : n + 4 + n % 9], [MASKED, *pieces[n + 1 : n + 4]]) for n in range(23)]


def moved(model: MaskedNetwork) -> float:
    """How far company moves a score."""
    asked = questions(model)
    together = model.scores(asked)
    alone = np.concatenate([model.scores([question]) for question in asked])
    return float(np.abs(together - alone).max())


def mixing(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let every network show all of a batch in each of its answers; the sizes of the batches."""
    computed, sizes = Placed._computed, []

    def mixed(self: Placed, rows: Sequence[Row], columns: Any, brought: Any) -> Any:
        sizes.append(len(rows))
        shown = sum(sum(row.pieces) for row in rows) % 1009 / 100.0
        return computed(self, rows, columns, lambda logits: brought(logits + shown))

    monkeypatch.setattr(Placed, "_computed", mixed)
    return sizes


def test_a_shape_that_is_steady_is_tried_once(model: MaskedNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[tuple[Shape, int]] = []

    def counting(ask: Any, shape: Shape, count: int, *more: Any) -> bool | None:
        tried.append((shape, count))
        return is_steady(ask, shape, count, *more)

    monkeypatch.setattr(answering, "is_steady", counting)
    assert moved(model) == 0.0
    assert tried == [(Shape(32, 1), 16)]
    assert not model.mixes


def test_rows_that_show_in_one_another_get_batches_of_their_own(
    model: MaskedNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    _ = model._placed  # loading refuses a network that mixes at once
    sizes = mixing(monkeypatch)
    assert moved(model) == 0.0
    assert model.mixes
    assert set(sizes) == {16, 1}  # the trial, and what came of it
    monkeypatch.setattr(answering, "is_steady", lambda *_: True)
    model._placed.steady.clear()
    assert moved(model) > 0.01  # the mistake: a trial that is not made


def test_what_mixes_is_not_chosen(model: MaskedNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    text = PublicText.shipped(20)
    exact = model.exact
    assert choosing.checked(exact, model, text).moved == 0.0
    model._placed.steady.clear()
    mixing(monkeypatch)
    assert "shows in the scores of others" in choosing.checked(exact, model, text).fault("bfloat16")


def test_a_network_that_answers_by_chance_is_refused(model: MaskedNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = questions(model)
    model.scores(asked)
    model._placed.steady.clear()
    computed, rng = Placed._computed, np.random.default_rng(0)
    monkeypatch.setattr(Placed, "_computed", lambda self, *given: computed(self, *given) + np.float32(rng.normal()))
    with pytest.raises(ConfigurationError, match="other scores each time"):
        model.scores(asked)


@pytest.mark.parametrize("most", [1, 5])
def test_a_trial_without_memory_is_made_with_fewer_rows(
    model: MaskedNetwork, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    wanted = MaskedNetwork.scores(model, questions(model))
    model._placed.steady.clear()
    computed = Placed._computed
    monkeypatch.setattr(
        Placed, "_computed", lambda self, rows, *given: computed(self, rows, *given) if len(rows) <= most else None
    )
    np.testing.assert_allclose(model.scores(questions(model)), wanted, atol=0.3)
    assert model._placed.most[Shape(32, 1)] // 32 <= most
    assert moved(model) == 0.0


def test_rows_that_were_answered_before_memory_ran_out_are_answered_again(
    model: MaskedNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = questions(model)
    model.scores(asked)
    computed, sizes = Placed._computed, []

    def later(self: Placed, rows: Sequence[Row], *given: Any) -> Any:
        sizes.append(len(rows))
        return None if len(sizes) == 2 else computed(self, rows, *given)

    monkeypatch.setattr(Placed, "_computed", later)
    found = model.scores(asked)
    assert sizes == [16, 16, *[8] * 3, *[8] * 3]  # answered, out of memory; the trial; all of them
    monkeypatch.undo()
    np.testing.assert_array_equal(found, np.concatenate([model.scores([question]) for question in asked]))


def test_rows_are_padded_to_no_more_than_a_network_reads() -> None:
    """A network of 40 positions: the power of two above a full row is 64."""
    tokenizer = bert_tokenizer()
    model = MaskedNetwork("m", "bfloat16", "cpu", source=Held(bert_network(len(tokenizer), positions=40), tokenizer))
    piece = int(model.word_pieces[0])
    asked = [Cloze([piece] * (count - 1), [MASKED]) for count in (3, model.window)]
    assert np.isfinite(model.scores(asked)).all()
    assert {shape.length for shape, _ in model._placed.steady} == {32, 40}


def test_scores_stay_on_a_gpu(held: Held, monkeypatch: pytest.MonkeyPatch) -> None:
    network = copy.deepcopy(held).load()[0]
    assert not networks.placed(network, "cpu", "bfloat16").stays
    monkeypatch.setattr(networks, "usable_device", lambda _: "cuda")
    monkeypatch.setattr(torch.nn.Module, "to", lambda module, *_: module)
    assert networks.placed(copy.deepcopy(held).load()[0], None, "bfloat16").stays
