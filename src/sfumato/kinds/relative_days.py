"""Words for days and times that hang on the day of writing: "yesterday", "tonight", "next month".

They hold no date. Each is a value of a closed public list of words that fit the same sentence: what was yesterday may
be another past day, and never tomorrow. The number beside a word is its distance from noon of the day of writing, in
days; a month counts as 30 days.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from sfumato.abstract.kind import Form, Reading
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.kinds.hedges import one_of
from sfumato.kinds.letter_case import cased, in_case_of
from sfumato.kinds.patterns import FLAGS, GAP, filled, matched, pattern_of

RELATIVE: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "past day": {
            **{"the day before yesterday": -2.0, "the night before last": -1.5, "yesterday morning": -1.125},
            **{"yesterday": -1.0, "yesterday afternoon": -0.875, "yesterday evening": -0.75, "last night": -0.5},
        },
        "present day": {
            **{"this morning": -0.125, "today": 0.0, "this afternoon": 0.125, "this evening": 0.25, "tonight": 0.5},
        },
        "coming day": {
            **{"tomorrow morning": 0.875, "tomorrow": 1.0, "tomorrow afternoon": 1.125, "tomorrow evening": 1.25},
            **{"tomorrow night": 1.5, "the day after tomorrow": 2.0},
        },
        "past period": {"last week": -7.0, "last month": -30.0, "last year": -365.0},
        "present period": {"this week": 0.0, "this month": 11.5, "this year": 179.0},
        "coming period": {"next week": 7.0, "next month": 30.0, "next year": 365.0},
    }
)
"""The words of each grain, and where they lie. A period lies at its first day, a present one at its middle."""

DAYS = frozenset(grain for grain in RELATIVE if grain.endswith("day"))
"""The grains whose words are days, beside which a time of day may be written."""

_OTHERS = {
    **{"last evening": "yesterday evening", "yesterday night": "last night", "tonite": "tonight"},
    **{"yesterday lunchtime": "yesterday", "yesterday noon": "yesterday", "yesterday teatime": "yesterday afternoon"},
    **{"the previous day": "yesterday", "the following day": "tomorrow", "the next day": "tomorrow"},
}
"""Other words that are read, and the value that they count as."""
_GRAIN_OF = {word: grain for grain, words in RELATIVE.items() for word in words}
_LEAD = one_of("since|until|till|by|from|before|after|around|for|earlier|later|late|early|as of|up to|through")
_WORDS = one_of("|".join((*_GRAIN_OF, *_OTHERS)))
SHAPE = re.compile(rf"(?:{_LEAD}{GAP})?(?P<word>{_WORDS})", FLAGS)


def relative_day(text: str) -> Reading | None:
    """Return the word of the lists that ``text`` is, with or without a preposition before it, or None."""
    match = matched(text, (SHAPE,))
    if match is None:
        return None
    word = " ".join(match["word"].lower().split())
    value, field = _OTHERS.get(word, word), in_case_of("word", match["word"])
    if field is None:
        return None
    return Reading(value, Form(_GRAIN_OF[value], (pattern_of(match, {"word": field}),)))


def written_relative(value: str, pattern: str) -> str:
    """Return ``pattern`` with the word ``value`` in it."""
    return filled(pattern, {field: cased(value, field) for field in ("word", "Word", "WORD")})


def relative_domain(grain: str) -> Vocabulary:
    """Return the words of ``grain`` as a domain, in days."""
    words = RELATIVE[grain]
    about = f"words for a {grain}, in days from the day of writing (sfumato)"
    return Vocabulary(tuple(words), np.array(list(words.values()))[:, None], about)
