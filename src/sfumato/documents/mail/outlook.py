"""Outlook's messages (MSG), which are written as mail (EML): what mail has no place for is left out."""

from __future__ import annotations

from base64 import encodebytes
from collections.abc import Iterator
from email.message import Message
from email.parser import HeaderParser
from email.utils import format_datetime
from typing import IO, Any

from sfumato.documents.charsets import text_of
from sfumato.documents.mail.mail_headers import NOBODY, is_address, phrase
from sfumato.documents.mail.mail_parts import Mail
from sfumato.documents.mail.message import message_written, strings
from sfumato.documents.rules import Refused, Visit
from sfumato.documents.slot import Slot

_WHOLE, _INSIDE = 32, 24
"""How long the head of the properties is: of a message, and of one inside another."""
_EMBEDDED = "__substg1.0_3701000D"
_BY_VALUE, _MESSAGE, _OBJECT = 1, 5, 6
_FIELDS = {1: "To", 2: "Cc", 3: "Bcc"}
_CLASSES = ("IPM.NOTE", "IPM.SCHEDULE.MEETING", "IPM.POST", "REPORT.")


def walk(file: IO[bytes], visit: Visit, target: IO[bytes] | None) -> Iterator[Slot]:
    """Yield the texts of a message; see ``formats.Walk``. What is written is mail."""
    new = yield from message_written(_converted(file, visit), Mail(visit), "")
    if target is not None:
        target.write(new.replace(b"\n", b"\r\n"))


def _converted(file: IO[bytes], visit: Visit) -> Message:
    from oxmsg.message import Message as OutlookMessage

    try:
        storage: Any = OutlookMessage.load(file)._storage
        return _message(storage, _WHOLE, visit)
    except Refused as error:
        reason = str(error)
    except Exception:  # of two libraries, on what is damaged
        reason = "it is not a complete message of Outlook, or a damaged one; save it again, or as EML"
    raise Refused(reason)


def _message(storage: Any, head: int, visit: Visit) -> Message:
    from oxmsg.domain import constants as c
    from oxmsg.properties import Properties

    properties = Properties(storage, properties_header_offset=head)
    kind = _text(properties, c.PID_MESSAGE_CLASS).upper()
    if "SMIME" in kind:
        raise Refused("it is encrypted or signed as a whole (S/MIME); save it as your program shows it")
    if not kind.startswith(_CLASSES):
        raise Refused("it is no mail but another item of Outlook; export it in another format")
    visit.rule("properties", "properties of Outlook")
    message = HeaderParser().parsestr(_text(properties, c.PID_TRANSPORT_MESSAGE_HEADERS))
    for name in ("MIME-Version", *(name for name in message if name.lower().startswith("content-"))):
        del message[name]
    message.set_payload([])
    for name, value in _headers(properties, storage):
        if value and name not in message:
            message[name] = value
    message.add_header("Content-Type", "multipart/mixed")
    for part in (*_bodies(properties, visit), *_attachments(storage, visit)):
        message.attach(part)
    return message


def _headers(properties: Any, storage: Any) -> Iterator[tuple[str, str]]:
    from oxmsg.domain import constants as c
    from oxmsg.recipient import Recipient

    sender = _mailbox(
        _text(properties, c.PID_SENDER_NAME),
        _text(properties, c.PID_SENDER_SMTP_ADDRESS) or _text(properties, c.PID_SENDER_EMAIL_ADDRESS),
    )
    author = _mailbox(
        _text(properties, c.PID_SENT_REPRESENTING_NAME), _text(properties, c.PID_SENT_REPRESENTING_EMAIL_ADDRESS)
    )
    yield "From", author or sender
    if author and sender != author:
        yield "Sender", sender
    fields: dict[str, list[str]] = {"To": [], "Cc": [], "Bcc": []}
    for each in storage.iter_recipient_storages():
        recipient = Recipient(each)
        mailbox = _mailbox(recipient.name.strip("\0"), recipient.email_address.strip("\0"))
        fields[_FIELDS.get(recipient.properties.int_prop_value(c.PID_RECIPIENT_TYPE) or 1, "To")].append(mailbox)
    for name, mailboxes in fields.items():
        yield name, ", ".join(filter(None, mailboxes))
    yield "Subject", _text(properties, c.PID_SUBJECT)
    date = properties.date_prop_value(c.PID_CLIENT_SUBMIT_TIME) or properties.date_prop_value(
        c.PID_MESSAGE_DELIVERY_TIME
    )
    yield "Date", format_datetime(date) if date else ""
    yield "Message-ID", _text(properties, c.PID_INTERNET_MESSAGE_ID)
    yield "References", _text(properties, c.PID_INTERNET_REFERENCES)
    yield "In-Reply-To", _text(properties, c.PID_IN_REPLY_TO_ID)


def _mailbox(name: str, address: str) -> str:
    """Return a mailbox; what is an address for a server of a company alone is left out."""
    if is_address(address):
        return f"{phrase(name)} <{address}>" if name and name != address else address
    return f"{phrase(name)} <{NOBODY}>" if name else ""


def _bodies(properties: Any, visit: Visit) -> Iterator[Message]:
    from oxmsg.domain import constants as c

    text, page = _text(properties, c.PID_BODY), _text(properties, c.PID_BODY_HTML)
    if (content := properties.binary_prop_value(c.PID_HTML)) is not None:
        page = text_of(content, properties.body_encoding) or ""
    if properties.binary_prop_value(c.PID_RTF_COMPRESSED) is not None:
        if not text and not page:
            raise Refused("its text is there as RTF alone; save it as EML or as a page")
        visit.rule("caches", "text as RTF")
    parts = [_part("text/plain", text.encode("utf-8", "replace"))] if text or not page else []
    if page:
        parts.append(_part("text/html", page.encode("utf-8", "replace")))
    if len(parts) == 1:
        yield parts[0]
        return
    both = Message()
    both.add_header("Content-Type", "multipart/alternative")
    for part in parts:
        both.attach(part)
    yield both


def _attachments(storage: Any, visit: Visit) -> Iterator[Message]:
    from oxmsg.domain import constants as c
    from oxmsg.domain import model as m
    from oxmsg.properties import Properties

    for number, each in enumerate(storage.iter_attachment_storages(), 1):
        properties = Properties(each, properties_header_offset=m.ATTACH_HDR_OFFSET)
        method = properties.int_prop_value(c.PID_ATTACH_METHOD)
        content = properties.binary_prop_value(c.PID_ATTACH_DATA_BINARY) if method in (None, _BY_VALUE) else None
        inside = next((inner for inner in each.storages if inner.name.upper() == _EMBEDDED.upper()), None)
        if method == _MESSAGE and inside is not None:
            part = Message()
            part.add_header("Content-Type", "message/rfc822")
            part.set_payload([_message(inside, _INSIDE, visit)])
            yield part
        elif content is None:
            visit.rule("programs" if method == _OBJECT else "unknown", f"attachment {number}")
        else:
            part = _part(_text(properties, c.PID_ATTACH_MIME_TAG) or "application/octet-stream", content)
            name = _text(properties, c.PID_ATTACH_LONG_FILENAME) or _text(properties, c.PID_ATTACH_FILENAME)
            identifier = _text(properties, c.PID_ATTACH_CONTENT_ID)
            part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", name))
            if identifier:
                part.add_header("Content-ID", f"<{identifier.strip('<>')}>")
            yield part


def _part(kind: str, content: bytes) -> Message:
    part = Message()
    part.add_header("Content-Type", kind, **({"charset": "utf-8"} if kind.startswith("text/") else {}))
    part.add_header("Content-Transfer-Encoding", "base64")
    part.set_payload(encodebytes(content).decode("ascii"))
    return part


def _text(properties: Any, number: int) -> str:
    return (properties.str_prop_value(number) or "").rstrip("\0")


__all__ = ["strings", "walk"]
