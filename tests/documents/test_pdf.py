"""PDF: every part is yielded, dropped, kept or refused as the rules say, and nothing else is in what is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, Stream, String
from reportlab.pdfgen.canvas import Canvas

from office import pages, strings, walked
from pdf_everything import everything
from pdf_parts import Canaries, holding, made, saved, text
from sfumato.documents.pdf import walk
from sfumato.documents.rules import Refused, Rules, Visit
from sfumato.documents.slot import Slot

OF_BYTES = ("caches", "images", "programs", "unknown")
OF_TEXT = ("properties", "comments", "descriptions", "links", "hidden", "names", "attachments")


@pytest.fixture(scope="module")
def parts() -> tuple[Canaries, bytes]:
    canaries = Canaries()
    return canaries, saved(everything(canaries))


def without(canaries: Canaries) -> dict[str, str]:
    return dict.fromkeys(canaries.values(), "Bo")


def seen(content: bytes, canaries: Canaries) -> set[str]:
    found = "\n".join(each.text for each in strings("x.pdf", content))
    return {kind for kind, word in canaries.items() if word in found}


def test_the_input_holds_all_canaries_and_both_searches_find_them(parts: tuple[Canaries, bytes]) -> None:
    canaries, content = parts
    assert holding(content, canaries) == set(canaries)
    assert seen(content, canaries) == set(canaries)


def test_nothing_that_was_replaced_or_dropped_is_anywhere_in_the_output(parts: tuple[Canaries, bytes]) -> None:
    canaries, content = parts
    done = walked("x.pdf", content, without(canaries))
    assert holding(done.content, canaries) == set()
    assert seen(done.content, canaries) == set()
    assert pages(done.content) == pages(content) == 2
    assert walked("x.pdf", content, without(canaries)).content == done.content


def test_what_is_not_replaced_is_kept_where_the_rules_treat_it(parts: tuple[Canaries, bytes]) -> None:
    canaries, content = parts
    done = walked("x.pdf", content)
    yielded = "\n".join(slot.text for slot in done.slots)
    kinds = {kind for kind, word in canaries.items() if word in yielded}
    assert len(kinds) > 45
    assert holding(done.content, canaries) >= kinds
    assert holding(done.content, canaries) - kinds <= {"id of an element"}


def test_two_walks_yield_the_same_and_so_does_one_over_the_output(parts: tuple[Canaries, bytes]) -> None:
    canaries, content = parts
    done = walked("x.pdf", content)
    only_read = list(walk(BytesIO(content), Visit()))
    assert [(slot.place, slot.text, slot.lead) for slot in only_read] == [
        (slot.place, slot.text, slot.lead) for slot in done.slots
    ]
    assert walked("x.pdf", done.content).texts == done.texts
    words = {word: f"Bo{number}" for number, word in enumerate(canaries.values())}
    edited = walked("x.pdf", content, words)
    again = {place: " ".join(said.split()) for place, said in walked("x.pdf", edited.content).texts.items()}
    new = {slot.place: " ".join(slot.new.split()) for slot in edited.slots}
    numbered = {place for place in new if place.endswith("name") or place.startswith(("layer", "state"))}
    nowhere = {place for place in new if place.endswith("link target")}
    assert {place: again.get(place) for place in new.keys() - numbered - nowhere} == {
        place: new[place] for place in new.keys() - numbered - nowhere
    }
    assert again.keys() == new.keys() - nowhere


@pytest.mark.parametrize("part", [*OF_BYTES, *OF_TEXT])
def test_a_part_that_is_refused_is_refused(part: str, parts: tuple[Canaries, bytes]) -> None:
    with pytest.raises(Refused, match=rf"\({part}\)") as failure:
        walked("x.pdf", parts[1], rules=Rules(**{part: "refuse"}))
    assert not any(word in str(failure.value) for word in parts[0].values())


@pytest.mark.parametrize("part", OF_TEXT)
def test_a_part_of_text_that_is_dropped_is_gone(part: str, parts: tuple[Canaries, bytes]) -> None:
    canaries, content = parts
    usual, dropped = Rules(), Rules(**{part: "drop"})
    gone = holding(walked("x.pdf", content, rules=usual).content, canaries)
    left = holding(walked("x.pdf", content, rules=dropped).content, canaries)
    assert left < gone or part == "properties"
    expected = {
        "comments": "comment", "descriptions": "alt of an element", "links": "address", "hidden": "hidden layer",
        "names": "name of a field", "attachments": "text of an attachment", "properties": "title",
    }  # fmt: skip
    assert expected[part] not in left


KEPT = {
    "properties": {"title", "custom property", "XMP", "output intent"},
    "comments": {"comment", "appearance", "stamp"},
    "descriptions": {"alt of an element", "alt of content", "label of a field"},
    "links": {"address", "path"},
    "hidden": {"hidden layer", "invisible", "outside of the page"},
    "names": {"name of a field", "name of a layer", "named place", "old named place"},
    "attachments": {"text of an attachment", "unknown attachment", "associated file"},
    "caches": {"thumbnail"},
    "images": {"bytes of an image", "inline image"},
    "programs": {"script of the file", "script of a field", "path of a program", "script at the opening"},
    "unknown": {"PieceInfo of the file", "unknown attachment", "VP of a page", "unknown annotation"},
}


@pytest.mark.parametrize("part", KEPT)
def test_a_part_that_is_kept_is_as_it_was(part: str, parts: tuple[Canaries, bytes]) -> None:
    canaries, content = parts
    done = walked("x.pdf", content, without(canaries), Rules(**{part: "keep"}, scans="keep"))
    assert holding(done.content, canaries) >= KEPT[part]
    assert "Tj" not in holding(done.content, canaries)
    assert done.notes[part, "keep"]


def test_properties_that_are_treated_are_texts_without_dates() -> None:
    pdf = made(text("Body"))
    pdf.trailer.Info = pdf.make_indirect(
        Dictionary(Title=String("On Anna"), CreationDate=String("D:2020"), Odd=String("x Anna"))
    )
    pdf.Root.Metadata = Stream(pdf, b"<x:xmpmeta>Anna</x:xmpmeta>", {"/Type": Name.Metadata, "/Subtype": Name.XML})
    done = walked("x.pdf", saved(pdf), {"Anna": "Bo"}, Rules(properties="treat"))
    assert [(slot.lead, slot.text) for slot in done.slots[:2]] == [("Odd: ", "x Anna"), ("Title: ", "On Anna")]
    with pikepdf.open(BytesIO(done.content)) as new:
        assert {key: str(value) for key, value in new.trailer.Info.items()} == {
            "/Property2": "x Bo",
            "/Title": "On Bo",
        }
        assert "/Metadata" not in new.Root


def test_the_guard_fails_if_a_part_is_skipped(parts: tuple[Canaries, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_: Any) -> Iterator[Slot]:
        return iter(())

    monkeypatch.setattr("sfumato.documents.pdf.catalog.walk_layers", nothing)
    monkeypatch.setattr("sfumato.documents.pdf.notes.triggers", nothing)
    canaries, content = parts
    done = walked("x.pdf", content, without(canaries))
    left = {"name of a layer", "creator of a layer", "label of layers", "script of a field"}
    assert holding(done.content, canaries) >= left
    assert seen(done.content, canaries) >= left


def test_a_link_that_is_changed_leads_nowhere_and_others_lead_where_they_did(parts: tuple[Canaries, bytes]) -> None:
    canaries, content = parts
    done = walked("x.pdf", content, {canaries["address"]: "Bo"})
    with pikepdf.open(BytesIO(done.content)) as new:
        links = [each for each in new.pages[0].obj.Annots if each.Subtype == "/Link"]
        assert "/A" not in links[0]
        assert list(links[-2].Dest)[1:] == ["/XYZ", 0, 0, 0]
        assert links[-2].Dest[0].objgen == new.pages[0].obj.objgen
        assert links[-1].A.N == "/NextPage"
        assert "/Next" not in links[-1].A
        first = new.Root.Outlines.First
        assert "/Dest" not in first, "it led to a page that is not one of the file"
        assert first.First.A.D[0].objgen == new.pages[0].obj.objgen


def test_a_value_is_set_in_another_font_than_that_of_its_form_which_has_the_same_name() -> None:
    canvas = Canvas(target := BytesIO())
    canvas.acroForm.textfield(name="name", value="Zwiebelina", x=72, y=600, width=200, height=20)
    canvas.drawString(72, 720, "Hello")
    canvas.save()
    done = walked("a.pdf", target.getvalue(), {"Zwiebelina": "[PERSON]"})  # no sign "[" is among those of its font
    with pikepdf.open(BytesIO(done.content)) as pdf:
        look = pdf.pages[0].Annots[0].AP.N
        assert b"([PERSON]) Tj" in look.read_bytes()
        name = re.search(rb"/(\w+) 12 Tf", look.read_bytes())
        assert name is not None
        assert f"/{name[1].decode()}" in look.Resources.Font


def test_a_field_has_its_label_before_it_and_its_choices_are_replaced_with_its_value() -> None:
    pdf = made(text("Body"))
    rows = [
        Dictionary(
            FT=Name.Tx, T=String("f1"), TU=String("Name of the patient:"), V=String("Anna"), DV=String("Anna")
        ),
        Dictionary(FT=Name.Ch, T=String("f2"), V=String("Anna"), Opt=Array([String("Anna"), String("Carl")])),
    ]
    pdf.Root.AcroForm = Dictionary(Fields=Array([pdf.make_indirect(row) for row in rows]))
    done = walked("x.pdf", saved(pdf), {"Anna": "Bo", "f2": "x"})
    assert next(slot.lead for slot in done.slots if slot.place == "field 1, value") == "Name of the patient: "
    with pikepdf.open(BytesIO(done.content)) as new:
        one, two = new.Root.AcroForm.Fields
        assert (str(one.V), str(one.DV), str(one.T)) == ("Bo", "Bo", "f1")
        assert (str(two.V), [str(each) for each in two.Opt], str(two.T)) == ("Bo", ["Bo", "Carl"], "field2")


def test_a_file_in_a_file_in_a_file_is_walked_over_and_too_many_are_refused() -> None:
    def around(inner: bytes) -> bytes:
        pdf = made(text("around"))
        file = Stream(pdf, inner, {"/Type": Name.EmbeddedFile})
        spec = Dictionary(Type=Name.Filespec, F=String("in.pdf"), UF=String("in.pdf"), EF=Dictionary(F=file))
        pdf.Root.Names = Dictionary(EmbeddedFiles=Dictionary(Names=Array([String("a"), pdf.make_indirect(spec)])))
        return saved(pdf)

    content = saved(made(text("Anna here")))
    for _ in range(3):
        content = around(content)
    done = walked("x.pdf", content, {"Anna": "Bo"})
    assert done.texts["attachment 1, attachment 1, attachment 1, page 1, text 1"] == "Anna here"
    assert not any("Anna" in each.text for each in strings("x.pdf", done.content))
    assert any("Bo here" in each.text and not each.raw for each in strings("x.pdf", done.content))
    for _ in range(3):
        content = around(content)
    with pytest.raises(Refused, match="deep"):
        walked("x.pdf", content)


def test_media_and_pictures_can_be_kept_without_what_describes_them() -> None:
    from PIL import Image

    picture, target = Image.new("RGB", (8, 8), "red"), BytesIO()
    about = Image.Exif()
    about[0x013B] = "Anna was here"
    picture.save(target, "JPEG", exif=about, comment=b"Anna's camera")
    pdf = made(text("Body") + b"q 50 0 0 50 10 10 cm /Im1 Do Q")
    pdf.pages[0].obj.Resources.XObject = Dictionary(
        Im1=Stream(pdf, target.getvalue(), {
            "/Type": Name.XObject, "/Subtype": Name.Image, "/Width": 8, "/Height": 8, "/ColorSpace": Name.DeviceRGB,
            "/BitsPerComponent": 8, "/Filter": Name.DCTDecode,
        })
    )  # fmt: skip
    content = saved(pdf)
    assert b"Anna" in content
    done = walked("x.pdf", content, rules=Rules(images="keep"))
    assert b"Anna" not in done.content
    with pikepdf.open(BytesIO(done.content)) as new:
        assert pikepdf.PdfImage(new.pages[0].obj.Resources.XObject.Im1).as_pil_image().getpixel((4, 4))[0] > 200
