"""A mark of a note, set high or low behind a word, is no part of the word for those who read it, and stays there."""

from __future__ import annotations

from io import BytesIO

import docx
import pptx
import pytest

from office import walked
from pdf_letters import texts
from pdf_parts import made, saved
from sfumato.documents.note_marks import is_mark

READ = "Seen by Anna Schmidt 1 and Tom Brady 2,3, H2O on the 5th."
NEW = "Seen by Anna Li 1 and Tom Brady 2,3, H2O on the 5th."
RUNS = (
    ("Seen by Anna Schmidt", 0), ("1", 1), (" and Tom Brady", 0), ("2,3", 1), (", H", 0), ("2", -1),
    ("O on the 5", 0), ("th", 1), (".", 0),
)  # fmt: skip


def document() -> bytes:
    written, target = docx.Document(), BytesIO()
    paragraph = written.add_paragraph()
    for text, place in RUNS:
        font = paragraph.add_run(text).font
        if place:
            setattr(font, "superscript" if place > 0 else "subscript", True)
    written.save(target)
    return target.getvalue()


def talk() -> bytes:
    written, target = pptx.Presentation(), BytesIO()
    slide = written.slides.add_slide(written.slide_layouts[6])
    paragraph = slide.shapes.add_textbox(0, 0, 5_000_000, 900_000).text_frame.paragraphs[0]
    for text, place in RUNS:
        run = paragraph.add_run()
        run.text = text
        if place:
            run._r.get_or_add_rPr().set("baseline", "30000" if place > 0 else "-25000")
    written.save(target)
    return target.getvalue()


def page(rise: float, size: float = 7) -> bytes:
    """Return a page with marks that are raised by operators."""
    rows = "".join(f"/F1 {size if place else 12} Tf {place * rise} Ts ({text}) Tj " for text, place in RUNS)
    return saved(made(f"BT 72 700 Td {rows} ET".encode()))


def joined(content: bytes, name: str) -> str:
    """Return the paragraph as a second library reads it."""
    if name == "x.docx":
        return docx.Document(BytesIO(content)).paragraphs[0].text
    shapes = pptx.Presentation(BytesIO(content)).slides[0].shapes
    return str(shapes[0].text_frame.paragraphs[0].text)


@pytest.mark.parametrize(("name", "content"), [("x.docx", document()), ("x.pptx", talk())])
def test_a_mark_behind_a_word_is_read_apart_and_written_where_it_was(name: str, content: bytes) -> None:
    done = walked(name, content, {"Schmidt": "Li"})
    assert READ in done.texts.values()
    assert joined(done.content, name) == NEW.replace("Li 1", "Li1").replace("Brady 2", "Brady2")
    assert READ.replace("Schmidt", "Li") in walked(name, done.content).texts.values()


@pytest.mark.parametrize(("name", "content"), [("x.docx", document()), ("x.pptx", talk())])
@pytest.mark.parametrize(
    ("old", "new", "left"),
    [("Schmidt 1", "Bo", "Anna Bo and"), (" 1 and", "! or", "Schmidt! or"), ("Schmidt 1 and", "X", "Anna X Tom")],
)
def test_an_edit_over_a_mark_loses_nothing(name: str, content: bytes, old: str, new: str, left: str) -> None:
    done = walked(name, content, {old: new})
    assert left in joined(done.content, name)


@pytest.mark.parametrize("rise", [2, 4, 6])
def test_a_mark_of_a_page_is_read_apart_in_its_line(rise: float) -> None:
    content = page(rise)
    assert texts(content) == [READ]
    done = walked("x.pdf", content, {"Schmidt": "Wolfeschlegel"})
    assert texts(done.content) == [READ.replace("Schmidt", "Wolfeschlegel")]


def test_what_is_not_small_or_not_raised_parts_no_word() -> None:
    assert texts(page(4, size=12)) == [READ.replace("Schmidt 1", "Schmidt1").replace("Brady 2", "Brady2")]
    assert texts(page(0)) == [READ.replace("Schmidt 1", "Schmidt1").replace("Brady 2", "Brady2")]


@pytest.mark.parametrize(
    ("before", "text", "mark"),
    [
        ("Schmidt", "1", True), ("Schmidt", "1, 2\u20134", True), ("Müller", "*", True), ("Weber", "a", True),
        ("H", "2", False), ("10", "6", False), ("5", "th", False), ("Mc", "Gill", False), ("Schmidt", " 1", False),
        ("", "1", False), ("Schmidt", "", False), ("Dr", "a", False), ("la Sr", "a", False), ("Herr", "a", True),
    ],
)  # fmt: skip
def test_which_text_is_a_mark(before: str, text: str, mark: bool) -> None:
    assert is_mark(before, text) is mark


def test_a_letter_within_a_word_or_of_a_title_is_no_mark() -> None:
    rows = (("Anna Schmi", 0), ("d", 1), ("t and Sr", 0), ("a", 1), (" Li, Web", 0), ("a", -1), (".", 0))
    shown = "".join(f"/F1 {10 if place else 12} Tf {2 * place} Ts ({text}) Tj " for text, place in rows)
    content = saved(made(f"BT 72 700 Td {shown} ET".encode()))
    assert texts(content) == ["Anna Schmidt and Sra Li, Web a."]
    written, target = docx.Document(), BytesIO()
    paragraph = written.add_paragraph()
    for text, place in rows:
        paragraph.add_run(text).font.superscript = place != 0
    written.save(target)
    assert "Anna Schmidt and Sra Li, Web a." in walked("x.docx", target.getvalue()).texts.values()
