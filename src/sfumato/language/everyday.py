"""Names that are everyday words as well, by how often a language uses them (wordfreq).

A name is spelled alike in most languages, a common word is not. So a word that is much more frequent in one language
than in others is an everyday word, even if it also names people: "will", "mark", "rose".
"""

from __future__ import annotations

from functools import lru_cache
from statistics import median

COMPARED = ("de", "en", "es", "fr", "it", "nl", "pt")
"""The languages whose frequencies are compared."""
_OFTEN, _VERY_OFTEN = 4.0, 5.0
_MORE, _RATHER_MORE = 0.8, 0.6


@lru_cache(maxsize=1 << 14)
def is_everyday(word: str, code: str) -> bool:
    """Return whether ``word`` is an everyday word of the language ``code``, even if it is also a name."""
    from wordfreq import zipf_frequency  # reads its lists on the first call

    small = word.casefold()
    often = zipf_frequency(small, code, "small")
    if often < _OFTEN:
        return False
    more = often - median(zipf_frequency(small, other, "small") for other in COMPARED if other != code)
    return bool(more >= (_RATHER_MORE if often >= _VERY_OFTEN else _MORE))
