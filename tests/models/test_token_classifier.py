"""The network that labels words: what it reads, the likeliest labels, answers that nothing beside them changes."""

from __future__ import annotations

import itertools
import json
import shutil
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.detectors.identifiers import Identifiers
from sfumato.errors import ConfigurationError, InputError, MissingExtraError
from sfumato.models.token_classifier import card as card_file
from sfumato.models.token_classifier import network as network_file
from sfumato.models.token_classifier import weights as weights_file
from sfumato.models.token_classifier.labels import CLASSES, KINDS, likeliest, marks_of
from sfumato.models.token_classifier.network import Answer, TokenClassifier
from sfumato.models.token_classifier.pieces import GAPS, SHAPES, Pieces, gap_of, pieces_of, shape_of
from sfumato.text.document import Document

RECORDS = Path(__file__).parents[2] / "examples" / "records.jsonl"
TEXTS = [
    "Dr Maria Larsen of Oslo called Kwame Okafor on 3 May 2021.",
    "nothing here",
    "",
    "Invoice 550-88213 was paid by Siemens AG in Munich; write to anna@example.org or +44 20 7946 0958.",
    "NAME: WILL READING\nAGE: 41",
    "x",
]
LONG = " ".join(TEXTS[:1] + TEXTS[3:5]) * 20


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return TokenClassifier()._tokenizer


@pytest.fixture(scope="module")
def classifier() -> TokenClassifier:
    return TokenClassifier()


def read(tokenizer: Any, text: str) -> Pieces:
    [pieces] = pieces_of(tokenizer, [text])
    return pieces


def seen(pieces: Pieces, text: str) -> list[tuple[str, str, str]]:
    """The text of each piece with the names of its shape and gap."""
    rows = zip(pieces.starts, pieces.ends, pieces.shapes, pieces.gaps, strict=True)
    return [(text[start:end], SHAPES[shape], GAPS[gap]) for start, end, shape, gap in rows]


# --- pieces ---


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("word", "lower"), ("Word", "title"), ("W", "capital"), ("WORD", "capitals"), ("McLeod", "mixed case"),
        ("iOS", "mixed case"), ("1984", "digits"), ("a1", "digits and letters"), ("1.5", "digits and letters"),
        ("-", "sign"), ("😀", "sign"), ("Élan", "title"), ("ÖL", "capitals"), ("中", "other"),
        ("O’Brien", "mixed case"), ("", "sign"),
    ],
)  # fmt: skip
def test_a_word_has_a_shape(word: str, shape: str) -> None:
    assert SHAPES[shape_of(word)] == shape


@pytest.mark.parametrize(
    ("between", "gap"),
    [
        ("", "none"), (" ", "blank"), ("  ", "wide"), ("\t", "wide"), ("\n", "line"), (" \r\n ", "line"),
        ("\r\n\r\n", "paragraph"), ("\n \n", "paragraph"),
    ],
)  # fmt: skip
def test_a_gap_tells_lines_from_blanks(between: str, gap: str) -> None:
    assert GAPS[gap_of(between)] == gap


def test_pieces_know_shapes_gaps_and_words(tokenizer: Any) -> None:
    text = "Zoë Müller\n\tpaid 5 €"
    pieces = read(tokenizer, text)
    words = {(shape, gap) for _, shape, gap in seen(pieces, text)}
    assert ("title", "blank") in words
    assert seen(pieces, text)[0][1:] == ("title", "paragraph")
    assert ("lower", "line") in words
    assert ("digits", "blank") in words
    assert text[pieces.starts[-1] : pieces.ends[-1]] == "€"
    inside = np.flatnonzero(np.diff(pieces.words) == 0) + 1
    assert (pieces.gaps[inside] == GAPS.index("none")).all()  # within a word
    assert "".join(text[start:end] for start, end in zip(pieces.starts, pieces.ends, strict=True)) == "".join(
        text.split()
    )


@pytest.mark.parametrize("name", ["Zoe\u0308", "Zo\u200be", "Zo\u200d\u200ce", "\ufeffZoe", "Zo\u00ade", "ZOË"])
def test_accents_and_signs_of_no_width_stay_within_their_word(tokenizer: Any, name: str) -> None:
    text = f"by {name} Lee"
    pieces = read(tokenizer, text)
    second = pieces.words == pieces.words[np.searchsorted(pieces.ends, 3, "right")]
    start, end = int(pieces.starts[second].min()), int(pieces.ends[second].max())
    letters = [at for at in range(3, 3 + len(name)) if text[at].isalpha()]
    assert start <= letters[0]
    assert letters[-1] < end <= 3 + len(name)


@pytest.mark.parametrize("text", ["x" * 100_000, "😀" * 1_000, "\u0301" * 100, "\u200b", " \n ", "\0", "\ud800 Anna"])
def test_odd_texts_have_pieces_within_their_bounds(tokenizer: Any, text: str) -> None:
    pieces = read(tokenizer, text)
    assert (pieces.starts < pieces.ends).all()
    assert (pieces.ends <= len(text)).all()
    if "x" in text:
        assert (len(pieces), pieces.starts[0], pieces.ends[0]) == (1, 0, 100_000)


def test_no_text_becomes_a_special_piece(tokenizer: Any) -> None:
    """A text that holds "[SEP]" seemed to end there, and a name after it to begin another text."""
    text = "a [SEP] b[CLS]c [MASK] [PAD] [UNK]"
    pieces = read(tokenizer, text)
    assert not {0, 100, 101, 102, 103} & set(pieces.ids.tolist())
    assert "sep" in {text[start:end].lower() for start, end in zip(pieces.starts, pieces.ends, strict=True)}


@settings(max_examples=60, deadline=None)
@given(st.text("aAé\u0301\u200b 1@.\n\t-’😀中", max_size=30))
def test_pieces_are_in_order_and_hold_every_letter(text: str) -> None:
    pieces = read(TokenClassifier()._tokenizer if not _TOKENIZERS else _TOKENIZERS[0], text)
    assert (pieces.starts[1:] >= pieces.ends[:-1]).all()
    assert (np.diff(pieces.words) >= 0).all()
    held = {at for start, end in zip(pieces.starts, pieces.ends, strict=True) for at in range(start, end)}
    assert {at for at, character in enumerate(text) if character.isalnum()} <= held


_TOKENIZERS: list[Any] = []


@pytest.fixture(autouse=True, scope="module")
def _one_tokenizer(tokenizer: Any) -> None:
    _TOKENIZERS.append(tokenizer)


# --- labels ---


def brute(scores: np.ndarray[Any, Any]) -> float:
    """The highest sum over all runs in which no kind goes on without a begin."""
    count, classes = scores.shape
    best = -np.inf
    for run in itertools.product(range(classes), repeat=count):
        if all(
            label == 0 or label % 2 == 1 or (place > 0 and run[place - 1] in (label, label - 1))
            for place, label in enumerate(run)
        ):
            best = max(best, float(sum(scores[place, label] for place, label in enumerate(run))))
    return best


def is_run(labels: np.ndarray[Any, Any]) -> bool:
    pairs = zip([0, *labels[:-1].tolist()], labels.tolist(), strict=True)
    return all(label == 0 or label % 2 == 1 or before in (label, label - 1) for before, label in pairs)


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 4).flatmap(lambda n: st.lists(st.integers(-40, 40), min_size=5 * n, max_size=5 * n)))
def test_the_run_of_labels_is_the_likeliest(numbers: list[int]) -> None:
    scores = np.array(numbers, dtype=np.float64).reshape(-1, 5)
    labels = likeliest(2.0**scores)
    assert is_run(labels)
    assert sum(scores[place, label] for place, label in enumerate(labels)) == brute(scores)


def test_labels_by_word_alone_would_not_be_a_run() -> None:
    scores = np.array(
        [[2, 0, 1, 0, 0], [0, 0, 3, 0, 0]], dtype=np.float64
    )  # the second goes on with what never began
    assert not is_run(scores.argmax(axis=1))
    assert likeliest(2.0**scores).tolist() == [1, 2]
    long = np.full((5_000, 5), 1e-9)  # a product of all would vanish
    long[:, 3], long[1:, 4] = 1e-5, 1e-3
    assert likeliest(long).tolist() == [3] + [4] * 4_999


@settings(max_examples=60, deadline=None)
@given(st.text("aA 1-.\né", min_size=1, max_size=40), st.integers(0, 10_000), st.sampled_from([0.05, 0.2, 0.5, 0.9]))
def test_marks_are_whole_words_and_disjoint(text: str, seed: int, threshold: float) -> None:
    pieces = read(_TOKENIZERS[0], text)
    draw = np.random.default_rng(seed)
    classes = draw.dirichlet(np.full(CLASSES, 0.1), len(pieces)).astype(np.float32)
    telling = draw.random(len(pieces)).astype(np.float32)
    marks = marks_of(pieces, classes, telling, threshold)
    first = np.flatnonzero(np.diff(pieces.words, prepend=-1))
    begins = set(pieces.starts[first].tolist())
    stops = set(pieces.ends[np.append(first[1:], len(pieces)) - 1].tolist()) if len(pieces) else set()
    assert all(mark.start in begins and mark.end in stops for mark in marks)
    assert all(one.end <= other.start for one, other in itertools.pairwise(marks))
    assert all(0 <= mark.likely <= 1.0001 and 0 <= mark.telling <= 1 for mark in marks)
    assert all(0 <= mark.kind < len(KINDS) for mark in marks)


def test_a_lower_threshold_marks_a_word_that_a_higher_leaves() -> None:
    pieces = read(_TOKENIZERS[0], "Anna left")
    classes = np.zeros((2, CLASSES), dtype=np.float32)
    classes[0, 0], classes[0, 1], classes[1, 0] = 0.7, 0.3, 1
    told = np.full(2, 0.5, dtype=np.float32)
    assert marks_of(pieces, classes, told, 0.5) == []
    [mark] = marks_of(pieces, classes, told, 0.2)
    assert (mark.start, mark.end, KINDS[mark.kind]) == (0, 4, "PERSON")
    assert mark.likely == pytest.approx(0.3)
    assert marks_of(read(_TOKENIZERS[0], " "), classes[:0], told[:0], 0.2) == []


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_probabilities_that_are_no_numbers_are_refused_and_never_mark_nothing(wrong: float) -> None:
    pieces = read(_TOKENIZERS[0], "Anna Schmidt lives here")
    good = np.full((len(pieces), CLASSES), 1 / CLASSES, dtype=np.float32), np.full(len(pieces), 0.5, np.float32)
    assert marks_of(pieces, *good, 0.2)
    for number in range(2):
        changed = [column.copy() for column in good]
        changed[number].flat[-1] = wrong
        with pytest.raises(ValueError, match="not a number"):
            marks_of(pieces, changed[0], changed[1], 0.2)


# --- answers ---


@pytest.mark.models
def test_a_network_that_answers_no_numbers_is_an_error(classifier: TokenClassifier) -> None:
    network, words = classifier._loaded
    broken = TokenClassifier()
    bias = np.full_like(network.head_bias, np.nan)
    broken.__dict__["_network"] = replace(network, head_bias=bias), words
    with pytest.raises(ValueError, match="not a number") as caught:
        broken.answers(["Anna Schmidt lives here"])
    assert "Anna" not in str(caught.value)
    detector = Identifiers()
    detector._finder.__dict__["_network"] = broken
    for ask in (detector.detect, detector.doubts):
        with pytest.raises(InputError, match=r"failed \(ValueError\); nothing was detected") as refused:
            ask([Document("Anna Schmidt lives here")])
        assert refused.value.__context__ is None


def same(one: Answer, other: Answer) -> bool:
    return bool((one.classes == other.classes).all() and (one.telling == other.telling).all())


@pytest.mark.models
@pytest.mark.parametrize("threads", ["1", "2"])
def test_an_answer_does_not_depend_on_the_texts_beside_it(
    classifier: TokenClassifier, threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = [classifier.answers([text])[0] for text in TEXTS]
    monkeypatch.setenv("OMP_NUM_THREADS", threads)
    together = classifier.answers([*TEXTS, LONG, *reversed(TEXTS)])
    for number, own in enumerate(alone):
        assert same(own, together[number]), TEXTS[number]
        assert same(own, together[-1 - number]), TEXTS[number]
    many = classifier.answers(TEXTS * 12)  # more windows than are read at once
    assert all(same(own, many[number + 66]) for number, own in enumerate(alone))


@pytest.mark.models
def test_an_answer_is_a_share_of_one_for_each_piece(classifier: TokenClassifier) -> None:
    for answer in classifier.answers([*TEXTS, LONG]):
        assert answer.classes.shape == (len(answer.pieces), CLASSES)
        assert np.allclose(answer.classes.sum(axis=1), 1, atol=1e-4)
        assert ((answer.telling > 0) & (answer.telling < 1)).all()


@pytest.mark.parametrize("count", [0, 1, 189, 190, 191, 360, 361, 1000])
def test_windows_cover_every_piece_away_from_their_seams(count: int) -> None:
    windows = list(network_file.windows_of(count))
    half = network_file.OVERLAP // 2
    answered = np.full(count, -1)
    for start, stop in windows:
        assert 0 < stop - start <= network_file.WINDOW
        answered[start + (half if start else 0) : stop] = start
    assert (answered >= 0).all()
    for place, start in enumerate(answered):
        stop = min(start + network_file.WINDOW, count)
        assert start == 0 or place >= start + half
        assert stop == count or place < stop - half


@pytest.mark.models
def test_windows_change_little_of_an_answer(classifier: TokenClassifier, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [json.loads(line)["text"] for line in RECORDS.read_text(encoding="utf-8").splitlines()]
    text = " ".join(texts)[:8_000]
    [usual] = classifier.answers([text])
    monkeypatch.setattr(network_file, "WINDOW", 250)
    [other] = classifier.answers([text])
    assert len(usual.pieces) > 5 * 190
    marked = [answer.classes[:, 0] < 0.8 for answer in (usual, other)]
    assert (marked[0] == marked[1]).mean() > 0.93
    assert 0.02 < marked[0].mean() < 0.5


@pytest.mark.models
def test_threads_share_it_from_the_first_text_on() -> None:
    alone = [TokenClassifier().answers([text])[0] for text in TEXTS[:1]]
    shared = TokenClassifier()
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: shared.answers(TEXTS[:1])[0], range(8)))
    assert all(same(alone[0], answer) for answer in answers)


@pytest.mark.models
def test_nothing_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: Any, **more: Any) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert len(TokenClassifier().answers(["Anna Larsen"])[0].pieces) >= 2


def test_construction_loads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: pytest.fail("a file was read"))
    made = TokenClassifier(Path("nowhere.safetensors"))
    assert made.path == Path("nowhere.safetensors")


# --- files ---


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the weights and of their card."""
    for suffix in (".safetensors", ".json"):
        shutil.copy(TokenClassifier()._file.with_suffix(suffix), tmp_path / f"own{suffix}")
    return tmp_path / "own.safetensors"


@pytest.mark.models
def test_a_copy_of_the_weights_is_as_good(copied: Path, classifier: TokenClassifier) -> None:
    made = TokenClassifier(copied)
    assert made.id == classifier.id
    assert same(made.answers(TEXTS[:1])[0], classifier.answers(TEXTS[:1])[0])


@pytest.mark.parametrize("place", [0, 5_000, -1])
def test_weights_changed_by_a_byte_are_refused(copied: Path, place: int) -> None:
    content = bytearray(copied.read_bytes())
    content[place] ^= 1
    copied.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"own\.safetensors is not the file of this version; reinstall"):
        TokenClassifier(copied).answers(["Anna"])


def test_weights_of_another_encoder_are_refused(copied: Path) -> None:
    card = copied.with_suffix(".json")
    card.write_text(json.dumps({**json.loads(card.read_text()), "encoder": "0" * 64}))
    with pytest.raises(ConfigurationError, match="not the file of this version"):
        TokenClassifier(copied).answers(["Anna"])


@pytest.mark.parametrize("suffix", [".safetensors", ".json"])
def test_a_file_that_is_missing_is_named_with_the_way_out(copied: Path, suffix: str) -> None:
    copied.with_suffix(suffix).unlink()
    with pytest.raises(MissingExtraError, match=r"own\.\w+ cannot be read .*reinstall"):
        TokenClassifier(copied).answers(["Anna"])
    if suffix == ".json":
        with pytest.raises(MissingExtraError, match=r"own\.json cannot be read .*reinstall"):
            _ = TokenClassifier(copied).id


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"sha256": 7}'])
def test_a_card_that_is_none_is_refused(copied: Path, content: str) -> None:
    copied.with_suffix(".json").write_text(content)
    for ask in (lambda made: made.id, lambda made: made.answers(["Anna"])):
        with pytest.raises(ConfigurationError, match="not the file of this version"):
            ask(TokenClassifier(copied))


def test_a_changed_card_with_matching_weights_is_refused(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The card decides too: how many layers answer, and how probabilities are read."""
    monkeypatch.setattr(card_file, "packaged", lambda others=False: copied)
    card = copied.with_suffix(".json")
    before = TokenClassifier().id  # the same bytes
    told = json.loads(card.read_text())
    card.write_text(json.dumps({**told, "layers": 2}))
    own = TokenClassifier(copied).id  # somebody's own weights have a card of their own
    assert own != before
    with pytest.raises(ConfigurationError, match=r"own\.json is not the file of this version; reinstall"):
        _ = TokenClassifier().id


# --- time ---


@pytest.mark.models
def test_a_text_without_a_break_costs_little(classifier: TokenClassifier) -> None:
    started = time.process_time()
    for text in ("x" * 1_000_000, "😀" * 100_000, "1" * 100_000):
        [answer] = classifier.answers([text])
        assert len(answer.pieces) <= 2
    assert time.process_time() - started < 20


def test_the_weights_for_other_languages_are_a_difference_that_reads_them() -> None:
    text = "Die Patientin Frau Hannelore Dietrich wurde am 3. Mai nach Hause entlassen."
    first, second = TokenClassifier().answers([text])[0], TokenClassifier(others=True).answers([text])[0]
    assert TokenClassifier(others=True).card.base == TokenClassifier().card.sha256
    assert TokenClassifier(others=True).id.startswith("identifiers-others@")
    assert not np.allclose(first.classes, second.classes, atol=0.01)
    assert np.allclose(second.classes.sum(axis=1), 1, atol=1e-3)


def test_a_difference_is_added_to_its_own_base_alone() -> None:
    other = TokenClassifier(others=True)
    weights_file.read(card_file.packaged(others=True), other.card, other.card.layers)
    with pytest.raises(ConfigurationError, match="is not the file of this version"):
        weights_file.read(card_file.packaged(others=True), replace(other.card, base="0" * 64), other.card.layers)
