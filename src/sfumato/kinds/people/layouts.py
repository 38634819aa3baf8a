"""The layouts of a person's name: which parts a mention shows, and in which order.

A value is "Given Family". The family name is the last word with the particles before it ("van den Berg").
"""

from __future__ import annotations

from collections.abc import Sequence

import regex

from sfumato.kinds.people.names import first_names, last_names
from sfumato.language.en.people import PARTICLES
from sfumato.language.letter_case import case_key

FULL, GIVEN, FAMILY, INITIALS = "{given} {family}", "{given}", "{family}", "{initials}"
CAPITALS, TURNED, TURNED_CAPITALS = "{given} {FAMILY}", "{family}, {given}", "{FAMILY}, {given}"
SHORT, SHORT_BARE = "{i.} {family}", "{i} {family}"
TURNED_SHORT, TURNED_BARE = "{family}, {i.}", "{family}, {i}"

_INITIAL = regex.compile(r"\p{L}\.?")


def split_name(value: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words of the given name and those of the family name; either may be missing.

    One word is a given name unless the lists have it as a last name alone.
    """
    words = value.split()
    if len(words) == 1 and _is_given(words[0]):
        return tuple(words), ()
    if all(_INITIAL.fullmatch(word) for word in words):
        return tuple(words[:-1]) or tuple(words), tuple(words[-1:]) if len(words) > 1 else ()
    start = len(words) - 1
    while start > 0 and words[start - 1].lower() in PARTICLES:
        start -= 1
    return tuple(words[:start]), tuple(words[start:])


def _is_given(word: str) -> bool:
    return case_key(word) in first_names() or case_key(word) not in last_names()


def are_initials(words: Sequence[str]) -> bool:
    """Return whether ``words`` are letters, with or without a stop."""
    return bool(words) and all(_INITIAL.fullmatch(word) for word in words)


def laid_out(value: str, layout: str) -> str:
    """Return the parts of ``value`` that ``layout`` shows; of a value that lacks them, what there is."""
    given, family = split_name(value)
    if layout == INITIALS:
        return "".join(f"{word[0].upper()}." for word in (*given, *family))
    stop = "." if layout in (SHORT, TURNED_SHORT) else ""
    first, last = " ".join(given), " ".join(family)
    if layout in (SHORT, SHORT_BARE, TURNED_SHORT, TURNED_BARE):
        first = " ".join(f"{word[0]}{stop}" for word in given)
    if layout in (CAPITALS, TURNED_CAPITALS):
        last = last.upper()
    if layout in (GIVEN, FAMILY):
        shown = first if layout == GIVEN else last
        return shown or first or last
    parts = (last, first) if layout in (TURNED, TURNED_CAPITALS, TURNED_SHORT, TURNED_BARE) else (first, last)
    return (", " if parts[0] == last else " ").join(filter(None, parts))


def layout_of(given: Sequence[str], family: Sequence[str], turned: bool, capitals: bool) -> str:
    """Return the layout of a mention that shows these words: ``turned`` says that the family name comes first."""
    if not given or not family:
        return INITIALS if are_initials((*given, *family)) else GIVEN if given else FAMILY
    if are_initials(given):
        stops = all(word.endswith(".") for word in given)
        if are_initials(family):
            return INITIALS
        return (TURNED_SHORT if stops else TURNED_BARE) if turned else (SHORT if stops else SHORT_BARE)
    if capitals:
        return TURNED_CAPITALS if turned else CAPITALS
    return TURNED if turned else FULL
