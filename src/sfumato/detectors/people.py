"""Names of persons: introduced by a title or a field, and carried to every other mention, their parts among them."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Any

import regex

from sfumato.detectors.found import Found, matches
from sfumato.stops import stop_words

_TITLES = (
    r"(?:Mr|Mrs|Ms|Miss|Mx|Messrs|Dr|Drs|Prof(?:essor)?|Sir|Dame|Lady|Lord|Judge|Justice|Magistrate|Prosecutor"
    r"|Rev(?:erend)?"
    r"|Father|Sister|Brother|Rabbi|Imam|Sheikh|Capt(?:ain)?|Col(?:onel)?|Gen(?:eral)?|Major|Maj|Lt|Lieutenant"
    r"|Sgt|Sergeant"
    r"|Cpl|Corporal|Cmdr|Inspector|Detective|Constable|Officer|Nurse|Senator|Governor|Mayor|President|Minister"
    r"|Ambassador"
    r"|Hon|Herr|Frau|Fr\u00e4ulein|Monsieur|Madame|Mademoiselle|Mme|Mlle|Me|M|Se\u00f1or(?:a|ita)?|Sr|Sra|Srta"
    r"|Don|Do\u00f1a"
    r"|Signor(?:a|e|ina)?|Pan|Pani|Bay|Bayan|Uncle|Aunt|Auntie|Grandma|Grandpa)"
)
_PARTICLE = (
    r"(?:de|del|della|der|den|di|da|dos|du|la|le|van|von|zu|zur|zum|bin|binti|ibn|al|el|ben|ter|ten|af|av|und|y|e)"
)
_CAPITAL = r"(?:[DdOL]['’]|Mc|Mac|al-|el-)?\p{Lu}[\p{L}\p{M}'’]*(?:[-\u2011]\p{L}[\p{L}\p{M}'’]*)*"
_INITIALS = r"(?:\p{Lu}\.[-\u2011 \u00a0]?){1,8}"
_NAME = (
    rf"(?:{_INITIALS})?{_CAPITAL}(?:[^\S\n]+(?:{_PARTICLE}[^\S\n]+){{0,2}}(?:{_INITIALS}[^\S\n]*)?{_CAPITAL}){{0,4}}"
)
_FIELDS = (
    r"(?:Name|Full name|First name|Last name|Surname|Patient|Client|Customer|Employee|Contact|Author|From|To|Cc"
    r"|Attn|Dear"
    r"|Signed|Regards|Sincerely|Mother|Father|Spouse|Doctor|Physician|Attending|Applicant|Claimant|Defendant"
    r"|Plaintiff)"
)
_ROLES = (
    r"(?:dr|prof|doctor|nurse|midwife|carer|pastor|judge|officer|inspector|detective|sergeant|teacher|mother|father|mum|dad"
    r"|parent|sister|brother|wife|husband|partner|spouse|son|daughter|niece|nephew|cousin|uncle|aunt(?:ie)?|grand(?:mother"
    r"|father|son|daughter)|fianc\u00e9e?|friend|girlfriend|boyfriend|neighbou?r|colleague|patient|client|witness)"
)
_OLD = r"(?:aged?[^\S\n]+\d|\d{1,3}[ \u00a0-]?(?:y/?o|years?|yrs?)\b)"
_PLAIN = r"\p{Lu}[\p{L}\p{M}'’\u2011-]{1,40}+"
_MARKS = (
    (0.95, rf"\b{_TITLES}\.?(?:[^\S\n]+(?:and|&)[^\S\n]+{_TITLES}\.?)?[^\S\n]+(?:{_INITIALS}[^\S\n]*)?{_NAME}"),
    (0.95, rf"\b{_TITLES}\.?[^\S\n]+{_INITIALS}"),
    (0.92, r"\b(?i:mr|mrs|ms|mx)\b\.?[^\S\n]+[\p{L}\p{M}'’-]{2,}"),
    (0.72, rf"\b{_ROLES}\.?,?[^\S\n]+\K{_NAME}"),
    (0.8, rf"\b{_FIELDS}[^\S\n]*[:,][^\S\n]*\K{_NAME}"),
    (0.75, rf"\b(?i:(?:my|his|her|their) name is|(?:am|is|was) (?:called|named)|n\u00e9e?|born)[^\S\n]+\K{_NAME}"),
    (0.7, rf"(?<![\p{{L}}.]){_INITIALS}[^\S\n]?\p{{Lu}}\p{{Ll}}[\p{{L}}\p{{M}}'’-]+"),
    (0.7, rf"\b{_CAPITAL}[^\S\n]+(?:{_INITIALS}[^\S\n]*){_CAPITAL}"),
    (0.8, rf"\b{_PLAIN}(?:[^\S\n]+{_PLAIN}){{1,3}}(?=,?[^\S\n]+{_OLD})"),
)
_SHY = regex.compile(r"\b(?i:dr|prof)\b\.?[^\S\n]+(\p{Ll}[\p{L}\p{M}'’-]+)")
_FULL = regex.compile(
    rf"\b(\p{{Lu}}\p{{L}}+(?:-\p{{Lu}}\p{{L}}+)?)(?:[^\S\n]+(?:{_INITIALS}|\p{{Lu}}[^\S\n]+|(?:{_PARTICLE}[^\S\n]+){{1,2}})?"
    rf"[^\S\n]*{_CAPITAL}){{0,3}}"
)
_WORD = regex.compile(r"[\p{L}\p{M}]+(?:['’\-\u2011][\p{L}\p{M}]+)*")
_TITLE = regex.compile(rf"{_TITLES}|{_PARTICLE}", regex.IGNORECASE)
COMMON = 5.0
"""Zipf frequency from which a word is too common to be carried on a tagger's word alone."""
_SELDOM = 4.0
_LONGEST = 40
_WORD_BEFORE = regex.compile(
    r"(?<![\p{L}\p{M}\p{N}])(\p{Lu}[\p{Ll}\p{M}]+(?:[-\u2011]\p{Lu}[\p{Ll}\p{M}]+)*)[^\S\n]+\Z"
)


@lru_cache(maxsize=1)
def _marks() -> tuple[tuple[float, Any], ...]:
    return tuple((score, regex.compile(pattern)) for score, pattern in _MARKS)


@lru_cache(maxsize=1)
def first_names() -> frozenset[str]:
    """First names of public lists, in lower case."""
    from importlib import import_module

    found: set[str] = set()
    for locale in ("en_US", "en_GB", "de_DE", "fr_FR", "es_ES", "it_IT", "pl_PL", "tr_TR", "nl_NL", "en_IN"):
        provider = import_module(f"faker.providers.person.{locale}").Provider
        found.update(str(name).lower() for name in provider.first_names)
    return frozenset(found)


def introduced(text: str) -> Iterator[Found]:
    """Names that a title, a field or initials introduce; the title belongs to the span."""
    for score, pattern in _marks():
        for match in matches(pattern, text):
            end = _without_grammar(text, match.start(), match.end())
            if end > match.start():
                yield Found(match.start(), end, "PERSON", score)
    for match in matches(_SHY, text):
        if _is_rare(match.group(1)):
            yield Found(match.start(), match.end(), "PERSON", 0.75)


def listed(text: str) -> Iterator[Found]:
    """First names of public lists with a capital; with the capitalised words behind them, surer than a tagger."""
    for match in matches(_FULL, text):
        first = match.group(1)
        lower = first.lower()
        if lower not in first_names() or lower in stop_words() or len(first) < 3:
            continue
        if match.end() > match.end(1):
            yield Found(match.start(), _without_grammar(text, match.start(), match.end()), "PERSON", 0.8)
        elif _is_rare(lower):
            yield Found(match.start(), match.end(), "PERSON", 0.6)


@lru_cache(maxsize=1 << 14)
def _is_rare(lower: str, often: float = COMMON) -> bool:
    from wordfreq import zipf_frequency

    return bool(zipf_frequency(lower, "en") < often)


def parts_of(text: str, found: Iterable[Found]) -> set[str]:
    """The parts of the names among what was ``found`` in ``text`` by which each can be told again, to be carried.

    What only the tagger took for a name has parts that are no common English word, or that a public list of first
    names holds.
    """
    return {
        _folded(match.group())
        for one in found
        if one.label == "PERSON"
        for match in _WORD.finditer(text, one.start, one.end)
        if _is_part(match.group(), sure=one.score > 0.9)
    }


def carried(text: str, parts: Collection[str]) -> Iterator[Found]:
    """Every mention of a name by one of its ``parts``: a surname alone, a first name alone. It needs a capital."""
    if not parts:
        return
    for match in matches(_WORD, text):
        word = match.group()
        if not word[0].isupper() and not _caseless(word):
            continue
        bare = word[:-2] if word[-2:].lower() in ("'s", "’s") else word
        whole = _folded(bare)
        if whole in parts:
            yield Found(_with_first_names(text, match.start()), match.start() + len(bare), "PERSON", 0.85)
        elif any(piece in parts for piece in whole.replace("\u2011", "-").split("-")):
            yield Found(match.start(), match.end(), "PERSON", 0.85)


def _with_first_names(text: str, start: int) -> int:
    """Where a name begins that was found at ``start``: at the words before it that can hardly be but first names."""
    for _ in range(2):
        before = _WORD_BEFORE.search(text, max(0, start - _LONGEST), start)
        if before is None or not _is_part(before[1], sure=False) or not _is_rare(before[1].lower(), _SELDOM):
            return start
        start = int(before.start(1))
    return start


def _folded(word: str) -> str:
    """``word`` without the difference between capitals, and between ways to write an accent."""
    return unicodedata.normalize("NFC", word.casefold())


def _caseless(word: str) -> bool:
    return word.lower() == word.upper()


def _is_part(word: str, sure: bool) -> bool:
    lower = word.lower()
    if len(word) < 2 or _TITLE.fullmatch(word) or lower.replace("’", "'") in stop_words():
        return False
    if _caseless(word):
        return True
    if not word[0].isupper() and "'" not in word and "’" not in word:
        return False
    if sure or lower in first_names():
        return True
    return _is_rare(lower)


def _without_grammar(text: str, start: int, end: int) -> int:
    """Where the name ends once trailing grammar words ("Mr Smith The ...") are left out."""
    words = list(_WORD.finditer(text, start, end))
    while words and words[-1].group().casefold() in stop_words() and len(words[-1].group()) > 1:
        words.pop()
        end = words[-1].end() if words else start
    return end
