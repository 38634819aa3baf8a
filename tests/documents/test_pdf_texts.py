"""PDF: what is one text, and edits that take out the right glyphs and leave everything else in its place."""

from __future__ import annotations

import re

import pytest
from pikepdf import Array, Dictionary, Name, Stream

from office import pages, strings, walked
from pdf_letters import again, edited, letters, lines, moved, painted, reported, shown, texts, width
from pdf_parts import made, saved, text

MATRICES = [
    "1 0 0 1 72 700",
    "0 1 -1 0 300 300",
    "0.7 0.7 -0.7 0.7 200 200",
    "1 0 0 -1 72 300",
    "-1 0 0 1 400 500",
    "12 0 0 12 72 600",
]


@pytest.fixture(scope="module")
def report() -> bytes:
    return reported()


def test_a_paragraph_and_a_cell_are_texts_of_their_own(report: bytes) -> None:
    found = texts(report)
    assert found[0] == "Report on Anna Keller"
    assert found[1].startswith("The patient Anna Keller was seen in the clinic on 12 May 2021, because")
    assert found[1].endswith("Anna Keller's doctor is Wolfgang Amadeus Mozart-Weber. She was sent home.")
    assert found[1] == found[2]
    assert found[3:9] == ["Name", "Anna Keller", "x", "Born", "12 May 1980", "in Zurich"]
    assert found[9:] in ([], [f"Čeština: {found[1]}"])


@pytest.mark.parametrize("seed", range(6))
def test_words_are_replaced_and_all_texts_are_found_again_at_their_places(report: bytes, seed: int) -> None:
    new, content = edited(report, seed, (0.1, 0.4, 0.9)[seed % 3])
    assert again(content) == new


def test_the_page_looks_the_same_outside_of_what_is_edited(report: bytes) -> None:
    words = ["Anna Keller's", "Anna Keller", "Mozart-Weber.", "12 May 1980", "Zurich"]
    swaps = {"Anna Keller": "Bo", "Mozart": "Wolfeschlegelsteinhausen", "12 May 1980": "1 Jan", "Zurich": "Y"}
    done = walked("x.pdf", report, swaps)
    assert moved(report, done.content, words) == 0
    assert moved(report, done.content, words[3:]) > 20, "the comparison can fail"
    assert painted(report) == painted(walked("x.pdf", report).content)
    assert pages(done.content) == pages(report)


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("state", ["", "80 Tz", "2 Tc 3 Tw", "4 Ts", "-1 Tc", "120 Tz 1 Tc"])
def test_an_edited_line_starts_where_it_did_and_other_lines_stay_in_any_matrix(matrix: str, state: str) -> None:
    size = 1 if matrix.startswith("12") else 12
    content = f"BT /F1 {size} Tf {state} {matrix} Tm [(Dear An) 40 (na Kel) -120 (ler, hel) 3 (lo)] TJ ( there) Tj "
    content += "0 -3 Td (and below) Tj ET" if size == 1 else "0 -36 Td (and below) Tj ET"
    if size == 1 and state:
        return
    before = saved(made(content.encode()))
    assert texts(before) == ["Dear Anna Keller, hello there", "and below"]
    done = walked("x.pdf", before, {"Anna Keller": "Bo Li"})
    assert texts(done.content) == ["Dear Bo Li, hello there", "and below"]
    assert "Keller" not in shown(done.content)
    there = [(letter, *box) for letter, box in letters(done.content)]
    for letter, (left, low, right, high) in (row for row in letters(before) if row[0] in "Dbw"):
        assert any(
            letter == other and min(abs(left - a), abs(right - c)) < 1 and min(abs(low - b), abs(high - d)) < 1
            for other, a, b, c, d in there
        ), "the first letter of the line and the other line stay"


def test_operators_that_show_lines_keep_what_they_set() -> None:
    content = b"BT /F1 12 Tf 20 TL 72 700 Td (one) Tj (Anna two) ' 3 1 (x Anna y) \" (Anna z) ' ET "
    content += b"BT 72 500 Td (tail) Tj ET"
    before = saved(made(content))
    done = walked("x.pdf", before, {"Anna": "Bo"})
    assert again(done.content) == {"page 1, text 1": "one Bo two x Bo y Bo z", "page 1, text 2": "tail"}
    assert moved(before, done.content, ["Anna"]) == 0
    assert moved(before, done.content, ["z"]) > 0, "the comparison can fail"


def test_a_name_over_two_lines_is_one_text_and_its_new_name_fills_both() -> None:
    before = saved(
        made(lines("a long line that ends with Anna", "Keller, and goes to the next one", "which is the last."))
    )
    done = walked("x.pdf", before, {"Anna Keller": "Bo Li"})
    assert done.slots[0].text == "a long line that ends with Anna Keller, and goes to the next one which is the last."
    assert texts(done.content) == [done.slots[0].new]
    assert re.search(r"with Bo\s+Li,\s+and", shown(done.content))
    short = walked("x.pdf", before, {"Anna Keller": "Bo"})
    assert texts(short.content) == [short.slots[0].new]


def test_a_hyphen_at_the_end_of_a_line_parts_no_word() -> None:
    rows = ("this long line says Kel-", "ler and then it has Jean-", "Paul and it ends")
    before = saved(made(lines(*rows)))
    done = walked("x.pdf", before, {"Keller": "Bo", "Jean-Paul": "Max"})
    assert done.slots[0].text == "this long line says Keller and then it has Jean-Paul and it ends"
    assert texts(done.content) == ["this long line says Bo and then it has Max and it ends"]
    assert not re.search("Kel|ler|Jean|Paul", shown(done.content))


def test_columns_cells_and_headings_are_not_run_together() -> None:
    columns = lines("left one is", "left two is", x=72) + lines("right one", "right two", x=320)
    rows = lines("Name", y=500) + lines("Anna", x=140, y=500) + lines("Born", y=484) + lines("1980", x=140, y=484)
    head = lines("Heading", y=740, size=20) + lines("body text", y=722)
    assert texts(saved(made(columns + rows + head))) == [
        "left one is left two is", "right one right two", "Name", "Anna", "Born", "1980", "Heading", "body text",
    ]  # fmt: skip


def test_short_lines_end_where_they_end() -> None:
    rows = ("Anna Keller", "12 Long Street of the Town", "Zurich")
    assert texts(saved(made(lines(*rows)))) == ["Anna Keller\n12 Long Street of the Town Zurich"]


def test_double_spaced_lines_are_one_text_and_a_wider_step_ends_one() -> None:
    assert texts(saved(made(lines("one is here", "two is here", "three", step=28)))) == [
        "one is here two is here three"
    ]
    rows = lines("one is here", "two is here") + lines("new is here", "and more of it", y=660)
    assert texts(saved(made(rows))) == ["one is here two is here", "new is here and more of it"]


def test_text_of_several_content_streams_is_whole() -> None:
    pdf = made(b"", b"")
    parts = [b"BT /F1 12 Tf 72 700 Td (Dear An", b") Tj (na Kel) Tj", b"(ler) Tj ET"]
    pdf.pages[0].obj.Contents = Array([pdf.make_stream(part.replace(b"An", b"An", 1)) for part in parts])
    pdf.pages[0].obj.Contents[0] = pdf.make_stream(parts[0] + b") Tj")
    pdf.pages[0].obj.Contents[1] = pdf.make_stream(b"(na Kel) Tj")
    pdf.pages[1].obj.Contents = pdf.pages[0].obj.Contents
    done = walked("x.pdf", saved(pdf), {"Anna Keller": "Bo"})
    assert texts(done.content) == ["Dear Bo", "Dear Bo"]


def test_a_form_that_pages_share_is_yielded_once_and_written_for_all() -> None:
    pdf = made(b"/Fm1 Do", b"/Fm1 Do")
    font = pdf.pages[0].obj.Resources.Font
    about = {"/Type": Name.XObject, "/Subtype": Name.Form, "/BBox": Array([0, 0, 612, 792])}
    form = Stream(pdf, text("Anna here"), {**about, "/Resources": Dictionary(Font=font)})
    for page in pdf.pages:
        page.obj.Resources.XObject = Dictionary(Fm1=pdf.make_indirect(form))
    done = walked("x.pdf", saved(pdf), {"Anna": "Bo"})
    assert [slot.place for slot in done.slots] == ["page 1, form 1, text 1"]
    assert [each.text for each in strings("x.pdf", done.content) if not each.raw] == ["Bo here", "Bo here"]


def test_a_longer_text_at_the_end_of_a_line_uses_the_room_that_is_free() -> None:
    wide = walked("x.pdf", saved(made(lines("Dear Anna"))), {"Anna": "Wolfeschlegelsteinhausen"})
    assert width(wide.content, "Wolfeschlegelsteinhausen") > 120
    beside = lines("Dear Anna") + lines("Born", x=180)
    narrow = walked("x.pdf", saved(made(beside)), {"Anna": "Wolfeschlegelsteinhausen"})
    assert 40 < width(narrow.content, "Wolfeschlegelsteinhausen") < 80
    assert texts(narrow.content) == ["Dear Wolfeschlegelsteinhausen", "Born"]
    last = walked("x.pdf", saved(made(lines("Dear Anna so", x=420))), {"Anna": "Wolfeschlegelsteinhausen"})
    assert letters(last.content)[-1][1][2] < 612
