"""Codes, addresses of the net, dates, times, ages: what a pattern can recognise in a text on any subject.

Every pattern is linear or bounded in its repeats, so that a line of any length costs no more than its characters.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from sfumato.detectors.found import Found, Rule, compiled, labelled
from sfumato.language.en.numbers import DECADES, ONES, TENS
from sfumato.language.language import Language
from sfumato.language.languages import ENGLISH
from sfumato.language.patterns import any_of

_YEAR = r"(?:1[5-9]|20)\d\d"
_WORDS = (*ONES[1:], *TENS, "hundred", "thousand", "million", "billion")
_WORD = any_of(_WORDS)
_SPELLED = rf"\b(?:an? (?:hundred|thousand|million|dozen)|{_WORD}(?:(?:[- ]| and ){_WORD}){{0,6}})\b"
_FIGURE = r"(?<!\d)(?:\d{1,3}(?:[,.\u00a0\u202f ']\d{3}){1,8}(?:[.,]\d{1,2})?|\d{1,15}(?:[.,]\d{1,8})?)(?!\d)"
_NUMBER = rf"(?:(?=\d){_FIGURE}|(?=[abefhmnost]){_SPELLED})"
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"


_PATTERNS: tuple[Rule, ...] = (
    (
        "IP_ADDRESS",
        0.9,
        r"(?<![\w:])(?=[0-9A-Fa-f:]*(?:[0-9A-Fa-f]{3}|::))(?:[0-9A-Fa-f]{1,4}:){4,7}(?::?[0-9A-Fa-f]{1,4}){1,3}(?![\w:])",
    ),
    ("IP_ADDRESS", 0.9, rf"(?<![\w.]){_OCTET}(?:\.{_OCTET}){{3}}(?!\w|\.\w)"),
    ("AGE", 0.85, r"(?i:\bturn(?:s|ed|ing)?\s+)\K\d{1,3}\b(?!\s*(?:%|degrees))|\b\d{1,3}(?=\s?y[./]?\s?o\b)"),
    (
        "AGE",
        0.8,
        r"(?i:\b(?:I['’]?m|I am|he['’]?s|she['’]?s|(?:he|she) (?:is|was))\s+)\K\d{1,3}\b(?=\s*(?:[.,;!?]|and\b|$))",
    ),
    (
        "EMAIL_ADDRESS",
        0.95,
        r"(?<![^\s@,;:<>()\[\]{}\"“”|])[^\s@,;:<>()\[\]{}\"“”|]+(?:@[^\s@,;:<>()\[\]{}\"“”|]+)+(?<![.!?'’])",
    ),
    ("URL", 0.9, r"\b(?:https?|ftp)://[^\s<>\"“”]+|\bwww\.[^\s<>\"“”]+(?<![.,;:!?)])"),
    ("ACCOUNT", 0.8, r"(?<![\w@])@\w[\w.-]*\w"),
    ("DATE", 0.9, r"(?<![\w/.-])\d{4}[-/.](?:0?[1-9]|1[0-2])[-/.](?:[12]\d|3[01]|0?[1-9])(?:T[\d:.]+Z?)?(?![\w/])"),
    ("DATE", 0.9, r"(?<![\w/.-])(?:0?[1-9]|[12]\d|3[01])([-/.])(?:0?[1-9]|[12]\d|3[01])\1(?:\d{4}|\d\d)(?![\w/-])"),
    ("DATE", 0.6, rf"(?<![\w/.,§€$£-]){_YEAR}s?(?![\w/%]|[.,-]\d)"),
    ("TIME", 0.5, r"\b(?i:noon|midday|midnight)\b"),
    (
        "TIME",
        0.86,
        r"\b(?:[01]?\d|2[0-3])[:.][0-5]\d(?::[0-5]\d)?(?:\s*[ap]\.?m\.?|\s*(?:hours|hrs))|\b(?:[01]?\d"
        r"|2[0-3]):[0-5]\d(?::[0-5]\d)?\b",
    ),
    ("TIME", 0.7, r"\b(?:1[0-2]|0?[1-9])\s*(?:[ap]\.?m\b\.?|o['’]clock)"),
    ("AGE", 0.9, rf"\b{_NUMBER}[- ](?:(?:and a half|½)[- ])?(?:year|month|week|day)s?[- ]olds?\b"),
    ("AGE", 0.9, rf"\b(?:aged?|at the age of|years of age:?)\s+{_NUMBER}(?:\s+years)?"),
    ("AGE", 0.9, rf"\b{_NUMBER}\s+(?:years|yrs)(?:['’])?\s+(?:of age|old)"),
    (
        "AGE",
        0.7,
        rf"\bin (?:his|her|their) (?:(?:early|mid|late)[- ]?)?(?:\d0s|{any_of((*_WORDS, *DECADES))})\b",
    ),
    ("MONEY", 0.9, rf"[$€£¥₺₹₽₩₪]\s?[-−]?(?:{_FIGURE}|\d{{16,40}})(?!\d)"),
    ("DATE", 0.86, r"(?<![\w/.,-])(?:[12]\d|3[01]|0?[1-9])/(?:0[1-9])(?![\w/%]|[.,]\d)"),
    ("DATE", 0.86, r"(?<![\w/.,-])(?:1[3-9]|2\d|3[01])/1[0-2](?![\w/%]|[.,]\d)"),
    ("CODE", 0.85, r"(?<![\w/.])\d++[/:]\d++(?:[./:-]\d++)*(?![\w/])"),
    (
        "CODE",
        0.8,
        r"(?i:\b(?:nos?|numbers?|ref(?:erence)?|case|file|docket|application|plot|parcel|licen[cs]e|passport"
        r"|account|policy|invoice|order|id|mrn|ssn|iban|vat|serial|registration|badge|room|apt|ticket|bed|ward|bay|cell"
        r"|suite|flat|unit|locker|bus|flight|train|gate)\b"
        r"\.?(?:\s?(?:no|nos|nr|number|id)\b\.?)?\s?[:#]?\s?)\K(?=[\w/.:-]{0,99}\d)[\w/.:-]*\w",
    ),
    ("CODE", 0.8, r"[№#]\s?\K[\w/-]*\d[\w/-]*"),
    ("CODE", 0.75, r"\b(?=\w*\p{L})(?=(?:\w*\d){2})(?!\d+(?:st|nd|rd|th|s)\b)[\w]{4,}(?:[-/]\w+)*\b"),
    ("CODE", 0.75, r"\b\p{Lu}{1,5}[-\u2011]\d[\w-]*"),
    (
        "CODE",
        0.68,
        r"(?<![\p{L}\p{N}-])\p{Lu}{2,4}[^\S\n](?=0\d\d|(?:\d[^\S\n-]?){5})\d{1,8}(?:[ -]\d{2,6}){0,4}"
        r"(?![\p{L}\p{N}]|[.,]\d)",
    ),
    (
        "CODE",
        0.7,
        r"(?i:\bcard(?:[^\S\n](?:nos?|numbers?|ending(?:[^\S\n](?:in|with))?))?[.:]?[^\S\n])\K"
        r"\d{2,8}(?:[ -]\d{1,6}){0,5}(?![\p{L}\p{N}])",
    ),
    ("CODE", 0.68, r"(?<![\w.,])\d{5,}(?:[- ]\d{2,})*(?![\w]|[.,]\d)"),
    ("CODE", 0.68, r"(?<![\w.,])\+?\(?\d{2,}\)?(?:[- .]\(?\d{2,}\)?){2,}(?![\w])"),
    ("CODE", 0.68, r"(?<![\w.,/])\d{2,}(?:-\d{2,})+(?![\w])"),
)


@lru_cache(maxsize=8)
def rules(language: Language = ENGLISH) -> tuple[tuple[str, float, Any], ...]:
    """Return the rules, compiled; ``language`` has those for dates."""
    dates = (("DATE", score, pattern) for score, pattern in language.dates_in_text.rules)
    return compiled((*_PATTERNS, *dates))


def codes(text: str, language: Language = ENGLISH) -> Iterator[Found]:
    """Yield every match of a pattern in ``text``; the spans may overlap."""
    yield from labelled(rules(language), text)
