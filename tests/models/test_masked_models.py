"""Masked models: the candidate words, scores that are the plain call's, strange text, files that must be refused."""

from __future__ import annotations

import pickle
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato.abstract.models import MASKED, Cloze
from sfumato.detectors.words import Words
from sfumato.engines.contextual import Contextual
from sfumato.engines.engine import Engine
from sfumato.errors import ConfigurationError, MissingExtraError, OutputError
from sfumato.mechanisms.dp_mlm import DPMLM
from sfumato.models.masked import networks
from sfumato.models.masked.model import MaskedNetwork
from sfumato.models.masked.networks import OnnxNetwork, Packed
from sfumato.privacy.clipped_softmax import ClipRange
from sfumato.privacy.randomness import SeededRandomness
from sfumato.text.document import Document
from sfumato.text.marks import Layout
from tiny_models import (
    OTHERS,
    SUFFIXES,
    WORDS,
    Held,
    bert_like,
    bert_network,
    bert_tokenizer,
    framed,
    plain_logits,
    roberta_like,
    roberta_tokenizer,
    tiny_bert,
    tiny_roberta,
    write,
)

pytest.importorskip("transformers")
pytestmark = pytest.mark.models

STRANGE = (
    "[MASK] [SEP] [CLS] [PAD] [UNK] sat",
    "<mask> <s> </s> <pad> <unk> sat",
    "a[MASK]b <mask>the</s>",
    "\x00\x07\x1b the \u200b\ufeff cat",
    "🙂 👩‍👩‍👧 the 🇩🇪",
    "日本語のテキスト العربية हिन्दी",
    "lone \ud800 surrogate \udfff",
    "é e\u0301 ﬁ ß İ ǅ",
    "x" * 3000,
    "\u0301" * 50,
)
CLIP = ClipRange(-1.5, 1.5, "test")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    return {"bert": tiny_bert(folder / "bert"), "roberta": tiny_roberta(folder / "roberta")}


@pytest.fixture(params=["bert", "roberta"])
def folder(request: pytest.FixtureRequest, folders: dict[str, Path]) -> Path:
    return folders[request.param]


@pytest.fixture
def model(folder: Path) -> MaskedNetwork:
    return MaskedNetwork(str(folder), device="cpu")


@pytest.fixture
def bert(folders: dict[str, Path]) -> MaskedNetwork:
    return MaskedNetwork(str(folders["bert"]), device="cpu")


@pytest.fixture
def torch_model(folder: Path) -> MaskedNetwork:
    """The same model, run by torch as on a GPU."""
    return MaskedNetwork("m", device="cpu", source=Held(*networks.loaded_masked(folder)))


@pytest.fixture
def torch_bert(folders: dict[str, Path]) -> MaskedNetwork:
    return MaskedNetwork("m", device="cpu", source=Held(*networks.loaded_masked(folders["bert"])))


def torch_of(model: MaskedNetwork) -> networks.Placed:
    placed = model._placed
    assert isinstance(placed, networks.Placed)
    return placed


def loaded(model: MaskedNetwork) -> tuple[Any, Any]:
    """Network and tokenizer of another object, read from the same folder."""
    return networks.loaded_masked(Path(model.model))


def questions(model: MaskedNetwork) -> list[Cloze]:
    """Pairs and single texts of very unequal lengths with one or several masks."""
    rng = np.random.default_rng(1)
    known = model.word_pieces

    def text(length: int, masks: int = 0) -> list[int]:
        pieces = rng.choice(known, size=length).tolist()
        for place in rng.choice(length, size=masks, replace=False):
            pieces[place] = MASKED
        return pieces

    half = model.window // 2
    made = [Cloze(text(n), text(n, m)) for n, m in ((3, 1), (half, 1), (half, half), (1, 1), (17, 4), (9, 2))]
    return [*made, *(Cloze([], text(n, m)) for n, m in ((1, 1), (12, 3), (2 * half, 5)))]


def expected(model: MaskedNetwork, asked: list[Cloze]) -> Any:
    network, tokenizer = loaded(model)
    return np.concatenate([plain_logits(network, tokenizer, one)[:, model.word_pieces] for one in asked])


# --- words and pieces -----------------------------------------------------------------------------------------


def test_words_are_whole_words(model: MaskedNetwork) -> None:
    tokenizer = loaded(model)[1]
    names = tokenizer.convert_ids_to_tokens(model.word_pieces.tolist())
    assert set(WORDS) <= set(model.words)
    assert len(set(model.words)) == len(model.words) == len(set(model.word_pieces.tolist()))
    for word, name in zip(model.words, names, strict=True):
        assert name in (word, f"Ġ{word}")
        assert word.isalpha() or word.isdecimal()
        assert word not in tokenizer.all_special_tokens
    assert not {name.removeprefix("##") for name in SUFFIXES} & set(model.words)
    assert sorted(model.word_pieces.tolist()) == model.word_pieces.tolist()


def test_words_come_back_as_they_are(model: MaskedNetwork) -> None:
    read = model.pieces([f" {word}" for word in model.words])
    assert read == [[piece] for piece in model.word_pieces.tolist()]


def test_a_word_that_the_tokenizer_never_reads_is_none() -> None:
    """A capital in the vocabulary of an uncased model: as a candidate it would be read as another word."""
    model = MaskedNetwork("m", source=Held(bert_network(1), bert_tokenizer([*WORDS, "Cat", "naïve"])))
    assert {"cat", "dog"} <= set(model.words)
    assert not {"Cat", "naïve"} & set(model.words)


def test_letters_are_words_only_where_there_is_little_else() -> None:
    many = [f"{a}{b}{c}" for a in "bcdfghjkmn" for b in "aeiouwxyzv" for c in "lprstbcdfg"]
    few, more = (Held(bert_network(1), bert_tokenizer(words)) for words in (WORDS, many))
    assert "x" in MaskedNetwork("m", source=few).words
    assert "x" not in MaskedNetwork("m", source=more).words
    assert "a" in MaskedNetwork("m", source=more).words


def test_pieces_are_those_of_the_plain_tokenizer(model: MaskedNetwork) -> None:
    tokenizer = loaded(model)[1]
    text = "the dog sat, walking far; 77 parked! away"
    units = ["the", " dog", " sat", ",", " walking", " far", ";", " 77", " parked", "!", " away"]
    found = [piece for unit in model.pieces(units) for piece in unit]
    assert found == tokenizer(text, add_special_tokens=False)["input_ids"]


@pytest.mark.parametrize("text", STRANGE)
def test_no_text_becomes_a_special_piece(model: MaskedNetwork, text: str) -> None:
    tokenizer = loaded(model)[1]
    special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    pieces = model.pieces([text, f" {text}", *text.split()])
    assert not special & {piece for one in pieces for piece in one}
    assert max(map(len, pieces)) <= 24
    if "[MASK]" in text or "<mask>" in text:  # what this test guards against: the plain call takes them for special
        careless = tokenizer(STRANGE[0] + STRANGE[1], add_special_tokens=False)["input_ids"]
        assert special & set(careless)


@pytest.mark.parametrize("written", ["[MASK]", "[SEP]", "[CLS]", "<mask>", "</s>", "<s>"])
def test_text_that_looks_like_a_special_piece_is_read_as_text(model: MaskedNetwork, written: str) -> None:
    names = loaded(model)[1].convert_ids_to_tokens(model.pieces([written])[0])
    assert "".join(name.removeprefix("##") for name in names).lower() == written.lower()
    assert len(names) > 1


@pytest.mark.parametrize("text", STRANGE)
def test_strange_text_is_rewritten(model: MaskedNetwork, text: str) -> None:
    made = Engine(Words(), Contextual(DPMLM(model, 5.0, CLIP)))
    release = made.sanitize(Document(text, "1"), SeededRandomness(1))
    lower = {word.lower() for word in model.words}
    spans = Words().detect([Document(text)])[0]
    assert release.draws == len(spans) == len(release.parts) // 2
    assert all(output.lower() in lower for output in release.parts[1::2])
    edges = [0, *(edge for bounds in spans.bounds for edge in bounds), len(text)]
    assert list(release.parts[::2]) == [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]


def test_the_rows_hold_the_frame_and_no_other_special_piece(
    model: MaskedNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []
    answer = OnnxNetwork.answer

    def spied(self: Any, rows: Any, *more: Any) -> Any:
        seen.extend(rows)
        return answer(self, rows, *more)

    monkeypatch.setattr(OnnxNetwork, "answer", spied)
    Engine(Words(), Contextual(DPMLM(model, 5.0, CLIP))).sanitize(" ".join(STRANGE), SeededRandomness(1))
    tokenizer = loaded(model)[1]
    special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    rows = [row for row in seen if tokenizer.mask_token_id in row.pieces]  # not the trial at the start
    assert len(rows) > 20
    frame = 4 if tokenizer.cls_token == "<s>" else 3
    for row in rows:
        assert sum(piece in special for piece in row.pieces) <= frame + 1
        assert row.pieces.count(tokenizer.mask_token_id) == 1


# --- scores ---------------------------------------------------------------------------------------------------


def test_scores_are_the_logits_of_the_plain_call(model: MaskedNetwork) -> None:
    asked = questions(model)
    found = model.scores(asked)
    wanted = expected(model, asked)
    assert found.dtype == np.float32
    assert isinstance(model._placed, OnnxNetwork)
    assert wanted.std() > 0.5  # the tiny model tells places apart
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    assert np.abs(found[1:] - wanted[:-1]).max() > 0.1  # another place has other scores


def test_torch_gives_the_same_scores_with_and_without_padding(
    model: MaskedNetwork, torch_model: MaskedNetwork
) -> None:
    asked = questions(model) * 3
    quick, short = model.scores(asked), torch_model.scores(asked)
    network = torch_of(torch_model)
    assert network.gathers
    assert network.packed is not None
    network.packed = None
    np.testing.assert_allclose(short, torch_model.scores(asked), atol=1e-5)
    np.testing.assert_allclose(quick, short, atol=1e-5)
    np.testing.assert_array_equal(model.outcome_vectors, torch_model.outcome_vectors)
    assert model.words == torch_model.words
    assert model.window == torch_model.window


def test_a_short_cut_that_answers_otherwise_is_not_taken(
    bert: MaskedNetwork, torch_bert: MaskedNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Positions that begin elsewhere, as in a network built a little differently."""
    given = Packed.of
    monkeypatch.setattr(Packed, "of", lambda *network: replace(given(*network), first=1))  # type: ignore[type-var]
    asked = questions(bert)
    np.testing.assert_allclose(torch_bert.scores(asked), expected(bert, asked), atol=1e-5)
    assert torch_of(torch_bert).packed is None


def test_bfloat16_rows_are_padded_to_shapes_of_their_own(bert: MaskedNetwork) -> None:
    halved = replace(bert, number_format="bfloat16")
    halved.scores(questions(halved))
    assert torch_of(halved).packed is None


def test_scores_do_not_depend_on_the_batch(model: MaskedNetwork) -> None:
    asked = questions(model) * 4
    together = model.scores(asked)
    np.testing.assert_allclose(together, np.concatenate([model.scores([one]) for one in asked]), atol=1e-5)
    order = np.random.default_rng(2).permutation(len(asked))
    rows = np.cumsum([0, *(list(one.copy).count(MASKED) for one in asked)])
    wanted = np.concatenate([together[rows[i] : rows[i + 1]] for i in order])
    np.testing.assert_allclose(model.scores([asked[i] for i in order]), wanted, atol=1e-5)


def test_the_two_halves_are_told_apart(bert: MaskedNetwork) -> None:
    """BERT's kinds of pieces: all of one kind would be another input."""
    asked = [Cloze(bert.word_pieces[:6].tolist(), [MASKED, *bert.word_pieces[1:6].tolist()])]
    network, tokenizer = loaded(bert)
    import torch

    pieces, kinds = framed(tokenizer, asked[0])
    with torch.no_grad():
        flat = network(input_ids=torch.tensor([pieces])).logits[0, 8].numpy()[bert.word_pieces]
    assert sum(kinds) == 7
    np.testing.assert_allclose(bert.scores(asked), expected(bert, asked), atol=1e-5)
    assert np.abs(bert.scores(asked)[0] - flat).max() > 0.1


class Mixing:
    """A head that looks at the place before: it may not be handed one position alone."""

    def __new__(cls, head: Any) -> Any:
        import torch

        class Mixed(torch.nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.inner = head

            def forward(self, hidden: Any) -> Any:
                return self.inner(hidden + hidden.roll(1, dims=1))

        return Mixed()


def test_a_head_that_needs_the_whole_text_gets_it(bert: MaskedNetwork) -> None:
    network, tokenizer = loaded(bert)
    network.cls = Mixing(network.cls)
    model = MaskedNetwork("m", device="cpu", source=Held(network, tokenizer))
    asked = questions(model)[:1]
    wanted = plain_logits(network, tokenizer, asked[0])[:, model.word_pieces]
    np.testing.assert_allclose(model.scores(asked), wanted, atol=1e-5)
    assert not torch_of(model).gathers
    torch_of(model).gathers = True
    assert np.abs(model.scores(asked) - wanted).max() > 0.1


def test_a_network_without_a_head_of_a_known_name_gives_the_same_scores(
    bert: MaskedNetwork, torch_bert: MaskedNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(networks, "_HEADS", ())
    asked = questions(bert)
    np.testing.assert_allclose(torch_bert.scores(asked), expected(bert, asked), atol=1e-5)
    assert not torch_of(torch_bert).gathers


@pytest.mark.parametrize("kind", list(OTHERS))
def test_other_networks_are_asked_for_the_masks_only(kind: str) -> None:
    tokenizer = bert_tokenizer()
    network = bert_like(kind, len(tokenizer))
    model = MaskedNetwork("m", device="cpu", source=Held(network, tokenizer))
    asked = questions(model)
    wanted = np.concatenate([plain_logits(network, tokenizer, one)[:, model.word_pieces] for one in asked])
    np.testing.assert_allclose(model.scores(asked), wanted, atol=2e-5)
    assert torch_of(model).gathers
    assert model.window == 61


@pytest.mark.parametrize("kind", ["Roberta", "XLMRoberta", "Camembert", "MPNet"])
def test_a_full_window_fits_where_positions_do_not_begin_at_0(kind: str) -> None:
    tokenizer = roberta_tokenizer()
    network = roberta_like(kind, len(tokenizer), positions=66)
    model = MaskedNetwork("m", device="cpu", source=Held(network, tokenizer))
    assert model.window == 66 - 2 - 4
    piece = int(model.word_pieces[0])
    asked = [Cloze([piece] * (model.window - 1), [MASKED])]
    wanted = plain_logits(network, tokenizer, asked[0])[:, model.word_pieces]
    np.testing.assert_allclose(model.scores(asked), wanted, atol=1e-5)
    with pytest.raises((IndexError, RuntimeError)):
        model.scores([Cloze([piece] * model.window, [MASKED])])


def test_windows(bert: MaskedNetwork) -> None:
    assert bert.window == 64 - 3
    assert MaskedNetwork(bert.model, limit=40).window == 40 - 3
    assert MaskedNetwork(bert.model, limit=4000).window == 64 - 3
    assert MaskedNetwork(bert.model, limit=32).window >= 25  # a unit of the context and its mask
    with pytest.raises(ConfigurationError, match="at least 32"):
        _ = MaskedNetwork(bert.model, limit=20).window


def test_the_longest_word_fits_the_smallest_window() -> None:
    """A model of 32 positions and a word of more pieces than that: no place is outside the network."""
    tokenizer = bert_tokenizer()
    model = MaskedNetwork("m", source=Held(bert_network(len(tokenizer), positions=32), tokenizer))
    release = Engine(Words(), Contextual(DPMLM(model, 5.0, CLIP))).sanitize(
        "the " + "xq" * 500 + " sat on", SeededRandomness(1)
    )
    assert release.draws == 4
    assert "xq" not in release.text


def test_bfloat16_is_close_and_of_another_id(bert: MaskedNetwork) -> None:
    half = MaskedNetwork(bert.model, "bfloat16", "cpu")
    asked = questions(bert)
    np.testing.assert_allclose(half.scores(asked), bert.scores(asked), atol=0.3)
    assert np.abs(half.scores(asked) - bert.scores(asked)).max() > 1e-4
    assert half.id != bert.id
    with pytest.raises(ConfigurationError, match="float32, int8 or bfloat16"):
        MaskedNetwork(bert.model, "float16")  # type: ignore[arg-type]


# --- the law --------------------------------------------------------------------------------------------------


def test_a_step_has_the_law_computed_by_hand(model: MaskedNetwork) -> None:
    """From the raw text, by the plain tokenizer and the plain network, in a formula of its own."""
    text, masked = "the dog sat on, walking far", "the {} sat on, walking far"
    network, tokenizer = loaded(model)
    context = tokenizer(text, add_special_tokens=False)["input_ids"]
    before, after = masked.split("{}")
    copy = [
        *tokenizer(before.rstrip(), add_special_tokens=False)["input_ids"],
        MASKED,
        *tokenizer(after, add_special_tokens=False)["input_ids"],
    ]
    logits = plain_logits(network, tokenizer, Cloze(context, copy))[0, model.word_pieces].astype(np.float64)
    made = DPMLM(model, 6.0, CLIP)
    grown = np.exp(np.clip(logits, -1.5, 1.5) * made.score_law.scale(6.0) / 3.0)
    group = made.begin([Layout(text, [(4, 7)], ["WORD"])], [np.empty((1, 0))])
    scores, owners = group.scores()
    assert owners == [0]
    np.testing.assert_allclose(made.score_law.law(scores, 6.0)[0], grown / grown.sum(), atol=1e-6)
    assert (logits < -1.5).any()
    assert (logits > 1.5).any()
    unclipped = np.exp(logits * made.score_law.scale(6.0) / 3.0)
    assert np.abs(unclipped / unclipped.sum() - grown / grown.sum()).max() > 1e-3


@pytest.mark.parametrize("batch", [3, 32])
def test_seeded_runs_do_not_depend_on_the_batch(model: MaskedNetwork, batch: int) -> None:
    texts = ["The cat sat on the mat.", "Far away!", "", "Seven green halls in the park, seven dogs ran", "on " * 30]
    documents = [Document(text, str(number)) for number, text in enumerate(texts)]
    alone, together = (
        [
            one.text
            for one in Engine(Words(), Contextual(DPMLM(model, 6.0, CLIP, batch=n))).sanitize_batch(documents, source)
        ]
        for n, source in ((1, SeededRandomness(4)), (batch, SeededRandomness(4)))
    )
    assert alone == together
    other = Engine(Words(), Contextual(DPMLM(model, 6.0, CLIP, batch=batch))).sanitize_batch(
        documents, SeededRandomness(5)
    )
    assert [one.text for one in other] != alone


# --- refusals -------------------------------------------------------------------------------------------------


def refused(folder: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match) as raised:
        MaskedNetwork(str(folder), device="cpu").scores([Cloze([7], [MASKED])])
    assert "\n" not in str(raised.value)


def test_a_missing_folder_and_an_unknown_name_are_refused(tmp_path: Path) -> None:
    refused(tmp_path / "nowhere", MissingExtraError, "no folder")
    refused("nobody/no-such-model", MissingExtraError, "provision")
    refused("not a name ///", MissingExtraError, "not on this machine")
    refused(tmp_path, ConfigurationError, r"\.safetensors")


def test_a_model_without_the_head_is_refused(bert: MaskedNetwork, tmp_path: Path) -> None:
    network, tokenizer = loaded(bert)
    refused(write(tmp_path / "headless", network.bert, tokenizer), ConfigurationError, "head")


def test_weights_that_are_not_numbers_are_refused(bert: MaskedNetwork, tmp_path: Path) -> None:
    network, tokenizer = loaded(bert)
    network.bert.encoder.layer[1].output.dense.weight.data[3, 4] = float("nan")
    refused(write(tmp_path / "nan", network, tokenizer), ConfigurationError, "not numbers")


@dataclass(frozen=True)
class Touching:
    """Runs code when it is unpickled."""

    path: Path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_pickled_weights_are_refused_unread(bert: MaskedNetwork, tmp_path: Path) -> None:
    folder, touched = tmp_path / "pickled", tmp_path / "touched"
    shutil.copytree(bert.model, folder)
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Touching(touched)))
    refused(folder, ConfigurationError, "pickled")
    assert not touched.exists()
    pickle.loads((folder / "pytorch_model.bin").read_bytes())
    assert touched.exists()


@pytest.mark.parametrize("lost", ["tokenizer.json", "config.json", "model.safetensors"])
def test_a_broken_folder_is_refused(bert: MaskedNetwork, tmp_path: Path, lost: str) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(bert.model, folder)
    (folder / lost).write_bytes(b"{")
    refused(folder, ConfigurationError, "cannot be loaded")


def test_pickling_carries_no_weights(model: MaskedNetwork) -> None:
    before = model.scores([Cloze([7], [MASKED])])
    stored = pickle.dumps(Engine(Words(), Contextual(DPMLM(model, 5.0, CLIP))))
    assert len(stored) < 3000
    again = pickle.loads(stored).others.mechanism.model
    np.testing.assert_array_equal(again.scores([Cloze([7], [MASKED])]), before)
    assert again.id == model.id


def test_an_id_tells_models_apart(folders: dict[str, Path], tmp_path: Path) -> None:
    copy = tmp_path / "bert"
    shutil.copytree(folders["bert"], copy)
    first = MaskedNetwork(str(folders["bert"])).id
    assert MaskedNetwork(str(copy)).id == first
    tokenizer = bert_tokenizer()
    write(copy, bert_network(len(tokenizer), seed=2), tokenizer)
    assert MaskedNetwork(str(copy)).id != first


# --- a GPU that is too small ----------------------------------------------------------------------------------


def small_memory(model: MaskedNetwork, monkeypatch: pytest.MonkeyPatch, most: int) -> list[int]:
    """The network runs out of memory for more than ``most`` rows; the sizes that were tried."""
    import torch

    assert torch_of(model).packed is not None
    forward, tried = Packed.logits, []

    def limited(self: Packed, rows: Any, device: str) -> Any:
        tried.append(len(rows))
        if len(rows) > most:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory.")
        return forward(self, rows, device)

    monkeypatch.setattr(Packed, "logits", limited)
    return tried


@pytest.mark.parametrize("most", [1, 3, 7])
def test_a_gpu_out_of_memory_gets_smaller_batches(
    torch_model: MaskedNetwork, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    model = torch_model
    asked = questions(model) * 3
    wanted = model.scores(asked)
    tried = small_memory(model, monkeypatch, most)
    np.testing.assert_allclose(model.scores(asked), wanted, atol=1e-5)
    assert max(tried) > most  # it did run out
    assert 0 < model._placed.most[None] < sum(len(one.context) + len(one.copy) for one in asked)  # remembered
    np.testing.assert_allclose(model.scores(asked[:9]), wanted[: len(wanted) // 3], atol=1e-5)


def test_a_gpu_without_room_for_one_text_is_refused(
    torch_bert: MaskedNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch_bert.scores([Cloze([7], [MASKED])])
    small_memory(torch_bert, monkeypatch, 0)
    with pytest.raises(OutputError, match="memory"):
        torch_bert.scores(questions(torch_bert))
