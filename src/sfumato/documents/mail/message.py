"""Mail (EML): header lines, every alternative of its text, and attachments, each by its own format."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from email import policy
from email.message import Message
from email.parser import BytesParser
from typing import IO

from sfumato.documents.formats import Seen
from sfumato.documents.mail.mail_dates import date_header
from sfumato.documents.mail.mail_headers import Threads, address_header, decoded, header_line, packed_in, text_header
from sfumato.documents.mail.mail_parts import Mail, Written, identify, part_written
from sfumato.documents.mail.mail_strings import mail_strings
from sfumato.documents.rules import DROP, KEEP, Refused, Visit
from sfumato.documents.slot import Slot

_ADDRESSES = (
    "From",
    "To",
    "Cc",
    "Bcc",
    "Reply-To",
    "Sender",
    "Delivered-To",
    "Resent-From",
    "Resent-To",
    "Resent-Cc",
)
_TEXTS = ("Subject",)
_DATES = ("Date", "Resent-Date")
_IDENTIFIERS = ("Message-ID", "References", "In-Reply-To", "Resent-Message-ID")
_KNOWN = {name.lower(): name for name in (*_ADDRESSES, *_TEXTS, *_DATES, *_IDENTIFIERS)}
_NAME = re.compile(r"[A-Za-z0-9-]{1,60}")


def walk(file: IO[bytes], visit: Visit, target: IO[bytes] | None) -> Iterator[Slot]:
    """Yield the texts of a mail; see ``formats.Walk``."""
    content = file.read()
    new = yield from message_written(parsed(content), Mail(visit), "")
    if target is not None:
        target.write(new.replace(b"\n", b"\r\n") if b"\r\n" in content[:2000] else new)


def parsed(content: bytes) -> Message:
    """Return the message in ``content``. Raise Refused if it holds no message."""
    try:
        message = BytesParser(policy=policy.compat32).parsebytes(content.removeprefix(b"\xef\xbb\xbf"))
    except Exception:  # of the parser, on what nests too deep
        message = Message()
    if not message.keys():
        raise Refused("it does not begin with the header lines of a mail; export it again")
    return message


def message_written(message: Message, mail: Mail, within: str) -> Generator[Slot, None, bytes]:
    """Yield the texts of a message; return it with their edits. Raise Refused."""
    if not message.keys():
        raise Refused(f"{within}the message inside has no header lines; export it again")
    identify(message, mail)
    lines, seen = list[bytes](), dict[str, int]()
    for raw_name, raw in message.raw_items():
        name = _KNOWN.get(raw_name.lower(), "")
        seen[name] = seen.get(name, 0) + 1
        place = f"{within}header {name}{f' {seen[name]}' if seen[name] > 1 else ''}"
        if name:
            lines.append((yield from _header(name, str(raw), mail, place)))
        elif not raw_name.lower().startswith("content-") and raw_name.lower() != "mime-version":
            number = len(lines)
            lines.append((yield from _other(raw_name, str(raw), mail, f"{within}header line {number + 1}")))
    written = yield from part_written(message, mail, within)
    written = written or Written("text/plain; charset=utf-8", b"\n")
    return b"".join(lines) + b"MIME-Version: 1.0\n" + written.whole


def _header(name: str, raw: str, mail: Mail, place: str) -> Generator[Slot, None, bytes]:
    if name in _IDENTIFIERS:
        numbers = mail.threads.numbered(raw)
        return f"{name}: {numbers}\n".encode().replace(b"> <", b">\n <") if numbers else b""
    text = decoded(raw)
    if text is None:
        if mail.visit.rule("unknown", place) == KEEP:
            return header_line(name, raw.encode("utf-8", "surrogateescape").decode("utf-8", "replace"))
        return b""
    written = address_header if name in _ADDRESSES else date_header if name in _DATES else text_header
    return (yield from written(name, raw, text, place))


def _other(name: str, raw: str, mail: Mail, place: str) -> Generator[Slot, None, bytes]:
    """Treat a header that programs wrote for programs: a property of the mail."""
    action = mail.visit.rule("properties", place)
    text = decoded(raw)
    if action == DROP or text is None or not _NAME.fullmatch(name):
        return b""
    if action == KEEP:
        return header_line(name, text)
    if packed_in(text):  # a Thread-Index holds the time of the first message
        return header_line(name, text) if mail.visit.rule("unknown", place) == KEEP else b""
    return (yield from date_header(name, raw, text, place))


def strings(file: IO[bytes]) -> Iterator[Seen]:
    """Yield the strings of a mail as another reader decodes it, and those in its source."""
    yield from mail_strings(file.read())


__all__ = ["Threads", "message_written", "parsed", "strings", "walk"]
