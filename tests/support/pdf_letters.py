"""What a PDF file says and where its letters are, as two libraries have it; and edits of its words."""

from __future__ import annotations

import random
import re
from io import BytesIO
from pathlib import Path

from office import strings
from sfumato.documents.pdf import walk
from sfumato.documents.rules import Visit
from sfumato.documents.slot import Edit

OUTPUTS = ("Bo", "X", "Wolfeschlegel Steinhausen", "[NAME]", "", "Anna-Maria", "ab cd ef", "12/3", "Ünal")


def lines(*rows: str, x: float = 72, y: float = 700, step: float = 14, size: float = 12) -> bytes:
    return b"".join(
        f"BT /F1 {size} Tf {x} {y - number * step} Td ({row}) Tj ET\n".encode() for number, row in enumerate(rows)
    )


def texts(content: bytes) -> list[str]:
    return [slot.text for slot in walk(BytesIO(content), Visit())]


def edited(content: bytes, seed: int, share: float) -> tuple[dict[str, str], bytes]:
    """Return what texts should be after edits of random words, and the file."""
    draws, target, new = random.Random(seed), BytesIO(), dict[str, str]()
    for slot in walk(BytesIO(content), Visit(), target):
        words = [match for match in re.finditer(r"\w+(?: \w+)?", slot.text) if draws.random() < share]
        slot.edits = [Edit(match.start(), match.end(), draws.choice(OUTPUTS)) for match in words]
        new[slot.place] = " ".join(slot.new.split())
    return new, target.getvalue()


def again(content: bytes) -> dict[str, str]:
    return {slot.place: " ".join(slot.text.split()) for slot in walk(BytesIO(content), Visit())}


def reported() -> bytes:
    """Return a document as reportlab sets it: paragraphs, a justified one, a table, a list, an embedded font."""
    from reportlab.lib.enums import TA_JUSTIFY
    from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont
    from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

    usual, target = getSampleStyleSheet()["BodyText"], BytesIO()
    justified = ParagraphStyle("justified", parent=usual, alignment=TA_JUSTIFY)
    said = (
        "The patient <b>Anna Keller</b> was seen in the clinic on 12 May 2021, because of pain in the left knee "
        "(since a fall from <i>her horse</i>); Anna Keller's doctor is Wolfgang Amadeus Mozart-Weber. "
        "She was sent home."
    )
    story = [
        Paragraph("Report on Anna Keller", getSampleStyleSheet()["Heading1"]), Paragraph(said, usual),
        Paragraph(said, justified), Table([["Name", "Anna Keller", "x"], ["Born", "12 May 1980", "in Zurich"]]),
    ]  # fmt: skip
    if fonts := list(Path("/usr/share/fonts").rglob("DejaVuSans.ttf")):
        pdfmetrics.registerFont(TTFont("DejaVu", str(fonts[0])))
        story.append(Paragraph(f"Čeština: {said}", ParagraphStyle("embedded", parent=usual, fontName="DejaVu")))
    SimpleDocTemplate(target, invariant=True).build(story)
    return target.getvalue()


def painted(content: bytes, number: int = 0) -> tuple[int, int, bytes]:
    import pypdfium2

    document = pypdfium2.PdfDocument(content)
    page = document[number]
    bitmap = page.render(scale=1, grayscale=True)
    image = bitmap.to_pil()
    size, data = image.size, image.tobytes()
    for each in (bitmap, page, document):
        each.close()
    return *size, data


def letters(content: bytes, number: int = 0) -> list[tuple[str, tuple[float, float, float, float]]]:
    """Return each letter with its box, as another library has them."""
    import pypdfium2

    document = pypdfium2.PdfDocument(content)
    page = document[number]
    text_page = page.get_textpage()
    said = [(text_page.get_text_range(at, 1), text_page.get_charbox(at)) for at in range(text_page.count_chars())]
    text_page.close()
    page.close()
    document.close()
    return [row for row in said if row[0].strip()]


def places(content: bytes, words: list[str], number: int = 0) -> set[int]:
    """Return which letters belong to ``words``."""
    said = "".join(letter for letter, _ in letters(content, number))
    bare = ["".join(word.split()) for word in words]
    return {at for word in bare for match in re.finditer(re.escape(word), said) for at in range(*match.span())}


def width(content: bytes, word: str) -> float:
    found = sorted(places(content, [word]))
    boxes = [letters(content)[at][1] for at in found]
    return boxes[-1][2] - boxes[0][0]


def moved(before: bytes, after: bytes, words: list[str], number: int = 0) -> int:
    """Return how many letters are not where they were, outside of the lines of ``words``."""
    there = {(letter, round(box[0], 1), round(box[1], 1)) for letter, box in letters(after, number)}
    said, near, missing = letters(before, number), (-0.1, 0.0, 0.1), 0
    lines = {(round(said[at][1][1]), round(said[at][1][3])) for at in places(before, words, number)}
    for letter, (x, y, _, top) in said:
        if not any(low < top and y < high for low, high in lines):
            found = any((letter, round(x + dx, 1), round(y + dy, 1)) in there for dx in near for dy in near)
            missing += not found
    return missing


def shown(content: bytes) -> str:
    """Return what another library reads."""
    return "\n".join(each.text for each in strings("x.pdf", content) if not each.raw)
