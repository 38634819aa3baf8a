"""PDF: fonts and programs of all kinds, and pages whose text nothing reads."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, Stream, String
from reportlab.pdfgen.canvas import Canvas

from office import converted, walked
from pdf_letters import again, edited, lines, moved, painted, reported, shown, texts
from pdf_parts import made, saved
from sfumato.documents.rules import Refused, Rules


@pytest.fixture(scope="module")
def report() -> bytes:
    return reported()


def test_a_sign_that_holds_several_letters_is_replaced_whole() -> None:
    pdf = made(b"BT /F2 12 Tf 72 700 Td (o\x01ce of \x02) Tj ET", F2=Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding))  # fmt: skip
    table = b"begincmap 2 beginbfchar <01> <006600660069> <02> <0041006E006E0061> endbfchar endcmap"
    pdf.pages[0].obj.Resources.Font.F2.ToUnicode = pdf.make_stream(table)
    content = saved(pdf)
    assert texts(content) == ["office of Anna"]
    assert texts(walked("x.pdf", content, {"Anna": "Bo"}).content) == ["office of Bo"]
    done = walked("x.pdf", content, {"off": "pol", "nn": "d"})
    assert texts(done.content) == ["police of Ada"]
    with pikepdf.open(BytesIO(done.content)) as new:
        tables = [
            font.ToUnicode.read_bytes() for font in new.pages[0].obj.Resources.Font.values() if "/ToUnicode" in font
        ]
        assert not any(b"0041006e" in table.lower() for table in tables)


def test_what_no_font_has_is_written_in_letters_that_it_has() -> None:
    done = walked("x.pdf", saved(made(lines("Dear Anna, hello"))), {"Anna": "Łukáš Žižka 王"})
    assert texts(done.content) == ["Dear ?ukáš Žižka ?, hello"]


def test_a_new_text_is_set_in_the_old_font_if_that_surely_has_its_letters(report: bytes) -> None:
    def used(content: bytes) -> set[str]:
        with pikepdf.open(BytesIO(content)) as pdf:
            return {str(font.BaseFont) for font in pdf.pages[0].obj.Resources.Font.values()}

    before = used(report)
    same = walked("x.pdf", report, {"doctor": "horse"})
    assert len(before - used(same.content)) == len(used(same.content) - before) <= 1, "one is embedded"
    assert texts(same.content)[1].count("horse") == 2


@pytest.mark.parametrize("order", ["drawn from left to right", "drawn from right to left"])
def test_text_from_right_to_left_is_read_in_its_order_and_the_right_glyphs_go(order: str) -> None:
    word, other = "שלום", "דנה"
    codes = {letter: number for number, letter in enumerate(dict.fromkeys(word + other), 1)}
    rows = "".join(f"<{code:02x}> <{letter.encode('utf-16-be').hex()}> " for letter, code in codes.items())
    letter = Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Courier, FirstChar=1, Widths=Array([600] * 9)
    )
    pdf = made(b"", F2=letter)
    pdf.pages[0].obj.Resources.Font.F2.ToUnicode = pdf.make_stream(
        f"begincmap {len(codes)} beginbfchar {rows} endbfchar endcmap".encode()
    )
    glyphs = [(word[::-1][n], 72 + 7.2 * n) for n in range(4)]  # the second word of the line, on its left
    glyphs += [(other[::-1][n], 72 + 7.2 * (5 + n)) for n in range(3)]
    if order.endswith("left"):
        glyphs.reverse()
    content = "".join(f"1 0 0 1 {x} 700 Tm <{codes[letter]:02x}> Tj " for letter, x in glyphs)
    pdf.pages[0].obj.Contents = pdf.make_stream(f"BT /F2 12 Tf {content} ET".encode())
    before = saved(pdf)
    assert texts(before) == [f"{other} {word}"]
    done = walked("x.pdf", before, {other: "Bo"})
    assert sorted(texts(done.content)[0].split()) == sorted([word, "Bo"])
    assert len(texts(done.content)) == 1
    assert other not in shown(done.content)
    assert other[::-1] not in shown(done.content)


def test_text_from_top_to_bottom_is_yielded_and_its_edits_are_refused() -> None:
    pdf = made(b"BT /F2 12 Tf 300 700 Td <004100420043> Tj ET")
    table = pdf.make_stream(b"begincmap 3 beginbfchar <0041> <0041> <0042> <0042> <0043> <0043> endbfchar endcmap")
    info = Dictionary(Registry=String("Adobe"), Ordering=String("Identity"), Supplement=0)
    below = Dictionary(Type=Name.Font, Subtype=Name.CIDFontType2, BaseFont=Name.X, CIDSystemInfo=info)
    font = Dictionary(Type=Name.Font, Subtype=Name.Type0, BaseFont=Name.X, DescendantFonts=Array([below]))
    font.Encoding, font.ToUnicode = Name("/Identity-V"), table
    pdf.pages[0].obj.Resources.Font.F2 = font
    content = saved(pdf)
    assert texts(content) == ["ABC"]
    assert texts(walked("x.pdf", content).content) == ["ABC"]
    with pytest.raises(Refused, match="page 1 has text from top to bottom"):
        walked("x.pdf", content, {"B": "X"})


def by_chromium(folder: Path) -> bytes:
    browser = shutil.which("chromium") or shutil.which("google-chrome") or pytest.skip("no browser is installed")
    (folder / "x.html").write_text(
        "<h1>Letter to Anna Keller</h1><p>Dear Anna Keller, the oﬃce of <b>Wolfgang</b> Amadeus Mozart is a long way "
        "from here, and so this paragraph has two lines, or even three of them if the page is narrow enough.</p>"
        "<table border=1><tr><td>Name<td>Anna Keller<td>12 May 1980<tr><td>Street<td>12 Main Street<td>x</table>"
        "<p style='text-align:justify;width:300px'>Justified text of Anna Keller, which is spread over the whole "
        "width of the line by wider spaces between all its words.</p><a href='https://x.org/anna'>link</a>"
    )
    subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
         "--no-pdf-header-footer", f"--print-to-pdf={folder}/x.pdf", f"{folder}/x.html"],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    return (folder / "x.pdf").read_bytes()


def by_libreoffice(folder: Path) -> bytes:
    import docx

    document = docx.Document()
    document.add_heading("Letter to Anna Keller")
    document.add_paragraph("Dear Anna ").add_run("Keller").bold = True
    document.paragraphs[-1].add_run(
        ", the office of Wolfgang Amadeus Mozart is a long way from here, and so this text has two lines, or three."
    )
    table = document.add_table(2, 3, "Table Grid")
    for row, cells in zip(
        table.rows, [["Name", "Anna Keller", "12 May 1980"], ["Street", "12 Main Street", "x"]], strict=True
    ):
        for cell, said in zip(row.cells, cells, strict=True):
            cell.text = said
    document.add_paragraph("one of Anna", style="List Bullet")
    target = BytesIO()
    document.save(target)
    return converted(target.getvalue(), "x.docx", "pdf", folder)


@pytest.mark.parametrize("maker", [by_chromium, by_libreoffice])
def test_files_of_browsers_and_offices(maker: Callable[[Path], bytes], tmp_path: Path) -> None:
    content = maker(tmp_path)
    found = texts(content)
    assert {"Letter to Anna Keller", "Name", "Anna Keller", "12 May 1980", "Street", "12 Main Street", "x"} <= set(
        found
    )
    assert any(
        re.match("Dear Anna Keller, the office of Wolfgang Amadeus Mozart is .* three", each) for each in found
    )
    swaps = {"Anna Keller": "Bo Li", "Mozart": "Wolfeschlegelsteinhausen", "12 Main Street": "1 Way"}
    done = walked("x.pdf", content, swaps)
    assert not re.search("Keller|Mozart|Main", shown(done.content))
    assert moved(content, done.content, ["Anna Keller,", "Anna Keller", "Mozart", "12 Main Street"]) == 0
    for seed in range(3):
        new, out = edited(content, seed, (0.1, 0.4, 0.9)[seed])
        new = {place: said for place, said in new.items() if not place.endswith("link target")}
        assert {place: said for place, said in again(out).items() if place in new} == new
    if maker is by_chromium:  # LibreOffice reads what was written, too
        (tmp_path / "new.pdf").write_bytes(done.content)


def test_libreoffice_opens_what_was_written(report: bytes, tmp_path: Path) -> None:
    done = walked("x.pdf", report, {"Anna Keller": "Bo Li"})
    out = converted(done.content, "y.pdf", "png", tmp_path)
    assert out.startswith(b"\x89PNG")


def test_pages_that_are_pictures_are_refused_dropped_or_kept() -> None:
    def scan(extra: bytes = b"", nested: bool = False) -> bytes:
        pdf = made((b"/Fm1 Do" if nested else b"q 500 0 0 500 0 0 cm /Im1 Do Q") + extra)
        image = Stream(pdf, b"\x00" * 16, {"/Type": Name.XObject, "/Subtype": Name.Image, "/Width": 4, "/Height": 4,
                                           "/ColorSpace": Name.DeviceGray, "/BitsPerComponent": 8})  # fmt: skip
        resources = Dictionary(XObject=Dictionary(Im1=image))
        about = {"/Type": Name.XObject, "/Subtype": Name.Form, "/BBox": Array([0, 0, 600, 600])}
        form = Stream(pdf, b"q 500 0 0 500 0 0 cm /Im1 Do Q", {**about, "/Resources": resources})
        pdf.pages[0].obj.Resources.XObject = Dictionary(Im1=image, Fm1=form)
        return saved(pdf)

    for nested in (False, True):
        with pytest.raises(Refused, match=r"page 1 is a picture of text.*scans"):
            walked("x.pdf", scan(nested=nested))
        dropped = walked("x.pdf", scan(nested=nested), rules=Rules(scans="drop", images="keep"))
        assert set(painted(dropped.content)[2]) == {255}
        kept = walked("x.pdf", scan(nested=nested), rules=Rules(scans="keep", images="keep"))
        assert 0 in painted(kept.content)[2]
        white = walked("x.pdf", scan(nested=nested), rules=Rules(scans="keep"))
        assert set(painted(white.content)[2]) == {255}
    recognized = scan(b"BT 3 Tr /F1 12 Tf 72 400 Td (Anna here) Tj ET")
    with pytest.raises(Refused, match="scans"):
        walked("x.pdf", recognized, rules=Rules(images="keep"))
    done = walked("x.pdf", recognized, {"Anna": "Bo"})
    assert texts(done.content) == ["Bo here"]
    assert set(painted(done.content)[2]) == {255}
    outlined = saved(made(b"".join(f"{n} {n} m {n} 1 2 3 4 5 c f\n".encode() for n in range(900))))
    with pytest.raises(Refused, match="scans"):
        walked("x.pdf", outlined)
    assert walked("x.pdf", saved(made(b"0 0 m 9 9 l S"))).slots == []


def test_fonts_that_no_table_translates_are_refused(report: bytes) -> None:
    with pikepdf.open(BytesIO(report)) as pdf:
        fonts = [font for font in pdf.pages[0].obj.Resources.Font.values() if "/ToUnicode" in font]
        if not fonts:
            pytest.skip("no font was embedded")
        for font in fonts:
            del font.ToUnicode
        content = saved(pdf)
    with pytest.raises(Refused, match="page 1 is text in a font without a table of its characters"):
        walked("x.pdf", content)
    assert texts(walked("x.pdf", content, rules=Rules(scans="drop")).content) == []
    kept = walked("x.pdf", content, {"Anna Keller": "Bo"}, Rules(scans="keep"))
    assert "Report on Bo" in kept.slots[0].new


def test_a_bullet_that_no_table_translates_is_no_reason_to_refuse() -> None:
    symbols = Dictionary(Type=Name.Font, Subtype=Name.TrueType, BaseFont=Name("/ABCDEF+Odd"), FirstChar=1, LastChar=2,
                         Widths=Array([500, 500]))  # fmt: skip
    bullet = b"BT /F2 12 Tf 72 700 Td (\x01) Tj ET" + lines("Anna here", x=90)
    done = walked("x.pdf", saved(made(bullet, F2=symbols)), {"Anna": "Bo"})
    assert texts(done.content) == ["\ufffd", "Bo here"]
    with pytest.raises(Refused, match="scans"):
        walked("x.pdf", saved(made(b"BT /F2 12 Tf 72 700 Td (\x01\x02) Tj ET", F2=symbols)))


def test_a_form_that_names_its_fonts_as_we_name_ours_is_edited() -> None:
    target = BytesIO()
    canvas = Canvas(target)
    canvas.drawString(72, 700, "A form")
    for row, font in enumerate(("Helvetica", "Times-Roman", "Courier")):
        canvas.acroForm.textfield(name=f"f{row}", value="Anna Berg", x=72, y=600 - 40 * row, fontName=font)
    canvas.save()
    done = walked("x.pdf", target.getvalue(), {"Anna Berg": "Karl Lund"})
    with pikepdf.open(BytesIO(done.content)) as pdf:
        assert [str(each.V) for each in pdf.Root.AcroForm.Fields] == ["Karl Lund"] * 3
    assert "Anna" not in str(texts(done.content))


@pytest.mark.parametrize("name", ["Helv", "Helv1", "TiRo", "CoBo"])
def test_a_font_whose_name_is_one_of_ours_keeps_its_own_letters(name: str) -> None:
    font = Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=Name("/ABCDEF+Some"), Encoding=Name.WinAnsiEncoding
    )
    page = f"BT /{name} 12 Tf 72 700 Td (Anna here) Tj 0 -20 Td (others) Tj ET".encode()
    done = walked("x.pdf", saved(made(page, **{name: font})), {"Anna": "Bo"})
    assert texts(done.content) == ["Bo here others"]
    with pikepdf.open(BytesIO(done.content)) as pdf:
        fonts = pdf.pages[0].obj.Resources.Font
        assert len({str(each.BaseFont) for each in fonts.values()}) == len(fonts)
