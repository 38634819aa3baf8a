"""PDF: files that are damaged, locked, made to harm or old are refused in one sentence, or read to the end."""

from __future__ import annotations

import subprocess
import sys
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Encryption, Name, Pdf, Stream, String

from office import strings, walked
from pdf_parts import inflated, made, saved, text
from sfumato.documents.pdf import walk
from sfumato.documents.rules import Refused, Rules, Visit

SECRET = "Qazsecret"


def refusal(content: bytes, rules: Rules | None = None) -> str:
    with pytest.raises(Refused) as failure:
        walked("x.pdf", content, rules=rules)
    error: BaseException | None = failure.value
    assert SECRET not in str(error)
    while (error := error.__cause__ or error.__context__) is not None:  # type: ignore[union-attr]
        assert SECRET not in str(error), "a message of a library quotes the file"
        assert isinstance(error, Refused)
    return str(failure.value)


def test_what_is_no_complete_pdf_is_refused() -> None:
    content = saved(made(text(SECRET)))
    for wrong in (
        b"",
        b"PK\x03\x04" + bytes(99),
        SECRET.encode(),
        content[: len(content) // 2],
        content[:-40],
        b"%PDF-1.7\n",
    ):
        assert "not a complete PDF" in refusal(wrong)


def test_a_file_with_a_password_for_its_readers_is_refused_and_with_one_for_its_owner_is_read() -> None:
    pdf = made(text(SECRET))
    locked = saved(pdf, encryption=Encryption(owner="o", user="u"))
    assert "locked by a password" in refusal(locked)
    owned = saved(pdf, encryption=Encryption(owner="o", user=""))
    done = walked("x.pdf", owned, {SECRET: "Bo"})
    assert [slot.text for slot in done.slots] == [SECRET]
    with pikepdf.open(BytesIO(done.content)) as new:
        assert not new.is_encrypted
    assert not any(SECRET in each.text for each in strings("x.pdf", done.content))


def test_a_damaged_content_is_refused() -> None:
    for wrong in (
        b"BT /F1 12 Tf (%s Tj ET", b"BT /F1 12 Tf (%s) Tj ] ET", b"BT (%s) Tj ET", b"BT /F9 1 Tf (%s) Tj ET",
        b"BT /F1 12 Tf [(a) [(%s)]] TJ ET", b"/F1 Tf (%s) Tj", b"BI /W 1 ID %s",
    ):  # fmt: skip
        assert "damaged" in refusal(saved(made(wrong % SECRET.encode())))
    pdf = made(text("x"))
    pdf.pages[0].obj.Contents = Stream(pdf, b"no flate" + SECRET.encode(), {"/Filter": Name.FlateDecode})
    assert "damaged" in refusal(saved(pdf, compress_streams=False))


def test_what_unpacks_to_very_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.documents.pdf.streams._MOST_BYTES", 2 << 20)
    pdf = made(text("x"))
    bomb = zlib.compress(bytes(3 << 20), 9)
    pdf.pages[0].obj.Contents = Stream(pdf, bomb, {"/Filter": Name.FlateDecode})
    assert "too long when it is unpacked" in refusal(saved(pdf))
    pdf.pages[0].obj.Contents = Stream(
        pdf, zlib.compress(bomb), {"/Filter": Array([Name.FlateDecode, Name.FlateDecode])}
    )
    assert "too long when it is unpacked" in refusal(saved(pdf))
    table = b"begincmap 1 beginbfrange <00000000> <ffffffff> <0041> endbfrange endcmap"
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding)
    pdf = made(b"BT /F2 12 Tf 72 700 Td (Anna) Tj ET", F2=font)
    pdf.pages[0].obj.Resources.Font.F2.ToUnicode = pdf.make_stream(table)
    assert [slot.text for slot in walk(BytesIO(saved(pdf)), Visit())] == ["Anna"]


def test_objects_in_circles_end() -> None:
    pdf = made(b"/Fm1 Do " + text("Anna"))
    make = pdf.make_indirect
    form = Stream(pdf, b"/Fm1 Do", {"/Type": Name.XObject, "/Subtype": Name.Form, "/BBox": Array([0, 0, 9, 9])})
    form = make(form)
    form.Resources = Dictionary(XObject=Dictionary(Fm1=form), Font=pdf.pages[0].obj.Resources.Font)
    pdf.pages[0].obj.Resources.XObject = Dictionary(Fm1=form)
    first = make(Dictionary(Title=String("Anna")))
    first.Next = first.First = first.Parent = first
    pdf.Root.Outlines = make(Dictionary(First=first, Last=first, Count=1))
    field = make(Dictionary(T=String("Anna"), FT=Name.Tx, V=String("Anna")))
    field.Kids, field.Parent = Array([field]), field
    pdf.Root.AcroForm = Dictionary(Fields=Array([field]))
    tree = make(Dictionary(Names=Array([])))
    tree.Kids = Array([tree])
    pdf.Root.Names = Dictionary(Dests=tree, EmbeddedFiles=tree)
    element = make(Dictionary(Type=Name.StructElem, S=Name.P, Alt=String("Anna")))
    element.K = Array([element, 0])
    pdf.Root.StructTreeRoot = make(Dictionary(Type=Name.StructTreeRoot, K=element, ParentTree=tree))
    action = make(Dictionary(S=Name.GoTo, D=Array([pdf.pages[0].obj, Name.Fit])))
    action.Next = action
    pdf.Root.OpenAction = action
    done = walked("x.pdf", saved(pdf), {"Anna": "Bo"})
    assert {slot.place for slot in done.slots} == {
        "bookmark 1", "field 1, name", "field 1, value", "page 1, text 1", "element 1, description",
    }  # fmt: skip
    assert not any("Anna" in each.text for each in strings("x.pdf", done.content))


def test_forms_in_forms_without_end_are_refused() -> None:
    pdf = made(b"/Fm1 Do " + text("Anna"))
    below: Stream | None = None
    for _ in range(60):
        resources = Dictionary(XObject=Dictionary(Fm1=below)) if below is not None else Dictionary()
        below = pdf.make_indirect(
            Stream(
                pdf,
                b"/Fm1 Do",
                {"/Type": Name.XObject, "/Subtype": Name.Form, "/BBox": Array([0, 0, 9, 9]), "/Resources": resources},
            )
        )
    pdf.pages[0].obj.Resources.XObject = Dictionary(Fm1=below)
    assert "inside one another" in refusal(saved(pdf))
    deep = b"q " * 100_000 + text("Anna") + b"Q " * 100_000
    assert [slot.text for slot in walk(BytesIO(saved(made(deep))), Visit())] == ["Anna"]


def updated(content: bytes, number: int, body: bytes) -> bytes:
    """Return a file with an update behind it, in which one object is another one."""
    start = content.rindex(b"startxref")
    old = int(content[start:].split()[1])
    at = len(content) + 1
    with pikepdf.open(BytesIO(content)) as pdf:
        root, size = pdf.Root.objgen[0], int(pdf.trailer.Size)
    table = f"xref\n{number} 1\n{at:010d} 00000 n \ntrailer\n<< /Size {size} /Root {root} 0 R /Prev {old} >>\n"
    obj = b"%d 0 obj\n<< /Length %d >>\nstream\n%s\nendstream\nendobj\n" % (number, len(body), body)
    return content + b"\n" + obj + table.encode() + f"startxref\n{at + len(obj)}\n%%EOF\n".encode()


def test_older_versions_and_objects_that_nothing_uses_are_left_behind() -> None:
    pdf = made(text(SECRET))
    lost = pdf.make_indirect(Dictionary(Text=String("Qazlost")))
    content = saved(pdf, object_stream_mode=pikepdf.ObjectStreamMode.disable, compress_streams=False)
    with pikepdf.open(BytesIO(content)) as read:
        number = read.pages[0].obj.Contents.objgen[0]
    new = updated(content, number, text("Anna"))
    assert SECRET.encode() in new
    done = walked("x.pdf", new, {"Anna": "Bo"})
    assert [slot.text for slot in done.slots] == ["Anna"]
    assert not any(SECRET.encode() in piece for piece in inflated(done.content))
    assert SECRET.encode() not in done.content
    assert lost is not None


def test_a_page_that_is_in_the_file_twice_is_walked_over_for_each() -> None:
    pdf = made(text("Anna"))
    pdf.pages.append(pdf.pages[0])
    done = walked("x.pdf", saved(pdf), {"Anna": "Bo"})
    assert [slot.text for slot in done.slots] == ["Anna", "Anna"]
    assert not any("Anna" in each.text for each in strings("x.pdf", done.content))


def test_layers_that_are_off_or_that_programs_decide_are_hidden() -> None:
    def layered(base: str, on: bool) -> bytes:
        pdf = made(
            b"/OC /A BDC "
            + text("first")
            + b" EMC /OC /B BDC "
            + text("second", y=500)
            + b" EMC "
            + text("body", y=300)
        )
        one, two = (pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String(name))) for name in "ab")
        group = Dictionary(Type=Name.OCMD, OCGs=Array([two]), P=Name.AllOff)
        pdf.pages[0].obj.Resources.Properties = Dictionary(A=one, B=group)
        usual = Dictionary(BaseState=Name("/" + base), ON=Array([one, two] if on else []), OFF=Array([]))
        pdf.Root.OCProperties = Dictionary(OCGs=Array([one, two]), D=usual)
        return saved(pdf)

    def shown(content: bytes) -> list[str]:
        out = walked("x.pdf", content, rules=Rules(hidden="drop")).content
        return [slot.text for slot in walk(BytesIO(out), Visit()) if slot.place.startswith("page")]

    assert shown(layered("ON", True)) == ["first", "body"]
    assert shown(layered("OFF", False)) == ["second", "body"]
    assert shown(layered("OFF", True)) == ["first", "body"]


def test_a_picture_of_a_hidden_layer_goes_with_it() -> None:
    pdf = made(b"/OC /A BDC q 9 0 0 9 0 0 cm /Im1 Do Q 0 0 5 5 re f EMC " + text("body"))
    layer = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String("a")))
    pdf.pages[0].obj.Resources.Properties = Dictionary(A=layer)
    image = Stream(pdf, SECRET.encode(), {"/Type": Name.XObject, "/Subtype": Name.Image, "/Width": 9, "/Height": 1,
                                          "/ColorSpace": Name.DeviceGray, "/BitsPerComponent": 8})  # fmt: skip
    pdf.pages[0].obj.Resources.XObject = Dictionary(Im1=image)
    pdf.Root.OCProperties = Dictionary(OCGs=Array([layer]), D=Dictionary(OFF=Array([layer])))
    kept = walked("x.pdf", saved(pdf), rules=Rules(images="keep"))
    assert any(SECRET.encode() in piece for piece in inflated(kept.content))
    gone = walked("x.pdf", saved(pdf), rules=Rules(images="keep", hidden="drop"))
    assert not any(SECRET.encode() in piece for piece in inflated(gone.content))


def test_what_is_written_holds_no_time_and_no_chance() -> None:
    content = saved(made(text("Dear Anna"), text("Anna again")))
    assert walked("x.pdf", content, {"Anna": "Bo"}).content == walked("x.pdf", content, {"Anna": "Bo"}).content


MEASURED = """
import resource, sys
from sfumato.documents.pdf import walk
from sfumato.documents.rules import Visit
from sfumato.documents.slot import Edit
with open(sys.argv[1], "rb") as file, open(sys.argv[2], "wb") as target:
    for slot in walk(file, Visit(), target):
        at = slot.text.find("Anna")
        slot.edits = [Edit(at, at + 4, "Bo")] if at >= 0 else []
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_ten_times_as_many_pages_need_hardly_more_memory(tmp_path: Path) -> None:
    def peak(count: int) -> int:
        lines = b"".join(text(f"line {n} of Anna with some more words", y=760 - 12 * n) for n in range(20))
        (tmp_path / "in.pdf").write_bytes(saved(made(*(lines + text(f"page {n}", y=20) for n in range(count)))))
        call = [sys.executable, "-c", MEASURED, str(tmp_path / "in.pdf"), str(tmp_path / "out.pdf")]
        return int(subprocess.run(call, check=True, capture_output=True, text=True).stdout)

    assert peak(300) < peak(30) * 1.25


def test_a_library_that_fails_says_nothing_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ValueError(SECRET)

    monkeypatch.setattr("sfumato.documents.pdf.contents.blocks", fails)
    assert "print it to a new file" in refusal(saved(made(text("Anna"))))


@pytest.mark.parametrize("make", [lambda: Pdf.new(), lambda: made(b""), lambda: made()])
def test_files_without_pages_or_texts_are_written(make: Callable[[], Pdf]) -> None:
    assert walked("x.pdf", saved(make())).slots == []
