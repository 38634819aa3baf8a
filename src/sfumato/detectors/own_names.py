"""Names of people that the network takes for places or institutions, in other languages than English.

A first name and last names of the lists of the language are a person's: "Rui Tavares". So is a lone first name that
no place has, and one behind a word that says the sex of its person: "a Catarina".
"""

from __future__ import annotations

from functools import cache

from sfumato.detectors.everyday import is_first_name_alone
from sfumato.detectors.forms import is_land
from sfumato.kinds.people.names import names_of
from sfumato.language.language import Language
from sfumato.language.letter_case import bare, case_key
from sfumato.language.people import OTHER_NAME

_TAKEN_FOR = frozenset({"LOCATION", "ORGANIZATION"})
_BESIDE = 40


def label_of(label: str, text: str, start: int, end: int, language: Language | None) -> str:
    """Return what ``text[start:end]`` is, which a network marked as ``label``: a listed place, a person, or that."""
    if label in ("PERSON", "ORGANIZATION") and is_land(text[start:end], language):
        return "LOCATION"
    if language is None or label not in _TAKEN_FOR:
        return label
    own = text[start:end].strip(" .,:;!?")
    is_given = label == "LOCATION" and own.isalpha() and is_first_name_alone(own, language.code)
    return "PERSON" if is_given or _is_person(text, start, end, language) else label


def _is_person(text: str, start: int, end: int, language: Language) -> bool:
    first, *rest = text[start:end].split() or [""]
    firsts, lasts = _own_names(language)
    if _key(first) not in firsts or not all(_key(word) in lasts or word in language.particles for word in rest):
        return False
    if OTHER_NAME in text:
        return False
    if rest:
        return rest[-1] not in language.particles and not language.institutions.names([word.lower() for word in rest])
    return language.cues.gender_of(text[max(0, start - _BESIDE) : start], "") is not None


def _key(word: str) -> str:
    return bare(case_key(word))


@cache
def _own_names(language: Language) -> tuple[frozenset[str], frozenset[str]]:
    """Return the keys of the words of first and of last names in the language's own lists."""
    rows = [names_of(locale) for locale in language.naming.locales]
    firsts = {_key(word) for first, _ in rows for name in first for word in name.split()}
    more = language.naming.more_last_names
    lasts = {_key(word) for names in (*(last for _, last in rows), more) for name in names for word in name.split()}
    return frozenset(firsts), frozenset(lasts | firsts)
