"""Words and ContentWords: nothing readable is left outside, and which words stay is a public rule."""

from __future__ import annotations

import pickle
import re
import time
import unicodedata
from pathlib import Path

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.detectors import words
from sfumato.detectors.words import ContentWords, Words
from sfumato.language.en.words import GRAMMAR, NAMES_AND_ABBREVIATIONS, stop_words
from sfumato.text.document import Document
from sfumato.text.marks import Spans

DATA = Path(__file__).parents[3] / "shared" / "data"

TRICKY = (
    "aB é\u0301 ñ ß İ हिन्दी ไทย 漢字 عربى עברית "
    "'’\u200c\u200d\u00ad-_.,¡ 9½٣Ⅷ \t\n\u2028 🙂❤\ufe0f🏽🇺🇸Ⓐ\U000e0041\ue000"
)
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.text(st.sampled_from(TRICKY)),
    st.lists(st.sampled_from(["don't", "हिन्दी", "x\u200dy", "co-op", "'", "’’", "السلام", " "])).map("".join),
)


def cut(text: str, spans: Spans) -> list[str]:
    return [text[start:end] for start, end in spans.bounds]


def words_of(text: str) -> list[str]:
    return cut(text, Words().detect([Document(text)])[0])


def content_of(text: str) -> list[str]:
    return cut(text, ContentWords().detect([Document(text)])[0])


def readable_outside(text: str, bounds: list[tuple[int, int]]) -> str:
    inside = {place for start, end in bounds for place in range(start, end)}
    return "".join(
        character
        for place, character in enumerate(text)
        if place not in inside and unicodedata.category(character)[0] in "LMN"
    )


@settings(deadline=None, max_examples=400)
@given(TEXTS)
def test_nothing_readable_is_left_outside(text: str) -> None:
    spans = Words().detect([Document(text)])[0]
    assert readable_outside(text, list(spans.bounds)) == ""
    assert list(spans) == sorted(spans)
    assert all(before[1] < after[0] for before, after in zip(spans.bounds, spans.bounds[1:], strict=False))
    assert all(0 <= start < end <= len(text) for start, end in spans.bounds)


@settings(deadline=None, max_examples=200)
@given(TEXTS)
def test_words_are_those_of_a_plain_pattern(text: str) -> None:
    letter = rf"[{words.LETTERS}_]"
    plain = regex.compile(rf"{letter}+(?:['’\u200c\u200d\u00ad]{letter}+)*")
    assert words_of(text) == plain.findall(text)


def test_the_property_catches_pythons_word_class() -> None:
    text = "हिन्दी"
    found = [match.span() for match in re.finditer(r"\w+", text)]
    assert readable_outside(text, found) != ""
    assert words_of(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't, she doesn’t", ["I", "don't", "she", "doesn’t"]),
        ("'quoted' O'Brien's ''", ["quoted", "O'Brien's"]),
        ("rock''n roll-over", ["rock", "n", "roll", "over"]),
        ("user_1@mail.org +49 30/12", ["user_1", "mail", "org", "49", "30", "12"]),
        ("می‌خواهم", ["می‌خواهم"]),
        ("in\u00adfor\u00admation", ["in\u00adfor\u00admation"]),
        ("我在北京", ["我在北京"]),
        ("½ Ⅷ ² ①", ["½", "Ⅷ", "²", "①"]),
        ("Ⓐ 🄱 🇩🇪 🙂 €", ["Ⓐ", "🄱", "🇩🇪"]),
        ("x\U000e0053\U000e0053\U000e004e", ["x\U000e0053\U000e0053\U000e004e"]),
        ("\ud800x \ue000", ["\ud800x", "\ue000"]),
        ("", []),
        (" .,;!? \n\t", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words_of(text) == expected


@settings(deadline=None, max_examples=100)
@given(st.lists(TEXTS, max_size=8), st.integers(1, 40))
def test_blocks_do_not_change_the_result(texts: list[str], block: int) -> None:
    alone = [words.word_bounds([text])[0] for text in texts]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "_BLOCK", block)
        assert words.word_bounds(texts) == alone


@settings(deadline=None, max_examples=200)
@given(TEXTS)
def test_content_words_and_stop_words_make_up_the_words(text: str) -> None:
    kept = [word for word in words_of(text) if word.casefold().replace("’", "'") not in stop_words()]
    assert content_of(text) == kept


def test_case_and_apostrophe_do_not_matter() -> None:
    assert content_of("The THE the tHe don’t DON'T dog") == ["dog"]
    assert content_of("İ the İ cat don’t") == ["İ", "İ", "cat"]  # a text that folding makes longer


@pytest.mark.parametrize("name", ["US", "Will", "May", "Don", "Ma", "us", "will", "may", "Ill", "WED"])
def test_names_and_abbreviations_never_pass(name: str) -> None:
    assert content_of(f"and {name} is") == [name]


@pytest.mark.parametrize("telling", ["forty", "microsoft", "uk", "mrs", "younger", "10", "three", "li", "ng"])
def test_what_tells_something_is_no_stop_word(telling: str) -> None:
    from stop_words import get_stop_words

    assert telling in get_stop_words("english")  # the package's list alone would let it pass
    assert content_of(telling) == [telling]


def test_stop_words_are_a_small_public_list() -> None:
    assert isinstance(stop_words(), frozenset)
    assert {"the", "of", "is", "don't", "we'll"} <= stop_words()
    assert not stop_words() & NAMES_AND_ABBREVIATIONS
    assert all(word in GRAMMAR or "'" in word for word in stop_words())
    assert 250 < len(stop_words()) < 400


@pytest.mark.parametrize("detector", [Words(), ContentWords()])
def test_detectors_pickle_and_describe_themselves(detector: Words | ContentWords) -> None:
    assert pickle.loads(pickle.dumps(detector)) == detector
    assert "word" in detector.description
    assert "punctuation" in detector.unprotected
    assert detector.detect([]) == []


@pytest.mark.real_data
def test_speed() -> None:
    path = DATA / "sst2" / "train.tsv"
    if not path.exists():
        pytest.skip(f"{path} is absent")
    lines = path.read_text(encoding="utf-8").split("\n")[1:]
    batches = [[Document(line) for line in lines[n : n + 2000]] for n in range(0, len(lines), 2000)]
    count = sum(len(spans) for batch in batches for spans in Words().detect(batch))
    allowed = 0.3e-6 * count + 1e-6 * len(lines)
    spent: list[float] = []
    while len(spent) < 5 and (not spent or spent[-1] >= 4 * allowed):  # 4: caches may be busy
        spent.append(_seconds(batches))
    assert min(spent) < 4 * allowed, f"{min(spent):.3f} processor s for {count} words"
    print(f"Words: {min(spent):.3f} s, allowed {allowed:.3f} s")  # noqa: T201


def _seconds(batches: list[list[Document]]) -> float:
    begun = time.process_time()
    for batch in batches:
        Words().detect(batch)
    return time.process_time() - begun
