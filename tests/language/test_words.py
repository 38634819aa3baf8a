"""Everyday words are told from names by public frequencies."""

from __future__ import annotations

import pytest

from sfumato.language.en.words import frequency, is_everyday


@pytest.mark.parametrize(
    "word", ["will", "may", "mark", "reading", "Summer", "Hope", "law", "PAGE", "field", "will's"]
)
def test_words_that_are_also_names_are_everyday(word: str) -> None:
    assert is_everyday(word)


@pytest.mark.parametrize("word", ["smith", "john", "Anna", "walker", "patel", "Quillfeather", "larsen", ""])
def test_names_are_not(word: str) -> None:
    assert not is_everyday(word)


def test_a_possessive_ending_does_not_make_a_word_rare() -> None:
    assert frequency("Court's") == frequency("court") > frequency("zyxwvut") == 0
