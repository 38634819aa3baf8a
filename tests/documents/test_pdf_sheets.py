"""PDF made of sheets: a cell that is cut off is a text of its own, however near the next one begins."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import openpyxl
import pytest

from office import converted, strings, walked
from pdf_letters import texts
from pdf_parts import made, saved
from sfumato.documents.proof import proved

NAMES = ("Anna Keller", "Tom Brady-Oduya", "Priya Ramanathan")


def cells(first: str, second: str = "", between: str = "") -> bytes:
    """Return a page with two cells side by side, each behind what clips it."""
    shown = "q {} BT /F1 12 Tf {} 700 Td ({}) Tj ET Q "
    rows = shown.format(first, 72, "Anna Keller"), between, shown.format(second, 134, "30 years")
    return saved(made("".join(rows).encode()))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("70 600 62 200 re W n", ""),
        ("70 600 62 200 re W* n", "133 600 62 200 re W* n"),
        ("", "135 600 62 200 re W n"),
        ("q 1 0 0 1 70 600 cm 0 0 62 200 re W n 1 0 0 1 -70 -600 cm", ""),
        ("0 0 500 800 re W n 70 600 62 200 re W n", "0 0 500 800 re W n"),
    ],
)
def test_a_cell_that_is_cut_off_before_the_next_one_is_a_text_of_its_own(first: str, second: str) -> None:
    content = cells(first, second)
    assert texts(content) == ["Anna Keller", "30 years"]
    done = walked("x.pdf", content, {"Keller": "Wolfeschlegelsteinhausen"})
    assert texts(done.content) == ["Anna Wolfeschlegelsteinhausen", "30 years"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("", ""),
        ("60 600 400 200 re W n", "60 600 400 200 re W n"),
        ("60 600 400 200 re W n", "60 650 300 100 re W n"),
        ("70 600 m 132 600 l 132 800 l h W n", ""),  # of what is no box nothing is known
        ("70 600 62 200 re f", ""),  # a box that is drawn cuts nothing off
        ("q 70 600 62 200 re W n Q", ""),
    ],
)
def test_what_is_cut_off_elsewhere_parts_no_text(first: str, second: str) -> None:
    assert len(texts(cells(first, second))) == 1


@pytest.mark.parametrize("ink", [0.0, 0.4, 0.8])
def test_boxes_around_the_pieces_of_a_name_part_no_name(ink: float) -> None:
    shown = "q {} 690 {} 30 re W n BT /F1 12 Tf {} 700 Td ({}) Tj ET Q "
    middle = 72 + 52.03
    rows = shown.format(72, 52.03 - ink, 72, "Anna Sch"), shown.format(middle + ink, 90, middle, "midt came")
    assert texts(saved(made("".join(rows).encode()))) == ["Anna Schmidt came"]


def test_the_names_in_narrow_columns_of_a_printed_sheet_are_read_and_removed(tmp_path: Path) -> None:
    book, target = openpyxl.Workbook(), BytesIO()
    for number, name in enumerate(NAMES * 3):
        book.active.append([name, f"{30 + number} years", "chest pain"])
    book.active.column_dimensions["A"].width = 8
    book.save(target)
    before = converted(target.getvalue(), "x.xlsx", "pdf", tmp_path)
    named = [text for text in texts(before) if text.startswith(tuple(name.split()[0] for name in NAMES))]
    assert len(named) == 3 * len(NAMES)
    assert not any(text[-5:] == "years" for text in named)
    words = {text.split()[1]: "Li" for text in named}
    done = walked("x.pdf", before, words)
    released = [slot.new for slot in done.slots]
    assert not proved(strings("x.pdf", done.content), words, released).places
