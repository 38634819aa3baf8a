"""PDF: two files that differ in one name alone are the same where it is replaced, however wide the name was."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, Stream, String

from office import converted, walked
from pdf_letters import again, letters, lines, shown, texts
from pdf_parts import made, saved

SHORT, LONG, NEW = "Li", "Bartholomew Featherstonehaugh", "Mona Lisa"
LETTERS = "The quick brown fox jumps over the lazy dog. ABCDEFGHIJKLMNOPQRSTUVWXYZ, (1234567890)."
WORD = "Hottentottenstottertrottelmutterbeutelrattenlattengitterkofferattentat"
"""No name makes it fit into the line before, so that both inputs have the same lines."""
BODY = (
    f"{{}} was seen in the clinic because of {WORD}, which began after a fall from a horse in the spring of that year, "
    "and she was sent home with a bandage and the advice to rest for two weeks."
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


def pair(make: Callable[[str], bytes], new: str = NEW, more: Mapping[str, str] | None = None) -> tuple[bytes, bytes]:
    """Return the outputs for both names. Both inputs have the name in a text, and differ where they are drawn."""
    inputs = [make(name) for name in (SHORT, LONG)]
    for content, name in zip(inputs, (SHORT, LONG), strict=True):
        assert any(name in text for text in texts(content))
    done = [walked("x.pdf", content, {name: new, **(more or {})}) for content, name in zip(inputs, (SHORT, LONG))]
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
        f"<p style='text-align:{side};width:640px'>{name} was seen <b>in the</b> clinic of a town for {WORD}, which began "
        "after a fall from a horse in the spring of that year.</p>"
        for side in ("left", "justify", "center", "right")
    )
    (folder / "x.html").write_text(
        f"<style>* {{text-decoration-skip-ink: none}}</style><p>{LETTERS}</p>{rows}<p>Seen by <u>{name}</u> and others</p><p>Seen by <a href='https://x.org'>{name}</a></p>"
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
