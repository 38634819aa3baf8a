"""Days that have words of their own, each of a closed public list: "yesterday", "next month", "Christmas"."""

from __future__ import annotations

import numpy as np

from sfumato.abstract.kind import Form, Reading
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.kinds.dates.circle import around
from sfumato.language.language import Dates, NamedDays
from sfumato.language.letter_case import cased, in_case_of
from sfumato.language.patterns import filled, matched, pattern_of

HOLIDAY = "holiday"
DAYS = frozenset({"past day", "present day", "coming day", HOLIDAY})
PERIODS = frozenset({"past period", "present period", "coming period"})


def named_day(text: str, dates: Dates) -> Reading | None:
    """Return the word that ``text`` is, with or without a preposition before it, or None."""
    return next(filter(None, (_read(text, named) for named in dates.named)), None)


def _read(text: str, named: NamedDays) -> Reading | None:
    match = matched(text, (named.shape,))
    if match is None:
        return None
    value, grain = named.words[" ".join(match["name"].lower().replace("’", "'").split())]
    if named.is_proper:
        field = "NAME" if match["name"].isupper() else "Name"
    else:
        field = in_case_of("word", match["name"]) or ""
    return Reading(value, Form(grain, (pattern_of(match, {"name": field}),))) if field else None


def written_named_day(value: str, pattern: str) -> str:
    """Return ``pattern`` with the word ``value`` in it."""
    fields = {field: cased(value, field) for field in ("word", "Word", "WORD")}
    return filled(pattern, {**fields, "Name": value, "NAME": value.upper()})


def named_day_domain(grain: str, dates: Dates) -> Vocabulary:
    """Return the words of ``grain`` as a domain, in days."""
    words = next(named.grains[grain] for named in dates.named if grain in named.grains)
    if grain == HOLIDAY:
        about = "days with a name of their own, in days around a year of 366 (sfumato)"
        return Vocabulary(tuple(words), around(list(words.values()), 366), about)
    about = f"words for a {grain}, in days from the day of writing (sfumato)"
    return Vocabulary(tuple(words), np.array(list(words.values()))[:, None], about)
