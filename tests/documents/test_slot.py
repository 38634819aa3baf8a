"""New texts are laid over the pieces that a text was read from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.documents.slot import Edit, Slot, edits_of, spread

PIECES = ["Dear An", "na Kel", "ler, ", "", "hello."]


def test_an_output_has_the_style_of_the_piece_in_which_its_edit_starts() -> None:
    assert spread(PIECES, [Edit(5, 16, "Bo Li")]) == ["Dear Bo Li", "", ", ", "", "hello."]
    assert spread(PIECES, []) == PIECES
    assert spread(["", "a"], [Edit(0, 1, "b")]) == ["", "b"]
    assert spread([], []) == []


@given(st.lists(st.text("ab .", max_size=5), min_size=1, max_size=5), st.data())
def test_pieces_together_are_the_text_with_its_edits(pieces: list[str], data: st.DataObject) -> None:
    text = "".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6, unique=True)))
    edits = [Edit(a, b, data.draw(st.text("xy", max_size=3))) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
    expected, done = "", 0
    for edit in edits:
        expected, done = expected + text[done : edit.start] + edit.output, edit.end
    assert "".join(spread(pieces, edits)) == expected + text[done:]


@given(st.lists(st.text("ab ", max_size=3), min_size=1, max_size=7), st.data())
def test_edits_make_the_release_of_the_text(parts: list[str], data: st.DataObject) -> None:
    parts = parts if len(parts) % 2 else [*parts, ""]
    outputs = [data.draw(st.text("xy", max_size=2)) for _ in parts[1::2]]
    released = list(parts)
    released[1::2] = outputs
    slot = Slot("".join(parts), "here")
    slot.edits = list(edits_of(slot.text, released))
    assert slot.new == "".join(released)


@pytest.mark.parametrize("parts", [["something else"], ["no", "x", "match"], ["", "whole", ""]])
def test_a_text_that_was_written_again_is_one_edit(parts: list[str]) -> None:
    slot = Slot("The text.", "here")
    slot.edits = list(edits_of(slot.text, parts))
    assert slot.new == "".join(parts)
    assert len(slot.edits) == 1
