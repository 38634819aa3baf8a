"""What a first look at documents has read is not read again, and never of a file that changed."""

from __future__ import annotations

from sfumato.documents.slot import Slot
from sfumato.files.read_before import ReadBefore, Records

Key = tuple[str, int]


def record(texts: int) -> Records:
    return [(0, [Slot("text", f"line {number}") for number in range(texts)])]


def test_a_file_is_read_once_for_two_that_ask_and_again_for_a_third() -> None:
    read, before = list[Key](), ReadBefore()

    def reading(key: Key) -> Records | None:
        def noted() -> Records:
            read.append(key)
            return record(1)

        return before.records(key, noted)

    assert reading(("a", 1)) is reading(("a", 1))
    assert read == [("a", 1)]
    reading(("a", 2))
    assert read == [("a", 1), ("a", 2)], "it changed"
    reading(("a", 1))
    assert len(read) == 3


def test_no_more_is_held_than_there_is_room_for() -> None:
    before = ReadBefore(_room=3)
    for name, texts in (("a", 2), ("b", 2), ("c", 1)):
        before.records(name, lambda texts=texts: record(texts))
    assert before.records("b", lambda: None) is None, "there was no room for it"
    assert before.records("a", lambda: None) is not None
    assert before.records("c", lambda: None) is not None


def test_of_a_file_that_is_too_long_it_is_known_that_it_was_read() -> None:
    before = ReadBefore()
    assert before.records("a", lambda: None) is None
    assert before.records("a", lambda: record(1)) is None
