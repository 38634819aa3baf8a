"""Small questions are answered by one thread, large ones by all, and nothing of that stays behind."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from sfumato.abstract.models import MASKED, Cloze

torch = pytest.importorskip("torch")
from sfumato.models.causal.transformers import TransformersCausal  # noqa: E402
from sfumato.models.devices import inference, is_small  # noqa: E402
from sfumato.models.encoders.sentence import SentenceEncoder, SentenceTransformersNetwork  # noqa: E402
from sfumato.models.masked.embedded import EmbeddedSource  # noqa: E402
from sfumato.models.masked.model import MaskedNetwork  # noqa: E402
from sfumato.models.masked.networks import Placed  # noqa: E402
from tiny_causal import llama, saved  # noqa: E402
from tiny_models import Held  # noqa: E402

pytestmark = pytest.mark.models


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    """As many as a small machine has, whatever this one has."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    assert torch.get_num_threads() == 2  # what is set for an answer does not stay
    torch.set_num_threads(before)


def watched(network: Any) -> list[int]:
    """The numbers of threads with which ``network`` is asked from now on."""
    seen: list[int] = []
    first = next(part for part in network.modules() if isinstance(part, torch.nn.Linear))
    first.register_forward_pre_hook(lambda *_: seen.append(torch.get_num_threads()))
    return seen


def test_a_masked_model_shares_out_large_questions_only() -> None:
    model = MaskedNetwork("m", device="cpu", source=Held(*EmbeddedSource().load()))
    piece = model.pieces(["house"])[0][0]
    seen = watched(cast("Placed", model._placed).network)
    model.scores([Cloze([], [MASKED, *[piece] * 30])])
    assert set(seen) == {1}
    seen.clear()
    model.scores([Cloze([], [MASKED, *[piece] * 60])] * 8)
    assert set(seen) == {2}


def test_an_encoder_shares_out_large_questions_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.models.encoders.sentence._mean_of_bert", lambda _: None)
    encoder = SentenceEncoder()
    encoder.encode(["a"])
    seen = watched(cast("SentenceTransformersNetwork", encoder._network).network)
    encoder.encode(["the house on the hill", "a river"])
    assert set(seen) == {1}
    seen.clear()
    encoder.encode([f"the house on hill number {number} beside the river" for number in range(200)])
    assert set(seen) == {2}


def test_a_causal_model_asks_with_one_thread(tmp_path: Path) -> None:
    model = TransformersCausal(str(saved(llama(), tmp_path)), device="cpu")
    seen = watched(cast("Placed", model._placed).network)
    session = model.begin([model.prompt("Do.", model.pieces("the house"))])
    session.scores()
    session.take([0])
    session.scores()
    model.nats([(model.pieces("the"), model.pieces(" house"))])
    assert seen
    assert set(seen) == {1}


def test_the_rule_counts_work() -> None:
    assert is_small(22_000_000, 120)
    assert not is_small(22_000_000, 480)
    assert is_small(135_000_000, 1)
    assert not is_small(1_000_000_000, 1)


def test_threads_and_failures_leave_the_number_as_it_was() -> None:
    network, meeting, numbers = torch.nn.Linear(2, 2), threading.Barrier(4), []

    def ask() -> None:
        torch.set_num_threads(2)
        for _ in range(50):
            with inference(network, 1):
                meeting.wait()
        numbers.append(torch.get_num_threads())

    asking = [threading.Thread(target=ask) for _ in range(4)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert numbers == [2] * 4
    with pytest.raises(ZeroDivisionError), inference(network, 1):
        raise ZeroDivisionError
    torch.set_num_threads(1)
    with inference(network, 10**9):
        assert torch.get_num_threads() == 1  # a limit of the user stays one
    torch.set_num_threads(2)
