"""Server-sent events, a byte at a time if need be."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from sfumato.errors import InputError

_MOST = 16 << 20
_NAME = re.compile(r"[\w.-]{0,100}", re.ASCII)
DONE = "[DONE]"


class Event(NamedTuple):
    """One event: its name, empty without one, and its data."""

    name: str
    data: str

    @property
    def content(self) -> Any:
        """Return the JSON of the data. Raise InputError."""
        try:
            return json.loads(self.data)
        except (ValueError, RecursionError):
            raise InputError("An event of the upstream is no JSON.") from None

    def encoded(self) -> bytes:
        """Return the event as it is sent."""
        head = f"event: {self.name}\n" if self.name else ""
        return f"{head}data: {self.data}\n\n".encode("utf-8", "backslashreplace")

    def saying(self, content: Any) -> Event:
        """Return the event with other content."""
        return Event(self.name, json.dumps(content, ensure_ascii=False, separators=(",", ":")))


class Reader:
    """Reads events from bytes. What is no event of a known form raises InputError."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._pieces, self._name, self._data = list[str](), "", list[str]()
        self._size = 0

    def feed(self, data: bytes) -> Iterator[Event]:
        """Yield the events that end in ``data``."""
        try:
            self._pieces.append(self._decoder.decode(data))
        except UnicodeDecodeError:
            raise InputError("The upstream sent bytes that are no UTF-8.") from None
        self._size += len(data)
        if self._size > _MOST:
            raise InputError("An event of the upstream is too large.")
        if "\n" not in self._pieces[-1]:
            return
        *lines, rest = "".join(self._pieces).split("\n")
        self._pieces = [rest]
        for line in lines:
            yield from self._line(line.removesuffix("\r"))

    def _line(self, line: str) -> Iterator[Event]:
        if not line:
            if self._data:
                yield Event(self._name, "\n".join(self._data))
            self._name, self._data, self._size = "", [], 0
            return
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            if not _NAME.fullmatch(value):
                raise InputError("The upstream sent an event without a plain name.")
            self._name = value
        elif name == "data":
            self._data.append(value)
        elif name and name not in ("id", "retry"):
            raise InputError("The upstream sent a line that is no event.")

    def end(self) -> None:
        """Raise InputError if the stream ended inside an event."""
        if "".join(self._pieces).strip() or self._data:
            raise InputError("The upstream ended in the middle of an event.")
