"""The strings of a mail, for the search of what was marked: read by another parser, and taken from the source."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from contextlib import suppress
from email import policy
from email.message import Message
from email.parser import BytesParser
from io import BytesIO

from sfumato.documents.formats import Seen, format_of
from sfumato.documents.mail.mail_headers import packed_in
from sfumato.documents.mail.mail_parts import named_as
from sfumato.documents.web.html_strings import page_strings

_LINE = re.compile(rb"^--[^\n]*\n", re.MULTILINE)
_OWN = re.compile(rb"(?:Content-(?:Type|Transfer-Encoding)|MIME-Version): [^\n]*\Z", re.IGNORECASE)
_NAME = re.compile(rb"[A-Za-z-]+: ?")


def mail_strings(content: bytes) -> Iterator[Seen]:
    """Yield every string of a mail."""
    message = BytesParser(policy=policy.compat32).parsebytes(content)
    for number, part in enumerate(message.walk(), 1):
        for name, value in part.raw_items():
            if name.lower() not in ("content-type", "content-transfer-encoding", "mime-version"):
                yield Seen(f"part {number}, header", read := _read(name, str(value)))
                for packed in packed_in(read):
                    yield Seen(f"part {number}, header", packed.decode("utf-8", "replace"), raw=True)
        for _, value in (part.get_params([]) or [])[1:]:
            yield Seen(f"part {number}, kind", "".join(filter(None, value)))
        if not part.is_multipart():
            yield from _part_strings(part, number)
    yield from _raw(content.replace(b"\r\n", b"\n"))


def _read(name: str, value: str) -> str:
    """Return a header as the parser of structured headers reads it: the walk decodes them by an older one."""
    if "=?" not in value and "''" not in value:
        return value
    try:
        return str(policy.default.header_factory(name, "".join(value.splitlines())))
    except Exception:  # of the parser, on what another one can read
        return value


def _part_strings(part: Message, number: int) -> Iterator[Seen]:
    kind, content = part.get_content_type(), part.get_payload(decode=True)
    content = content if isinstance(content, bytes) else b""
    form = format_of(named_as(part.get_filename("") or "", kind))
    if form is None:
        yield Seen(f"part {number}", content.decode("utf-8", "replace"))
        return
    seen = page_strings(content.decode("utf-8", "replace")) if form.name == "html" else form.strings(BytesIO(content))
    for each in seen:
        yield Seen(f"part {number}, {each.place}", each.text, each.raw)


def _raw(source: bytes) -> Iterator[Seen]:
    """Yield what lies between the lines that divide a mail, by no parser's rules."""
    for number, piece in enumerate(_LINE.split(source), 1):
        head, _, body = piece.partition(b"\n\n")
        for line in head.split(b"\n"):
            if not _OWN.match(line):
                yield Seen(
                    f"source {number}, head", _NAME.sub(b"", line, count=1).decode("utf-8", "replace"), raw=True
                )
        lower = head.lower()
        if b"base64" in lower:
            with suppress(binascii.Error):
                body = binascii.a2b_base64(b"".join(body.split()))
            yield Seen(f"source {number}, wide", body.decode("utf-16-le", "replace"), raw=True)
        if b"quoted-printable" in lower:
            body = binascii.a2b_qp(body)
        text = body.decode("utf-8", "replace")
        if b"text/html" not in lower:
            yield Seen(f"source {number}", text, raw=True)
