"""Dutch dates inside a text."""

from __future__ import annotations

from sfumato.language.nl.dates import MONTHS, SEASONS, WEEKDAYS
from sfumato.language.text_dates import WordsOfDates, dates_in_text

DATES_IN_TEXT = dates_in_text(
    WordsOfDates(
        MONTHS,
        WEEKDAYS,
        SEASONS,
        first=r"(?:[12]\d|3[01]|0?[1-9])(?:ste|de|e)(?!\p{L})",
        between=r"\s",
        leads="op|van|tot|sinds|vanaf|per|d\\.d\\.|dd|de|t/m",
        month_leads="in|sinds|vanaf|tot|begin|medio|eind|maand|van|na|voor|en|half",
        followers="om|en|tot|met|bij|in|was|werd|is|heeft|te|van|rond|t/m",
        measured="VAS|NRS|MMSE|MoCA|GCS|EMV|score|pijn|kracht|visus|RR|cijfer|schaal",
        feasts="(?!)",
        public=("oktober", "woensdag", "okt"),
    )
)
