"""English words beside a value that say what it is about: a date of birth, a relative's age, whose name it is."""

from __future__ import annotations

import re
from typing import Any

import regex

from sfumato.language.lists import lists_of, words_of
from sfumato.language.patterns import any_of
from sfumato.language.people import NAME, OTHER_MARK, OTHER_NAME, Beside, Cues

_WORDS = {use: any_of(words_of(words)) for use, words in lists_of("en", "relatives").items()}
_RELATIVE, _WOMEN, _MEN = _WORDS["relatives"], _WORDS["women"], _WORDS["men"]
_WHOSE = r"(?:(?:his|her|my|their|our|your|the)\s)?"
_CALLED = r"(?:\s(?:named|called))"
_SMALL = r"(?!(?:of|the|with|to|in|for|and|who|a|an|her|his)\s)[a-z]+(?:-[a-z]+)*"
"""A word between an article and its noun."""


def _of(relatives: str, several: str, people: str, workers: str, letter: str, sex: str) -> Beside:
    """Return the patterns of the text before and behind the name of a woman, or of a man.

    "his wife NAME", "a baby boy, NAME", "a woman called NAME", "the actress NAME", and "NAME, his wife", "NAME, a man
    of", "NAME (F)", "NAME ... Sex: female".
    """
    described = (
        rf"(?:(?:a|an|the|this|our|my)\s(?:(?:{OTHER_MARK}|{_SMALL})[\s-]){{0,3}}|{OTHER_MARK}[\s-](?:{_SMALL}\s)?)"
    )
    before = (
        rf"(?i:{relatives}|(?:baby|newborn|infant|little)\s{people}){_CALLED}?[\s,(]{{1,2}}"
        rf"|(?i:{people})(?:{_CALLED}\s|,\s)|(?i:{workers})\s"
        rf"|(?i:{several}),?\s(?:{OTHER_NAME},?\s)*(?:(?:and|&)\s)?"
    )
    behind = (
        rf"(?:,\s|\s\(|\s(?:is|was)\s)(?i:{_WHOSE})(?i:{relatives})(?![\w'’-]|\s{OTHER_NAME})"
        rf"|(?:,\s|\s\(|\s(?:is|was)\s){described}(?i:{people}|{workers})(?![\w'’-])"
        rf"|\s?[,(]\s?(?:{OTHER_MARK}\s?[,/]?\s?)?{letter}(?=[,)])"
        rf"|[^{OTHER_NAME}]{{0,60}}?\b(?i:sex|gender)\s*[:=]\s*(?i:{letter}|{sex})\b"
    )
    return Beside(_ends(rf"(?<![\w-])(?:{before})"), re.compile(behind))


def _ends(pattern: str) -> Any:
    """Return a pattern that ends a text; it is looked for from the end, which takes a tenth of the time."""
    return regex.compile(rf"(?r)(?:{pattern})\Z")


_APART = r"(?<!, )(?<!\()(?<!\bis )(?<!\bwas )"
"""Not as in "NAME, her husband"."""
_PRONOUN = re.compile(
    rf"(?<![\w'’])(?:(?P<woman>[Ss]he|[Hh]erself|{_APART}[Hh]er(?=\s(?!{_WORDS['no_noun']}\b)[a-z]))"
    rf"|(?P<man>[Hh]e|[Hh]imself|{_APART}[Hh]is(?=\s[a-z]))"
    rf"|(?i:her|hers|him|his|(?:{_RELATIVE}|{_WORDS['others']})s?))(?!\w)|{OTHER_NAME}"
)
_ASIDE = rf"\b(?i:{_WORDS['aside']}),?\s"
_CROWD = _ends(
    rf"(?:{OTHER_NAME}|\b(?i:her|hers|his|him|himself|herself|(?:{_RELATIVE}|{_WORDS['others']})s?)\b)[^.!?\n]*"
    rf"|{_ASIDE}"
)
_WHOSE_KIN = (
    r"(?:(?P<man>[Hh]is)|(?P<woman>[Hh]er)|(?P<anyone>[Tt]heir)|(?P<teller>[Mm]y|[Oo]ur)|(?P<hearer>[Yy]our))"
    rf"\s(?:\w+\s)?(?i:{_WORDS['same_last_name']})"
)
_KIN, _SEVERAL = rf"(?i:{_WORDS['same_last_name']})", rf"(?i:{_WORDS['several_of_one_last_name']})"
_RELATION = regex.compile(
    rf"{_WHOSE_KIN}{_CALLED}?[\s,(]{{1,2}}{NAME}"
    rf"|(?P<last>{OTHER_NAME})(?:['’]s?|,?\s(?:and|&))?\s(?:\w+\s)?{_KIN}{_CALLED}?[\s,(]{{1,2}}{NAME}"
    rf"|{_SEVERAL},?\s(?:{OTHER_NAME},\s)*(?P<last>{OTHER_NAME}),?\s(?:(?:and|&)\s)?{NAME}"
    rf"|{NAME}(?:,\s|\s\(|\s(?:is|was)\s){_WHOSE_KIN}(?![\w'’-]|\s[{NAME}{OTHER_NAME}])"
    rf"|{NAME}(?:,\s|\s\(|\s(?:is|was)\s)(?:the\s)?{_KIN}\sof\s(?P<next>{OTHER_NAME})"
)
"""Of the package regex, in which two groups may have one name."""
_LAST_NAME = Beside(
    _ends(r"(?i:\b(?:née|nee|(?:maiden|last|family)\s?name|surname)(?:\s(?:is|was|of))?[\s:]{1,2})"),
    re.compile(r"\s(?:family|household|brothers|sisters|siblings|twins|children|girls|boys)\b"),
)
_THINGS = lists_of("en", "relatives")
_NAMED_AFTER = any_of(map(str.capitalize, words_of(f"{_THINGS['institutions']} {_THINGS['named_after']}")))
_INSTITUTION = re.compile(
    rf"\s(?!The\s)(?:(?:[A-Z][\w’'-]*|&|and|of|for)\s){{0,3}}{_NAMED_AFTER}(?![\w-])|\s(?:&|and)\s(?:Co|Sons)\b"
)

CUES = Cues(
    birth=re.compile(
        r"(?:\bborn(?: on)?(?: the)?|\bd\.?o\.?b\.?|\b(?:date of birth|birth ?date|birthday))[\s:(=-]{0,3}\Z", re.I
    ),
    relative=re.compile(rf"\b(?i:{_RELATIVE})(?:s|'s|’s)?\b[^.!?;]*\Z"),
    woman=_of(_WOMEN, "daughters|sisters|girls", _WORDS["female"], _WORDS["women_workers"], "F", "female"),
    man=_of(_MEN, "sons|brothers|boys", _WORDS["male"], _WORDS["men_workers"], "M", "male"),
    crowd=_CROWD,
    pronoun=_PRONOUN,
    aside=_ends(_ASIDE),
    relation=_RELATION,
    last_name=_LAST_NAME,
    institution=_INSTITUTION,
)
