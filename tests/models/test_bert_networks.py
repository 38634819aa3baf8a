"""Networks of BERT's build without torch: the same answers as torch's, and no other build taken for one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato.abstract.models import MASKED, Cloze
from sfumato.errors import ConfigurationError
from sfumato.models.bert import session as session_file
from sfumato.models.bert.parameters import Parameters, read_parameters
from sfumato.models.bert.session import Graph, Row, Session
from sfumato.models.causal.transformers import TransformersCausal
from sfumato.models.devices import exact_bytes, on_processor
from sfumato.models.encoders.files import default_folder
from sfumato.models.encoders.sentence import MeanOfBert, SentenceTransformersNetwork, load_network
from sfumato.models.masked import networks
from sfumato.models.masked.embedded import embedded_masked
from sfumato.models.masked.model import MaskedNetwork
from sfumato.models.masked.networks import OnnxNetwork
from tiny_models import bert_network, bert_tokenizer, plain_logits, roberta_like, roberta_tokenizer, tiny_bert, write

pytest.importorskip("transformers")
pytestmark = pytest.mark.models

SENTENCE = "the nurse wrote that he had walked to the river before the rain began and came home late"


@pytest.fixture(scope="module")
def network() -> Parameters:
    """The weights of the default encoder, which nobody changes."""
    made = read_parameters(default_folder())
    assert made is not None
    return made


def folder_of(kind: str, folder: Path) -> Path:
    if kind == "Bert":
        return tiny_bert(folder)
    tokenizer = roberta_tokenizer()
    return write(folder, roberta_like(kind, len(tokenizer)), tokenizer)


def asked(model: MaskedNetwork) -> list[Cloze]:
    known = model.word_pieces.tolist()
    return [
        Cloze(known[:5], [known[1], MASKED, known[2]]),
        Cloze([], [MASKED, *known[:9], MASKED]),
        Cloze([], [MASKED]),
    ]


def agree(model: MaskedNetwork, folder: Path) -> None:
    network, tokenizer = networks.loaded_masked(folder)
    wanted = np.concatenate([plain_logits(network, tokenizer, question) for question in asked(model)])
    assert isinstance(model._placed, OnnxNetwork)
    np.testing.assert_allclose(model.scores(asked(model)), wanted[:, model.word_pieces], atol=1e-5)


@pytest.mark.parametrize("kind", ["Bert", "Roberta", "XLMRoberta", "Camembert"])
def test_every_build_gives_the_scores_of_torch(kind: str, tmp_path: Path) -> None:
    folder = folder_of(kind, tmp_path / kind)
    agree(MaskedNetwork(str(folder)), folder)


def test_a_decoder_of_its_own_is_used(tmp_path: Path) -> None:
    import torch

    tokenizer = bert_tokenizer()
    network = bert_network(len(tokenizer))
    network.config.tie_word_embeddings = False
    network.cls.predictions.decoder.weight = torch.nn.Parameter(torch.randn(len(tokenizer), 32))
    model = MaskedNetwork(str(write(tmp_path / "untied", network, tokenizer)))
    wanted = np.concatenate([plain_logits(network, tokenizer, question) for question in asked(model)])
    np.testing.assert_allclose(model.scores(asked(model)), wanted[:, model.word_pieces], atol=1e-5)


def rewritten(folder: Path, change: Any) -> None:
    from safetensors.numpy import load_file, save_file

    path = folder / "model.safetensors"
    save_file(change(load_file(path)), path, metadata={"format": "pt"})


def test_old_names_halves_and_parts_of_weights_are_read(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path / "bert")
    wanted = MaskedNetwork(str(folder)).scores([Cloze([], [MASKED, 7])])
    old = Path(shutil.copytree(folder, tmp_path / "old"))
    rewritten(
        old,
        lambda weights: {
            name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): weight
            for name, weight in weights.items()
        },
    )
    np.testing.assert_array_equal(MaskedNetwork(str(old)).scores([Cloze([], [MASKED, 7])]), wanted)
    half = Path(shutil.copytree(folder, tmp_path / "half"))
    rewritten(half, lambda weights: {name: weight.astype(np.float16) for name, weight in weights.items()})
    np.testing.assert_allclose(MaskedNetwork(str(half)).scores([Cloze([], [MASKED, 7])]), wanted, atol=0.05)


@pytest.mark.parametrize("change", [{"hidden_act": "gelu_new"}, {"model_type": "electra"}, {"is_decoder": True}])
def test_no_other_build_is_taken_for_one(change: dict[str, Any], tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path / "bert")
    assert read_parameters(folder) is not None
    settings = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**settings, **change}))
    assert read_parameters(folder) is None


def test_weights_that_lack_or_are_not_numbers_are_refused(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path / "bert")
    fewer = Path(shutil.copytree(folder, tmp_path / "fewer"))
    rewritten(
        fewer, lambda weights: {name: weight for name, weight in weights.items() if "layer.1.output" not in name}
    )
    with pytest.raises(ConfigurationError, match="lacks weights"):
        read_parameters(fewer)
    rewritten(folder, lambda weights: {**weights, "bert.embeddings.LayerNorm.bias": np.full(32, np.inf, np.float32)})
    with pytest.raises(ConfigurationError, match="not numbers"):
        read_parameters(folder)


def test_a_row_answers_alike_beside_any_others(network: Parameters) -> None:
    """The states of a record hold nothing of the record beside it, not even its length."""
    session = Session(network)
    rng = np.random.default_rng(5)
    short = Row(rng.integers(1000, 20000, 7).tolist(), 7)
    alone = session.answer([short])
    assert alone is not None
    for count, length in ((1, 3), (3, 40), (9, 200)):
        others = [Row(rng.integers(1000, 20000, length).tolist(), length) for _ in range(count)]
        together = session.answer([*others, short])
        assert together is not None
        np.testing.assert_allclose(together[-7:], alone, atol=1e-5)


needs_exact_bytes = pytest.mark.skipif(not exact_bytes(), reason="this processor has no exact arithmetic of bytes")


@needs_exact_bytes
@pytest.mark.usefixtures("shared_models")
def test_bytes_are_close_and_have_another_id() -> None:
    exact, quick = embedded_masked(), embedded_masked("int8")
    pieces = [piece for unit in exact.pieces([f" {word}" for word in SENTENCE.split()]) for piece in unit]
    questions = [Cloze(pieces, [*pieces[:place], MASKED, *pieces[place + 1 :]]) for place in range(len(pieces))]
    wanted, found = exact.scores(questions), quick.scores(questions)
    assert np.abs(found - wanted).mean() < 0.1 * wanted.std()
    assert (found.argmax(axis=1) == wanted.argmax(axis=1)).mean() > 0.9
    assert np.abs(found - wanted).max() > 1e-3  # it does compute otherwise
    assert exact.id != quick.id


@needs_exact_bytes
def test_a_step_of_the_whole_batch_would_show_a_neighbour(
    network: Parameters, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Power: with one step for all rows, a neighbour moves the scores of a record by far more than rounding."""
    moved = neighbour_moves(network)
    by_rows = Graph.node

    def for_all(graph: Graph, kind: str, *inputs: str, **attributes: Any) -> str:
        largest = kind in ("ReduceMax", "ReduceMin")
        return by_rows(graph, kind, *(inputs[:1] if largest else inputs), **attributes)

    monkeypatch.setattr(Graph, "node", for_all)
    assert neighbour_moves(network) > 0.01 > 1e-4 > moved


def neighbour_moves(network: Parameters) -> float:
    session = Session(network, arithmetic="int8")
    short, long = (Row([101, *range(2000, 2000 + count), 102], count + 2) for count in (5, 60))
    alone, together = session.answer([short]), session.answer([long, short])
    assert alone is not None
    assert together is not None
    return float(np.abs(together[-7:] - alone).max())


@pytest.mark.usefixtures("shared_models")
def test_bytes_are_for_this_build_on_a_processor() -> None:
    with pytest.raises(ConfigurationError, match="int8 is for networks of BERT's build"):
        embedded_masked("int8", device="meta").scores([Cloze([], [MASKED])])
    with pytest.raises(ConfigurationError, match="float32 or bfloat16"):
        TransformersCausal("m", "int8")


def test_a_processor_that_saturates_is_refused(network: Parameters, monkeypatch: pytest.MonkeyPatch) -> None:
    if exact_bytes():
        Session(network, arithmetic="int8")
    started = session_file._started
    monkeypatch.setattr(session_file, "_started", lambda *given: Saturating(started(*given)))
    with pytest.raises(ConfigurationError, match="no exact arithmetic of bytes"):
        Session(network, arithmetic="int8")


class Saturating:
    """A session whose sums end at 16 bits."""

    def __init__(self, session: Any) -> None:
        self._session = session

    def run(self, *given: Any) -> Any:
        return [np.minimum(self._session.run(*given)[0], 32_767)]


def test_vectors_are_those_of_sentence_transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sentence_transformers")
    quick = load_network(default_folder(), "cpu")
    assert isinstance(quick, MeanOfBert)
    monkeypatch.setattr("sfumato.models.encoders.sentence._mean_of_bert", lambda _: None)
    full = load_network(default_folder(), "cpu")
    assert isinstance(full, SentenceTransformersNetwork)
    texts = ["London", "a ham sandwich", "", "Ünïcödé 日本 🙂 \x00", "the court found " * 20]
    assert quick.pieces(texts) == full.pieces(texts)
    assert (quick.window, quick.dimensions) == (full.window, full.dimensions)
    vectors = quick.vectors(list(zip(quick.pieces(texts), texts, strict=True)))
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(vectors / lengths, full.network.encode(texts), atol=1e-5)


def linked(file: str, link: str) -> None:
    """What copies no 90 megabytes."""
    Path(link).symlink_to(file)


@pytest.mark.parametrize("changed", ["1_Pooling/config.json", "modules.json", "sentence_bert_config.json"])
def test_another_way_to_a_vector_is_not_taken_for_the_mean(changed: str, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(default_folder(), folder, copy_function=linked)
    (folder / changed).unlink()
    shutil.copy(default_folder() / changed, folder / changed)
    assert isinstance(load_network(folder, "cpu"), MeanOfBert)
    path = folder / changed
    text = path.read_text()
    path.write_text(
        text.replace('"pooling_mode_max_tokens": false', '"pooling_mode_max_tokens": true')
        .replace("models.Normalize", "models.Dense")
        .replace('"do_lower_case": false', '"do_lower_case": true')
    )
    assert path.read_text() != text
    from sfumato.models.encoders import sentence

    assert sentence._mean_of_bert(folder) is None


def test_neither_torch_nor_transformers_is_imported() -> None:
    code = (
        "import sys\n"
        "from sfumato.abstract.models import MASKED, Cloze\n"
        "from sfumato.models.encoders.sentence import SentenceEncoder\n"
        "from sfumato.models.masked.embedded import embedded_masked\n"
        "SentenceEncoder().encode(['London'])\n"
        "embedded_masked().scores([Cloze([], [MASKED])])\n"
        "print(sorted({'torch', 'transformers', 'sentence_transformers'} & sys.modules.keys()))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
    assert on_processor("cpu")
    assert not on_processor("cuda")
