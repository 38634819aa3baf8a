"""English words beside a value that say what it is about: a date of birth, a relative's age, whose name it is."""

from __future__ import annotations

import re

from sfumato.language.language import NAME, OTHER_MARK, OTHER_NAME, Cues
from sfumato.language.lists import lists_of, words_of
from sfumato.language.patterns import any_of

_WORDS = {use: any_of(words_of(words)) for use, words in lists_of("en", "relatives").items()}
_RELATIVE, _WOMEN, _MEN = _WORDS["relatives"], _WORDS["women"], _WORDS["men"]
_WHOSE = r"(?:(?:his|her|my|their|our|your|the)\s)?"
_CALLED = r"(?:\s(?:named|called))"
_SMALL = r"(?!(?:of|the|with|to|in|for|and|who|a|an|her|his)\s)[a-z]+(?:-[a-z]+)*"
"""A word between an article and its noun."""


def _of(relatives: str, people: str, workers: str, letter: str, sex: str) -> re.Pattern[str]:
    """Return the pattern of the text beside the name of a woman, or of a man.

    "his wife NAME", "NAME, his wife", "a baby boy, NAME", "a woman called NAME", "NAME, a man of",
    "the actress NAME", "NAME (F)", "NAME ... Sex: female".
    """
    described = (
        rf"(?:(?:a|an|the|this|our|my)\s(?:(?:{OTHER_MARK}|{_SMALL})[\s-]){{0,3}}|{OTHER_MARK}[\s-](?:{_SMALL}\s)?)"
    )
    return re.compile(
        rf"(?<![\w-])(?i:{relatives}|(?:baby|newborn|infant|little)\s{people}){_CALLED}?[\s,(]{{1,2}}{NAME}"
        rf"|(?<![\w-])(?i:{people})(?:{_CALLED}\s|,\s){NAME}"
        rf"|(?<![\w-])(?i:{workers})\s{NAME}"
        rf"|{NAME}(?:,\s|\s\(|\s(?:is|was)\s)(?i:{_WHOSE})(?i:{relatives})(?![\w'’-]|\s[{NAME}{OTHER_NAME}])"
        rf"|{NAME}(?:,\s|\s\(|\s(?:is|was)\s){described}(?i:{people}|{workers})(?![\w'’-])"
        rf"|{NAME}\s?[,(]\s?(?:{OTHER_MARK}\s?[,/]?\s?)?{letter}(?=[,)])"
        rf"|{NAME}[^{OTHER_NAME}]{{0,60}}?\b(?i:sex|gender)\s*[:=]\s*(?i:{letter}|{sex})\b"
    )


_APART = r"(?<!, )(?<!\()(?<!\bis )(?<!\bwas )"
"""Not as in "NAME, her husband"."""
_PRONOUN = re.compile(
    rf"(?<![\w'’])(?:(?P<woman>[Ss]he|[Hh]erself|{_APART}[Hh]er(?=\s(?!{_WORDS['no_noun']}\b)[a-z]))"
    rf"|(?P<man>[Hh]e|[Hh]imself|{_APART}[Hh]is(?=\s[a-z]))"
    rf"|(?i:her|hers|him|his|(?:{_RELATIVE}|{_WORDS['others']})s?))(?!\w)|{OTHER_NAME}"
)
_CROWD = re.compile(
    rf"(?:{OTHER_NAME}|\b(?i:her|hers|his|him|himself|herself|(?:{_RELATIVE}|{_WORDS['others']})s?)\b)[^.!?\n]*\Z"
    rf"|\b(?i:{_WORDS['aside']}),?\s\Z"
)
_LAST_NAME = re.compile(
    rf"{NAME}\s(?:family|household|brothers|sisters|siblings|twins|children|girls|boys)\b"
    rf"|(?i:\b(?:née|nee|(?:maiden|last|family)\s?name|surname)(?:\s(?:is|was|of))?[\s:]{{1,2}}){NAME}"
)
_NAMED_AFTER = any_of(map(str.capitalize, words_of(lists_of("en", "relatives")["named_after"])))
_INSTITUTION = re.compile(
    rf"\s(?!The\s)(?:(?:[A-Z][\w’'-]*|&|and|of|for)\s){{0,3}}{_NAMED_AFTER}(?![\w-])|\s(?:&|and)\s(?:Co|Sons)\b"
)

CUES = Cues(
    birth=re.compile(
        r"(?:\bborn(?: on)?(?: the)?|\bd\.?o\.?b\.?|\b(?:date of birth|birth ?date|birthday))[\s:(=-]{0,3}\Z", re.I
    ),
    relative=re.compile(rf"\b(?i:{_RELATIVE})(?:s|'s|’s)?\b[^.!?;]*\Z"),
    woman=_of(_WOMEN, _WORDS["female"], _WORDS["women_workers"], "F", "female"),
    man=_of(_MEN, _WORDS["male"], _WORDS["men_workers"], "M", "male"),
    crowd=_CROWD,
    pronoun=_PRONOUN,
    last_name=_LAST_NAME,
    institution=_INSTITUTION,
)
