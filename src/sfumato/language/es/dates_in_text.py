"""Spanish dates inside a text."""

from __future__ import annotations

from sfumato.language.es.dates import MONTHS, SEASONS, WEEKDAYS
from sfumato.language.text_dates import WordsOfDates, dates_in_text

DATES_IN_TEXT = dates_in_text(
    WordsOfDates(
        MONTHS,
        WEEKDAYS,
        SEASONS,
        first=r"1\.?[°º]|[Pp]rimero(?=\s\p{L})",
        between=r"\s(?:(?i:del?)\s)?",
        leads="el|del|al|día|desde el|hasta el",
        month_leads="en|de|desde|hasta|para|hacia|mes de|principios de|mediados de|finales de|fines de|durante",
        followers="a|y|al|para|por|con|en|de|se|fue|no|pero|sobre|hasta|que|ha|tiene|acude",
        measured="EVA|END|MMSE|MoCA|Glasgow|GCS|Barthel|Norton|puntuación|dolor|fuerza|agudeza|visión|TA|T\\.A\\.|PA|nota",
        feasts="santo|de ceniza|de ramos|de pascua|de resurrección",
        public=("octubre", "miércoles", "oct"),
    )
)
