"""Portuguese dates inside a text."""

from __future__ import annotations

import regex

from sfumato.language.accents import any_accents
from sfumato.language.dates import DateForm, DatesInText
from sfumato.language.patterns import choice
from sfumato.language.pt.dates import MONTHS, SEASONS, WEEKDAYS
from sfumato.language.text_dates import WordsOfDates, dates_in_text

_LISTED = dates_in_text(
    WordsOfDates(
        MONTHS,
        WEEKDAYS,
        SEASONS,
        first=r"1\.?[°º]|[Pp]rimeiro(?=\s\p{L})",
        between=r"\s(?:(?i:d[eo])\s)?",
        leads="dia|ao dia|dias|o dia|no dia",
        month_leads="em|de|desde|até|para|mês de|início de|meados de|fim de|final de|finais de|inícios de|durante",
        followers="às|e|a|para|por|com|em|de|se|foi|não|mas|sobre|até|que|na|no|tem|deu",
        measured="EVA|EVN|MMSE|MoCA|Glasgow|GCS|ECG|Barthel|Braden|score|dor|força|acuidade|visão|TA|T\\.A\\.|PA|nota",
        feasts="santa|de cinzas|da paixão|de carnaval|gorda|de ramos|de páscoa",
        public=("outubro", "quarta-feira", "out"),
    )
)
_LEADS = "na|da|à|até|desde|próxima|nesta|esta|dessa|uma|de"
_BEHIND = r"[.,;:!?)]|\s*$|\s(?:às|de manhã|à|passada|próxima|que vem|e|ou|dia|\d)"
_BRIEFLY = rf"(?<=(?<!\p{{L}})(?i:{_LEADS})\s)(?i:segunda|terça|quarta|quinta|sexta)(?=(?:{_BEHIND}))"
_WEEKDAY = rf"(?:{any_accents(choice(WEEKDAYS.full))}|(?:segunda|terça|quarta|quinta|sexta))"
_PERIOD = any_accents("(?:semana|mês|ano)")
_LAST, _NEXT = r"(?:passad[oa]|últim[oa])", any_accents(r"(?:próxim[oa])")
_DAYS = (
    (0.9, any_accents(rf"(?i:\b{_WEEKDAY}\s(?:à|de|pela)\s(?:manhã|tarde|noite)(?!\p{{L}}))")),
    (0.9, rf"(?i:\b(?:{_WEEKDAY}|{_PERIOD})\s(?:{_LAST}|{_NEXT}|seguinte|que\svem)\b)"),
    (0.9, rf"(?i:\b(?:{_LAST}|{_NEXT})\s(?:{_WEEKDAY}|{_PERIOD})\b)"),
    (0.85, any_accents(r"(?i:\b(?:anteontem|ontem|amanhã)(?:\s(?:à|de|pela)\s(?:manhã|tarde|noite))?(?!\p{L}))")),
)
"""Days that are told from the day of writing: "ontem à noite", "na sexta-feira passada"."""


def _outside_rio(form: DateForm) -> DateForm:
    return form._replace(pattern=regex.compile(rf"(?<!\b(?i:rio\sde)\s)(?:{form.pattern.pattern})"))


DATES_IN_TEXT = DatesInText(
    (*map(_outside_rio, _LISTED.forms), DateForm(regex.compile(_BRIEFLY), lambda _: "quarta-feira")),
    (*_LISTED.rules, *_DAYS),
    _LISTED.loose,
)
"""With weekdays that are named briefly, "na segunda", which are other words elsewhere.

"Rio de Janeiro" is no month.
"""
