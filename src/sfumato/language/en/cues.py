"""English words beside a value that say what it is about: a date of birth, the age of a relative."""

from __future__ import annotations

import re

from sfumato.language.language import Cues
from sfumato.language.lists import words_of
from sfumato.language.patterns import any_of

_RELATIVES = words_of(
    "wife husband partner spouse mother father mum mom dad parent parents son daughter child children baby twin "
    "sister brother sibling aunt uncle niece nephew cousin grandmother grandfather grandson granddaughter "
    "grandchild stepson stepdaughter fiance fiancee girlfriend boyfriend neighbour friend carer"
)
CUES = Cues(
    re.compile(
        r"(?:\bborn(?: on)?(?: the)?|\bd\.?o\.?b\.?|\b(?:date of birth|birth ?date|birthday))[\s:(=-]{0,3}\Z", re.I
    ),
    re.compile(rf"\b(?i:{any_of(_RELATIVES)})(?:s|'s|’s)?\b[^.!?;]*\Z"),
)
