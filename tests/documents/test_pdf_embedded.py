"""PDF: a font that is embedded for a text does not tell what was removed from that text."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, Stream

from office import converted, walked
from pdf_letters import letters, painted, texts
from pdf_parts import made, saved
from sfumato.documents.rules import Refused, Rules

NAMES = ("Zoë Quux-Jankowski", "Maria Schmidt")
SAID = "Dear {}, we found no sign of cancer in the examination of March, and send regards."
LEFT = 0.01
"""What a page may change in all, as a part of its ink: readers fit letters of TrueType to the dots of a screen."""


@cache
def sans() -> Path:
    import matplotlib

    return Path(matplotlib.get_data_path()) / "fonts/ttf/DejaVuSans.ttf"


def by_reportlab(name: str, folder: Path) -> bytes:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont
    from reportlab.pdfgen.canvas import Canvas

    target = BytesIO()
    pdfmetrics.registerFont(TTFont("Sans", str(sans()), asciiReadable=0))
    canvas = Canvas(target, invariant=True)
    canvas.setFont("Sans", 12)
    canvas.drawString(72, 700, SAID.format(name))
    canvas.drawString(72, 600, "Größe: 5 µm ± ½")
    canvas.save()
    return target.getvalue()


def by_libreoffice(name: str, folder: Path) -> bytes:
    import docx

    document, target = docx.Document(), BytesIO()
    document.add_paragraph(SAID.format(name))
    document.save(target)
    return converted(target.getvalue(), "x.docx", "pdf", folder)


def by_type1(name: str, folder: Path) -> bytes:
    import reportlab
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfgen.canvas import Canvas

    fonts = Path(reportlab.__file__).parent / "fonts"
    face = pdfmetrics.EmbeddedType1Face(str(fonts / "_a______.afm"), str(fonts / "_a______.pfb"))
    pdfmetrics.registerTypeFace(face)
    pdfmetrics.registerFont(pdfmetrics.Font("Old", face.name, "WinAnsiEncoding"))
    target = BytesIO()
    canvas = Canvas(target, invariant=True)
    canvas.setFont("Old", 12)
    canvas.drawString(72, 700, SAID.format(name))
    canvas.save()
    return target.getvalue()


def by_matplotlib(name: str, folder: Path) -> bytes:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    target = BytesIO()
    with rc_context({"pdf.fonttype": 3}):
        figure = Figure()
        figure.text(0.01, 0.5, SAID.format(name), fontsize=7)
        figure.savefig(target, format="pdf", metadata={"CreationDate": None})
    return target.getvalue()


def by_cff(wide: bool) -> Callable[[str, Path], bytes]:
    """Return what sets a text in a font with the curves of PostScript, whose letters are in its order."""

    def make(name: str, folder: Path) -> bytes:
        from fontTools.fontBuilder import FontBuilder
        from fontTools.pens.t2CharStringPen import T2CharStringPen
        from fontTools.ttLib import TTFont

        font = TTFont(sans())
        glyphs, cmap, said = font.getGlyphSet(), font.getBestCmap(), SAID.format(name)
        order = list(dict.fromkeys(said))
        builder = FontBuilder(2048, isTTF=False)
        builder.setupGlyphOrder([".notdef", *(f"c{code}" for code in range(1, len(order) + 1))])
        drawn = {}
        for code, letter in enumerate([None, *order]):
            glyph = glyphs[cmap[ord(letter)] if letter else ".notdef"]
            pen = T2CharStringPen(glyph.width, glyphs)
            glyph.draw(pen)
            drawn[f"c{code}" if letter else ".notdef"] = pen.getCharString()
        builder.setupCFF("Schmidt", {}, drawn, {})
        program = builder.font["CFF "].compile(builder.font)
        widths = [round(glyphs[cmap[ord(letter)]].width / 2.048) for letter in order]
        return set_in(program, order, widths, said, wide)

    make.__name__ = f"by_cff_{'wide' if wide else 'simple'}"
    return make


def set_in(program: bytes, order: list[str], widths: list[int], said: str, wide: bool) -> bytes:
    size = 2 if wide else 1
    coded = b"".join((order.index(letter) + 1).to_bytes(size, "big") for letter in said)
    pdf = made(b"BT /F2 12 Tf 20 700 Td <" + coded.hex().encode() + b"> Tj ET")
    stream = Stream(pdf, program, {"/Subtype": Name("/CIDFontType0C" if wide else "/Type1C")})
    descriptor = Dictionary(Type=Name.FontDescriptor, FontName=Name("/ABCDEF+Schmidt"), Flags=4, FontFile3=stream,
                            FontBBox=Array([0, -300, 1000, 1000]), ItalicAngle=0, Ascent=900, Descent=-200,
                            CapHeight=700, StemV=80)  # fmt: skip
    rows = "".join(
        f"<{code:0{2 * size}x}> <{letter.encode('utf-16-be').hex()}> " for code, letter in enumerate(order, 1)
    )
    table = pdf.make_stream(f"begincmap {len(order)} beginbfchar {rows} endbfchar endcmap".encode())
    font = Dictionary(Type=Name.Font, BaseFont=Name("/ABCDEF+Schmidt"), ToUnicode=table)
    if wide:
        info = Dictionary(Registry=b"Adobe", Ordering=b"Identity", Supplement=0)
        below = Dictionary(Type=Name.Font, Subtype=Name.CIDFontType0, BaseFont=font.BaseFont, CIDSystemInfo=info,
                           FontDescriptor=descriptor, W=Array([1, Array(widths)]))  # fmt: skip
        font.update({"/Subtype": Name.Type0, "/Encoding": Name("/Identity-H"), "/DescendantFonts": Array([below])})
    else:
        named = Array([1, *(Name(f"/c{code}") for code in range(1, len(order) + 1))])
        font.update({"/Subtype": Name.Type1, "/FontDescriptor": descriptor, "/FirstChar": 1, "/LastChar": len(order),
                     "/Widths": Array(widths), "/Encoding": Dictionary(Differences=named)})  # fmt: skip
    pdf.pages[0].obj.Resources.Font.F2 = font
    return saved(pdf)


MAKERS = [by_reportlab, by_libreoffice, by_type1, by_matplotlib, by_cff(wide=False), by_cff(wide=True)]


def fonts(content: bytes) -> list[bytes]:
    """Return all that the fonts of a file hold."""
    found = list[bytes]()

    def add(value: Any, depth: int) -> None:
        if depth < 9 and isinstance(value, Array | Dictionary | Stream):
            for key, inner in value.items() if not isinstance(value, Array) else enumerate(value):
                found.append(f"{key} {type(inner).__name__}".encode())
                add(inner, depth + 1)
            if isinstance(value, Stream):
                found.append(value.read_bytes())
        elif not isinstance(value, dict):
            found.append(repr(value).encode())

    with pikepdf.open(BytesIO(content)) as pdf:
        for name, font in sorted(pdf.pages[0].obj.Resources.Font.items()):
            if not str(font.get("/BaseFont", "")).startswith(("/Times", "/Helvetica", "/Courier")):
                found.append(name.encode())
                for key in sorted(font.keys()):
                    found.append(key.encode())
                    add(font[key], 0)
    return [each for each in found if not each.startswith((b"/Length", b"/Filter"))]


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_fonts_of_two_texts_that_differ_in_a_name_are_the_same_without_it(
    maker: Callable[[str, Path], bytes], tmp_path: Path
) -> None:
    before = [maker(name, tmp_path) for name in NAMES]
    assert any(NAMES[0] in each for each in texts(before[0]))
    assert fonts(before[0]) != fonts(before[1]) or maker is by_type1, "its font holds all letters, in one order"
    after = [walked("x.pdf", each, {name: "[X]"}) for each, name in zip(before, NAMES, strict=True)]
    assert fonts(after[0].content) == fonts(after[1].content)
    assert len(fonts(after[0].content)) > 20
    assert all(not any(part == "fonts" for part, _ in each.notes) for each in after)
    for each in after:
        assert SAID.format("[X]") in " ".join(" ".join(texts(each.content)).split())
        assert not any(b"Schmidt" in part or b"ABCDEF" in part for part in fonts(each.content))


@pytest.mark.parametrize("maker", MAKERS, ids=lambda maker: maker.__name__)
def test_a_page_that_is_not_edited_looks_the_same(maker: Callable[[str, Path], bytes], tmp_path: Path) -> None:
    before = maker(NAMES[0], tmp_path)
    after = walked("x.pdf", before).content
    assert texts(after) == texts(before)
    for (letter, old), (other, new) in zip(letters(before), letters(after), strict=True):
        assert letter == other
        assert new == pytest.approx(old, abs=0.1)
    (*size, old_ink), (*other_size, new_ink) = painted(before), painted(after)
    assert size == other_size
    ink = sum(255 - each for each in old_ink)
    assert abs(sum(255 - each for each in new_ink) - ink) < LEFT * ink
    assert max(abs(a - b) for a, b in zip(old_ink, new_ink, strict=True)) < 100


def test_a_font_that_cannot_be_made_again_is_refused_or_kept() -> None:
    content = by_cff(wide=True)(NAMES[1], Path())
    with pikepdf.open(BytesIO(content)) as pdf:
        below = pdf.pages[0].obj.Resources.Font.F2.DescendantFonts[0]
        below.FontDescriptor.FontFile3.write(b"Schmidt\x00\x01")
        damaged = saved(pdf)
    with pytest.raises(Refused, match=r"\(fonts\)") as failure:
        walked("x.pdf", damaged, {NAMES[1]: "[X]"})
    assert "Schmidt" not in str(failure.value)
    assert failure.value.__cause__ is failure.value.__context__ is None
    kept = walked("x.pdf", damaged, {NAMES[1]: "[X]"}, Rules(fonts="keep"))
    assert kept.notes["fonts", "keep"] == 1
    with pikepdf.open(BytesIO(kept.content)) as pdf:
        assert b"Schmidt" not in b"".join(each.unparse() for each in pdf.objects)
    assert walked("x.pdf", damaged).notes["fonts", "keep"] == 0, "nothing was taken from it"


def test_a_font_whose_text_is_gone_is_gone() -> None:
    content = by_cff(wide=False)(NAMES[1], Path())
    done = walked("x.pdf", content, {SAID.format(NAMES[1]): "9"})
    with pikepdf.open(BytesIO(done.content)) as pdf:
        assert not any(isinstance(each, Dictionary) and "/FontFile3" in each for each in pdf.objects)
    assert texts(done.content) == ["9"]
