"""Common English words, and whole numbers and years."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

_WORD = re.compile(r"a|i|[^\W\d_]{2,}(?:'[^\W\d_]+)?")


def words() -> Iterator[str]:
    """Yield whole numbers and years, then English words from the most common on, in lower case.

    wordfreq lists the words; "don't" is one word. Numbers are included because a text that is replaced word by word
    holds them too.
    """
    import wordfreq

    yield from map(str, chain(range(1000), range(1900, 2040)))
    yield from filter(_WORD.fullmatch, wordfreq.iter_wordlist("en", wordlist="large"))
