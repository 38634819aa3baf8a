"""Mailboxes: each message is a record, threads stay, and one message at a time is in memory."""

from __future__ import annotations

import mailbox as reader
import re
import tracemalloc
from io import BytesIO
from pathlib import Path

import pytest

from canaries import bird, birds, replaced
from office import strings, walked
from sfumato.documents.mail import mailbox
from sfumato.documents.rules import Refused, Visit

HEAD = "From {0}@example.org Tue Feb  3 10:00:00 2026\nFrom: {0} <{0}@example.org>\nMessage-ID: <{1}@x>\n"


def box(*names: str, body: str = "Dear {}.\n\n>From {} on.\n") -> bytes:
    return "".join(
        HEAD.format(name, number) + f"In-Reply-To: <{number - 1}@x>\nX-Foo: {name}\n\n{body.format(name, name)}\n"
        for number, name in enumerate(names)
    ).encode()


def test_each_message_is_a_record(tmp_path: Path) -> None:
    new = replaced("x.mbox", box(bird(0), bird(1), bird(2)))
    assert [slot.record for slot in new.slots] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert [slot.place for slot in new.slots if slot.record == 1] == [
        "message 2, header From", "message 2, paragraph 1", "message 2, paragraph 2",
    ]  # fmt: skip
    assert re.findall(rb"<(\d)@message", new.content) == [b"1", b"2", b"3", b"1", b"4", b"3"]
    (tmp_path / "x.mbox").write_bytes(new.content)
    read = reader.mbox(tmp_path / "x.mbox")
    assert [message.get_payload() for message in read] == [f"Dear Gone{n}.\n\n>From Gone{n} on.\n" for n in range(3)]
    read.close()
    again = walked("x.mbox", new.content)
    assert again.content == new.content
    assert again.texts == {slot.place: slot.new for slot in new.slots}


def test_lines_that_would_begin_a_message_are_quoted() -> None:
    new = walked("x.mbox", box("a", body="x\nFrom Anna\n"), {"Anna": "Bo\n\nFrom me"})
    assert new.content.count(b"\nFrom ") == 0
    assert b"\n>From Bo\n>From me" in new.content


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends(end: str) -> None:
    content = box("a", "b").replace(b"\n", end.encode())
    assert [slot.text for slot in walked("x.mbox", content).slots][1:3] == ["Dear a.", "From a on."]
    assert walked("x.mbox", b"").slots == []


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"Subject: anna\n\nanna\n", "does not begin"),
        (box("a") + b"From anna\n\nanna\n", "message 2, it does not begin with the header lines"),
        (
            box("a") + b"From anna\nSubject: x\nContent-Type: multipart/encrypted; boundary=a\n\n",
            "message 2, it is enc",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_without_its_content(content: bytes, reason: str) -> None:
    with pytest.raises(Refused, match=reason) as refused:
        walked("x.mbox", content)
    assert "anna" not in str(refused.value)
    assert refused.value.__context__ is None


def test_a_message_at_a_time_is_in_memory() -> None:
    peaks = []
    for count in (2, 12):
        file = BytesIO(box("anna", body="Dear Anna, " + "a line of text\n" * 3000) * count)
        tracemalloc.start()
        assert sum(1 for _ in mailbox.walk(file, Visit(), None)) == 2 * count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]


def test_strings_are_those_of_each_message() -> None:
    seen = strings("x.mbox", box("anna", "bo"))
    assert {each.place.partition(",")[0] for each in seen if "anna" in each.text} == {"message 1"}
    assert {each.raw for each in seen if "anna" in each.text} == {True, False}


def test_a_message_that_is_skipped_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailbox, "_BETWEEN", f"From {bird(0)}@example.org Tue Feb  3 10:00:00 2026\n".encode())
    with pytest.raises(AssertionError):
        replaced("x.mbox", box(bird(0)))
    assert birds(b"".join(mailbox.messages(BytesIO(box(bird(0)))))) == {bird(0).lower()}
