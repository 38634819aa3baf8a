"""A text that a file holds in parts is put together, and parted again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.documents.health.composed import Composed
from sfumato.documents.slot import Edit

NAME = ["Dr.", "Anna", "", "Keller", "MD"]


@pytest.mark.parametrize(
    ("start", "end", "output", "parts"),
    [
        (4, 15, "Bo Li", ["Dr.", "Bo", "", "Li", "MD"]),
        (4, 18, "Bo Li", ["Dr.", "Bo", "", "Li", ""]),
        (4, 18, "Bo Li PhD", ["Dr.", "Bo", "", "Li", "PhD"]),
        (4, 15, "Bo Chang Li", ["Dr.", "Bo Chang", "", "Li", "MD"]),
        (0, 18, "Li", ["", "", "", "Li", ""]),
        (4, 15, "[PERSON]", ["Dr.", "", "", "[PERSON]", "MD"]),
        (6, 15, "X", ["Dr.", "AnX", "", "", "MD"]),
        (9, 18, "Bo Li", ["Dr.", "Anna", "", "Bo", "Li"]),
        (3, 8, "Bo", ["Dr.", "Bo", "", "Keller", "MD"]),
        (4, 18, "", ["Dr.", "", "", "", ""]),
    ],
)
def test_an_output_for_several_parts_of_a_name_is_divided(
    start: int, end: int, output: str, parts: list[str]
) -> None:
    composed = Composed.of(NAME)
    assert composed.text == "Dr. Anna Keller MD"
    assert composed.named([Edit(start, end, output)], family=3) == parts


def test_gaps_are_between_parts_that_hold_a_text() -> None:
    assert Composed.of(["", "a", "", "b"], ", ").text == "a, b"
    assert Composed.of(["a", "b", "c"], ", ", {2: " "}).text == "a, b c"
    assert Composed.of([], ", ").text == ""


@given(st.lists(st.sampled_from(["", "Anna", "Keller", "Bo"]), min_size=1, max_size=5), st.data())
def test_parts_make_the_text_with_its_edits(parts: list[str], data: st.DataObject) -> None:
    composed = Composed.of(parts, " ")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(composed.text)), max_size=6, unique=True)))
    words = st.lists(st.sampled_from(["X", "Y", "Z"]), min_size=1, max_size=4).map(" ".join)
    edits = [Edit(a, b, data.draw(words)) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
    pieces, done = list[str](), 0
    for start, end, output in edits:
        pieces += [composed.text[done:start], output if composed.text[start:end].strip() else ""]
        done = end
    expected = sorted("".join([*pieces, composed.text[done:]]).replace(" ", ""))
    family = data.draw(st.integers(0, len(parts)))
    for new in (composed.edited(edits), composed.named(edits, family)):
        assert len(new) == len(parts)
        assert sorted("".join(new).replace(" ", "")) == expected
