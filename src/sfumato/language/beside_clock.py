"""Times of day beside a date: a public time is written in the place of the one that was there.

No domain holds both a day and a time of day, and a time that was kept would say more than the day. A fraction of a
second is left out, an offset from UTC becomes +00:00, and words such as noon become twelve o'clock.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sfumato.language.accents import any_accents
from sfumato.language.patterns import FLAGS, GAP, LONGEST, any_phrase

Parted = Callable[[str], tuple[str, str, str] | None]


def parting(at: str, hours: str, words: str, noon: str, joints: str = "", halves: str = "") -> Parted:
    """Return what cuts a time of day from the text of a date.

    ``at`` are phrases before a time ("à|vers"), ``hours`` words behind one ("h|heures"), ``words`` whole phrases that
    are times ("à midi"), and ``noon`` is the public time in the place of one of these. ``joints`` are words between a
    time and a date behind it. ``halves`` are words for a half of the day behind a time ("p. m.|a. m."), the public
    one first. Bars part them.
    """
    time = (
        rf"(?:(?P<at>{_phrases(at)}){GAP})?(?P<hour>[0-9]{{1,2}})"
        rf"(?:(?P<sign>:|\.|(?:{GAP})?h(?:{GAP})?)(?P<minute>[0-9]{{2}}))?"
        rf"(?::(?P<second>[0-9]{{2}})(?:[.,][0-9]{{1,9}})?)?(?P<unit>(?:{GAP})?{_phrases(hours)}(?![a-z]))?"
        rf"(?P<half>(?:{GAP})?{_phrases(halves)})?"
        rf"(?P<zone>(?:{GAP})?(?:Z|UTC|GMT|(?P<offset>[+-][0-9]{{2}}:?[0-9]{{2}})))?|(?P<word>{_phrases(words)})"
    )
    half = halves.partition("|")[0]
    between = rf"(?:{_phrases(joints)}{GAP})?" if joints else ""
    after = re.compile(rf"(?P<date>.{{3,60}}?)(?P<joint>T|,?{GAP})(?:{time})", FLAGS | re.DOTALL)
    before = re.compile(rf"(?:{time})(?P<joint>,?{GAP}{between})(?P<date>.{{3,60}})", FLAGS | re.DOTALL)

    def parted(text: str) -> tuple[str, str, str] | None:
        if len(text) > LONGEST:
            return None
        match = after.fullmatch(text)
        if match is not None and _is_time(match):
            return "", match["date"], match["joint"] + _public(match, noon, half)
        match = before.fullmatch(text)
        if match is not None and _is_time(match):
            return _public(match, noon, half) + match["joint"], match["date"], ""
        return None

    return parted


def _phrases(phrases: str) -> str:
    return any_accents(any_phrase(phrases))


def _is_time(match: re.Match[str]) -> bool:
    """Return whether there is such a time; a bare hour, or one with a stop, is one only with a word beside it."""
    if match["word"]:
        return True
    if int(match["hour"]) > 23 or int(match["minute"] or 0) > 59 or int(match["second"] or 0) > 59:
        return False
    return bool(match["at"] or match["unit"] or match["half"]) or match["sign"] not in (None, ".")


def _public(match: re.Match[str], noon: str, half: str) -> str:
    """Return the public time in the way of the one that ``match`` has."""
    if match["word"]:  # a word would say that the time was one of the two that have one
        return noon
    at = match.string[match.start("at") : match.start("hour")] if match["at"] else ""
    minute = f"{match['sign']}00" if match["minute"] else ""
    zone = (match["zone"] or "").replace(match["offset"] or "+00:00", "+00:00")
    after = f" {half}" if match["half"] else ""
    return f"{at}12{minute}{':00' if match['second'] else ''}{match['unit'] or ''}{after}{zone}"
