"""PDF: two files that differ in one name alone are the same where it is replaced, however wide the name was."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, Stream, String

from office import converted, walked
from pdf_letters import again, lines, shown, texts
from pdf_parts import made, saved

SHORT, LONG, NEW = "Li", "Bartholomew Featherstonehaugh", "Mona Lisa"
LETTERS = "The quick brown fox jumps over the lazy dog. ABCDEFGHIJKLMNOPQRSTUVWXYZ, (1234567890)."
WORD = "Hottentottenstottertrottelmutterbeutelrattenlattengitterkofferattentat"
"""No name makes it fit into the line before, so that both inputs have the same lines."""
BODY = (
    f"{{}} was seen in the clinic because of {WORD}, which began after a fall from a horse in the spring of that "
    "year, and she was sent home with a bandage and the advice to rest for two weeks."
)


def held(content: bytes) -> list[Any]:
    """Return all that a file says, without its fonts: content streams, annotations, dictionaries of pages."""
    with pikepdf.open(BytesIO(content)) as pdf:
        rows = list[Any]()
        for page in pdf.pages:
            rows.append(plain(page.obj, 0))
        return rows


def plain(value: Any, depth: int) -> Any:
    if isinstance(value, Stream):
        return {**{key: plain(each, depth + 1) for key, each in value.items() if key != "/Length"},
                "content": value.read_bytes()}  # fmt: skip
    if isinstance(value, Dictionary):
        left_out = {"/Font", "/Parent", "/P", "/StructParent", "/StructParents", "/Length"}
        return {key: plain(each, depth + 1) for key, each in value.items() if key not in left_out and depth < 9}
    if isinstance(value, Array):
        return [plain(each, depth + 1) for each in value]
    return value if isinstance(value, int) else str(value)


def pair(make: Callable[[str], bytes]) -> tuple[bytes, bytes]:
    """Return the outputs for both names. The texts are read again as they should be."""
    inputs = [make(name) for name in (SHORT, LONG)]
    names = [next(each for each in ("Li Wu", SHORT, LONG) if each in "\n".join(texts(content))) for content in inputs]
    done = [walked("x.pdf", content, {name: NEW}) for content, name in zip(inputs, names, strict=True)]
    for each in done:
        expected = {slot.place: " ".join(slot.new.split()) for slot in each.slots}
        found = again(each.content)
        assert {place: text for place, text in expected.items() if "link" not in place}.items() <= found.items()
    assert held(inputs[0]) != held(inputs[1])
    return done[0].content, done[1].content


def by_reportlab(name: str, alignment: int, font: str = "Helvetica", head: str = "") -> bytes:
    from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

    usual, target = getSampleStyleSheet()["BodyText"], BytesIO()
    style = ParagraphStyle("own", parent=usual, alignment=alignment, fontName=font)
    rows = [["Name", f"{name}", "seen"], ["Born", "12 May 1980", "in spring"], ["Street", "12 Long Street", "x"]]
    table = Table(rows, colWidths=[80, 200, 80])
    side = {0: "LEFT", 1: "CENTER", 2: "RIGHT", 4: "LEFT"}[alignment]
    table.setStyle([("ALIGN", (0, 0), (-1, -1), side), ("GRID", (0, 0), (-1, -1), 0.5, "black")])
    story = [
        Paragraph(LETTERS, usual), Paragraph(BODY.format(f"<b>{name}</b>"), style), table,
        Paragraph(f"Seen by <u>{name}</u> and others of the clinic", style),
        Paragraph(f"<a href='https://example.org'>Page of {name}</a> on the network", style),
    ]  # fmt: skip
    SimpleDocTemplate(target, invariant=True).build([*story, *([Paragraph(f"{name}", style)] if head else [])])
    return target.getvalue()


@pytest.mark.parametrize("alignment", [0, 1, 2, 4], ids=["left", "centred", "right", "justified"])
def test_what_reportlab_aligns_shows_nothing_of_the_name(alignment: int) -> None:
    one, other = pair(lambda name: by_reportlab(name, alignment))
    assert held(one) == held(other)
    assert "Mona Lisa was seen" in " ".join(shown(one).split())


def by_libreoffice(name: str, folder: Path) -> bytes:
    import docx
    from docx.enum.text import WD_ALIGN_PARAGRAPH as SIDE
    from docx.enum.text import WD_COLOR_INDEX

    document, target = docx.Document(), BytesIO()
    document.add_paragraph(LETTERS)
    for side in (SIDE.LEFT, SIDE.JUSTIFY, SIDE.CENTER, SIDE.RIGHT):
        text = document.add_paragraph()
        text.alignment = side
        text.add_run(f"{name} was seen ")
        text.add_run("in the").bold = True
        text.add_run(f" clinic because of {WORD}, which began after a fall from a horse in the spring of that year.")
    text = document.add_paragraph("Seen by ")
    text.add_run(name).underline = True
    text.add_run(" and others")
    text = document.add_paragraph("This is ")
    text.add_run(f"{name}'s").font.highlight_color = WD_COLOR_INDEX.YELLOW
    text.add_run(" horse")
    table = document.add_table(2, 2, "Table Grid")
    for row, said in zip(table.rows, [["Name", name], ["12 May 1980", "seen"]], strict=True):
        for cell, words, side in zip(row.cells, said, (SIDE.CENTER, SIDE.RIGHT), strict=True):
            cell.text = words
            cell.paragraphs[0].alignment = side
    document.add_paragraph(f"Name:\t{name}")
    document.save(target)
    return converted(target.getvalue(), f"{len(name)}.docx", "pdf", folder)


def test_what_libreoffice_justifies_shows_nothing_of_the_name(tmp_path: Path) -> None:
    one, other = pair(lambda name: by_libreoffice(name, tmp_path))
    assert held(one) == held(other)


def by_chromium(name: str, folder: Path) -> bytes:
    browser = shutil.which("chromium") or shutil.which("google-chrome") or pytest.skip("no browser is installed")
    rows = "".join(
        f"<p style='text-align:{side};width:640px'>{name} was seen <b>in the</b> clinic of a town for {WORD}, "
        "which began after a fall from a horse in the spring of that year.</p>"
        for side in ("left", "justify", "center", "right")
    )
    (folder / "x.html").write_text(
        f"<style>* {{text-decoration-skip-ink: none}}</style><p>{LETTERS}</p>{rows}"
        f"<p>Seen by <u>{name}</u> and others</p><p>Seen by <a href='https://x.org'>{name}</a></p>"
        f"<table border=1><tr><td>Name<td style='width:300px;text-align:right'>{name}<td>seen"
        "<tr><td>Born<td style='text-align:right'>12 May 1980<td>x</table>"
    )
    subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
         "--no-pdf-header-footer", f"--print-to-pdf={folder}/x.pdf", f"{folder}/x.html"],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    return (folder / "x.pdf").read_bytes()


def test_what_a_browser_justifies_shows_nothing_of_the_name(tmp_path: Path) -> None:
    one, other = pair(lambda name: by_chromium(name, tmp_path))
    assert held(one) == held(other)


def wide(text: str, size: float = 12) -> float:
    from sfumato.documents.pdf.standard import StandardFont

    return StandardFont("Helvetica").width(text) * size / 1000


def by_words(name: str) -> bytes:
    """Return a file that shows each word by an operator of its own, one after another, with stretched spaces."""
    content, x = f"BT /F1 12 Tf 14 TL 72 740 Td ({LETTERS}) Tj ET BT 12 0 0 12 72 700 Tm /F1 1 Tf ", 0.0
    for word in f"Dear {name} of the clinic".split():
        content += f"{x / 12:.4f} 0 Td ({word}) Tj "
        x = wide(word) + 7.123
    content += (
        f"ET BT /F1 12 Tf 72 686 Td 1 Tc 3.3 Tw 80 Tz ({name} and) Tj 0 Tc 0 Tw 100 Tz ( others) ' (the last) ' ET"
    )
    return saved(made(content.encode()))


def in_a_row(name: str) -> bytes:
    """Return a file with a row of cells that one operator shows, moved from where the name ends."""
    gap = (250 - wide(name)) / 12 * 1000 + 2000
    return saved(made(lines(LETTERS, y=740) + f"BT /F1 12 Tf 72 700 Td [({name}) {-gap:.1f} (Born)] TJ ET".encode()))


def recognized(name: str) -> bytes:
    """Return a file with text without ink, each word as wide as it was on paper."""
    first = f"BT 3 Tr /F1 12 Tf 72 740 Td ({LETTERS}) Tj ET BT 103 Tz 72 700 Td (Dear) Tj ET "
    x = 72 + wide("Dear ") * 1.03
    end = x + wide(name) * 0.97 + 4
    second = f"BT 97 Tz {x:.2f} 700 Td ({name}) Tj ET BT 104 Tz {end:.2f} 700 Td (went) Tj ET"
    return saved(made((first + second).encode()))


def over_lines(name: str) -> bytes:
    first, last = ("Li", "Wu") if name == SHORT else name.split()
    parted = f"a line that ends where the name of a person is parted, which is {first}"
    return saved(made(lines(LETTERS, y=740) + lines(parted, f"{last}, who was here", "and so it ends")))


def drawn_over(name: str) -> bytes:
    """Return a file with lines and boxes around a name, drawn and as annotations, and a form with a link."""
    x, end = 72 + wide("Dear "), 72 + wide(f"Dear {name}")
    shapes = f"q 1 1 0 rg {x:.2f} 697 {wide(name):.2f} 12 re f Q {x:.2f} 703 m {end:.2f} 703 l S 60 690 400 1 re f "
    pdf = made(lines(LETTERS, y=740) + shapes.encode() + lines(f"Dear {name} here", "and there") + b"/Fm1 Do")
    font = pdf.pages[0].obj.Resources.Font
    about = {"/Type": Name.XObject, "/Subtype": Name.Form, "/BBox": Array([0, 0, 400, 40]),
             "/Matrix": Array([1, 0, 0, 1, 100, 500]), "/Resources": Dictionary(Font=font)}  # fmt: skip
    form = Stream(pdf, lines(f"Page of {name} too", x=10, y=10), about)
    pdf.pages[0].obj.Resources.XObject = Dictionary(Fm1=form)
    box = [x, 697, end, 709]
    quads = [x, 709, end, 709, x, 697, end, 697]
    here = 110 + wide("Page of ")
    look = Stream(pdf, f"1 1 0 rg {x:.2f} 697 {wide(name):.2f} 12 re f".encode(), {"/BBox": Array(box)})
    rows = [
        Dictionary(Subtype=Name.Link, Rect=box),
        Dictionary(Subtype=Name.Link, Rect=[here, 508, here + wide(name), 520]),
        Dictionary(Subtype=Name.Highlight, Rect=box, QuadPoints=quads, AP=Dictionary(N=look)),
        Dictionary(Subtype=Name.Square, Rect=box), Dictionary(Subtype=Name.Line, Rect=box, L=[x, 703, end, 703]),
        Dictionary(Subtype=Name.Link, Rect=[72, 684, 110, 698]),
    ]  # fmt: skip
    pdf.pages[0].obj.Annots = Array([Dictionary(Type=Name.Annot, **row) for row in rows])
    return saved(pdf)


def filled(name: str) -> bytes:
    """Return a file with fields of a form: left, centred and right."""
    pdf = made(lines(LETTERS))
    font = pdf.pages[0].obj.Resources.Font
    rows = list[Any]()
    for side, x in enumerate((2, (300 - wide(name)) / 2, 298 - wide(name))):
        about = {"/Type": Name.XObject, "/Subtype": Name.Form, "/BBox": Array([0, 0, 300, 20])}
        look = Stream(pdf, f"/Tx BMC q BT /F1 12 Tf {x:.3f} 5 Td ({name}) Tj ET Q EMC".encode(),
                      {**about, "/Resources": Dictionary(Font=font)})  # fmt: skip
        rows.append(pdf.make_indirect(Dictionary(
            Type=Name.Annot, Subtype=Name.Widget, FT=Name.Tx, T=String(f"f{side}"), Q=side, V=String(name),
            Rect=[72, 600 - 30 * side, 372, 620 - 30 * side], AP=Dictionary(N=look))))  # fmt: skip
    pdf.pages[0].obj.Annots = Array(rows)
    pdf.Root.AcroForm = Dictionary(Fields=Array(rows))
    return saved(pdf)


def led(name: str) -> bytes:
    """Return a file with dots that fill up the line behind a name."""
    dots = "." * int((300 - wide(name)) / wide("."))
    return saved(made(lines(LETTERS, y=740) + lines(f"{name} {dots} 12", f"others {'.' * 60} 13")))


def by_chance(name: str) -> bytes:
    """Return a file with two lines with names that end at one place, if the name is long: each starts by itself."""
    other = 90.3 + wide(f"Note {LONG}") - wide(f"Box of {LONG}")
    return saved(
        made(lines(LETTERS, y=740) + lines(f"Box of {name}", x=other, y=600) + lines(f"Note {name}", x=90.3))
    )


def tabbed(name: str) -> bytes:
    """Return a file with an underlined tab behind a name, as LibreOffice draws it: spaces and a line."""
    end = 72 + wide(f"Dear {name}")
    stroke = f"{end:.2f} 698.8 m 400 698.8 l S "
    fill = f"BT /F1 12 Tf {end:.2f} 700 Td [( ) -{(400 - end) / 12 * 500:.0f} ( )] TJ ET {stroke}"
    over = f"BT /F1 12 Tf 71.9 700 Td [( ) -{(end - 72) / 12 * 1000 - 556:.0f} ( )] TJ ET "
    cells = lines(f"Dear {name}") + (over + fill).encode() + lines("12", x=400)
    return saved(made(lines(LETTERS, y=740) + cells))


def with_a_header(name: str) -> bytes:
    """Return a page with a line at the right, and a header that lies farther left than all lines."""
    header, right = lines("1 May", x=24, y=770), lines(f"right {name}", x=578.25 - wide(f"right {name}"), y=600)
    return saved(made(header + lines(LETTERS, "The end.", x=33.75, y=740) + right))


@pytest.mark.parametrize(
    "make", [with_a_header, led, by_words, in_a_row, recognized, over_lines, drawn_over, filled, by_chance, tabbed]
)
def test_no_operator_and_no_annotation_shows_the_width_of_the_name(make: Callable[[str], bytes]) -> None:
    one, other = pair(make)
    assert held(one) == held(other)


def test_a_line_that_nothing_known_aligns_does_not_show_how_wide_a_name_was_exactly() -> None:
    """A browser puts the title of a page in the middle of what the date leaves, which no other line tells."""

    def headed(name: str) -> bytes:
        title = lines(f"About {name}", x=334.2 - wide(f"About {name}") / 2, y=770)
        return saved(made(lines("1 May", x=24, y=770) + title + lines(LETTERS, "The end.", x=33.75, y=740)))

    one, other = (walked("x.pdf", headed(name), {name: NEW}).content for name in ("Anna Ilme", "Anna Eilme"))
    assert wide("Anna Eilme") - wide("Anna Ilme") > 5
    assert held(one) == held(other)


def test_a_subset_of_a_font_has_no_width_of_a_letter_that_is_gone(tmp_path: Path) -> None:
    content = by_libreoffice("Zo\u00eb", tmp_path)
    done = walked("x.pdf", content, {"Zo\u00eb": NEW})

    def widths(content: bytes) -> int:
        with pikepdf.open(BytesIO(content)) as pdf:
            fonts = pdf.pages[0].obj.Resources.Font.values()
            return sum(sum(1 for width in font.Widths if width) for font in fonts if "/FontDescriptor" in font)

    assert 0 < widths(done.content) < widths(content)
    assert widths(walked("x.pdf", content).content) == widths(content)
