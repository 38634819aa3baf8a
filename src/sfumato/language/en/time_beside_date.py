"""Times of day beside a date in English.

The time of day beside a date is not kept, and a public one is written in its place.
No domain holds both a day and a time of day, and a time that was kept would say more than the day. So "2019-01-11
04:30:15" and "4.30 p.m. on Tuesday" are the days, in a form with the public time 12:00. A fraction of a second is
left out, an offset from UTC becomes +00:00, and noon and midnight become 12 p.m.
"""

from __future__ import annotations

import re

from sfumato.language.patterns import FLAGS, GAP, LONGEST

_HALF = rf"(?P<half>(?:{GAP})?(?:[ap]\.m\.|[ap]m))"
_WORD = r"(?P<word>noon|midnight)"
_TIME = rf"(?P<hour>[0-9]{{1,2}})(?:(?P<sign>:|\.|(?:{GAP})?h(?:{GAP})?)(?P<minute>[0-9]{{2}}))?"
_ZONE = rf"(?P<zone>(?:{GAP})?(?:Z|UTC|GMT|(?P<offset>[+-][0-9]{{2}}:?[0-9]{{2}})))"
_AFTER = re.compile(
    rf"(?P<date>.{{3,60}}?)(?P<joint>T|,?{GAP}(?:(?P<at>at){GAP})?)"
    rf"(?:{_TIME}(?::(?P<second>[0-9]{{2}})(?:[.,][0-9]{{1,9}})?)?{_HALF}?{_ZONE}?|{_WORD})",
    FLAGS | re.DOTALL,
)
_BEFORE = re.compile(
    rf"(?P<lead>(?:at{GAP})?)(?:{_TIME}{_HALF}?|{_WORD})(?P<joint>,?{GAP}(?:on{GAP})?)(?P<date>.{{3,60}})",
    FLAGS | re.DOTALL,
)


def parted(text: str) -> tuple[str, str, str] | None:
    """Return what is written before the date in ``text``, the date, and what is after it; None without a time.

    What is before and after holds the public time in the place of the one that was there.
    """
    if len(text) > LONGEST:
        return None
    after = _AFTER.fullmatch(text)
    if after is not None and _is_time(after, after["at"] is not None):
        second, offset = ":00" if after["second"] else "", after["offset"] or "+00:00"
        zone = (after["zone"] or "").replace(offset, "+00:00")
        return "", after["date"], f"{after['joint']}{_public(after, second)}{zone}"
    before = _BEFORE.fullmatch(text)
    if before is not None and _is_time(before, False):
        return f"{before['lead']}{_public(before)}{before['joint']}", before["date"], ""
    return None


def _is_time(match: re.Match[str], is_sure: bool) -> bool:
    """Return whether there is such a time; a bare hour, or one with a stop, is one only if it ``is_sure``."""
    if match["word"]:
        return True
    if int(match["hour"]) > 23 or int(match["minute"] or 0) > 59 or int(match.groupdict().get("second") or 0) > 59:
        return False
    return is_sure or match["half"] is not None or match["sign"] not in (None, ".")


def _public(match: re.Match[str], second: str = "") -> str:
    """Return the public time in the way of the one that ``match`` has."""
    if match["word"]:  # a word would say that the time was one of the two that have one
        return "12 p.m."
    half = (match["half"] or "").replace("a", "p").replace("A", "P")
    return f"12{match['sign']}00{second}{half}" if match["minute"] else f"12{half}"
