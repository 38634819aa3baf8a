"""Where a marked text stands: in every spelling, as whole words, and at the right place of the text itself."""

from __future__ import annotations

import re
import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.text.occurrences import Occurrences, disjoint, folded, name_of, whole_letters


def places(marked: str, text: str, loose: bool = False) -> list[str]:
    """What is found of ``marked`` in ``text``, as it stands there."""
    return [text[start:end] for start, end, _ in disjoint(Occurrences([marked], loose).find(text))]


@pytest.mark.parametrize(
    ("marked", "text", "found"),
    [
        ("Zoë", "Zoe\u0308 came", ["Zoe\u0308"]),
        ("Zoe\u0308", "so ZOË.", ["ZOË"]),
        ("José", "Jose, JOSÉ", ["Jose", "JOSÉ"]),
        ("Smith", "Ｓｍｉｔｈ", ["Ｓｍｉｔｈ"]),
        ("Smith", "𝒮𝓂𝒾𝓉𝒽", ["𝒮𝓂𝒾𝓉𝒽"]),
        ("Griffin", "Gri\ufb03n", ["Gri\ufb03n"]),
        ("Smith", "Sm\u200bi\u00adt\u2060h\ufeff!", ["Sm\u200bi\u00adt\u2060h\ufeff"]),
        ("Sm\u200bith", "Smith", ["Smith"]),
        ("John Smith", "John\u200bSmith", ["John\u200bSmith"]),
        ("Smith", "John\u00adSmith", ["Smith"]),
        ("Smith", "the Sm- \r\n  ith of", ["Sm- \r\n  ith"]),
        ("Zoë Smith", "ZOE\u0308 Sm\u2010\nith", ["ZOE\u0308 Sm\u2010\nith"]),
        ("Smith-Jones", "Smith-\nJones", ["Smith-\nJones"]),
        ("Jones", "Smith-\nJones", ["Jones"]),
        ("²", "x²", ["²"]),
        ("Weiß", "WEISS, Weiss, weiß, WEIẞ", ["WEISS", "Weiss", "weiß", "WEIẞ"]),
        ("İstanbul", "istanbul ISTANBUL ıstanbul", ["istanbul", "ISTANBUL", "ıstanbul"]),
        ("Diyarbakır", "DİYARBAKIR", ["DİYARBAKIR"]),
        ("Νίκος", "ΝΙΚΟΣ", ["ΝΙΚΟΣ"]),
        ("John Smith", "John\nSmith, John\r\n\tSmith", ["John\nSmith", "John\r\n\tSmith"]),
        ("John Smith", "JOHN\u00a0SMITH", ["JOHN\u00a0SMITH"]),
        ("John Smith", "john_smith and John-Smith", ["john_smith", "John-Smith"]),
        ("Smith-Jones", "Smith\u2011Jones, Smith–Jones", ["Smith\u2011Jones", "Smith–Jones"]),
        ("Smith-Jones", "Smith Jones", ["Smith Jones"]),
        ("123-45-6789", "123 45 6789", ["123 45 6789"]),
        ("Smith's", "Smith went; Smith’s dog", ["Smith", "Smith"]),
        ("James'", "James", ["James"]),
        ("O'Brien", "O’BRIEN’s", ["O’BRIEN"]),
        ("Anna, ", "Anna went", ["Anna"]),
        ("Anna.", "Anna went", ["Anna"]),
        ("Smith", "Smith-Jones; Smith™; Smith²; №Smith", ["Smith"] * 4),
        ("5", "№5 and 5㎏", ["5", "5"]),
        ("Anna", "Annabel, Joanna, 2Anna, Annaé", []),
        ("(a)", "a man (a) b", ["(a)"]),
        ("the,", "the end, the, end", ["the,"]),
        ("李明", "我是李明吗", ["李明"]),
        ("김민수", "김민수는", ["김민수"]),
        ("가", "각 가", ["가"]),
        ("Anna", "Anna는", ["Anna"]),
        ("か", "が か", ["か"]),
        ("محمد", "مُحَمَّد مـحـمـد", ["مُحَمَّد", "مـحـمـد"]),
        ("שלום", "\u200fשָׁלוֹם\u200f.", ["שָׁלוֹם\u200f"]),
        ("-", "a - b", []),
        ("", "anything", []),
    ],
)  # fmt: skip
def test_every_spelling_is_found_and_nothing_else(marked: str, text: str, found: list[str]) -> None:
    assert places(marked, text) == found


def test_a_low_line_ends_a_word_only_where_it_may() -> None:
    assert places("Anna", "anna_1990") == []
    assert places("Anna", "anna_1990", loose=True) == ["anna"]
    assert places("1", "PERSON_1", loose=True) == []


def test_places_may_overlap_and_are_told_apart() -> None:
    text = "Anna Lee Ray"
    found = sorted(set(Occurrences(["Anna Lee", "Lee Ray", "lee"]).find(text)))
    assert found == [(0, 8, "anna lee"), (5, 8, "lee"), (5, 12, "lee ray")]
    assert [text[a:b] for a, b, _ in disjoint(found)] == ["Anna Lee"]


def test_spans_take_whole_letters() -> None:
    text = "Zoe\u0308 e\u0301a"
    assert whole_letters(text, [(0, 3)]) == [(0, 4)]
    assert whole_letters(text, [(0, 2), (3, 4)]) == [(0, 2), (2, 4)]
    assert whole_letters(text, [(5, 6), (6, 8)]) == [(5, 6), (6, 8)]  # both are replaced
    assert whole_letters("plain", [(0, 2)]) == [(0, 2)]


SIGNS = st.text(
    st.sampled_from("aAßſİıéＡﬁ \u0301\u0308\u200b\u00ad\u202e'’-_.,\n™²שَم李각\U0001f468\u200d1"), max_size=14
)


@given(SIGNS, SIGNS, SIGNS)
@example("", "ıe\u0301", "")
def test_a_text_is_found_at_its_own_place_wherever_it_stands(before: str, marked: str, after: str) -> None:
    text = f"{before} {marked} {after}"
    found = list(Occurrences([marked]).find(text))
    assert all(0 <= start < end <= len(text) and name_of(text[start:end]) == name for start, end, name in found)
    if name_of(marked):
        lead = len(before) + 1
        seen = [at for at, sign in enumerate(marked, lead) if folded(sign).text.strip() and sign.isalnum()]
        assert any(start <= seen[0] and seen[-1] < end for start, end, _ in found)


@given(
    SIGNS, st.sampled_from([str.upper, str.lower, str.title, str.swapcase]), st.sampled_from(["NFC", "NFD", "NFKC"])
)
def test_a_respelled_text_has_the_same_name(text: str, case: object, form: object) -> None:
    marked = f"Anna {text} Lee"
    respelled = unicodedata.normalize(form, case(marked))  # type: ignore[operator,arg-type]
    if "\u2122" not in text and "²" not in text:  # compatible forms make a letter of what was none
        assert name_of(respelled) == name_of(marked)


@given(st.lists(st.sampled_from(["Anna", "anna", "Lee", "12", "x"]), max_size=6), st.text("aA nxLe12_-", max_size=40))
def test_whatever_a_plain_search_finds_is_found(marked: list[str], text: str) -> None:
    found = {(start, end) for start, end, _ in Occurrences(marked).find(text)}
    for one in marked:
        for match in re.finditer(rf"(?<!\w){re.escape(one)}(?!\w)", text, re.IGNORECASE):
            assert match.span() in found


def test_many_texts_in_a_long_one_take_little_time() -> None:
    marked = [f"Name{number} Surname{number}" for number in range(20_000)]
    text = ". ".join(marked)
    started = time.perf_counter()
    assert len(list(Occurrences(marked).find(text))) == 20_000
    assert time.perf_counter() - started < 10  # an alternation of them takes minutes


@pytest.mark.parametrize(
    ("marked", "text", "found"),
    [
        (["Will"], "Will said that he will; WILL too", ["Will", "WILL"]),
        (["Will", "will"], "Will said that he will", ["Will", "will"]),
        (["will"], "Will said that he will", ["Will", "will"]),
        (["Mark's"], "Mark has a mark", ["Mark"]),
        (["Smith"], "then smith came", ["smith"]),
        (["Quillfeather"], "then quillfeather came", ["quillfeather"]),
        (["Will Smith"], "then will smith came", ["will smith"]),
    ],
)
def test_an_everyday_word_keeps_its_capital(marked: list[str], text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end, _ in disjoint(Occurrences(marked).find(text))] == found


def test_an_adjective_that_is_a_name_too_keeps_its_capital() -> None:
    text = "Herr Stark war stark. Das Laut von Frau LAUT ist laut."
    found = [text[start:end] for start, end, _ in Occurrences(["Stark", "Laut"]).find(text)]
    assert found == ["Stark", "Laut", "LAUT"]
    assert [end for _, end, _ in Occurrences(["stark"]).find(text)] == [10, 20]
