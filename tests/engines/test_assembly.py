"""The fast ways agree with the slow ones: marks with spans, forms with strings, the rule with the regex."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato import Route, Vocabulary
from sfumato.abstract.batch import Outputs, Spelled
from sfumato.building import methods
from sfumato.detectors.words import ContentWords, Words
from sfumato.engines import word_forms as spellings_file
from sfumato.engines.assembly import assembled, opening
from sfumato.engines.word_forms import Forms
from sfumato.errors import InputError
from sfumato.text.document import Document, Release
from sfumato.text.marks import Marks, Spans, laid_end_to_end
from sfumato.text.sentences import GAP_END, begins_sentence, capitalised

ANY = st.characters(codec="utf-8", exclude_categories=()) | st.characters(categories=["Cs"])
SPACES = [chr(code) for code in range(0x110000) if chr(code).isspace()]
TELLING = st.sampled_from([*SPACES, *"\n\n.!?…\"'”’)]»“‘([«¿¡#*>-x"])
TEXT = st.text(st.sampled_from("alpha ’'-.\n\u200d\u00adß") | ANY | TELLING, max_size=60)
QUICK = settings(max_examples=300, deadline=None)


def same(marks: Marks, other: Marks) -> bool:
    columns = ("codes", "origins", "lengths", "starts", "ends", "counts")
    return all(np.array_equal(getattr(marks, name), getattr(other, name)) for name in columns)


@QUICK
@given(st.lists(TEXT, max_size=4))
def test_marks_are_the_spans_by_column(texts: list[str]) -> None:
    documents = [Document(text) for text in texts]
    for detector in (Words(), ContentWords()):
        marks = detector.mark(documents)
        assert same(marks, Marks.of(documents, detector.detect(documents)))
        assert set(marks.labels) <= {*"WORD"}
        assert "codes" not in repr(marks)


@QUICK
@given(st.lists(st.text(TELLING | ANY, max_size=GAP_END + 6), min_size=1, max_size=5))
def test_the_rule_for_the_start_of_a_sentence_is_that_of_the_regex(gaps: list[str]) -> None:
    bounds, at = [], 0
    for gap in gaps:
        bounds.append((at + len(gap), at + len(gap) + 1))
        at = bounds[-1][1]
    marks = Marks.of([Document("w".join([*gaps, "w"]) + "w")], [Spans(bounds)])
    assert opening(marks).tolist() == [begins_sentence(gap, number == 0) for number, gap in enumerate(gaps)]


@pytest.mark.parametrize("before", ["", "x", ".", ".)", "\n", ".\n"])
@pytest.mark.parametrize("after", ["", "(", "x", "“"])
def test_the_rule_knows_every_space_and_the_window(before: str, after: str) -> None:
    for middle in [*SPACES, *(" " * length for length in range(GAP_END + 2))]:
        gap = before + middle + after
        marks = Marks.of(
            [Document(f"{gap}w{gap}w")], [Spans([(len(gap), len(gap) + 1), (2 * len(gap) + 1, 2 * len(gap) + 2)])]
        )
        assert opening(marks).tolist() == [begins_sentence(gap, True), begins_sentence(gap, False)]


@QUICK
@given(st.lists(TEXT, max_size=4), st.lists(TEXT.filter(bool), min_size=1, max_size=4), st.randoms())
def test_texts_are_assembled_as_strings_would_be(texts: list[str], tokens: list[str], chance: Any) -> None:
    documents = [Document(text) for text in texts]
    marks = Words().mark(documents)
    spelled, opens = Spelled.of_tokens(tokens), opening(marks)
    drawn = np.array([chance.randrange(len(tokens)) for _ in marks.starts], dtype=np.int64)
    everywhere = np.arange(len(drawn))
    halves = [
        Outputs(spelled, part, spelled.entries(drawn[part], opens[part]))
        for part in (everywhere[::2], everywhere[1::2])
    ]
    text, cuts, bounds = assembled(marks, halves)
    first = 0
    for number, (document, spans) in enumerate(zip(documents, Words().detect(documents), strict=True)):
        edges = [0, *(edge for bound in spans.bounds for edge in bound), len(document.text)]
        parts = [document.text[a:b] for a, b in pairwise(edges)]
        for place in range(len(spans)):
            token = tokens[drawn[first + place]]
            parts[2 * place + 1] = capitalised(token) if opens[first + place] else token
        found = bounds[first : first + len(spans)].ravel().tolist()
        release = Release("", text[cuts[number] : cuts[number + 1]], found, "WORD", 0)
        assert release.parts == tuple(parts)
        assert [one.output for one in release.replacements] == parts[1::2]
        assert Release.joined("", parts, "WORD", 0).parts == tuple(parts)
        first += len(spans)


def test_spans_that_cannot_be_are_refused() -> None:
    for bounds in ([(0, 9)], [(-1, 2)], [(1, 1)], [(0, 2), (1, 3)], [(2, 3), (0, 1)]):
        with pytest.raises(InputError, match="Document 2 of the batch") as caught:
            Marks.of([Document("fine", "r1"), Document("secret", "r2")], [Spans([(0, 4)]), Spans(bounds)])
        assert "secret" not in str(caught.value)


# --- surface forms ---------------------------------------------------------------------------------------------


class Numbers:
    """Numbers strings in the order of their first coming, and counts how often it is asked."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}

    def __call__(self, words: Sequence[str]) -> Any:
        assert len(set(words)) == len(words)
        return np.array([self.known.setdefault(word, len(self.known)) for word in words], dtype=np.int64)


def find(forms: Forms, words: Sequence[str], learn: Any) -> list[int]:
    codes, origins, lengths = laid_end_to_end(words)
    return forms.find(codes, origins, origins + lengths, learn).tolist()


@QUICK
@given(st.lists(st.lists(TEXT.filter(bool), max_size=20), max_size=4))
def test_forms_are_told_apart_by_code_points(batches: list[list[str]]) -> None:
    forms, learn = Forms(), Numbers()
    for words in batches:
        found = find(forms, words, learn)
        assert found == [learn.known[word] for word in words]
    assert len(forms) == len(learn.known)


def test_forms_grow_and_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    forms, learn = Forms(), Numbers()
    words = [f"word{number}" for number in range(30_000)] + ["x" * 300_000]
    assert find(forms, words * 2, learn) == list(range(len(words))) * 2
    assert len(forms) == len(words)
    monkeypatch.setattr(spellings_file, "_FORMS", 1000)
    assert find(forms, words[:10], learn) == list(range(10))
    assert len(forms) == 10
    monkeypatch.setattr(spellings_file, "_CODES", 10)
    assert find(forms, ["b"], Numbers()) == [0]
    assert len(forms) == 1


def test_equal_hashes_are_not_equal_forms(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = spellings_file._enter.py_func  # type: ignore[attr-defined]
    monkeypatch.setattr(spellings_file, "_hash", lambda codes, start, end: np.uint64(7))
    monkeypatch.setattr(spellings_file, "_same", spellings_file._same.py_func)  # type: ignore[attr-defined]
    monkeypatch.setattr(spellings_file, "_enter", kernel)
    words = ["one", "two", "on", "one", "ones", "two"]
    assert find(Forms(), words, Numbers()) == [0, 1, 2, 0, 3, 1]


def test_a_form_that_could_not_be_learned_is_asked_for_again() -> None:
    forms, learn = Forms(), Numbers()

    def fails(words: Sequence[str]) -> Any:
        raise RuntimeError

    find(forms, ["a", "b"], learn)
    with pytest.raises(RuntimeError):
        find(forms, ["a", "c"], fails)
    assert find(forms, ["c", "a"], learn) == [2, 0]


def test_threads_share_forms() -> None:
    forms, learn = Forms(), Numbers()
    batches = [[f"w{(number * step) % 9973}" for number in range(20_000)] for step in range(1, 9)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda words: find(forms, words, learn), batches))
    assert found == [[learn.known[word] for word in words] for words in batches]


def test_pickles_hold_no_private_word() -> None:
    vocabulary = Vocabulary(("alpha", "beta"), np.array([[0.0], [1.0]]), "toy")
    route = Route(methods.mechanism("santext", vocabulary, 1.0))
    marks = Words().mark([Document("Zaphod alpha")])
    assert route.marked(marks, np.arange(2)).tolist() == route.tokens(["Zaphod", "alpha"]).tolist()
    raw = pickle.dumps(route)
    assert b"Zaphod" not in raw
    assert "Zaphod".encode("utf-32-le") not in raw
    assert "Zaphod" not in repr(route)
    assert pickle.loads(raw).marked(marks, np.arange(2)).tolist() == route.tokens(["Zaphod", "alpha"]).tolist()
