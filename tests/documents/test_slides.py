from __future__ import annotations

import io
import re
from pathlib import Path

import pptx
import pytest

from office import converted, pages, strings, walked
from packing import Canaries, Packing, every_string
from sfumato.documents.office import slides as module
from sfumato.documents.rules import DROP, KEEP, REFUSE, Refused, Rules
from slide_makers import planted, slides


@pytest.fixture(scope="module")
def canaries() -> tuple[bytes, Canaries]:
    return planted()


def test_nothing_that_was_replaced_is_left_in_any_part(canaries: tuple[bytes, Canaries]) -> None:
    content, planted_words = canaries
    assert planted_words.found(every_string(content)) == set(planted_words.places.values())
    released = walked("a.pptx", content, dict.fromkeys(planted_words.places, "Somebody")).content
    assert planted_words.found(every_string(released)) == set()
    assert planted_words.found("\n".join(each.text for each in strings("a.pptx", released))) == set()
    shapes = pptx.Presentation(io.BytesIO(released)).slides[0].shapes
    assert "Somebody" in {shape.text_frame.text for shape in shapes if shape.has_text_frame}


def test_the_strings_of_a_file_show_every_word_that_the_raw_bytes_hold(canaries: tuple[bytes, Canaries]) -> None:
    content, planted_words = canaries
    found = strings("a.pptx", content)
    assert planted_words.found("\n".join(each.text for each in found)) == set(planted_words.places.values())
    by_library = planted_words.found("\n".join(each.text for each in found if not each.raw))
    assert {
        "title of slide 0",
        "notes of slide 2",
        "table",
        "box in a group",
        "name of a shape",
        "text",
    } <= by_library


@pytest.mark.parametrize(
    "skipped", ["slide", "notesSlide", "slideLayout", "slideMaster", "comments", "chart", "presProps"]
)
def test_the_strings_show_a_part_that_a_walk_skipped(
    canaries: tuple[bytes, Canaries], skipped: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, planted_words = canaries
    kinds = dict(module.SLIDES.kinds)
    kinds[skipped] = type(kinds[skipped])(kinds[skipped].place, None)
    monkeypatch.setattr(module.SLIDES.__class__, "kinds", property(lambda self: kinds))
    released = walked("a.pptx", content, dict.fromkeys(planted_words.places, "Somebody")).content
    assert planted_words.found("\n".join(each.text for each in strings("a.pptx", released)))


def test_two_walks_and_the_walk_over_what_was_written_yield_the_same_places(canaries: tuple[bytes, Canaries]) -> None:
    content, planted_words = canaries
    first = walked("a.pptx", content, dict.fromkeys(planted_words.places, "Somebody"))
    assert first.texts == walked("a.pptx", content).texts
    expected = {slot.place: slot.new for slot in first.slots if slot.new.strip()}
    written = walked("a.pptx", first.content).texts
    assert set(written) <= set(expected)
    differ = {place for place in expected if written.get(place) != expected[place]}
    assert {place.split()[-2] for place in differ} <= {"link", "name"}  # they lead nowhere, or are numbered


def test_places_are_those_that_a_person_counts(canaries: tuple[bytes, Canaries]) -> None:
    content, planted_words = canaries
    places = {
        place for each in walked("a.pptx", content).slots for place in [each.place] if planted_words.found(each.text)
    }
    expected = {"slide 1, paragraph 1", "slide 3, notes, paragraph 1", "slide 1, comments, comment 1"}
    assert expected <= places, places


def test_parts_that_rules_keep_stay(canaries: tuple[bytes, Canaries]) -> None:
    content, planted_words = canaries
    names = (
        "properties",
        "comments",
        "notes",
        "descriptions",
        "links",
        "names",
        "caches",
        "images",
        "programs",
        "unknown",
    )
    left = planted_words.found(
        every_string(walked("a.pptx", content, rules=Rules(**dict.fromkeys(names, KEEP))).content)
    )
    assert {
        "property author", "tag", "comment", "author", "new author", "notes of slide 0", "alternative text",
        "target of a link",
        "section", "custom show", "preview", "film", "after a picture", "object", "macro", "font",
    } <= left  # fmt: skip
    assert not {"printer", "hash", "revision", "path of a page"} & left


@pytest.mark.parametrize(
    "name", ["properties", "comments", "notes", "descriptions", "links", "hidden", "names", "attachments", "caches",
             "images", "programs", "unknown"],
)  # fmt: skip
def test_a_part_that_is_refused_is_named_without_its_content(canaries: tuple[bytes, Canaries], name: str) -> None:
    content, planted_words = canaries
    with pytest.raises(Refused, match=name) as raised:
        walked("a.pptx", content, rules=Rules(**{name: REFUSE}))
    assert not planted_words.found(str(raised.value))


def test_what_rules_drop_is_gone_although_nothing_was_replaced(canaries: tuple[bytes, Canaries]) -> None:
    content, planted_words = canaries
    names = ("comments", "notes", "descriptions", "links", "hidden", "attachments")
    released = walked("a.pptx", content, rules=Rules(**dict.fromkeys(names, DROP))).content
    left = planted_words.found(every_string(released))
    assert not left & {
        "comment", "reply", "new comment", "notes of slide 0", "alternative text", "target of a link",
        "path of a link", "title of slide 1", "notes of slide 1",
    }  # fmt: skip
    assert {"title of slide 0", "title of slide 2", "text", "link", "table"} <= left
    assert len(pptx.Presentation(io.BytesIO(released)).slides) == 2


def test_an_object_that_is_dropped_leaves_its_picture(canaries: tuple[bytes, Canaries]) -> None:
    content, _ = canaries
    shapes = pptx.Presentation(io.BytesIO(walked("a.pptx", content).content)).slides[0].shapes
    pictures = [shape for shape in shapes if hasattr(shape, "image")]
    assert len(pictures) == 3  # of a picture, of a film, and of an object
    assert {picture.image.ext for picture in pictures} == {"png"}
    assert {picture.image.size for picture in pictures} == {(1, 1)}


def test_slides_without_edits_keep_what_is_seen() -> None:
    released = walked("a.pptx", slides(), rules=Rules(attachments=DROP)).content
    before, after = pptx.Presentation(io.BytesIO(slides())), pptx.Presentation(io.BytesIO(released))
    for one, other in zip(before.slides, after.slides, strict=True):
        assert [shape.name for shape in one.shapes] == [shape.name for shape in other.shapes]
        assert [shape.has_text_frame and shape.text_frame.text for shape in one.shapes] == [
            shape.has_text_frame and shape.text_frame.text for shape in other.shapes
        ]
    chart = next(shape.chart for shape in after.slides[0].shapes if shape.has_chart)
    assert list(chart.plots[0].categories) == ["Category of Anna Schmidt"]
    assert list(chart.plots[0].series[0].values) == [4711.5]


def test_a_number_of_a_chart_that_is_none_any_more_leaves_a_gap() -> None:
    seen = walked("a.pptx", slides(), {"4711.5": "many", "Anna": "Eva"}, Rules(attachments=DROP))
    shapes = pptx.Presentation(io.BytesIO(seen.content)).slides[0].shapes
    chart = next(shape.chart for shape in shapes if shape.has_chart)
    assert list(chart.plots[0].categories) == ["Category of Eva Schmidt"]
    assert list(chart.plots[0].series[0].values) == [None]
    assert "4711.5" in {text for place, text in seen.texts.items() if place.endswith("series 1 value 0")}


def test_programs_open_what_was_written_and_show_as_many_pages(
    canaries: tuple[bytes, Canaries], tmp_path: Path
) -> None:
    content, planted_words = canaries
    released = walked("a.pptx", content, dict.fromkeys(planted_words.places, "Somebody")).content
    before, after = (tmp_path / "before", tmp_path / "after")
    before.mkdir()
    after.mkdir()
    assert (
        pages(converted(released, "a.pptx", "pdf", after)) == pages(converted(content, "a.pptx", "pdf", before)) == 2
    )


def test_a_box_that_is_as_wide_as_a_name_does_not_tell_how_wide_that_was_exactly() -> None:
    """A box that somebody clicked and typed in is fitted to its text. The other boxes stay where they are."""

    def content(width: int, wrap: bool) -> bytes:
        made, target = pptx.Presentation(), io.BytesIO()
        frame = made.slides.add_slide(made.slide_layouts[6]).shapes.add_textbox(4_000_000 - width // 2, 9, width, 9)
        frame.text_frame.word_wrap = wrap
        frame.text_frame.text = "Seen by Anna"
        made.save(target)
        return target.getvalue()

    def places(width: int, wrap: bool) -> tuple[int, int]:
        done = walked("a.pptx", content(width, wrap), {"Anna": "Mia"}).content
        shape = pptx.Presentation(io.BytesIO(done)).slides[0].shapes[0]
        return shape.left, shape.width

    assert places(1_000_000, False) == places(1_100_000, False)
    assert places(1_000_001, True) == (3_500_000, 1_000_001)


@pytest.mark.parametrize("initials", ["mk", "AB", "fischhaber"])
def test_initials_of_authors_go_however_they_look(canaries: tuple[bytes, Canaries], initials: str) -> None:
    """Small letters look like a word that the format has fixed, and "AB" like a number."""
    packing = Packing(canaries[0])
    for name in ("ppt/commentAuthors.xml", "ppt/authors.xml"):
        text = packing.members[name].decode()
        packing.members[name] = re.sub('initials="[^"]*"', f'initials="{initials}"', text).encode()
    new = Packing(walked("a.pptx", packing.content()).content)
    for name in ("ppt/commentAuthors.xml", "ppt/authors.xml"):
        assert b'initials="A"' in new.members[name]


def test_a_bookmark_in_a_text_goes_however_it_looks(canaries: tuple[bytes, Canaries]) -> None:
    packing = Packing(canaries[0])
    slide = packing.members["ppt/slides/slide1.xml"]
    packing.members["ppt/slides/slide1.xml"] = re.sub(b'bmk="[^"]*"', b'bmk="fischhaber"', slide)
    assert b"fischhaber" in packing.members["ppt/slides/slide1.xml"]
    assert b"fischhaber" not in Packing(walked("a.pptx", packing.content()).content).members["ppt/slides/slide1.xml"]
