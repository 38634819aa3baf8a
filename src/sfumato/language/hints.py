"""Which language a few words are in, where their common words do not tell: by titles, small words and keys of forms.

A word on a list of a language is a hint of it. A word tells its language alone if the language uses it ten times as
often as every other, and a hundred times as often as English, so that no English text becomes another. Small words
and common words say something in small letters alone, because others may be names ("El Paso"). One word of another
language is enough for no answer.
A word on a list of a language is a hint of it. A word tells its language alone if the language uses it ten times as
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import regex

from sfumato.language.lists import lists_of
from sfumato.language.recognising import LISTED_AS, RECOGNISED, common_words, names_of_months_and_weekdays

_LISTED = ("de", "es", "fr", "it", "nl", "pt")
"""Languages with such lists. English has none: where English is unsure, it is never an answer."""
_FEW, _LEAST, _SHARE = 2, 3.0, 0.3
_TIMES, _TIMES_ENGLISH = 1.0, 2.0
"""How much more often a language uses a word that tells it than others and than English, as powers of ten."""
_NOWHERE = frozenset[str]()
_WORD = regex.compile(r"\p{L}{2,}")


def hinted(words: Sequence[str]) -> str | None:
    """Return the code of the language that ``words`` are in, as they are written; None if that is not sure.

    Two words more than in English must be of the language, and three in ten of all. One must be on a list of it, and
    one must tell it alone.
    """
    telling, listed, every = Counter[str](), Counter[str](), Counter[str]()
    seen = list[frozenset[str]]()
    for word in words:
        own = word.lower()
        if not word.islower() and own not in _keys():
            continue
        lists = _hints().get(own, _NOWHERE)
        users = common_words().get(own, _NOWHERE) if word.islower() else _NOWHERE
        alone = _alone().get(own)
        telling.update([alone] if alone else [])
        listed.update(lists)
        every.update(lists | users)
        seen += [frozenset({alone}) if alone else lists | users] if alone or users else []
    sure = [code for code in _LISTED if telling[code] and listed[code] and every[code] >= every["en"] + _FEW]
    sure = [code for code in sure if every[code] >= _SHARE * len(words) and all(code in users for users in seen)]
    return sure[0] if len(sure) == 1 else None


@lru_cache(maxsize=1)
def _hints() -> Mapping[str, frozenset[str]]:
    """Return the languages on whose lists each word is."""
    return _by_word({code: [*_titles_and_forms(code), _small_words(code)] for code in _LISTED})


@lru_cache(maxsize=1)
def _keys() -> frozenset[str]:
    """Return the words of titles and of keys of forms, which are hints with capitals as well."""
    small = _by_word({code: [_small_words(code)] for code in _LISTED})
    return frozenset(_by_word({code: _titles_and_forms(code) for code in _LISTED})) - frozenset(small)


def _by_word(texts: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """Return the languages of each word of ``texts``, which are by language. A date decides nothing."""
    hints: dict[str, set[str]] = {}
    for code, own in texts.items():
        for word in set(_WORD.findall(" ".join(own).lower())) - names_of_months_and_weekdays():
            hints.setdefault(word, set()).add(code)
    return {word: frozenset(codes) for word, codes in hints.items()}


def _titles_and_forms(code: str) -> list[str]:
    return [*lists_of(code, "titles"), *(text for text in lists_of(code, "forms").values() if isinstance(text, str))]


def _small_words(code: str) -> str:
    return str(lists_of(code, "numbers").get("small_words", ""))


@lru_cache(maxsize=1)
def _alone() -> Mapping[str, str]:
    """Return the language that each word on lists, and each common word, tells alone, by the counts of wordfreq."""
    best: dict[str, dict[str, float]] = {word: {} for word in (*_hints(), *common_words())}
    for code in RECOGNISED:
        for word, figure in _figures(LISTED_AS.get(code, code)):
            if word in best:
                best[word][code] = figure
    told = ((word, _told_by(figures)) for word, figures in best.items())
    return {word: code for word, code in told if code is not None and _hints().get(word, {code}) == {code}}


def _told_by(figures: Mapping[str, float]) -> str | None:
    """Return the one of _LISTED that uses a word most, if it does by far; ``figures`` say how often each does."""
    code = max(figures, key=figures.__getitem__, default=None)
    if code not in _LISTED:
        return None
    others = (
        figure + (_TIMES_ENGLISH if other == "en" else _TIMES) for other, figure in figures.items() if other != code
    )
    return code if figures[code] >= max(_LEAST, *others, 0.0) else None


def _figures(code: str) -> Iterable[tuple[str, float]]:
    """Yield the words of a language with the logarithm to base ten of their number in a billion words."""
    from wordfreq import cB_to_zipf, get_frequency_list

    for number, words in enumerate(get_frequency_list(code, "small")):
        for word in words:
            yield word, cB_to_zipf(-number)
