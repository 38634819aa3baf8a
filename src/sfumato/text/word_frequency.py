"""How often English uses a word, from public lists (wordfreq): what is rare, and what is an everyday word.

A name is written alike in most languages, a common word is not. So a word that English uses much oftener than the
languages beside it is an everyday word, even where it also names people: "will", "mark", "reading", but not "smith".
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
    """Return the Zipf frequency of ``word`` in English without case and possessive; 0 where the list has none."""
    from wordfreq import zipf_frequency  # reads its lists when first asked

    return float(zipf_frequency(_POSSESSIVE.sub("", word.casefold()), "en"))


@lru_cache(maxsize=1 << 14)
def is_everyday(word: str) -> bool:
    """Return whether ``word`` is an everyday word of English, whatever else it names."""
    from wordfreq import zipf_frequency

    often = frequency(word)
    if often < _OFTEN:
        return False
    bare = _POSSESSIVE.sub("", word.casefold())
    more = often - median(zipf_frequency(bare, language, "small") for language in _BESIDE)
    return bool(more >= (_RATHER_MORE if often >= _VERY_OFTEN else _MORE))
