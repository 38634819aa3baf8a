"""German dates inside a text."""

from __future__ import annotations

from sfumato.language.de.dates import MONTHS, SEASONS, WEEKDAYS
from sfumato.language.text_dates import WordsOfDates, dates_in_text

DATES_IN_TEXT = dates_in_text(
    WordsOfDates(
        MONTHS,
        WEEKDAYS,
        SEASONS,
        first=r"(?:[12]\d|3[01]|0?[1-9])\.",
        between=r"\s?",
        leads="am|vom|bis zum|zum|seit dem|ab dem|den|dem|der",
        month_leads="im|seit|ab|bis|Anfang|Mitte|Ende|Monat|letzten|nächsten|vergangenen|kommenden|diesen|vom|zum|und|in",
        followers="um|gegen|und|bis|mit|bei|in|war|wurde|ist|hat|zur|zum|von|erfolgte|des",
        measured="VAS|NRS|MMSE|MoCA|GCS|Score|Schmerz|Kraft|Visus|RR|Note|Skala|Index",
        feasts="(?!)",
        public=("Oktober", "Mittwoch", "Okt"),
        small=False,
    )
)
