"""English words beside a value that say what it is about: a date of birth, the age of a relative."""

from __future__ import annotations

import re

from sfumato.language.language import NAME, Cues
from sfumato.language.lists import words_of
from sfumato.language.patterns import any_of

_RELATIVES = words_of(
    "wife husband partner spouse mother father mum mom dad parent parents son daughter child children baby twin "
    "sister brother sibling aunt uncle niece nephew cousin grandmother grandfather grandson granddaughter "
    "grandchild stepson stepdaughter fiance fiancee girlfriend boyfriend neighbour friend carer"
)
_WOMEN = any_of(words_of(
    "wife mother mum mom mummy daughter sister aunt auntie niece grandmother grandma granddaughter girlfriend widow "
    "stepmother stepdaughter stepsister mother-in-law daughter-in-law sister-in-law"
))  # fmt: skip
_MEN = any_of(words_of(
    "husband father dad daddy son brother uncle nephew grandfather grandpa grandson boyfriend widower stepfather "
    "stepson stepbrother father-in-law son-in-law brother-in-law"
))  # fmt: skip


def _of(relatives: str) -> re.Pattern[str]:
    """Return the pattern of "his wife NAME", "his wife, NAME" and "NAME, his wife"."""
    whose = r"(?:(?:his|her|my|their|our|your|the)\s)?"
    return re.compile(
        rf"(?<![\w-])(?i:{relatives})(?:\s(?:named|called))?[\s,(]{{1,2}}{NAME}"
        rf"|{NAME}(?:,\s|\s\()(?i:{whose})(?i:{relatives})(?![\w'’-])"
    )


CUES = Cues(
    re.compile(
        r"(?:\bborn(?: on)?(?: the)?|\bd\.?o\.?b\.?|\b(?:date of birth|birth ?date|birthday))[\s:(=-]{0,3}\Z", re.I
    ),
    re.compile(rf"\b(?i:{any_of(_RELATIVES)})(?:s|'s|’s)?\b[^.!?;]*\Z"),
    _of(_WOMEN),
    _of(_MEN),
)
