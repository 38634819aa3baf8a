"""The parts of a mail: texts, pages, attachments and messages inside it, each treated and written again."""

from __future__ import annotations

import binascii
import re
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email.errors import InvalidMultipartContentTransferEncodingDefect
from email.message import Message
from functools import cache
from itertools import count
from mimetypes import MimeTypes

from sfumato.documents.charsets import text_of
from sfumato.documents.formats import ending_of, format_of, nested
from sfumato.documents.mail.mail_headers import Threads, decoded, header_line
from sfumato.documents.mail.mail_text import treated_text
from sfumato.documents.names import treated
from sfumato.documents.rules import DROP, KEEP, Refused, Visit
from sfumato.documents.slot import Slot
from sfumato.documents.web.html import rewritten

_SHOWN = ("alternative", "digest", "mixed", "parallel", "related")
_FIELDS = ("message/delivery-status", "message/disposition-notification", "message/feedback-report")
_TEXTS = ("text/plain", "text/csv", "text/markdown", "text/tab-separated-values", *_FIELDS)
_MESSAGES = ("message/rfc822", "message/global", "message/news")
_LOCKED = ("multipart/encrypted", "application/pgp-encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")
_ENCODINGS = ("", "7bit", "8bit", "binary", "quoted-printable", "base64", "uuencode", "x-uuencode", "uue", "x-uue")
_SUFFIXES = {
    "application/pdf": ".pdf", "text/html": ".html", "text/vtt": ".vtt", "application/x-subrip": ".srt",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/zip": ".zip", "application/x-zip-compressed": ".zip", "application/vnd.ms-outlook": ".msg",
    "application/mbox": ".mbox", "application/fhir+json": ".fhir.json",
}  # fmt: skip


@dataclass(slots=True)
class Mail:
    """What the parts of one message share. PRIVATE.

    Attributes:
        visit: The rules.
        threads: The numbers of messages.
        contents: What the ids of its parts become.
        boundaries: The numbers of the lines that divide its parts, and those of messages inside it.
    """

    visit: Visit
    threads: Threads = field(default_factory=Threads, repr=False)
    contents: dict[str, str] = field(default_factory=dict, repr=False)
    boundaries: Iterator[int] = field(default_factory=lambda: count(1), repr=False)


@dataclass(slots=True)
class Written:
    """A part that was written: its kind and other header lines, and what is in it. PRIVATE."""

    kind: str
    content: bytes = field(repr=False)
    encoding: str = "7bit"
    lines: bytes = field(default=b"", repr=False)

    @property
    def whole(self) -> bytes:
        """Return the header lines of the part, an empty line and what is in it."""
        lines = f"Content-Type: {self.kind}\nContent-Transfer-Encoding: {self.encoding}\n".encode()
        return lines + self.lines + b"\n" + self.content


def identify(message: Message, mail: Mail) -> None:
    """Number the ids of the parts of ``message``, by which its pages show them."""
    for part in message.walk():
        identifier = str(part.get("Content-ID", "")).strip().strip("<>")
        if identifier:
            mail.contents.setdefault(identifier, f"{len(mail.contents) + 1}@part.invalid")


def part_written(part: Message, mail: Mail, within: str) -> Generator[Slot, None, Written | None]:
    """Yield the texts of a part; return it with their edits, or None if it is dropped. Raise Refused."""
    kind = part.get_content_type()
    if kind in _LOCKED or _name(part).lower().endswith((".p7m", ".pgp", ".gpg", ".rpmsg")):
        raise Refused(f"{within}it is encrypted, or signed as a whole; save it as your program shows it")
    if any(not isinstance(each, InvalidMultipartContentTransferEncodingDefect) for each in part.defects):
        raise Refused(
            f"{within}programs tell its parts apart in different ways, or its end is missing; export it again"
        )
    if kind in _SIGNATURES:
        return None if mail.visit.rule("properties", f"{within}signature") != KEEP else _kept(part, kind)
    if str(part.get("Content-Transfer-Encoding", "")).strip().lower() not in _ENCODINGS:
        return None if mail.visit.rule("unknown", f"{within}encoding") != KEEP else _kept(part, kind)
    if kind.startswith("multipart/"):
        return (yield from _several(part, kind, mail, within))
    written = yield from _single(part, kind, mail, within)
    if written is not None:
        written.lines = yield from _lines(part, mail, within)
    return written


def _several(part: Message, kind: str, mail: Mail, within: str) -> Generator[Slot, None, Written | None]:
    children = part.get_payload()
    if not isinstance(children, list):
        raise Refused(f"{within}its parts cannot be told apart; export it again")
    for text in filter(None, (part.preamble, part.epilogue)):
        if text.strip() and not text.strip().startswith("This is a multi"):
            mail.visit.rule("unknown", f"{within}beside the parts")
    boundary = f"=_part_{next(mail.boundaries)}_"
    written = list[Written]()
    for child in children:
        if not isinstance(child, Message):
            continue
        new = yield from part_written(child, mail, f"{within}part {len(written) + 1}, ")
        if new is not None:
            written.append(new)
    if not written:
        return None
    line = f"--{boundary}".encode()
    content = b"".join(line + b"\n" + each.whole + b"\n" for each in written) + line + b"--\n"
    if content.count(b"\n" + line) != len(written):
        raise Refused(f"{within}it holds a line that would divide it; change that line")
    subtype = kind.partition("/")[2]
    return Written(f'multipart/{subtype if subtype in _SHOWN else "mixed"}; boundary="{boundary}"', content)


def _single(part: Message, kind: str, mail: Mail, within: str) -> Generator[Slot, None, Written | None]:
    visit, name = mail.visit, _name(part)
    known = format_of(name)
    named = known is not None or (part.get_content_disposition() == "attachment" and kind != "text/html")
    if kind in _MESSAGES:
        return (yield from _message(part, mail, within))
    if kind in _TEXTS and known is None:
        if named and (action := visit.rule("attachments", f"{within}text")) in (DROP, KEEP):
            return None if action == DROP else _kept(part, kind)
        return (yield from _text(part, kind, mail, within))
    if kind == "text/html" and (known is None or known.name == "html"):
        return (yield from _page(part, mail, within))
    if known is None and kind.partition("/")[0] in ("image", "audio", "video"):
        return None if visit.rule("images", f"{within}picture") != KEEP else _kept(part, kind)
    return (yield from _attachment(part, kind, name, mail, within))


def _text(part: Message, kind: str, mail: Mail, within: str) -> Generator[Slot, None, Written | None]:
    text = _fields(part) if part.is_multipart() else text_of(_bytes(part), _charset(part))
    if text is None:
        return None if mail.visit.rule("unknown", f"{within}text") != KEEP else _kept(part, kind)
    flowed = str(part.get_param("format", "")).lower() == "flowed"
    joined = flowed and str(part.get_param("delsp", "")).lower() == "yes"
    new = yield from treated_text(text, mail.visit, within, flowed=flowed, joined=joined)
    about = ("; format=flowed" if flowed else "") + ("; delsp=yes" if joined else "")
    kind = kind if kind.startswith("text/") else "text/plain"
    return Written(f"{kind}; charset=utf-8{about}", *_encoded(new))


def _fields(part: Message) -> str:
    """Return what a report for programs says, which is parsed as messages without texts."""
    blocks = [each for each in part.walk() if each is not part]
    text = "\n\n".join("\n".join(f"{name}: {value}" for name, value in each.raw_items()) for each in blocks)
    return text_of(text.encode("utf-8", "surrogateescape"), "") or ""


def _page(part: Message, mail: Mail, within: str) -> Generator[Slot, None, Written | None]:
    text = text_of(_bytes(part), _charset(part))
    if text is None:
        return None if mail.visit.rule("unknown", f"{within}page") != KEEP else _kept(part, "text/html")
    page = rewritten(text.replace("\0", ""), mail.visit, mail.contents, "utf-8", f"{within}page, ")
    return Written("text/html; charset=utf-8", *_encoded((yield from page).replace("\r\n", "\n")))


def _message(part: Message, mail: Mail, within: str) -> Generator[Slot, None, Written | None]:
    from sfumato.documents.mail.message import message_written, parsed

    if (action := mail.visit.rule("attachments", f"{within}message")) in (DROP, KEEP):
        return None if action == DROP else _kept(part, "message/rfc822")
    children = part.get_payload()
    message = children[0] if isinstance(children, list) and children else None
    if not isinstance(message, Message):
        raise Refused(f"{within}the message inside cannot be read; export it again")
    encoding = str(part.get("Content-Transfer-Encoding", "")).strip().lower()
    if encoding in ("base64", "quoted-printable"):  # which is not allowed, and some programs do it
        message = parsed(_unpacked(message.as_bytes(), encoding))
    inside = Mail(mail.visit.inside(f"{within}message"), mail.threads, boundaries=mail.boundaries)
    return Written("message/rfc822", (yield from message_written(message, inside, f"{within}message, ")))


def _unpacked(content: bytes, encoding: str) -> bytes:
    if encoding == "quoted-printable":
        return binascii.a2b_qp(content)
    with suppress(binascii.Error):
        return binascii.a2b_base64(content)
    return b""


def _attachment(
    part: Message, kind: str, name: str, mail: Mail, within: str
) -> Generator[Slot, None, Written | None]:
    form = format_of(named_as(name, kind))
    if (action := mail.visit.rule("attachments", f"{within}file")) in (DROP, KEEP):
        return None if action == DROP else _kept(part, kind)
    content = yield from nested(named_as(name, kind), _bytes(part), mail.visit, f"{within}file")
    if content is None:
        return None
    written = _bytes_written(content, kind)
    if form is not None and form.suffix:
        written.kind = "application/octet-stream"
    return written


def named_as(name: str, kind: str) -> str:
    """Return a name whose suffix says the format of a part, by its own ``name`` or else by its ``kind``."""
    return name if format_of(name) else f"attachment{_SUFFIXES.get(kind, '')}"


def _lines(part: Message, mail: Mail, within: str) -> Generator[Slot, None, bytes]:
    """Yield the name and description of a part; return the lines that say them."""
    lines, disposition, name = b"", part.get_content_disposition(), _name(part)
    if name:
        name = yield from _named(name, mail, within)
    if disposition in ("attachment", "inline") or name:
        disposition = disposition if disposition in ("attachment", "inline") else "attachment"
        message = Message()
        message.add_header(
            "Content-Disposition", disposition, **({"filename": name} if name and name.isascii() else {})
        )
        if name and not name.isascii():
            message.set_param("filename", name, "Content-Disposition", charset="utf-8")
        lines += f"Content-Disposition: {message['Content-Disposition']}\n".encode()
    if identifier := mail.contents.get(str(part.get("Content-ID", "")).strip().strip("<>")):
        lines += f"Content-ID: <{identifier}>\n".encode()
    if description := decoded(str(part.get("Content-Description", ""))):
        new = yield from treated(
            mail.visit, "descriptions", description, f"{within}description", lead="Content-Description: "
        )
        lines += header_line("Content-Description", new) if new else b""
    return lines


def _named(name: str, mail: Mail, within: str) -> Generator[Slot, None, str]:
    form, suffix = format_of(name), ending_of(name)
    new = yield from treated(mail.visit, "names", name, f"{within}name")
    if new != name:
        number = re.sub(r"\D+", "-", within).strip("-")
        name = f"attachment-{number}{suffix}" if number else f"attachment{suffix}"
    return name.removesuffix(suffix) + form.suffix if form is not None and form.suffix else name


def _name(part: Message) -> str:
    try:
        name = part.get_filename("")
    except Exception:  # of the parser, on what it cannot read
        name = ""
    return (decoded(name) or "").replace("\\", "/").rpartition("/")[2]


def _charset(part: Message) -> str:
    charset = part.get_param("charset", "")
    return charset[2] if isinstance(charset, tuple) else str(charset)


def _bytes(part: Message) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _kept(part: Message, kind: str) -> Written:
    if part.is_multipart():
        return Written(kind, b"\n".join(each.as_bytes() for each in part.get_payload() if isinstance(each, Message)))
    return _bytes_written(_bytes(part), kind)


def _bytes_written(content: bytes, kind: str) -> Written:
    encoded = binascii.b2a_base64(content, newline=False)
    lines = b"\n".join(encoded[start : start + 76] for start in range(0, len(encoded), 76))
    return Written(kind if kind in _kinds() else "application/octet-stream", lines + b"\n", "base64")


@cache
def _kinds() -> frozenset[str]:
    """Return the kinds of content that are known; another one could be named after a person."""
    known = MimeTypes()
    return frozenset(_SUFFIXES).union(*(table.values() for table in known.types_map))


def _encoded(text: str) -> tuple[bytes, str]:
    """Return a text as it travels, and how it is encoded for that."""
    content = text.encode("utf-8", "replace")
    if not text.isascii() or any(len(line) > 990 for line in text.split("\n")):
        return binascii.b2a_qp(content, istext=True, quotetabs=False), "quoted-printable"
    return content, "7bit"
