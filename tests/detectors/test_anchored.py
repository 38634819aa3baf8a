"""A pattern that is tried only where it may begin matches what it matches anywhere."""

from __future__ import annotations

from typing import Any

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sfumato.detectors import prefilter, scripts
from sfumato.detectors.english import codes, fields, formats, personal_attributes
from sfumato.detectors.first_characters import beginnings

GROUPS: dict[str, tuple[Any, ...]] = {
    **{
        module.__name__.rpartition(".")[2]: tuple(pattern for _, _, pattern in module.rules())
        for module in (codes, formats, personal_attributes)
    },
    "fields": tuple(fields._patterns().values()),
}
HARD = (
    r"\bab", r"\b[^a-c\s]b", r"(?i)kiss", r"(?i)[i-k]\d", r"(?<![\w.])\d\d", r"(?<!\d)a?b{0,2}c", r"(?i:a)b|B\s",
    r"(?:a|b|\s)\Kc", r"(a)?(?(1)b|c)", r"([ab])\1", r"a*+b", r"(?>ab?)c", r"[^\S\n]*+b", r"(?m)^c?b",
    r"\p{Lu}\p{Ll}",
    r"(?i)\p{Lu}b", r"[^\p{L}\p{N}]b", r"(?:ab){e<=1}", r"a{1,3}?b", r"(?=b)\w", r"\Bb", r"[\[({]b", r"\s\s",
    r"(?<=a)b",
    r"(?:(?<![\p{L}])b)+", r"\u2011?b", "é", "(?i)É", r"[b\p{M}]c", r"\W\D\S",
    r"(?<![\s.])b", r"(?i)[^\p{Lu}]b", r"[^\s]b", r"(?i:\p{Lu})b",
)  # fmt: skip
"""Patterns with everything that a rule may be made of, and with what is not understood."""
SIGNS = "abcABCkKiIsS\u212aİıſéÉ_ \t\n\x1c.,:/-+@'’\"([{°$€0159\u0301\u2011\u00a0½²中"
PIECES = (
    "12", "3 May 1990", "2024-05-01", "10:30", "no. 18403/91", "+44 20 7946 0958", "Name: ", "patient\tdoris",
    "user=", "password is ", "password: hunter two\n", "logged in as x9", "Seen by Anna Lee", "aged 41",
    "Mr J. Smith", "the Berg family", "Dear ", "Regards,\n", " said ", "O’Brien told", "works as a nurse.",
    "diabetes of the left leg", "German-born", "Supreme Court of Oslo", "Acme Ltd", "12 Elm Street", "SW1A 1AA",
    "P.O. Box 12", "a dot b at c dot com", "x@y.org", "://u:p@h", "AKIA1234567890123456", "51°30'N", "12.5 kg",
    "two hundred euros", "EUR 5", "in his thirties", "AA-12/bc-77", "ac-12", "ext. 12", "41yo",
    "de:ad:be:ef:00:01",
)  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(SIGNS, max_size=6)), max_size=9).map("".join)


@pytest.fixture(autouse=True)
def always_anchored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use places from the first character on, and however many there are."""
    monkeypatch.setattr(prefilter, "MANY", 0)
    monkeypatch.setattr(prefilter, "_DENSE", 0)
    prefilter.group_of.cache_clear()


def regions(matches: Any) -> list[Any]:
    return [match.regs for match in matches]


@pytest.mark.parametrize("name", GROUPS)
def test_rules_match_what_they_match_anywhere(name: str) -> None:
    @settings(max_examples=120, deadline=None)
    @given(TEXTS)
    def same(text: str) -> None:
        every = prefilter.anchored_matches(GROUPS[name], text)
        for pattern, matched in zip(GROUPS[name], every, strict=True):
            assert regions(matched) == regions(pattern.finditer(text)), pattern.pattern

    same()


@settings(max_examples=300, deadline=None)
@given(st.text(SIGNS, max_size=14))
@example("xb")
@example("\x1cb c")
@example("ſKi5")
@example(" a b.12")
def test_hard_patterns_match_what_they_match_anywhere(text: str) -> None:
    patterns = tuple(regex.compile(source) for source in HARD)
    for pattern, matched in zip(patterns, prefilter.anchored_matches(patterns, text), strict=True):
        assert regions(matched) == regions(pattern.finditer(text)), pattern.pattern


def test_most_rules_have_a_known_beginning_and_strange_patterns_have_none() -> None:
    patterns = [pattern for group in GROUPS.values() for pattern in group]
    assert sum(beginnings(pattern) is not None for pattern in patterns) > 0.95 * len(patterns)
    for source in (r"(?:ab){e<=1}", r"(?V1)[a--b]", r"(?r)ab", r"(?<name>a)b", r"(?w)\bab", r".b", r"\p{Greek}b"):
        assert beginnings(regex.compile(source)) is None


def test_a_rule_is_not_tried_where_it_cannot_begin() -> None:
    (places,) = prefilter.group_of((regex.compile(r"\bMr\.? \p{Lu}"),)).places("Mrs Mr Amr Mr. Lee xMr A Mr")
    assert places == [4, 11, 25]


def test_only_ascii_letters_that_the_parser_knows_have_other_forms() -> None:
    """The form of a letter in another case may lie beyond ASCII: exactly those of i, k and s do."""
    for code in range(128, 0x3000):
        for letter in "abcdefghijklmnopqrstuvwxyz":
            if regex.fullmatch(letter, chr(code), regex.IGNORECASE):
                assert letter in "iks"


def test_a_group_reads_on_before_it_makes_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefilter, "MANY", 10)
    group = prefilter.Group((regex.compile("ab"),))
    assert [group.places(text) for text in ("xab", "xabxabxab", "xab")] == [[None], [[1, 4, 7]], [[1]]]


def test_places_beyond_the_time_limit_are_an_error() -> None:
    with pytest.raises(TimeoutError):
        list(prefilter.matches_at(regex.compile("(z+)+y"), "z" * 5000, [0], timeout=0.05))


@settings(max_examples=300, deadline=None)
@given(TEXTS)
@example("ſ/12")
@example("12/3/AB")
def test_what_a_rule_needs_is_in_every_text_that_it_matches(text: str) -> None:
    by_source = {pattern.pattern: pattern for _, _, pattern in formats.rules()}
    for source, needed in formats._needed().items():
        assert needed.search(text) is not None or by_source[source].search(text) is None


@settings(max_examples=300, deadline=None)
@given(st.text("aαΑб中ⓐᴀᴋ𝐀ｂ́ -1", max_size=8), st.sampled_from(["en", "el", "ru", "zh"]))
def test_a_text_without_odd_characters_has_nothing_unread(text: str, language: str) -> None:
    if scripts._odd(language).search("".join(set(text))) is None:
        assert scripts._unread(language).search(text) is None
