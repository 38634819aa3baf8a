"""Words that the network takes for names in other languages than English, where all of them are everyday words.

German nouns have capitals, and the network has read little prose of hospitals and courts in other languages. Two
kinds of mark are let go: a name without a capital, and a name of one word that the network itself finds doubtful.
Each word must be frequent in the language (wordfreq), and on no public list of names of people, places and peoples.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from statistics import median
from typing import NamedTuple

import regex

from sfumato.detectors.english import names as english
from sfumato.kinds.people.names import first_names, last_names
from sfumato.kinds.places.gazetteer import key, known_as
from sfumato.language.everyday import COMPARED
from sfumato.language.languages import LANGUAGES
from sfumato.language.letter_case import bare, case_key

OFTEN = 3.0
"""The least Zipf frequency of an everyday word: once in a million words."""
VERY_OFTEN = 4.5
MORE = 1.5
"""How much higher than in other languages the frequency of a doubtful word is at least: thirty times."""


class Doubtful(NamedTuple):
    """The chance below which a mark of one everyday word is let go, and that for a word that is very frequent."""

    often: float
    very_often: float

    def below(self, frequency: float) -> float:
        """Return the chance for a word of this ``frequency``."""
        return self.very_often if frequency >= VERY_OFTEN else self.often


DOUBTFUL = {
    "PERSON": Doubtful(0.6, 0.8),
    "LOCATION": Doubtful(0.3, 0.5),
    "ORGANIZATION": Doubtful(0.2, 0.3),
    "GROUP": Doubtful(0.7, 0.8),
}
"""By kind; chosen on the first halves of the dev parts, where each lets go ten times as many false marks as true."""
_OF_WORDS = {"PERSON": 0.8, "LOCATION": 0.3, "GROUP": 0.7}
"""The chance below which a mark of several everyday words is let go; institutions are often named by such words."""
_NO_WORK = 0.6
"""The chance below which everyday words that no list knows are no work."""
_NAMES = frozenset({"PERSON", "ORGANIZATION", "LOCATION", "MISC"})
_WORDLESS = frozenset({"EMAIL", "PHONE", "URL", "IP"})
"""Kinds whose values are no single word: "correo" before an address of e-mail."""
_WORD = regex.compile(r"\p{L}[\p{L}\p{M}]*")
_SHORTEST = 3
_WRITTEN_SMALL = 50_000
"""How many people a city has whose name in small letters is no other word: "madrid", and not "bar"."""
_LONGEST_ENDING = 5
_LONG = 8
"""How many letters a word has at least whose ending shows that it is a noun: "Untersuchung", and not "Hartung"."""


def is_everyday(kind: str, likely: float, words: str, code: str) -> bool:
    """Return whether the ``words`` of a mark of ``kind`` are none but everyday words of the language ``code``."""
    named = _WORD.findall(words)
    if not named or any(map(str.isdigit, words)):
        return False
    if words.islower() and kind in _WORDLESS:
        return len(named) == 1 and is_common(named[0], code)
    if words.islower() and kind in _NAMES:
        small = LANGUAGES[code].small_words if code in LANGUAGES else frozenset()
        return all(word in small or is_common(word, code) for word in named)
    if kind == "OCCUPATION" and code in LANGUAGES and not any(_names_work(word, code) for word in named):
        return _tells_no_work(likely, named, code)
    if len(named) > 1:
        is_doubtful = kind in _OF_WORDS and likely < _OF_WORDS[kind] and not _has_capitals(named, code)
        if code in LANGUAGES and not set(map(str.lower, named)).isdisjoint(LANGUAGES[code].titles.read):
            return False
        return is_doubtful and all(_is_plain(word, code) for word in named)
    if len(named[0]) < _SHORTEST or (named[0].isupper() and len(named[0]) <= _SHORTEST + 1):
        return False
    return _says_nothing(kind, likely, named[0], code)


def _names_work(word: str, code: str) -> bool:
    language = LANGUAGES[code]
    return word.casefold() in language.jobs or language.works(word)


def _tells_no_work(likely: float, words: Sequence[str], code: str) -> bool:
    """Return whether ``words``, none of which is known as work, are no noun in German, or doubtful everyday words."""
    if LANGUAGES[code].capital_nouns and all(map(str.islower, words)):
        return True
    return likely < _NO_WORK and all(_frequency(word, code) >= OFTEN for word in words)


def _has_capitals(words: Sequence[str], code: str) -> bool:
    """Return whether a word behind the first of ``words`` has a capital that common nouns of the language lack."""
    has_none = code not in LANGUAGES or not LANGUAGES[code].capital_nouns
    return has_none and any(word[0].isupper() and not word.isupper() for word in words[1:])


def _is_plain(word: str, code: str) -> bool:
    """Return whether ``word`` is grammar or a noun, which is no part of a name by itself."""
    small = LANGUAGES[code].small_words if code in LANGUAGES else frozenset[str]()
    return word.lower() in small or (len(word) >= _SHORTEST and is_noun(word, code))


def _says_nothing(kind: str, likely: float, word: str, code: str) -> bool:
    """Return whether a lone ``word`` that is marked as a ``kind`` is an everyday word."""
    if kind in ("GROUP", "OCCUPATION") and _is_institution(word, code):
        return True
    if kind not in DOUBTFUL or likely >= DOUBTFUL[kind].below(_frequency(word, code)):
        return False
    if kind == "GROUP" and _is_people(word.lower(), code):
        return False
    return is_noun(word, code)


@lru_cache(maxsize=1 << 14)
def _frequency(word: str, code: str) -> float:
    from wordfreq import zipf_frequency  # reads its lists on the first call

    return float(zipf_frequency(word.lower(), "nb" if code == "no" else code))


@lru_cache(maxsize=1 << 14)
def _is_of_one_language(word: str, code: str) -> bool:
    """Return whether ``word`` is much more frequent than in other languages, as names seldom are: "Merkel"."""
    others = median(_frequency(word, other) for other in COMPARED if other != code)
    return _frequency(word, code) - others >= MORE


def is_common(word: str, code: str) -> bool:
    """Return whether ``word`` is frequent in the language ``code``, and on no list of names."""
    return _frequency(word, code) >= OFTEN and not is_name(word, code)


def is_noun(word: str, code: str) -> bool:
    """Return whether ``word`` is common in this language alone, as names seldom are; a German genitive counts too."""
    stems = (word[: len(word) - cut] for cut in (0, 1, 2) if code == "de" or not cut)
    if is_name(word, code):
        return False
    if code in LANGUAGES and len(word) >= _LONG and LANGUAGES[code].noun_ends.any_in(word):
        return True
    return any(
        is_common(stem, code) and _is_of_one_language(stem, code)
        for stem in stems
        if word.removeprefix(stem) in ("", "s", "es")
    )


@lru_cache(maxsize=1 << 14)
def is_name(word: str, code: str) -> bool:
    """Return whether a public list has ``word`` as the name of a person or a place."""
    small, spelled = word.lower(), case_key(word)
    if small in english.first_names() or small in english.last_names():
        return True
    if code in LANGUAGES and (spelled in first_names(code) or spelled in last_names(code) or small in _short(code)):
        return True
    city = known_as(word)
    if city is not None and (not word.islower() or city.people >= _WRITTEN_SMALL):
        return True
    return key(word) in _places(code)


def is_first_name_alone(word: str, code: str) -> bool:
    """Return whether ``word`` is on the lists of first names, and on none of places and last names."""
    spelled = case_key(word)
    is_given = spelled in first_names(code) and spelled not in last_names(code)
    return is_given and known_as(word) is None and key(word) not in _places(code)


@lru_cache(maxsize=16)
def _short(code: str) -> frozenset[str]:
    """Return the short forms of first names: "kees"."""
    names = LANGUAGES[code].naming.nicknames
    return frozenset(names).union(*names.values())


@lru_cache(maxsize=16)
def _places(code: str) -> frozenset[str]:
    """Return the keys of what a language calls places, with the genitive of German: "Bayerns"."""
    language = LANGUAGES.get(code)
    if language is None:
        return frozenset()
    places = language.places
    names = [*places.exonyms.values(), *places.regions.values(), *places.countries.values()]
    names += [name for rows in places.more_regions.values() for name in regex.findall(r"=([^;\n]+)", rows)]
    return frozenset(key(spelled) for name in names for spelled in (name, f"{name}s"))


def _is_institution(word: str, code: str) -> bool:
    """Return whether ``word`` is a common noun for an institution: "Klinik"."""
    return code in LANGUAGES and LANGUAGES[code].institutions.names([word.casefold()])


def _is_people(word: str, code: str) -> bool:
    """Return whether ``word`` is one for people of a nation, a belief or a place, in any form; True without lists."""
    if LANGUAGES.get(code) is None:
        return True
    stems = _peoples(code)
    ends = (bare(word[: len(word) - cut]) for cut in range(_LONGEST_ENDING + 1))
    return any(stem in stems for stem in ends) or (word.endswith("er") and known_as(word[:-2]) is not None)


@lru_cache(maxsize=16)
def _peoples(code: str) -> frozenset[str]:
    """Return the words for peoples without accents and endings."""
    peoples = LANGUAGES[code].peoples
    rows = [row for own in (peoples.nations, peoples.beliefs) for row in (own.all, own.women, own.others)]
    words = {bare(word.lower()) for row in (*rows, peoples.adjectives) for word in row}
    return frozenset(words | {word[:-1] for word in words if len(word) > _LONGEST_ENDING})
