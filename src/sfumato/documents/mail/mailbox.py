"""Mailboxes (MBOX): each message is a record; one at a time is in memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

from sfumato.documents.formats import Seen
from sfumato.documents.mail.mail_headers import Threads
from sfumato.documents.mail.mail_parts import Mail
from sfumato.documents.mail.mail_strings import mail_strings
from sfumato.documents.mail.message import message_written, parsed
from sfumato.documents.rules import Refused, Visit
from sfumato.documents.slot import Slot

_BETWEEN = b"From MAILER-DAEMON Thu Jan  1 00:00:00 1970\n"
_QUOTED = re.compile(rb"^>(>*From )", re.MULTILINE)
_TO_QUOTE = re.compile(rb"^(>*From )", re.MULTILINE)


def walk(file: IO[bytes], visit: Visit, target: IO[bytes] | None) -> Iterator[Slot]:
    """Yield the texts of each message of a mailbox; see ``formats.Walk``."""
    threads = Threads()
    for number, content in enumerate(messages(file)):
        place, reason = f"message {number + 1}", ""
        try:
            texts = message_written(parsed(content), Mail(visit, threads), f"{place}, ")
            while True:
                try:
                    slot = next(texts)
                except StopIteration as end:
                    written: bytes = end.value
                    break
                slot.record = number
                yield slot
        except Refused as error:
            reason = str(error)
        if reason:
            raise Refused(reason if reason.startswith(place) else f"{place}, {reason}")
        if target is not None:
            target.write(_BETWEEN + _TO_QUOTE.sub(rb">\1", written).rstrip(b"\n") + b"\n\n")


def messages(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the messages of a mailbox. One begins at a line "From ..." after an empty line. Raise Refused."""
    lines, empty = list[bytes](), True
    for number, line in enumerate(file):
        if line.startswith(b"From ") and empty:
            if lines:
                yield _QUOTED.sub(rb"\1", b"".join(lines))
            lines = []
        elif not number and line.strip():
            raise Refused('it does not begin with a line "From ..." as a mailbox does; export it again')
        else:
            lines.append(line)
        empty = not line.strip(b"\r\n")
    if lines:
        yield _QUOTED.sub(rb"\1", b"".join(lines))


def strings(file: IO[bytes]) -> Iterator[Seen]:
    """Yield the strings of each message of a mailbox; see ``mail.strings``."""
    for number, content in enumerate(messages(file), 1):
        for each in mail_strings(content):
            yield Seen(f"message {number}, {each.place}", each.text, each.raw)
