"""Reading vocabularies: what is read is exact, what cannot be read is refused in one sentence."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import save_file

from releasing import release_file
from sfumato.abstract.vocabulary import SourceFile, Vocabulary
from sfumato.building.build import build
from sfumato.errors import VocabularyError
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.storage import cache
from sfumato.vocabularies import load as vocabulary_sources
from sfumato.vocabularies import vector_files
from sfumato.vocabularies.load import embed, load_vocabulary
from sfumato.vocabularies.private import refuse_private

VECTORS = np.array([[0.5, -1.25, 3e-5], [1, 2, 3.5], [-0.125, 0.1, 7.0]])
GOOD = "the 0.5 -1.25 3e-5\ncat 1 2 3.5\nsat -0.125 0.1 7.0\n"


class LetterCounts:
    """An encoder that counts letters, and how many phrases it was asked for."""

    id = "letter-counts@1"
    dimensions = 26

    def __init__(self) -> None:
        self.asked = 0

    def encode(self, phrases: Sequence[str], progress: object = None) -> NDArray[np.float64]:
        self.asked += len(phrases)
        return np.array([[float(p.lower().count(chr(97 + i))) for i in range(26)] for p in phrases])


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    def written(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written


@pytest.mark.parametrize(
    "content",
    [
        GOOD,
        "3 3\n" + GOOD,
        GOOD.replace("\n", " \n"),
        GOOD.replace("\n", "\r\n"),
        GOOD.replace(" ", "\t"),
        "\ufeff" + GOOD,
        GOOD.rstrip("\n"),
        "\n3 3\n\n" + GOOD + "\n",
        gzip.compress(GOOD.encode(), mtime=0),
    ],
    ids=["glove", "word2vec", "trailing blank", "crlf", "tabs", "bom", "no newline", "blank lines", "gz"],
)
def test_text_vectors_are_read_exactly(write, content: str | bytes) -> None:
    path = write("v.txt.gz" if isinstance(content, bytes) else "v.txt", content)
    for _ in range(2):  # parsed, then from the cache
        vocabulary = load_vocabulary(path)
        assert vocabulary.tokens == ("the", "cat", "sat")
        assert np.array_equal(vocabulary.vectors, VECTORS)
        assert vocabulary.encoder is None
        assert "3 tokens, 3 dimensions" in vocabulary.provenance
        assert str(path.parent) not in vocabulary.provenance


@pytest.mark.parametrize("header", ["", "5 3\n"])
def test_tokens_may_hold_spaces_numbers_and_quotes(write, header: str) -> None:
    content = header + GOOD + ". . . 1 1 0.5\npage 1 2 2 0.5\n"
    assert load_vocabulary(write("v.txt", content)).tokens == ("the", "cat", "sat", ". . .", "page 1")
    quoted = load_vocabulary(write("q.txt", '" 0.5 1.5 2\n"a 1 2 0.5\n2000 1.5 2 3\n'))
    assert quoted.tokens == ('"', '"a', "2000")


def test_both_readers_agree(write) -> None:
    drawn = np.random.default_rng(1).normal(size=(300, 40)) * 10.0 ** np.arange(-20, 20)
    lines = [f"w{i} " + " ".join(map(repr, row.tolist())) for i, row in enumerate(drawn)]
    path = write("v.txt", "\n".join(lines))
    how = vector_files.layout(lines[:100])
    assert how is not None
    fast, careful = vector_files._read_fast(path, how), vector_files._read_carefully(path, how)
    assert fast is not None
    assert fast[0] == careful[0]
    assert np.array_equal(fast[1], careful[1])
    assert np.array_equal(fast[1], drawn)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("v.txt", GOOD + "dog 1 2\n", r"^v\.txt, line 4: 2 numbers where 3 are expected"),
        ("v.txt", GOOD + "dog 1.5 2 3 4\n", r"^v\.txt, line 4: 4 numbers where 3 are expected"),
        ("v.txt", GOOD + "dog 1.5 x 3\n", r"^v\.txt, line 4: field 3 is not a number"),
        ("v.txt", GOOD + "dog 1 nan 3\n", r"^v\.txt, line 4: .* NaN or infinity"),
        ("v.txt", GOOD + "dog 1 1e999 3\n", r"^v\.txt, line 4: .* NaN or infinity"),
        ("v.txt", GOOD + "\ncat 1 2 3\n", r"^v\.txt, line 5: repeats the token of line 2"),
        ("v.txt", GOOD + " 1 2 3\n", r"^v\.txt, line 4: there is no token"),
        ("v.txt", GOOD + "\u0085 1 2 3\n", r"^v\.txt, line 4: there is no token"),
        ("v.txt", "4 3\n" + GOOD, r"^v\.txt, line 1: promises 4 words, and 3 follow"),
        ("v.txt", b"the 0.5 1\ncat\xff 1 0.5\n", r"^v\.txt, line 2: byte 4 is not valid UTF-8"),
        ("v.txt", GOOD.encode() + b"x\xff 1 2 3\n", r"^v\.txt, line 4: byte 2 is not valid UTF-8"),
        ("v.txt", b"\x80\x04\x95\x00\x00abc", r"^v\.txt, line 1: this is a binary file"),
        ("v.txt", np.random.default_rng(0).bytes(5000), r"^v\.txt, line \d+: "),
        ("v.txt", "", r"^v\.txt is empty"),
        ("v.txt", "\n \n", r"at least 2 different tokens, and this file has 0"),
        ("v.txt", "word\n", r"at least 2 different tokens, and this file has 1"),
        ("v.txt", "word\nword\n", r"at least 2 different tokens, and this file has 1"),
        ("v.txt", "the 0.5 1.5\n", r"at least 2 tokens, and this one has 1"),
        ("v.txt.gz", "the 0.5 1.5\n", r"^v\.txt\.gz cannot be read: "),
        ("v.txt.gz", gzip.compress(GOOD.encode() * 50, mtime=0)[:-20], r"^v\.txt\.gz cannot be read: "),
        ("v.vec", "the cat\nsat on\n", r"^v\.vec: the first lines do not hold a word and its numbers"),
        ("v.json", '["a",\n"b"', r"^v\.json, line 2: broken JSON"),
        ("v.json", b'["a",\n"\xff"]', r"^v\.json, line 2: not valid UTF-8"),
        ("v.json", '{"a": "b"}', r"^v\.json: expected a list of phrases"),
        ("v.json", '["a", 3]', r"^v\.json: expected a list of phrases"),
        ("v.json", '["a", "\\ud800"]', r"^v\.json: expected a list of phrases"),
        ("v.json", "[" * 100_000, r"^v\.json"),
        ("v.npy", b"rubbish", r"^v\.npy cannot be read as an array"),
        ("v.safetensors", b"rubbish rubbish", r"^v\.safetensors cannot be read as safetensors"),
        ("v.pkl", pickle.dumps([1]), r"^v\.pkl: this kind of file is not read .*\.npy or \.safetensors"),
        ("v.bin", "x", r"^v\.bin: this kind of file is not read"),
        ("v.pt", "x", r"^v\.pt: this kind of file is not read"),
    ],
)
def test_what_cannot_be_read_is_named(write, name: str, content: str | bytes, says: str) -> None:
    path = write(name, content)
    with pytest.raises(VocabularyError, match=says) as caught:
        load_vocabulary(path, encoder=LetterCounts())
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_broken_line_does_not_turn_vectors_into_phrases(write) -> None:
    with pytest.raises(VocabularyError, match="line 1"):
        load_vocabulary(write("v.txt", "dog 1 2\n" + GOOD), encoder=LetterCounts())
    with pytest.raises(VocabularyError, match="line 2"):
        load_vocabulary(write("w.txt", "the 0.5 1.5 2\nbroken\nsat 1 2 3\n"), encoder=LetterCounts())


def test_lists_that_look_a_little_like_vectors_stay_lists(write) -> None:
    phones, amounts = "555 123 4567\n555 987 6543", "12 300\nten apples"
    for content in (phones, amounts, "at 51.5 -0.1\nParis\nRome", "nan\ninfinity", "page 1\npage 2"):
        vocabulary = load_vocabulary(write("v.txt", content), encoder=LetterCounts())
        assert vocabulary.tokens == tuple(content.splitlines())


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match="does not exist"):
        load_vocabulary(tmp_path / "none.txt")
    with pytest.raises(VocabularyError, match="is not a file"):
        load_vocabulary(tmp_path)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_arrays_with_a_word_list(write, tmp_path: Path, dtype: str) -> None:
    array = VECTORS.astype(dtype)
    np.save(tmp_path / "a.npy", array)
    save_file({"v": array}, tmp_path / "a.safetensors")
    save_file({"v": array}, tmp_path / "b.safetensors", {"tokens": '["the", "cat", "sat"]'})
    beside, elsewhere = write("a.txt", "the\ncat\nsat\n"), write("other.txt", "x\ny\nz\n")
    for name in ("a.npy", "a.safetensors", "b.safetensors"):
        vocabulary = load_vocabulary(tmp_path / name)
        assert vocabulary.tokens == ("the", "cat", "sat")
        assert vocabulary.vectors.dtype == np.float64
        assert np.array_equal(vocabulary.vectors, array.astype(np.float64))
        assert load_vocabulary(tmp_path / name, words=elsewhere).tokens == ("x", "y", "z")
    with pytest.raises(VocabularyError, match=r"goes with \.npy"):
        load_vocabulary(beside, words=elsewhere)


def test_arrays_that_hold_no_vectors(write, tmp_path: Path) -> None:
    np.save(tmp_path / "alone.npy", VECTORS)
    with pytest.raises(VocabularyError, match=r"its word list alone\.txt is missing"):
        load_vocabulary(tmp_path / "alone.npy")
    write("a.txt", "the\ncat\n")
    np.save(tmp_path / "a.npy", VECTORS)
    with pytest.raises(VocabularyError, match=r"a\.npy holds 3 vectors, and its list 2 tokens"):
        load_vocabulary(tmp_path / "a.npy")
    for array in (VECTORS[0], VECTORS.astype(np.int64)):
        np.save(tmp_path / "a.npy", array)
        with pytest.raises(VocabularyError, match="holds no vectors"):
            load_vocabulary(tmp_path / "a.npy")
    save_file({"v": VECTORS, "w": VECTORS}, tmp_path / "two.safetensors")
    with pytest.raises(VocabularyError, match="holds 2 tensors"):
        load_vocabulary(tmp_path / "two.safetensors")
    save_file({"v": VECTORS}, tmp_path / "t.safetensors", metadata={"tokens": "the cat sat"})
    with pytest.raises(VocabularyError, match='"tokens" is not a JSON list'):
        load_vocabulary(tmp_path / "t.safetensors")


def test_a_pickled_array_is_never_opened(write, tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(tmp_path / "sprung"),)

    np.save(tmp_path / "a.npy", np.array([Trap(), Trap()], dtype=object), allow_pickle=True)
    write("a.txt", "the\ncat\n")
    with pytest.raises(VocabularyError, match="cannot be read as an array of numbers"):
        load_vocabulary(tmp_path / "a.npy")
    assert not (tmp_path / "sprung").exists()


def test_phrases_are_embedded_once_and_repeats_are_counted(write) -> None:
    path, encoder = write("p.txt", "  New  York\nParis\n\nparis\nParis\nRome\n"), LetterCounts()
    shares: list[float] = []
    vocabulary = load_vocabulary(path, encoder=encoder, progress=shares.append)
    assert vocabulary.tokens == ("New York", "Paris", "paris", "Rome")
    assert "4 phrases, 1 repeats dropped, 26 dimensions by letter-counts@1" in vocabulary.provenance
    assert vocabulary.encoder is encoder
    assert vocabulary.clusters is None
    assert shares[-1] == 1.0
    again = load_vocabulary(path, encoder=encoder)
    assert encoder.asked == 4
    assert again.hash == vocabulary.hash
    lowered = load_vocabulary(path, encoder=encoder, lower=True)
    assert lowered.tokens == ("new york", "paris", "rome")
    assert "lower-cased, 2 repeats dropped" in lowered.provenance


def test_another_encoder_does_not_get_cached_vectors(write) -> None:
    path, first, second = write("p.txt", "a\nb\n"), LetterCounts(), LetterCounts()
    second.id = "letter-counts@2"
    load_vocabulary(path, encoder=first)
    load_vocabulary(path, encoder=second)
    assert second.asked == 2


def test_lower_keeps_the_first_vector(write) -> None:
    vocabulary = load_vocabulary(write("v.txt", "The 0.5 1\ncat 1 2\nthe 3 4\n"), lower=True)
    assert vocabulary.tokens == ("the", "cat")
    assert np.array_equal(vocabulary.vectors, [[0.5, 1], [1, 2]])
    assert "1 repeats dropped" in vocabulary.provenance


@pytest.mark.parametrize(
    "value",
    [{"x": ["a", "b"], "y": ["b", "A"], "z": ["a"]}, [["a", "b"], ["b", "A"], ["a"]]],
    ids=["object", "lists"],
)
def test_clusters_partition_the_tokens(write, value: object) -> None:
    vocabulary = load_vocabulary(write("c.json", json.dumps(value)), encoder=LetterCounts())
    assert vocabulary.tokens == ("a", "b", "A")
    assert vocabulary.clusters == ((0, 1), (2,))
    lowered = load_vocabulary(write("c.json", json.dumps(value)), encoder=LetterCounts(), lower=True)
    assert lowered.tokens == ("a", "b")
    assert lowered.clusters is None
    assert load_vocabulary(write("l.json", '["a", "b", "a"]'), encoder=LetterCounts()).clusters is None


def test_the_cache_is_used_checked_and_not_needed(write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("v.txt", GOOD)
    expected = load_vocabulary(path).hash
    with monkeypatch.context() as patch:
        patch.setattr(vocabulary_sources, "read_text_vectors", lambda *_: pytest.fail("parsed again"))
        cached = load_vocabulary(path)
    assert cached.hash == expected
    assert isinstance(cached.vectors, np.memmap)
    entries = sorted((tmp_path / "cache").iterdir())
    assert [entry.suffix for entry in entries] == [".json", ".npy"]
    for entry in entries:  # one changed bit, a cut, nothing at all
        whole = entry.read_bytes()
        changed = whole[:-12] + b"?" + whole[-11:]
        flipped = whole.replace(b"cat", b"rat") if entry.suffix == ".json" else changed
        for damaged in (flipped, whole[:-9], b""):
            entry.write_bytes(damaged)
            assert load_vocabulary(path).hash == expected
            assert entry.read_bytes() == whole, "the entry was not mended"
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SFUMATO_CACHE", str(tmp_path / "file" / "below"))
    assert load_vocabulary(path).hash == expected


def test_a_changed_file_is_parsed_again(write) -> None:
    load_vocabulary(write("v.txt", GOOD))
    assert load_vocabulary(write("v.txt", GOOD.replace("0.5", "0.75"))).vectors[0, 0] == 0.75


def test_cache_entries_are_named_by_digests_and_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = cache.content_key("a", "bc")
    assert key != cache.content_key("ab", "c")
    with pytest.raises(AssertionError):
        cache.save_json("../london", [1])
    cache.save_array(key, VECTORS)
    before = cache.load_array(key)
    assert before is not None
    assert not before.flags.writeable
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    cache.save_array(key, VECTORS + 1)
    assert np.array_equal(before, VECTORS)
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [f"{key}.npy"], "a part was left behind"


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert cache.folder() == tmp_path / "cache"
    monkeypatch.delenv("SFUMATO_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "sfumato"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache.folder() == tmp_path / "home" / ".cache" / "sfumato"


def test_an_encoder_of_another_length_is_not_trusted_from_the_cache() -> None:
    encoder = LetterCounts()
    cache.save_array(cache.content_key("phrases 1", encoder.id, "a", "b"), np.zeros((1, 26)))
    assert embed(["a", "b"], encoder).shape == (2, 26)


@pytest.mark.real_data
def test_published_clusters_load_as_a_partition() -> None:
    source = Path(__file__).parents[3] / "shared/data/clusant/clusters/gpt-4/LOC.json"
    if not source.is_file():
        pytest.skip(f"{source} is not on this machine")
    vocabulary = load_vocabulary(source, encoder=LetterCounts(), lower=True)
    assert len(vocabulary) == 8025  # 8,026 by its description, of which one is the empty string
    assert vocabulary.clusters is not None
    members = sorted(index for cluster in vocabulary.clusters for index in cluster)
    assert members == list(range(len(vocabulary)))


# --- where it came from, and whether that is private ---


def vectors_in(path: Path) -> Path:
    path.write_text("".join(f"word{n} {n}.5 {n * n}.25\n" for n in range(1, 9)))
    return path


def test_sources_are_kept_and_are_no_part_of_the_hash(tmp_path: Path) -> None:
    path = vectors_in(tmp_path / "a.txt")
    (tmp_path / "link.txt").symlink_to(path)
    loaded = load_vocabulary(tmp_path / "link.txt")
    expected = SourceFile(path.resolve(), path.stat().st_size, hashlib.sha256(path.read_bytes()).hexdigest())
    assert loaded.sources == (expected,)
    assert Vocabulary(loaded.tokens, np.array(loaded.vectors), "made").sources == ()
    assert Vocabulary(loaded.tokens, np.array(loaded.vectors), "made").hash == loaded.hash
    assert loaded.subset(lambda token: token != "word1")[0].sources == (expected,)
    np.save(tmp_path / "b.npy", np.eye(2))
    (tmp_path / "b.txt").write_text("one\ntwo\n")
    assert [source.path.name for source in load_vocabulary(tmp_path / "b.npy").sources] == ["b.npy", "b.txt"]
    assert pickle.loads(pickle.dumps(loaded)).sources == (expected,)


@pytest.mark.parametrize("way", ["itself", "copy", "removed", "inside", "inside-copy", "words", "clusters"])
def test_a_release_refuses_a_vocabulary_made_of_its_input(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever calls the library is told the same as at the command line, before anything is certified or drawn."""
    private, public, mechanism, more = tmp_path / "in.txt", tmp_path / "public.txt", "santext", {}
    vectors_in(private)
    vocabulary = private
    if way in ("copy", "removed"):
        vocabulary = vectors_in(public)
    elif way.startswith("inside"):
        (tmp_path / "folder").mkdir()
        vectors_in(tmp_path / "folder" / "c.txt")
        private = tmp_path / "folder"
        vocabulary = vectors_in(public) if way == "inside-copy" else private / "c.txt"
    elif way == "words":
        private.write_text("one\ntwo\n")
        np.save(tmp_path / "in.npy", np.eye(2))
        vocabulary = tmp_path / "in.npy"
    elif way == "clusters":
        private.write_text(json.dumps([[f"word{n}" for n in range(1, 5)], [f"word{n}" for n in range(5, 9)]]))
        vocabulary, mechanism, more = vectors_in(public), "clusant", {"clusters": private}
    sanitizer = build(mechanism, 0.1, vocabulary=vocabulary, **more)  # type: ignore[arg-type]
    if way == "removed":
        public.unlink()
    output = tmp_path / ("out" if private.is_dir() else "out.txt")
    with monkeypatch.context() as patched:
        patched.setattr("sfumato.release.files.sanitize_job", None)
        patched.setattr(type(sanitizer), "prepare", None)
        with pytest.raises(VocabularyError, match="private input"):
            release_file(sanitizer, private, output)
    other = tmp_path / "other.txt"
    other.write_text("x" * sanitizer.others.routes["ANY"].mechanism.vocabulary.sources[0].size)
    assert release_file(sanitizer, other, tmp_path / "released.txt").summary.records == 1


def test_files_of_another_size_are_not_read_to_compare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vocabulary, private = vectors_in(tmp_path / "v.txt"), tmp_path / "in.txt"
    private.write_text("short")
    monkeypatch.setattr("sfumato.vocabularies.private.source_file", None)
    refuse_private([vocabulary], [private])


def test_a_unit_and_an_encoder_change_no_token_and_copy_none() -> None:
    plain = Vocabulary(("one", "two"), np.array([[1.0], [2.0]]), "made by a test")
    encoder = SentenceEncoder()
    made = plain.measured_in("day", encoder)
    assert (made.unit, made.encoder, plain.unit, plain.encoder) == ("day", encoder, "", None)
    assert made.vectors is plain.vectors
    assert made.tokens is plain.tokens
    assert made.hash == Vocabulary(plain.tokens, plain.vectors, "another").hash
    with pytest.raises(ValueError, match="read-only"):
        made.vectors[0, 0] = 3.0


def test_no_thread_of_arrow_holds_a_python_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that lets go of one while the interpreter ends aborts the process: 3 of 100 commands did."""
    import pyarrow
    from pyarrow import csv

    given: list[object] = []
    read_csv = csv.read_csv

    def noted(source: object, *options: object) -> object:
        given.append(source)
        return read_csv(source, *options)

    monkeypatch.setattr(csv, "read_csv", noted)
    path = tmp_path / "v.txt"
    path.write_text("cat 1.0 2.0\ndog 3.0 4.0\n")
    zipped = tmp_path / "v.txt.gz"
    zipped.write_bytes(gzip.compress(path.read_bytes()))
    tokens = [list(load_vocabulary(source).tokens) for source in (path, zipped)]
    assert tokens == [["cat", "dog"]] * 2
    assert len(given) == 2
    assert all(isinstance(source, pyarrow.NativeFile) for source in given)
    assert not any(isinstance(source, pyarrow.PythonFile) for source in given)
