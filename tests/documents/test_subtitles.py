"""Subtitles: cues, speakers, notes and styles are found, and lines of times stay as they are."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import pytest
import webvtt

from canaries import bird, birds, left, replaced
from office import strings, walked
from sfumato.documents import subtitles
from sfumato.documents.rules import Refused, Rules

TIMES = "00:00:01.000 --> 00:00:02.500"
VTT = {
    "title": "WEBVTT - {}\n",
    "head": "WEBVTT\nX-Author: {}\nKind: captions\nLanguage: en\n",
    "note": "WEBVTT\n\nNOTE {}\n",
    "long note": "WEBVTT\n\nNOTE\nfirst line\n{}\n",
    "style": "WEBVTT\n\nSTYLE\n::cue(.{}) {{ color: red }}\n::cue(v[voice=\"{}\"]) {{ content: '{}' }} /* {} */\n",
    "region": "WEBVTT\n\nREGION\nid:{}\nwidth:40%\nx:{}\n",
    "identifier": "WEBVTT\n\nscene of {}\n" + TIMES + "\nHello\n",
    "cue": "WEBVTT\n\n" + TIMES + "\nHello {}\nand more\n",
    "crossed": "WEBVTT\n\n" + TIMES + "\nHello <i>{}</i>er\n",
    "reference": "WEBVTT\n\n" + TIMES + "\nHello &amp; &#81;{rest}\n",
    "speaker": "WEBVTT\n\n" + TIMES + "\n<v {} K.>Hello</v>\n<v.loud Bo>Hi {}\n",
    "class": "WEBVTT\n\n" + TIMES + "\n<c.{}.yellow>Hello</c>\n",
    "language": "WEBVTT\n\n" + TIMES + "\n<lang {}>Hello</lang>\n",
    "no tag": "WEBVTT\n\n" + TIMES + "\n<x {}>Hello</{}>\n",
    "settings": "WEBVTT\n\n" + TIMES + " align:start region:{} x:{} line:10%\nHello\n",
    "stray": "WEBVTT\n\n" + TIMES + "\nHello\n\n{}\n",
    "upper": "WEBVTT\n\n" + TIMES + "\n{}: Hello\n",
    "two times": "WEBVTT\n\n" + TIMES + "\nHello\n" + TIMES + "\n{}\n",
    "at once": "WEBVTT\n" + TIMES + "\n{}\n",
    "inner time": "WEBVTT\n\n" + TIMES + "\nHello <00:00:01.500>{}\n",
    "no arrow": "WEBVTT\n\n00:01 -> 00:02\n{}\n",
}
SRT = {
    "cue": "1\n00:00:01,000 --> 00:00:02,000\nHello {}\nand more\n",
    "tags": '1\n00:00:01,000 --> 00:00:02,000\n<font color="#ff0000" face="{}">{}</font> <b>x</b> {{\\an8}}\n',
    "position": "1\n00:00:01,000 --> 00:00:02,000 X1:10 X2:20 Y1:1 {}\nHello\n",
    "blank line": "1\n00:00:01,000 --> 00:00:02,000\nHello\n\n{}\n",
    "no number": "{}\n00:00:01,000 --> 00:00:02,000\nHello\n",
    "before": "{}\n\n1\n00:00:01,000 --> 00:00:02,000\nHello\n",
    "together": "1\n00:00:01,000 --> 00:00:02,000\nHello\n2\n00:00:03,000 --> 00:00:04,000\n{}\n",
}
FILES = {**{f"{name}.vtt": text for name, text in VTT.items()}, **{f"{name}.srt": text for name, text in SRT.items()}}


def filled(name: str) -> bytes:
    return FILES[name].format(*[bird(5)] * 4, rest=bird(5)[1:]).encode()


@pytest.mark.parametrize("name", FILES)
def test_no_part_keeps_what_was_marked(name: str) -> None:
    content = filled(name)
    assert left(content)
    new = replaced(name, content)
    assert b"Hello" in new.content or b"Hello" not in content
    again = walked(name, new.content)
    assert again.content == new.content
    assert {place: text for place, text in again.texts.items() if not place.startswith("name")} == {
        slot.place: slot.new for slot in new.slots if not slot.place.startswith("name")
    }


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_subtitles_that_are_not_edited_stay_byte_for_byte(name: str, end: str) -> None:
    content = filled(name).replace(b"\n", end.encode())
    rules = Rules(properties="keep")
    if name not in ("region.vtt", "language.vtt", "settings.vtt", "tags.srt", "position.srt"):
        assert walked(name, content, rules=rules).content == content
        assert walked(name, b"\xef\xbb\xbf" + content, rules=rules).content == b"\xef\xbb\xbf" + content


def test_speakers_lead_what_they_say() -> None:
    found = walked("x.vtt", f"WEBVTT\n\n{TIMES}\n<v Anna &amp; Bo>Hello <i>Cy</i>\nand Di\n".encode())
    assert [(slot.lead, slot.text) for slot in found.slots] == [
        ("", "Anna & Bo"), ("Anna & Bo: ", "Hello Cy\nand Di"),
    ]  # fmt: skip


def test_another_reader_reads_the_same_cues() -> None:
    content = (
        f"WEBVTT\n\n{TIMES} align:start\n<v Anna>Hello <b>An</b>na, 1 &lt; 2\n\nNOTE x\n\n2\n{TIMES}\nx\n".encode()
    )
    new = walked("x.vtt", content, {"Anna": "R&D <b>\n\n-->"})
    read = webvtt.from_string(new.content.decode())
    assert [each.text for each in read.captions] == ["Hello R&amp;D &lt;b>\n->, 1 &lt; 2", "x"]
    assert [each.voice for each in read.captions] == ["R&amp;D &lt;b&gt; -&gt;", None]
    assert [(each.start, each.end) for each in read.captions] == [("00:00:01.000", "00:00:02.500")] * 2
    other = walked("x.srt", filled("cue.srt"), {bird(5): "Bo\n\n2\n"})
    assert [each.text for each in webvtt.from_buffer(StringIO(other.content.decode()), "srt").captions] == [
        "Hello Bo\n2\nand more"
    ]


def test_a_cue_that_was_emptied_remains() -> None:
    new = walked(
        "x.srt", filled("cue.srt") + b"\n2\n00:00:03,000 --> 00:00:04,000\nBo\n", {f"Hello {bird(5)}\nand more": ""}
    )
    assert walked("x.srt", new.content).texts == {"cue 2, text": "Bo"}


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("comments", "note.vtt"), ("comments", "style.vtt"), ("properties", "title.vtt"), ("properties", "head.vtt"),
        ("names", "identifier.vtt"), ("names", "class.vtt"), ("hidden", "stray.vtt"),
    ],
)  # fmt: skip
def test_parts_are_refused_or_dropped(rule: str, name: str) -> None:
    with pytest.raises(Refused, match=rf"\({rule}\) at ") as refused:
        walked(name, filled(name), rules=Rules(**{rule: "refuse"}))
    assert not birds(str(refused.value))
    if name != "style.vtt":
        assert left(walked(name, filled(name), rules=Rules(**{rule: "drop"})).content) == set()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"Zo\xeb anna", "not a text in UTF-8"),
        (b"an\0na", "not a text in UTF-8"),
        (b"anna\n\nanna", "no line with the times"),
        (b"", "no line with the times"),
    ],
)
def test_what_cannot_be_read_is_refused_without_its_content(content: bytes, reason: str) -> None:
    with pytest.raises(Refused, match=reason) as refused:
        walked("x.srt", content)
    assert "anna" not in str(refused.value)
    assert refused.value.__context__ is None


def test_a_mark_of_utf_16_is_kept() -> None:
    content = filled("cue.srt").decode().encode("utf-16")
    new = walked("x.srt", content, {bird(5): "Bø"})
    assert new.content.decode("utf-16") == filled("cue.srt").decode().replace(bird(5), "Bø")


def test_strings_are_those_of_each_cue(tmp_path: Path) -> None:
    seen = strings("x.vtt", filled("speaker.vtt"))
    assert {each.raw for each in seen if bird(5) in each.text} == {True, False}


NUMBERS = {
    "cue.vtt": "WEBVTT\n\n{}\n" + TIMES + "\nHello\n",
    "class.vtt": "WEBVTT\n\n" + TIMES + "\n<c.{}>Hello</c>\n",
    "region.vtt": "WEBVTT\n\nREGION\nid:{}\nlines:{}\n\n" + TIMES + " region:{} size:{}\nHello\n",
    "style.vtt": "WEBVTT\n\nSTYLE\n::cue {{ --x: {} }}\n\n" + TIMES + "\nHello\n",
    "time.vtt": "WEBVTT\n\n" + TIMES + "\nHello <{}>\n",
    "font.vtt": "WEBVTT\n\n" + TIMES + "\n<font color={}>Hello</font>\n",
    "head.vtt": "WEBVTT\nX-TIMESTAMP-MAP={}\n\n" + TIMES + "\nHello\n",
    "cue.srt": "{}\n00:00:01,000 --> 00:00:02,000\nHello\n",
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("number", ["123-45-6789", "1984-03-12", "4711234567"])
def test_numbers_without_a_letter_are_texts(name: str, number: str) -> None:
    new = walked(name, NUMBERS[name].format(*[number] * 4).encode(), {number: "gone"})
    assert number in "".join(new.texts.values()) or name in ("font.vtt", "head.vtt")
    assert number.encode() not in new.content


@pytest.mark.parametrize("point", ["&shy;", "\u00ad", "\u200b", "<00:00:01.200>", "&#8203;"])
def test_the_break_points_of_a_name_go_with_it(point: str) -> None:
    content = f"WEBVTT\n\n{TIMES}\nDe{point}ar Ale{point}xan{point}der\n".encode()
    new = walked("x.vtt", content, {"Alexander": "[PERSON]"})
    assert new.texts == {"cue 1, text": "Dear Alexander"}
    assert new.content.decode() == f"WEBVTT\n\n{TIMES}\nDe{point}ar [PERSON]\n"
    assert walked("x.vtt", content).content == content
    tagged = f"WEBVTT\n\n{TIMES}\nA<b>le{point}x</b>ander\n".encode()
    assert walked("x.vtt", tagged, {"Alexander": "Bo"}).content.endswith(b"\nBo<b></b>\n")


def test_numbers_that_count_the_cues_are_no_texts() -> None:
    cues = [f"{number}\n00:00:01,000 --> 00:00:02,000\nHello\n" for number in range(1, 1203)]
    new = walked("x.srt", "\n".join([*cues, cues[0].replace("1\n", "4711\n", 1)]).encode(), {"4711": "x"})
    assert {slot.text for slot in new.slots} == {"Hello", "4711"}
    assert new.content.endswith(b"\n\n1203\n00:00:01,000 --> 00:00:02,000\nHello\n")


def test_a_part_that_is_skipped_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subtitles, "_SETTING", re.compile(".*"))
    with pytest.raises(AssertionError):
        replaced("x.vtt", filled("settings.vtt"))


def test_the_reading_of_a_name_is_a_word_of_its_own() -> None:
    cue = "WEBVTT\n\n00:01.000 --> 00:02.000\n<ruby>Anna<rt>Mia</rt>Li<rt>li</rt></ruby>\n"
    found = walked("x.vtt", cue.encode(), {"Mia": "Bo"})
    assert [slot.text for slot in found.slots] == ["Anna Mia Li li"]
    assert b"<ruby>Anna<rt>Bo</rt>Li<rt>li</rt></ruby>" in found.content
