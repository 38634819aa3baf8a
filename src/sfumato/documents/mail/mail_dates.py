"""Dates of header lines. They are English in every mail, so they are read in ISO 8601, which every language knows."""

from __future__ import annotations

import re
from collections.abc import Generator
from datetime import datetime
from email.utils import format_datetime, parsedate_to_datetime

from sfumato.documents.mail.mail_headers import as_it_was, header_line, is_plain, text_header
from sfumato.documents.slot import Slot

_DATE = re.compile(
    r"(?P<before>(?:.*;\s*)?)"  # of Received
    r"(?P<date>(?:[A-Z]{3},\s*)?[0-9]{1,2}\s+[A-Z]{3}\s+[0-9]{4}"
    r"\s+[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\s+(?:[+-][0-9]{4}|[A-Z]{1,3}))?)"
    r"(?P<comment>(?:\s*\([^()]*\))?)",
    re.IGNORECASE | re.ASCII,
)
_ISO = re.compile(r"(?P<before>(?:.*;\s*)?)(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})(?P<time>(?:T[0-9:+-]+)?)", re.ASCII)
_NOON = "T12:00:00+00:00"


def date_header(name: str, raw: str, text: str, place: str) -> Generator[Slot, None, bytes]:
    """Yield the ``text`` of a header in ISO 8601; return its line. One that becomes no date is left out.

    A header that holds no date of a mail is a text. A comment behind a date, which names its zone, is left out.
    """
    match = _DATE.fullmatch(text)
    date = _read(match["date"]) if match else None
    if match is None or date is None:
        return (yield from text_header(name, raw, text, place))
    slot = Slot(match["before"] + date.isoformat(), place, lead=f"{name}: ")
    yield slot
    if slot.new == slot.text and is_plain(raw) and not match["comment"]:
        return as_it_was(name, raw)
    new = _written(slot.new)
    return header_line(name, new) if new else b""


def _read(date: str) -> datetime | None:
    try:
        return parsedate_to_datetime(date)
    except (ValueError, OverflowError):  # the 31st of February
        return None


def _written(text: str) -> str:
    """Return ``text`` with its date as mail writes it; nothing if it ends in no date. A day alone gets noon."""
    match = _ISO.fullmatch(text)
    try:
        date = datetime.fromisoformat(match["day"] + (match["time"] or _NOON)) if match else None
        return match["before"] + format_datetime(date) if match and date else ""
    except (ValueError, OverflowError):
        return ""
