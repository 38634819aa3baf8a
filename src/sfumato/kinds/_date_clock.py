"""The time of day after a date: it is not kept, and a public one is written in its place.

No domain holds both a day and a time of day, and a time that was kept would say more than the day. So "2019-01-11
04:30:15" is the day, in a form with the public time 12:00:00. A fraction of a second is left out, and an offset from
UTC becomes +00:00.
"""

from __future__ import annotations

import re

from sfumato.kinds.patterns import FLAGS, GAP, matched

_CLOCK = re.compile(
    rf"(?P<date>.{{4,60}}?)(?P<sign>T|,?{GAP}(?:at{GAP})?)"
    r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,][0-9]{1,9})?)?"
    rf"(?P<half>(?:{GAP})?(?:[ap]\.m\.|[ap]m))?(?P<zone>(?:{GAP})?(?:Z|UTC|GMT|(?P<offset>[+-][0-9]{{2}}:?[0-9]{{2}})))?",
    FLAGS | re.DOTALL,
)


def parted(text: str) -> tuple[str, str] | None:
    """Return the date that ``text`` begins with and the public text in the place of its time; None without a time."""
    match = matched(text, (_CLOCK,))
    if match is None or int(match["hour"]) > 23 or int(match["minute"]) > 59 or int(match["second"] or 0) > 59:
        return None
    half = (match["half"] or "").replace("a", "p").replace("A", "P")
    zone = (match["zone"] or "").replace(match["offset"] or "+00:00", "+00:00")
    return match["date"], f"{match['sign']}12:00{':00' if match['second'] else ''}{half}{zone}"
