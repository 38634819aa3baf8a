"""The frequency of English words, from public lists (wordfreq): rare words and everyday words.

A name is spelled alike in most languages, a common word is not. So a word that is much more frequent in English than
in related languages is an everyday word, even if it also names people: "will", "mark", "reading", but not "smith".
"""

from __future__ import annotations

from functools import lru_cache
from statistics import median

import regex

_BESIDE = ("de", "es", "fr", "it")
_POSSESSIVE = regex.compile(r"['’]s?\Z")
_OFTEN, _VERY_OFTEN = 4.0, 5.0
_MORE, _RATHER_MORE = 0.8, 0.6


@lru_cache(maxsize=1 << 16)
def frequency(word: str) -> float:
    """Return the Zipf frequency of ``word`` in English without case and possessive; 0 if the list lacks it."""
    from wordfreq import zipf_frequency  # reads its lists on the first call

    return float(zipf_frequency(_POSSESSIVE.sub("", word.casefold()), "en"))


@lru_cache(maxsize=1 << 14)
def is_everyday(word: str) -> bool:
    """Return whether ``word`` is an everyday word of English, even if it is also a name."""
    from wordfreq import zipf_frequency

    often = frequency(word)
    if often < _OFTEN:
        return False
    bare = _POSSESSIVE.sub("", word.casefold())
    more = often - median(zipf_frequency(bare, language, "small") for language in _BESIDE)
    return bool(more >= (_RATHER_MORE if often >= _VERY_OFTEN else _MORE))
