"""A written file is searched for everything that was marked in it."""

from __future__ import annotations

import pytest

from sfumato.documents.formats import Seen
from sfumato.documents.proof import proved

READ, RAW = Seen("page 1", "Dear Zwiebelina Fischhaber, hello."), Seen("styles", "Zwiebelina Fischhaber", raw=True)


@pytest.mark.parametrize(
    "seen", [READ, RAW, Seen("x", "to ZWIEBELINA  FISCHHABER"), Seen("x", "Zwiebelina\nFischhaber")]
)
def test_a_value_that_is_left_is_found_however_it_is_spelled(seen: Seen) -> None:
    proof = proved([Seen("page 0", "nothing"), seen], {"Zwiebelina Fischhaber"}, ["Dear Anna, hello."])
    assert proof.places == (seen.place,)
    assert proof.values == 1


def test_a_value_that_a_released_text_holds_is_counted_and_not_searched_for() -> None:
    proof = proved([READ, RAW], {"Zwiebelina Fischhaber", "Bo Li"}, ["Dear Zwiebelina Fischhaber, hello."])
    assert (proof.values, proof.still, proof.places) == (1, 1, ())


def test_words_of_a_format_are_no_values() -> None:
    raw = [Seen("styles", "center", raw=True), Seen("styles", "al", raw=True)]
    assert proved(raw, {"Center", "Al"}, []).places == ()
    assert proved([Seen("styles", "Center", raw=True)], {"Center"}, []).places == ("styles",)
    assert proved([Seen("page 1", "Al")], {"Al"}, []).places == ("page 1",)


def test_no_value_begins_in_one_string_and_ends_in_the_next() -> None:
    assert proved([Seen("a", "Zwiebelina"), Seen("a", "Fischhaber")], {"Zwiebelina Fischhaber"}, []).places == ()


def test_an_everyday_word_in_small_letters_is_no_value_among_raw_strings() -> None:
    raw = [Seen("parts", "word/document.xml schmidt", raw=True)]
    assert proved(raw, {"document"}, []).places == ()
    assert proved(raw, {"schmidt"}, []).places == ("parts",)
    assert proved([Seen("page 1", "the document")], {"document"}, []).places == ("page 1",)


def test_an_ending_behind_its_sign_is_no_value_among_raw_strings() -> None:
    raw = [Seen("parts", "word/media/image1.png", raw=True), Seen("types", "image/png", raw=True)]
    assert proved(raw, {"png"}, []).places == ()
    assert proved([Seen("parts", "png", raw=True)], {"png"}, []).places == ("parts",)
    assert proved([Seen("parts", "word/schmidt.png", raw=True)], {"schmidt"}, []).places == ("parts",)
    assert proved([Seen("page 1", "image1.png")], {"png"}, []).places == ("page 1",)


@pytest.mark.parametrize("left", ["fischhaber", "zwiebelina fischhaber", "zwiebelina.fischhaber@example.org"])
def test_a_name_in_small_letters_is_found_among_raw_strings(left: str) -> None:
    values = {"Fischhaber", "Zwiebelina Fischhaber", "Zwiebelina.Fischhaber@example.org"}
    assert proved([Seen("parts", f"of {left}", raw=True)], values, []).places == ("parts",)
    assert proved([Seen("parts", "ole center", raw=True)], {"Ole", "Center"}, []).places == ()
