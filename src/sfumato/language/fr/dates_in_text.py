"""French dates inside a text."""

from __future__ import annotations

from sfumato.language.fr.dates import MONTHS, SEASONS, WEEKDAYS
from sfumato.language.text_dates import WordsOfDates, dates_in_text

DATES_IN_TEXT = dates_in_text(
    WordsOfDates(
        MONTHS,
        WEEKDAYS,
        SEASONS,
        first=r"1\s?(?:er|ER|ᵉʳ)(?!\p{L})|[Pp]remier(?=\s\p{L})",
        between=r"\s",
        leads="le|du|au|dès le|les",
        month_leads="en|début|fin|mi|courant|depuis|dès|avant|après|vers|jusqu['’]en|mois d['’]?e?",
        followers="à|et|au|pour|avec|par|dans|chez|où|j|il|elle|on|nous|en|sur|sans|mais|car",
        measured="EVA|EN|MMSE?|MoCA|Glasgow|GCS|GIR|score|douleur|force|acuité|œil|note|TA|T\\.A\\.|tension|PA",
        feasts="saint|gras|de (?:Pâques|Pentecôte)|des Cendres",
        public=("octobre", "mercredi", "oct"),
    )
)
