"""Dates and times of HL7 v2, as a person reads them and as a file holds them."""

from __future__ import annotations

import re
from datetime import date

_MOMENT = re.compile(
    r"(?P<year>\d{4})(?P<month>\d\d)?(?P<day>(?<=\d{6})\d\d)?(?P<hour>(?<=\d{8})\d\d)?(?P<minute>(?<=\d{10})\d\d)?"
    r"(?P<second>(?<=\d{12})\d\d)?(?P<part>\.\d{1,6})?(?P<zone>[+-]\d{4})?"
)
_HOURS = re.compile(r"(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)?(?P<part>\.\d{1,6})?(?P<zone>[+-]\d{4})?")
_TIME_READ = r"(?P<hour>\d\d):(?P<minute>\d\d)(:(?P<second>\d\d)(?P<part>\.\d{1,6})?)?"
_ZONE_READ = r"( ?(?P<zone>[+-]\d\d:?\d\d))?"
_MOMENT_READ = re.compile(rf"(?P<year>\d{{4}})(-(?P<month>\d\d)(-(?P<day>\d\d)([ T]{_TIME_READ})?)?)?{_ZONE_READ}")
_HOURS_READ = re.compile(rf"{_TIME_READ}{_ZONE_READ}")
_ORDER = ("year", "month", "day", "hour", "minute", "second", "part", "zone")


def read_moment(raw: str, is_time: bool) -> str:
    """Return a date or a time as a person reads it; "" for anything else."""
    found = (_HOURS if is_time else _MOMENT).fullmatch(raw)
    if found is None:
        return ""
    parts = found.groupdict()
    text = "-".join(parts[name] for name in _ORDER[:3] if parts.get(name))
    if parts.get("hour"):
        clock = f"{parts['hour']}:{parts['minute'] or '00'}" + (f":{parts['second']}" if parts["second"] else "")
        text = f"{text} {clock}{parts['part'] or ''}".strip()
    return f"{text} {parts['zone']}" if parts["zone"] else text


def write_moment(text: str, raw: str, is_time: bool) -> str:
    """Return a date or a time ``text`` as a file holds it, no finer than ``raw`` was; "" for anything else."""
    found = (_HOURS_READ if is_time else _MOMENT_READ).fullmatch(text.strip())
    before = (_HOURS if is_time else _MOMENT).fullmatch(raw)
    if found is None or before is None or not _is_moment(found.groupdict()):
        return ""
    new, old = found.groupdict(), before.groupdict()
    digits = "".join((new.get(name) or "") for name in _ORDER[:-1] if old.get(name))
    return digits + ((new["zone"] or "").replace(":", "") if old["zone"] else "")


def _is_moment(parts: dict[str, str | None]) -> bool:
    year, month, day, hour, minute, second = (int(parts.get(name) or 0) for name in _ORDER[:6])
    try:
        date(year or 2000, month or 1, day or 1)
    except ValueError:
        return False
    return hour < 24 and minute < 60 and second < 61
