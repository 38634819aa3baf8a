"""Sentence encoders: the right files, nothing cut off, no connection, no noise on the terminal."""

from __future__ import annotations

import pickle
import re
import shutil
import socket
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.models import local_files
from sfumato.models.encoders import files as encoder_files
from sfumato.models.encoders import sentence
from sfumato.models.encoders import sentence as embedded
from sfumato.models.encoders.sentence import SentenceEncoder, SentenceTransformersNetwork

LONG = "the court found that the applicant had not been heard in person "


class LetterNetwork:
    """Stands in for a sentence-transformers model: a piece is a letter, and a window holds eight of them."""

    max_seq_length = 8
    default_prompt_name: str | None = None
    prompts: dict[str, str] = {}  # noqa: RUF012

    def __init__(self) -> None:
        self.read: list[str] = []

    def tokenizer(self, texts: list[str], **_: Any) -> dict[str, list[list[int]]]:
        return {"input_ids": [[ord(letter) for letter in text.lower()] for text in texts]}

    def encode(self, texts: list[str], **_: Any) -> np.ndarray:
        self.read.extend(texts)
        rows = [[text.lower().count(letter) for letter in "abcd "] for text in texts]
        return np.array(rows, dtype=np.float32)

    def get_embedding_dimension(self) -> int:
        return 5

    def parameters(self) -> Iterator[Any]:
        return iter(())


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> LetterNetwork:
    pytest.importorskip("torch")  # its number of threads is set around each answer
    network = LetterNetwork()
    monkeypatch.setattr(embedded, "load_network", lambda *_: SentenceTransformersNetwork(network))
    monkeypatch.setattr(encoder_files, "local_folder", Path)
    return network


def test_nothing_is_cut_off(letters: LetterNetwork) -> None:
    phrase = "aaaa bbbb cccccccccc dd"
    vector = SentenceEncoder("m").encode([phrase])[0]
    assert all(len(text) <= letters.max_seq_length for text in letters.read)
    assert "".join(sorted(letters.read, key=phrase.index)) == phrase
    assert (vector[:4] > 0).all(), "a part of the phrase left no trace"
    assert np.linalg.norm(vector) == pytest.approx(1)


def test_phrases_read_alike_get_the_very_same_vector_and_are_read_once(letters: LetterNetwork) -> None:
    shares: list[float] = []
    vectors = SentenceEncoder("m").encode(["ab", "d", "AB", "ab", "zzz", ""], shares.append)
    assert sorted(letters.read) == ["", "ab", "d", "zzz"]
    assert np.array_equal(vectors[0], vectors[2])
    assert np.array_equal(vectors[1], [0, 0, 0, 1, 0])
    assert not vectors[4].any(), "a zero vector stays zero"
    assert shares == [1.0]
    assert SentenceEncoder("m").encode([]).shape == (0, 5)
    with pytest.raises(ConfigurationError, match="list of phrases"):
        SentenceEncoder("m").encode("ab")


def test_order_is_kept_over_many_batches(letters: LetterNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "_MOST_PHRASES", 3)
    phrases = ["a" * (1 + n % 7) + "b" * (n % 5) for n in range(50)]
    shares: list[float] = []
    together = SentenceEncoder("m").encode(phrases, shares.append)
    alone = np.vstack([SentenceEncoder("m").encode([phrase]) for phrase in phrases])
    np.testing.assert_allclose(together, alone, atol=1e-12)
    assert shares == sorted(shares)
    assert len(shares) > 3
    assert shares[-1] == 1.0


def test_a_prompt_counts_into_the_window(letters: LetterNetwork) -> None:
    letters.prompts, letters.default_prompt_name = {"query": "abcd "}, "query"
    SentenceEncoder("m").encode(["dddddd"])
    assert max(len(text) for text in letters.read) <= 3


def test_an_encoder_travels_without_its_weights(letters: LetterNetwork) -> None:
    encoder = SentenceEncoder("m", device="cpu")
    encoder.encode(["ab"])
    assert "_network" in vars(encoder)
    arrived = pickle.loads(pickle.dumps(encoder))
    assert arrived == encoder
    assert set(vars(arrived)) == {"model", "device"}
    assert arrived.encode(["ab"]).shape == (1, 5)


def test_threads_take_turns(letters: LetterNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    busy, overlapped = threading.Lock(), []
    encode = letters.encode

    def watched(texts: list[str], **options: Any) -> np.ndarray:
        overlapped.append(not busy.acquire(blocking=False))
        threading.Event().wait(0.01)
        busy.release()
        return encode(texts, **options)

    monkeypatch.setattr(letters, "encode", watched)
    encoder = SentenceEncoder("m")
    threads = [threading.Thread(target=encoder.encode, args=([letter],)) for letter in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert overlapped == [False] * 4


def test_what_is_missing_says_what_to_type(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(encoder_files, "default_folder", lambda: tmp_path / "nowhere")
        with pytest.raises(MissingExtraError, match=r"cannot be read .*; reinstall sfumato"):
            _ = SentenceEncoder().id
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=re.escape("pip install 'sfumato[torch]'")):
        sentence.load_network(tmp_path, None)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ImportError, match="huggingface_hub"):
        local_files.local_folder("nobody/nothing", "sentence encoder")


def test_default_files_are_checked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(encoder_files, "default_folder", lambda: tmp_path / "m")
    (tmp_path / "m").mkdir()
    with pytest.raises(MissingExtraError, match=r"model\.safetensors"):
        _ = SentenceEncoder().id
    (tmp_path / "m" / "model.safetensors").write_bytes(b"other weights")
    for use in (lambda: SentenceEncoder().id, lambda: SentenceEncoder().encode(["a"])):
        with pytest.raises(ConfigurationError, match=r"not the file of this version.*9c0bf732145c2a24"):
            use()


def test_pickled_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ConfigurationError, match=r"holds no \.safetensors file"):
        SentenceEncoder(str(tmp_path)).encode(["a"])
    (tmp_path / "model.safetensors").touch()
    assert local_files.local_folder(str(tmp_path), "sentence encoder") == tmp_path
    (tmp_path / "2_Dense").mkdir()
    (tmp_path / "2_Dense" / "pytorch_model.bin").touch()
    with pytest.raises(ConfigurationError, match="holds pickled weights"):
        SentenceEncoder(str(tmp_path)).encode(["a"])


def test_the_id_of_a_folder_follows_every_file_that_makes_the_vectors(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    (tmp_path / "tokenizer.json").write_text("{}")
    before = SentenceEncoder(str(tmp_path)).id
    assert re.fullmatch(re.escape(tmp_path.name) + "@[0-9a-f]{16}", before)
    (tmp_path / "tokenizer.json").write_text('{"a": 1}')
    assert SentenceEncoder(str(tmp_path)).id != before


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)


@pytest.mark.models
def test_a_model_that_is_not_here_is_not_fetched(
    offline: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("huggingface_hub")
    for name in ("nobody/nothing-at-all", "no/such/place"):
        with pytest.raises(MissingExtraError, match="sfumato provision"):
            SentenceEncoder(name).encode(["a"])


@pytest.mark.models
def test_the_default_model(offline: None, capfd: pytest.CaptureFixture[str]) -> None:
    capfd.readouterr()
    encoder = SentenceEncoder()
    assert encoder.id == "all-MiniLM-L6-v2@9c0bf732145c2a24"
    phrases = ["London", "Paris", "a ham sandwich", "LONDON", LONG * 60, "London " * 400, ""]
    vectors = encoder.encode(phrases)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alone = np.vstack([encoder.encode([phrase]) for phrase in reversed(phrases)])[::-1]
    assert capfd.readouterr() == ("", "")
    assert vectors.shape == (7, encoder.dimensions) == (7, 384)
    assert vectors.dtype == np.float64
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(vectors, alone, atol=2e-6)
    assert np.array_equal(vectors[0], vectors[3])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2
    tail = encoder.encode([LONG * 60 + "and the volcano erupted over the tropical beach " * 60])[0]
    assert vectors[4] @ tail < 0.9, "what stands past the window was cut off"


@pytest.mark.models
def test_a_local_folder_gives_the_same_vectors(offline: None, tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    folder = tmp_path / "mine"
    shutil.copytree(encoder_files.default_folder(), folder)
    mine = SentenceEncoder(str(folder), device="cpu")
    assert mine.id.startswith("mine@")
    assert mine.dimensions == 384
    np.testing.assert_allclose(mine.encode(["Paris"]), SentenceEncoder().encode(["Paris"]), atol=1e-6)
    (folder / "model.safetensors").write_bytes(b"broken")
    with pytest.raises(ConfigurationError, match="cannot be loaded"):
        SentenceEncoder(str(folder)).encode(["Paris"])
