"""Which language a text is in, by how often each language uses its words (wordfreq).

The text decides alone, and nothing is fitted. A text of few known words is in no language: the caller must not take
it for English.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice

import regex

TRAINED = ("da", "de", "en", "es", "fi", "fr", "nl", "no", "pt", "ro", "sv", "tr")
"""Languages that the detector's network has learned."""
UNTRAINED = ("it",)
"""Languages that it has not learned, because no labelled text exists, and yet reads; it was measured on made text."""
READ = (*TRAINED, *UNTRAINED)
_OTHERS = (
    *("bg", "ca", "cs", "el", "fil", "hu", "id", "is", "lt", "lv", "mk", "ms", "pl", "ru", "sh", "sk", "sl"),
    *("uk", "vi"),
)
RECOGNISED = (*READ, *_OTHERS)
LISTED_AS = {"no": "nb"}
"""What a language is called by the lists of wordfreq."""
_IN_CLDR = {"no": "nb", "sh": "sr_Latn"}
_COMMON = 2_000  # of each language: grammar words, which tell languages apart
_RARE = math.log(4 * _COMMON)
_READ, _LEAST, _SHARE = 400, 3, 0.3
_SHORT = 10
"""The most words of a short text, whose hints are looked at."""
_NO_LANGUAGE: Mapping[int, float] = {}
_WORD = regex.compile(r"\p{L}+")
_LETTER, _OTHER = regex.compile(r"\p{L}"), regex.compile(r"[\p{L}--\p{Latin}--\p{Common}]", regex.V1)
_LETTERS = 10
"""The fewest letters that show a script."""


def recognised(texts: Iterable[str]) -> str | None:
    """Return the code of the language that the ``texts`` of a record are in; None if their words do not tell it.

    Three of their words, and three in ten, must be among the common words of the language. Of a shorter text, words
    on lists of a language tell it (:mod:`sfumato.language.hints`).
    """
    written = list(islice((m.group() for text in texts for m in _WORD.finditer(text)), _READ))
    words = [word.lower() for word in written]
    costs = [0.0] * len(RECOGNISED)
    often = [0] * len(RECOGNISED)
    for word in words:
        for number, cost in _costs().get(word, _NO_LANGUAGE).items():
            costs[number] += cost - _RARE
            often[number] += 1
    best = min(range(len(RECOGNISED)), key=costs.__getitem__)
    if often[best] < _LEAST or often[best] < _SHARE * len(words):
        return _hinted(written) if len(words) <= _SHORT else None
    return RECOGNISED[best]


def _hinted(words: Sequence[str]) -> str | None:
    from sfumato.language.hints import hinted  # which counts words in all languages, for short texts alone

    return hinted(words)


def shows_another(texts: Iterable[str], languages: Collection[str]) -> bool:
    """Return whether the ``texts`` of a record show a language other than ``languages``.

    Where their words show none, most of their letters may be of a script that ``languages`` are not written in.
    """
    every = list(texts)
    code = recognised(every)
    if code is not None or not set(languages) <= set(READ):
        return code not in (None, *languages)
    letters = sum(len(_LETTER.findall(text)) for text in every)
    return letters >= _LETTERS and 2 * sum(len(_OTHER.findall(text)) for text in every) > letters


@lru_cache(maxsize=1)
def _costs() -> Mapping[str, Mapping[int, float]]:
    """Return for each common word how surprising it is in the languages that use it, by their numbers."""
    from wordfreq import top_n_list  # reads a list for each language

    costs: dict[str, dict[int, float]] = {}
    calendar = names_of_months_and_weekdays()
    for number, language in enumerate(RECOGNISED):
        for rank, word in enumerate(top_n_list(LISTED_AS.get(language, language), _COMMON, wordlist="small")):
            if word.isalpha() and word not in calendar:
                costs.setdefault(word, {})[number] = math.log(rank + 10)
    return costs


@lru_cache(maxsize=1)
def common_words() -> Mapping[str, frozenset[str]]:
    """Return the languages that use each common word."""
    return {word: frozenset(RECOGNISED[number] for number in costs) for word, costs in _costs().items()}


@lru_cache(maxsize=1)
def names_of_months_and_weekdays() -> frozenset[str]:
    """Return them in all languages, in small letters: which date a text has must not decide its language.

    Narrow names stay out: they are single letters, which are words of grammar in Polish ("w", "z", "i").
    """
    from babel import Locale

    locales = [Locale.parse(_IN_CLDR.get(code, code)) for code in RECOGNISED]
    named = (words for locale in locales for words in (locale.months, locale.days))
    return frozenset(
        name.lower().rstrip(".")
        for words in named
        for width, names in words["format"].items()
        for name in (names.values() if width != "narrow" else ())
    )
