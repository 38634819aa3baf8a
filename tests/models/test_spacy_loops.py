"""The compiled loops of a spaCy pipeline compute what spaCy computes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import thinc.api

from sfumato.detectors import tagger
from sfumato.models.spacy import compiled, pipelines

RECORDS = Path(__file__).parents[2] / "examples" / "records.jsonl"


@pytest.fixture(scope="module")
def fast() -> Any:
    return pipelines.load_pipeline(tagger.DEFAULT_PIPELINE)


@pytest.fixture(scope="module")
def plain() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipelines, "hasten", lambda nlp: None)
        return pipelines.load_pipeline(tagger.DEFAULT_PIPELINE)


def texts() -> list[str]:
    records = [json.loads(line)["text"] for line in RECORDS.read_text(encoding="utf-8").splitlines()]
    return ["", " ", "Paris", "\n\nAnna  Lee\n ", *records, " ".join(records[:40])]


def entities(docs: list[Any]) -> list[list[tuple[int, int, str]]]:
    return [[(entity.start, entity.end, entity.label_) for entity in doc.ents] for doc in docs]


def test_entities_are_those_of_the_plain_pipeline(fast: Any, plain: Any) -> None:
    expected = entities(list(plain.pipe(texts())))
    docs = pipelines.tagged(fast, texts())
    assert entities(docs) == expected
    assert sum(map(len, expected)) > 500
    assert len(docs[-1]) > 3 * compiled._BLOCK  # so that blocks meet inside an entity's neighbourhood
    assert all(token.ent_iob for doc in docs for token in doc)


def test_any_weights_lead_to_the_same_actions() -> None:
    """Random weights begin and end entities everywhere: at spaces, and at the last word."""
    fast, plain = (pipelines.load_pipeline(tagger.DEFAULT_PIPELINE) for _ in range(2))
    short = ["Anna", "Anna Lee", " ", " Anna\n\n Lee ", *texts()[:20]]
    for seed in range(6):
        for nlp in (fast, plain):
            upper, random = nlp.get_pipe("ner").model.get_ref("upper"), np.random.default_rng(seed)
            upper.set_param("W", random.standard_normal((74, 64)).astype(np.float32))
            upper.set_param("b", random.standard_normal(74).astype(np.float32))
        expected = entities([plain.get_pipe("ner")(plain.make_doc(text)) for text in short])
        assert entities(pipelines.tagged(fast, short)) == expected
        assert sum(map(len, expected)) > 100


def test_blocks_compute_what_the_layers_compute_at_once(fast: Any) -> None:
    (model,) = [layer for layer in fast.get_pipe("ner").model.walk() if layer.name == "in_blocks"]
    rows = np.random.default_rng(4).standard_normal((2 * compiled._BLOCK + 7, 96)).astype(np.float32)
    for count in (1, 3, compiled._BLOCK, len(rows)):
        np.testing.assert_allclose(model.predict(rows[:count]), model.layers[0].predict(rows[:count]), atol=2e-5)


def test_only_chains_of_windows_run_in_blocks() -> None:
    def part(size: int) -> Any:
        window = thinc.api.expand_window(window_size=size)
        maxout: Any = thinc.api.Maxout(4, 4 * (2 * size + 1), nP=2, normalize=True, dropout=0.0)
        return thinc.api.residual(thinc.api.chain(window, maxout)).initialize()

    assert compiled._layer(part(1)) is not None
    assert compiled._layer(part(2)) is None
    assert compiled._layer(thinc.api.residual(thinc.api.Maxout(4, 4))) is None
    short = thinc.api.with_array(thinc.api.chain(part(1), part(1)), pad=1)
    compiled.convolve_in_blocks(short)
    assert "in_blocks" not in [layer.name for layer in short.walk()]
    long = thinc.api.with_array(thinc.api.chain(part(1), part(1)), pad=2)
    compiled.convolve_in_blocks(long)
    assert "in_blocks" in [layer.name for layer in long.walk()]


def test_a_pipeline_in_blocks_cannot_be_trained(fast: Any) -> None:
    (model,) = [layer for layer in fast.get_pipe("ner").model.walk() if layer.name == "in_blocks"]
    with pytest.raises(NotImplementedError):
        model(np.zeros((2, 96), dtype=np.float32), is_train=True)


def test_words_that_carry_marks_are_left_to_spacy(fast: Any) -> None:
    from spacy.tokens import Span

    decoder = compiled.Decoder.of(fast.get_pipe("ner"))
    assert decoder is not None
    marked, cut = fast.make_doc("Anna Lee met Bob"), fast.make_doc("Anna Lee met Bob")
    marked.set_ents([Span(marked, 3, 4, "GPE")], default="unmodified")
    cut[1].is_sent_start = True
    for doc in (marked, cut):
        assert not decoder.annotate([fast.make_doc("Paris"), doc])
    assert not decoder._actions(np.zeros((0, 64), dtype=np.float32), np.zeros(0, dtype=np.bool_)).size


def test_other_recognisers_have_no_decoder(fast: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    recogniser = fast.get_pipe("ner")
    monkeypatch.setitem(recogniser.model.attrs, "unseen_classes", {1})
    assert compiled.Decoder.of(recogniser) is None
    monkeypatch.undo()
    monkeypatch.setitem(recogniser.cfg, "beam_width", 2)
    assert compiled.Decoder.of(recogniser) is None
