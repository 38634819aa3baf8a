"""What a release is still good for: likeness by hand, perplexity against the plain call of the library."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import tiny_causal
from sfumato.errors import ConfigurationError
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.studies.utility import (
    BLEU,
    COSINE,
    KEPT,
    PERPLEXITY,
    ROUGE,
    ROUGE_1,
    WORD_PERPLEXITY,
    UtilityStudy,
)  # fmt: skip
from sfumato.metrics.perplexity import Surprise, _windows, perplexity, surprises
from sfumato.metrics.similarity import kept, rouge
from sfumato.types import Progress

pytest.importorskip("rouge_score")
pytest.importorskip("sacrebleu")
TEXTS = [f"The baker {word} closed his shop on Friday {word}." for word in ("north", "south", "east", "west")] * 3
NONE: list[str | None] = [None] * len(TEXTS)


class Letters:
    """Counts of letters as an encoder."""

    id, dimensions = "letters", 26

    def encode(self, phrases: Sequence[str], progress: Progress | None = None) -> Any:
        counts = np.array([[text.lower().count(chr(97 + at)) for at in range(26)] for text in phrases], dtype=float)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Any:
    pytest.importorskip("torch")
    from sfumato.models.causal.transformers import TransformersCausal

    folder = tiny_causal.saved(tiny_causal.llama(), tmp_path_factory.mktemp("llama"))
    return TransformersCausal(str(folder), device="cpu")


def pairs(released: Sequence[str | None], strays: Sequence[str] = ()) -> Pairs:
    return Pairs([str(number) for number in range(len(TEXTS))], TEXTS, released, strays)


def test_likeness_of_identity_redaction_and_random_text() -> None:
    words = " ".join(TEXTS).split()
    random = [" ".join(np.random.default_rng(number).choice(words, 9)) for number in range(len(TEXTS))]
    found: dict[str, dict[str, float]] = {}
    for name, released in {"same": TEXTS, "redacted": [""] * len(TEXTS), "random": random}.items():
        study = UtilityStudy(Letters()).run(pairs(released))
        found[name] = {one.name: one.estimate.value for one in study.figures}
    assert found["same"] == pytest.approx(dict.fromkeys((COSINE, ROUGE, ROUGE_1, BLEU, KEPT), 1.0))
    assert found["redacted"] == pytest.approx(dict.fromkeys((COSINE, ROUGE, ROUGE_1, BLEU, KEPT), 0.0))
    for name in (COSINE, ROUGE, ROUGE_1, BLEU, KEPT):
        assert 0.0 < found["random"][name] < 1.0


def test_overlap_by_hand() -> None:
    assert rouge(["a b c d"], ["d c b a"]) == [pytest.approx(1 / 4)]
    assert rouge(["a b c d"], ["d c b a"], kind="rouge1") == [1.0]
    assert kept(["a b b", "", "x"], ["B a", "y", ""]) == [pytest.approx(2 / 3), 1.0, 0.0]


def test_windows_score_every_piece_once_with_half_a_window_before_it() -> None:
    pieces = list(range(100, 145))
    for opening in ([], [7], [7, 8]):
        for most in (6, 10, 45, 200):
            windows = _windows(0, pieces, opening, most)
            scored = [piece for one in windows for piece in one.scored]
            assert scored == (pieces if opening else pieces[1:])
            for one in windows:
                assert len(one.before) + len(one.scored) <= most
                assert one.before[: len(opening)] == opening
                context = one.before[len(opening) :]
                assert context == [one.scored[0] - back for back in range(len(context), 0, -1)]
                assert len(context) >= min(one.scored[0] - 100, (most - len(opening)) // 2)
    assert _windows(0, [], [7], 10) == _windows(0, [100], [], 10) == []


def test_perplexity_by_hand() -> None:
    found = [Surprise(np.log(8.0), 3, 1), Surprise(np.log(4.0), 2, 4), Surprise(0.0, 0, 0)]
    assert perplexity(found, 0).value == pytest.approx(2.0)
    assert perplexity(found, 0, by_word=True).value == pytest.approx(2.0)
    assert perplexity(found, 0).n == 2
    assert np.isnan(perplexity([], 0).value)
    assert np.isnan(perplexity([Surprise(0.0, 0, 0)], 0).value)


@pytest.mark.models
def test_surprises_are_those_of_the_plain_call(model: Any) -> None:
    import torch

    texts = [*TEXTS[:3], "", "x", "The <|end|> of it. " * 3]
    network = model._loaded[0]
    for text, found in zip(texts, surprises(model, texts), strict=True):
        pieces = model.pieces(text)
        wanted = 0.0
        if len(pieces) > 1:
            with torch.no_grad():
                logits = network(input_ids=torch.tensor([pieces])).logits[0, :, model.outcomes].double()
            laws = torch.log_softmax(logits, dim=1).numpy()
            places = [int(np.flatnonzero(model.outcomes == piece)[0]) for piece in pieces]
            wanted = -sum(laws[at, place] for at, place in enumerate(places[1:]))
        assert found.nats == pytest.approx(wanted, rel=1e-4)
        assert found.pieces == max(0, len(pieces) - 1)


class OnlySessions:
    """A model without its way to read at one go."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        if name == "nats":
            raise AttributeError(name)
        return getattr(self._model, name)


@pytest.mark.models
def test_piece_by_piece_is_the_same(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from sfumato.models.causal import networks

    texts = [*TEXTS[:5], "", "x", " ".join(TEXTS)]
    found = surprises(model, texts)
    for one, other in zip(found, surprises(OnlySessions(model), texts), strict=True):
        assert one == (pytest.approx(other.nats, rel=1e-4), other.pieces, other.words)
    monkeypatch.setitem(networks._READ_AT_ONCE, "cpu", 1)  # a window at a time
    for one, other in zip(found, surprises(model, texts), strict=True):
        assert one.nats == pytest.approx(other.nats, rel=1e-4)


@pytest.mark.models
def test_a_long_text_is_read_in_windows(model: Any) -> None:
    from dataclasses import replace

    text = " ".join(TEXTS)
    whole, small = surprises(model, [text])[0], surprises(replace(model, limit=40), [text])[0]
    assert whole.pieces == small.pieces == len(model.pieces(text)) - 1 > 200
    assert small.nats == pytest.approx(whole.nats, rel=0.1)
    assert small.nats != whole.nats
    with pytest.raises(ConfigurationError, match="too small"):
        surprises(replace(model, limit=2), [text])


@pytest.mark.models
def test_perplexity_stands_in_the_study_only_where_a_model_is_asked(model: Any) -> None:
    told: list[float] = []
    released: list[str | None] = [text.replace("shop", "qzx") for text in TEXTS]
    study = UtilityStudy(Letters(), causal=model, read=5).run(pairs(released), told.append)
    figures = {(one.name, one.setting.get("of")): one for one in study.figures}
    before, after = (figures[WORD_PERPLEXITY, of].estimate for of in ("originals", "release"))
    assert before.n == after.n == 5
    assert figures[PERPLEXITY, "release"].setting["model"] == model.id
    assert before.value != after.value
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)
    same = UtilityStudy(Letters(), causal=model, read=5).run(pairs(TEXTS))
    figure, other = same.figure(PERPLEXITY, of="originals"), same.figure(PERPLEXITY, of="release")
    assert figure is not None
    assert other is not None
    assert figure.estimate == other.estimate
    apart = UtilityStudy(Letters(), causal=model, read=4).run(pairs(NONE, TEXTS[:6]))
    assert {one.name for one in apart.figures} == {PERPLEXITY, WORD_PERPLEXITY}
    assert [one.what for one in apart.skipped] == ["similarity of records"]
    assert not UtilityStudy(Letters()).run(pairs(NONE, TEXTS)).figures
    redacted = UtilityStudy(Letters(), causal=model, read=3).run(pairs([""] * len(TEXTS)))
    gone = redacted.figure(PERPLEXITY, of="release")
    assert gone is not None
    assert np.isnan(gone.estimate.value)
