"""PDF: what is one text, and edits that take out the right glyphs and leave everything else in its place."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, Stream, String

from office import converted, pages, strings, walked
from pdf_parts import made, saved, text
from sfumato.documents.pdf import walk
from sfumato.documents.rules import Refused, Rules, Visit
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
    """Return how many letters outside of ``words`` are not where they were."""
    there = {(letter, round(box[0], 1), round(box[1], 1)) for letter, box in letters(after, number)}
    covered, near, missing = places(before, words, number), (-0.1, 0.0, 0.1), 0
    for at, (letter, (x, y, _, _)) in enumerate(letters(before, number)):
        if at not in covered:
            found = any((letter, round(x + dx, 1), round(y + dy, 1)) in there for dx in near for dy in near)
            missing += not found
    return missing


def test_the_page_looks_the_same_outside_of_what_is_edited(report: bytes) -> None:
    words = ["Anna Keller's", "Anna Keller", "Mozart-Weber.", "12 May 1980", "Zurich"]
    swaps = {"Anna Keller": "Bo", "Mozart": "Wolfeschlegelsteinhausen", "12 May 1980": "1 Jan", "Zurich": "Y"}
    done = walked("x.pdf", report, swaps)
    assert moved(report, done.content, words) == 0
    assert moved(report, done.content, words[2:]) > 20, "the comparison can fail"
    assert painted(report) == painted(walked("x.pdf", report).content)
    assert pages(done.content) == pages(report)


def shown(content: bytes) -> str:
    """Return what another library reads."""
    return "\n".join(each.text for each in strings("x.pdf", content) if not each.raw)


MATRICES = [
    "1 0 0 1 72 700",
    "0 1 -1 0 300 300",
    "0.7 0.7 -0.7 0.7 200 200",
    "1 0 0 -1 72 300",
    "-1 0 0 1 400 500",
    "12 0 0 12 72 600",
]


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("state", ["", "80 Tz", "2 Tc 3 Tw", "4 Ts", "-1 Tc", "120 Tz 1 Tc"])
def test_glyphs_are_taken_out_and_what_stays_keeps_its_place_in_any_matrix(matrix: str, state: str) -> None:
    size = 1 if matrix.startswith("12") else 12
    content = f"BT /F1 {size} Tf {state} {matrix} Tm [(Dear An) 40 (na Kel) -120 (ler, hel) 3 (lo)] TJ ( there) Tj ET"
    if size == 1 and state:
        return
    before = saved(made(content.encode()))
    assert texts(before) == ["Dear Anna Keller, hello there"]
    done = walked("x.pdf", before, {"Anna Keller": "Bo Li"})
    assert texts(done.content) == ["Dear Bo Li, hello there"]
    assert "Keller" not in shown(done.content)
    assert moved(before, done.content, ["Anna Keller,"]) == 0


def test_operators_that_show_lines_keep_what_they_set() -> None:
    content = b"BT /F1 12 Tf 20 TL 72 700 Td (one) Tj (Anna two) ' 3 1 (x Anna y) \" (Anna z) ' ET "
    content += b"BT 72 500 Td (tail) Tj ET"
    before = saved(made(content))
    done = walked("x.pdf", before, {"Anna": "Bo"})
    assert again(done.content) == {"page 1, text 1": "one Bo two x Bo y Bo z", "page 1, text 2": "tail"}
    assert moved(before, done.content, ["Anna"]) == 0


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
    assert used(same.content) <= before | {"/Helvetica"}
    assert texts(same.content)[1].count("horse") == 2


def test_a_longer_text_at_the_end_of_a_line_uses_the_room_that_is_free() -> None:
    wide = walked("x.pdf", saved(made(lines("Dear Anna"))), {"Anna": "Wolfeschlegelsteinhausen"})
    assert width(wide.content, "Wolfeschlegelsteinhausen") > 120
    narrow = walked("x.pdf", saved(made(lines("Dear Anna so"))), {"Anna": "Wolfeschlegelsteinhausen"})
    assert width(narrow.content, "Wolfeschlegelsteinhausen") < 33


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
