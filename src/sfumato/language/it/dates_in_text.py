"""Italian dates inside a text."""

from __future__ import annotations

from sfumato.language.it.dates import MONTHS, SEASONS, WEEKDAYS
from sfumato.language.text_dates import WordsOfDates, dates_in_text

DATES_IN_TEXT = dates_in_text(
    WordsOfDates(
        MONTHS,
        WEEKDAYS,
        SEASONS,
        first=r"1[°º^]|[Pp]rimo(?=\s\p{L})",
        between=r"\s(?:di\s)?",
        leads="il|del|dal|al|entro il|giorno|l|dell|dall|all",
        month_leads="a|ad|in|del|nel|inizio|fine|metà|entro|dopo|verso|fino a|mese di",
        followers="alle|e|al|per|con|da|dalle|in|presso|ore|a|si|ho|ha|non|ma|sono|è|dove",
        measured="VAS|NRS|MMSE|MoCA|GCS|Glasgow|punteggio|dolore|forza|acuità|visus|PA|P\\.A\\.|voto|scala",
        feasts="santo|grasso|dell['’]angelo|di pasqua|delle palme",
        public=("ottobre", "mercoledì", "ott"),
    )
)
