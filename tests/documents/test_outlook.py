"""Messages of Outlook: what mail has a place for is written as mail, and all else is left out."""

from __future__ import annotations

import zlib
from email import message_from_bytes, policy
from io import BytesIO

import olefile  # type: ignore[import-untyped]
import pytest

from canaries import bird, birds, left
from compound import compound, message
from office import Walked, strings, walked
from sfumato.documents.rules import Refused, Rules

SUBTITLES = f"1\n00:00:01,000 --> 00:00:02,000\n{bird(33)}\n".encode() * 200
WORDS = {bird(number): f"Gone{number}" for number in range(60)}


def full() -> bytes:
    inner = message({0x1A: "IPM.Note", 0x37: bird(1), 0x1000: f"Dear {bird(2)}", 0x0C1A: bird(3)}, inside=True)
    return compound(message(
        {
            0x1A: "IPM.Note", 0x37: f"About {bird(4)}", 0x1000: f"Dear {bird(5)}\r\nand others\r\n",
            0x1013: f"<p>Dear <b>{bird(5)}</b> <img src='cid:{bird(6)}@1'></p>".encode(), 0x3FDE: 65001,
            0x0C1A: bird(7), 0x5D01: f"{bird(8)}@example.org", 0x0042: bird(9), 0x0065: f"{bird(10)}@example.org",
            0x0039: 133500000000000000, 0x1035: f"<{bird(11)}@example.org>", 0x0070: bird(12), 0x0E1D: bird(13),
            0x1009: zlib.compress(bird(14).encode()), 0x3FFA: bird(15), 0x8001: bird(16), 0x0E04: bird(17),
            0x007D: f"Received: from {bird(18)}\nX-Foo: {bird(19)}\nDate: Tue, 3 Feb 2026 10:00:00 +0100\n"
            f"Content-Type: text/x-{bird(20)}; boundary={bird(21)}\nTo: {bird(22)} <a@example.org>\n\n{bird(23)}",
        },
        [
            {0x3001: bird(24), 0x39FE: f"{bird(25)}@example.org", 0x0C15: 1},
            {0x3001: bird(26), 0x3003: f"/o=Company/cn=Recipients/cn={bird(27)}", 0x0C15: 2},
            {0x3001: bird(28), 0x39FE: f"{bird(29)}@example.org", 0x0C15: 3, 0x5FF6: bird(30)},
        ],
        [
            {0x3705: 1, 0x3707: f"{bird(31)}.srt", 0x3704: f"{bird(32)}.SRT", 0x3701: SUBTITLES},
            {0x3705: 1, 0x3707: "x.png", 0x370E: "image/png", 0x3701: bird(34).encode(), 0x3712: f"{bird(6)}@1"},
            {0x3705: 5, 0x3001: bird(35), 0x3701: inner},
            {0x3705: 6, 0x3001: bird(36), 0x3701: {"CONTENTS": bird(37).encode()}},
            {0x3705: 2, 0x3707: bird(38), 0x3708: f"C:\\Users\\{bird(39)}"},
        ],
    ))  # fmt: skip


def checked(content: bytes, rules: Rules | None = None) -> Walked:
    new = walked("x.msg", content, WORDS, rules)
    assert left(new.content) == set()
    assert not set().union(*(birds(each.text) for each in strings("x.msg", new.content)))
    return new


def test_nothing_keeps_what_was_marked() -> None:
    content = full()
    assert olefile.OleFileIO(BytesIO(content)).parsing_issues == []
    new = checked(content)
    read = message_from_bytes(new.content, policy=policy.default)
    assert read["From"] == "Gone9 <Gone10@example.org>"
    assert read["Sender"] == "Gone7 <Gone8@example.org>"
    assert read["To"] == "Gone22 <a@example.org>"
    assert read["Cc"] == "Gone26 <nobody@address.invalid>"
    assert read["Bcc"] == "Gone28 <Gone29@example.org>"
    assert read["Subject"] == "About Gone4"
    assert read["Date"] == "Tue, 03 Feb 2026 10:00:00 +0100"
    body, page = read.get_body(("plain",)), read.get_body(("html",))
    assert body is not None
    assert page is not None
    assert body.get_content().replace("\r", "") == "Dear Gone5\nand others\n"
    assert "<b>Gone5</b>" in page.get_content()
    subtitles, inner = read.iter_attachments()
    assert subtitles.get_content().count(b"Gone33") == 200
    assert inner.get_content()["Subject"] == "Gone1"
    assert {part for part, action in new.notes if action == "drop"} == {
        "caches", "images", "programs", "properties", "unknown",
    }  # fmt: skip
    again = walked("x.eml", new.content)
    named = "name"
    assert {place: text for place, text in again.texts.items() if not place.endswith(named)} == {
        slot.place: slot.new for slot in new.slots if not slot.place.endswith(named)
    }


def test_without_headers_of_transport_the_properties_say_them() -> None:
    new = walked("x.msg", compound(message(
        {0x1A: "IPM.Note", 0x1000: "x", 0x0C1A: "Anna Keller", 0x0C1F: "anna@example.org",
         0x0E06: 133500000000000000},
        [{0x3001: "b@example.org", 0x39FE: "b@example.org", 0x0C15: 1}, {0x3001: 'Li, "Bo"', 0x39FE: "c@x.org"}],
    )))  # fmt: skip
    assert new.texts == {
        "header From": "Anna Keller <anna@example.org>",
        "header To": 'b@example.org, Li, "Bo" <c@x.org>',
        "header Date": "2024-01-17T21:20:00+00:00",
        "part 1, paragraph 1": "x",
    }


@pytest.mark.parametrize(
    ("properties", "reason"),
    [
        ({0x1A: "IPM.Note.SMIME", 0x1000: "anna"}, "encrypted or signed"),
        ({0x1A: "IPM.Contact", 0x3001: "anna"}, "no mail"),
        ({0x1A: "IPM.Note", 0x1009: b"anna"}, "RTF alone"),
        ({0x1A: "IPM.Note", 0x1000: "-----BEGIN PGP MESSAGE-----"}, "encrypted"),
    ],
)
def test_what_is_no_mail_is_refused(properties: dict[int, object], reason: str) -> None:
    with pytest.raises(Refused, match=reason) as refused:
        walked("x.msg", compound(message(properties)))
    assert "anna" not in str(refused.value)
    assert refused.value.__context__ is None


@pytest.mark.parametrize("size", [0, 3, 600, 2048, -1, -700])
def test_damaged_files_are_refused(size: int) -> None:
    content = full()
    content = content[:size] if size else b"anna"
    with pytest.raises(Refused, match=r"not a complete message|its text|no mail"):
        walked("x.msg", content)


@pytest.mark.parametrize(("rule", "number"), [("programs", 36), ("unknown", 38), ("properties", 12), ("caches", 14)])
def test_parts_are_refused(rule: str, number: int) -> None:
    with pytest.raises(Refused, match=rf"\({rule}\)"):
        walked("x.msg", full(), rules=Rules(**{rule: "refuse"}))


def test_texts_of_eight_bits_are_read_in_their_encoding() -> None:
    storage = message({0x1A: "IPM.Note", 0x3FFD: 1252, 0x3FDE: 28591})
    storage["__properties_version1.0"] += b"\x1e\x00\x00\x10\x06\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00"
    storage["__substg1.0_1000001E"] = b"Zo\xeb"
    assert walked("x.msg", compound(storage)).texts == {"part 1, paragraph 1": "Zoë"}
