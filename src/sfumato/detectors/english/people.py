"""Names of persons that a title, a role, a field, initials, an age or a list of first names shows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import regex

from sfumato.detectors.english.names import first_names, is_name_like
from sfumato.detectors.found import Found
from sfumato.detectors.prefilter import anchored_matches, matches
from sfumato.language.en import titles
from sfumato.language.en.people import PARTICLE
from sfumato.language.en.words import frequency, is_everyday, is_stop_word

_TITLED = rf"(?:{titles.SHORT}\.?|{titles.LONG})"
_CAPITAL = r"(?:[DdOL]['’]|Mc|Mac|al-|el-)?\p{Lu}[\p{L}\p{M}'’]*(?:[-\u2011]\p{L}[\p{L}\p{M}'’]*)*"
_INITIALS = r"(?:\p{Lu}\.[-\u2011 \u00a0]?){1,8}"
_NAME = (
    rf"(?:{_INITIALS})?{_CAPITAL}(?:[^\S\n]+(?:{PARTICLE}[^\S\n]+){{0,2}}(?:{_INITIALS}[^\S\n]*)?{_CAPITAL}){{0,4}}"
)
_FIELDS = (
    r"(?:Name|Full name|First name|Last name|Surname|Patient|Client|Customer|Employee|Contact|Author|From|To|Cc"
    r"|Attn|Dear"
    r"|Signed|Regards|Sincerely|Mother|Father|Spouse|Doctor|Physician|Attending|Applicant|Claimant|Defendant"
    r"|Plaintiff)"
)
_ROLES = (
    r"(?:(?:dr|prof)\.?|doctor|nurse|midwife|carer|pastor|judge|officer|inspector|detective|sergeant|teacher|mother|father|mum|dad"
    r"|parent|sister|brother|wife|husband|partner|spouse|son|daughter|niece|nephew|cousin|uncle|aunt(?:ie)?|grand(?:mother"
    r"|father|son|daughter)|fianc\u00e9e?|friend|girlfriend|boyfriend|neighbou?r|colleague|patient|client|witness)"
)
_OLD = r"(?:aged?[^\S\n]+\d|\d{1,3}[ \u00a0-]?(?:y/?o|years?|yrs?)\b)"
_PLAIN = r"\p{Lu}[\p{L}\p{M}'’\u2011-]{1,40}+"
_MARKS = (
    (0.95, rf"\b{_TITLED}(?:[^\S\n]+(?:and|&)[^\S\n]+{_TITLED})?[^\S\n]+(?:{_INITIALS}[^\S\n]*)?{_NAME}"),
    (0.95, rf"\b{_TITLED}[^\S\n]+{_INITIALS}"),
    (0.92, rf"\b(?i:{titles.IN_ANY_CASE})\b\.?[^\S\n]+[\p{{L}}\p{{M}}'’-]{{2,}}"),
    (0.72, rf"\b{_ROLES},?[^\S\n]+\K{_NAME}"),
    (0.8, rf"\b{_FIELDS}[^\S\n]*[:,][^\S\n]*\K{_NAME}"),
    (0.75, rf"\b(?i:(?:my|his|her|their) name is|(?:am|is|was) (?:called|named)|n\u00e9e?|born)[^\S\n]+\K{_NAME}"),
    (0.7, rf"(?<![\p{{L}}.]){_INITIALS}[^\S\n]?\p{{Lu}}\p{{Ll}}[\p{{L}}\p{{M}}'’-]+"),
    (0.7, rf"\b{_CAPITAL}[^\S\n]+(?:{_INITIALS}[^\S\n]*){_CAPITAL}"),
    (0.8, rf"\b{_PLAIN}(?:[^\S\n]+{_PLAIN}){{1,3}}(?=,?[^\S\n]+{_OLD})"),
)
_AGED = regex.compile(
    rf"\b{_PLAIN}(?:[^\S\n]+{_PLAIN}){{1,3}}+(?=,[^\S\n]*\d{{1,3}}[^\S\n]?[,;.)]|[^\S\n]\(\d{{1,3}}\))"
)
"""Capitals with an age behind them: "Anna Larsen, 62, a nurse", "Anna Larsen (62)"."""
_RELATED = regex.compile(
    r"\b(?:Wife|Husband|Partner|Son|Daughter|Mother|Father|Mum|Dad|Sister|Brother|Aunt|Uncle|Niece|Nephew|Cousin|Twin"
    rf"|Grand(?:mother|father|son|daughter)|Friend|Neighbou?r|Carer|Baby)[^\S\n]+\K{_NAME}"
)
"""A word of family with a capital, and a name behind it: "Wife Annika rang", "Baby Anouk"."""
_SHORTENED = regex.compile(r"\b(\p{Lu}[\p{Ll}\p{M}]{2,20}+)[^\S\n]\p{Lu}\.(?=[,;:)]|[^\S\n]\p{Ll})")
"""A first name with an initial behind it: "Emeka O., 48"."""
_LETTERED = regex.compile(r"\p{Lu}\.[^\S\n]*+(\p{Lu}\p{Ll}++)")
_SHY = regex.compile(r"\b(?i:dr|prof)\b\.?[^\S\n]+(\p{Ll}[\p{L}\p{M}'’-]+)")
_FULL = regex.compile(
    rf"\b(\p{{Lu}}\p{{L}}+(?:-\p{{Lu}}\p{{L}}+)?)(?:[^\S\n]+(?:{_INITIALS}|\p{{Lu}}[^\S\n]+|(?:{PARTICLE}[^\S\n]+){{1,2}})?"
    rf"[^\S\n]*{_CAPITAL}){{0,3}}"
)
_WORD = regex.compile(r"[\p{L}\p{M}]+(?:['’\-\u2011][\p{L}\p{M}]+)*")
_TITLE = regex.compile(rf"{titles.SHORT}|{titles.LONG}|{PARTICLE}", regex.IGNORECASE)
_COMMON = 5.0
"""Zipf frequency from which a listed first name alone is taken for a word."""


@lru_cache(maxsize=1)
def _marks() -> tuple[tuple[float, Any], ...]:
    return tuple((score, regex.compile(pattern)) for score, pattern in _MARKS)


def introduced(text: str) -> Iterator[Found]:
    """Yield names that a title, a field or initials introduce; the title belongs to the span."""
    every = anchored_matches(tuple(pattern for _, pattern in _marks()), text)
    for (score, _), matched in zip(_marks(), every, strict=True):
        for match in matched:
            end = _without_grammar(text, match.start(), match.end())
            if end > match.start() and not _is_heading(text, match.start(), end):
                yield Found(match.start(), end, "PERSON", score)
    for match in matches(_AGED, text):
        if all(not is_stop_word(word.group()) for word in _WORD.finditer(match.group())) and _any_name(match.group()):
            yield Found(match.start(), match.end(), "PERSON", 0.8)
    for match in matches(_RELATED, text):
        if _any_name(match.group()):
            yield Found(match.start(), _without_grammar(text, match.start(), match.end()), "PERSON", 0.72)
    for match in matches(_SHORTENED, text):
        if is_name_like(match.group(1), cased=True):
            yield Found(match.start(), match.end(), "PERSON", 0.7)
    for match in matches(_SHY, text):
        if frequency(match.group(1)) < _COMMON:
            yield Found(match.start(), match.end(), "PERSON", 0.75)


def listed(text: str) -> Iterator[Found]:
    """Yield first names of public lists with a capital, with the capitalised words behind them; then surer than a
    tagger.
    """
    for match in matches(_FULL, text):
        first = match.group(1)
        lower = first.lower()
        if lower not in first_names() or is_stop_word(lower) or len(first) < 3:
            continue
        end = _without_grammar(text, match.start(), match.end())
        if end > match.end(1):
            yield Found(match.start(), end, "PERSON", 0.8)
        elif frequency(lower) < _COMMON and not is_everyday(lower):
            yield Found(match.start(), match.end(1), "PERSON", 0.6)


def _any_name(text: str) -> bool:
    """Return whether a word of ``text`` may well be a name."""
    return any(is_name_like(word.group(), cased=True) for word in _WORD.finditer(text))


def _is_heading(text: str, start: int, end: int) -> bool:
    """Return whether [start, end) is a lettered heading, such as "A. Proceedings"."""
    if text[max(0, start - 1) : start] not in ("", "\n"):
        return False
    lettered = _LETTERED.fullmatch(text, start, end)
    return lettered is not None and not is_name_like(lettered[1], cased=True)


def is_title(word: str) -> bool:
    """Return whether ``word`` is a title, or a particle of names."""
    return _TITLE.fullmatch(word) is not None


def _without_grammar(text: str, start: int, end: int) -> int:
    """Return where the name ends once trailing grammar words ("Mr Smith The ...") are left out."""
    words = list(_WORD.finditer(text, start, end))
    while words and is_stop_word(words[-1].group()) and (len(words[-1].group()) > 1 or words[-1].group() == "I"):
        words.pop()
        end = words[-1].end() if words else start
    return end
