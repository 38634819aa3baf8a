"""English words: stop words, which ``ContentWords`` leaves unchanged, and how frequent words are.

The stop words come from the maintained package ``stop-words``, restricted to grammar words. The package's English
list is made for search engines and holds 1,333 entries. Left in a private text, many of them disclose something:
number words ("forty"), codes ("uk"), titles ("mrs"), ages ("younger"), and even "microsoft". Words that are also
common names or abbreviations are taken out too, whatever their case in the text: US, Will, May, Don, Ma.

Frequencies come from public lists (wordfreq). A name is spelled alike in most languages, a common word is not. So a
word that is much more frequent in English than in related languages is an everyday word, even if it also names
people: "will", "mark", "reading", but not "smith".
"""

from __future__ import annotations

import re
from functools import lru_cache
from statistics import median

import regex

NAMES_AND_ABBREVIATIONS = frozenset({"us", "will", "may", "don", "ma"})
"""Never a stop word, because the same letters name a person, a place or a month."""

_GRAMMAR = """
a an the this that these those
i me my mine myself we us our ours ourselves you your yours yourself yourselves thou thy
he him his himself she her hers herself it its itself they them their theirs themselves
who whom whose which what whatever whichever whoever whomever
someone somebody something anyone anybody anything everyone everybody everything nobody nothing none
each either neither both all any some every several many much more most few fewer less least
enough such same other others another own no not only
am is are was were be been being have has had having do does did doing done
can cannot could shall should would must might ought will may
about above across after against along alongside amid among amongst around as at before behind below
beneath beside besides between beyond but by concerning despite down during except for from in inside
into like near of off on onto opposite out outside over past per regarding since than through
throughout till to toward towards under underneath unlike until up upon versus via with within without
and or nor so yet if because although though while whilst whereas unless whether lest
when where why how whenever wherever however therefore thus hence thereby therein whereby wherein
here there then now again once ever never always often sometimes already still just also too very
quite rather really almost nearly else even perhaps maybe indeed instead otherwise meanwhile
moreover furthermore nevertheless nonetheless anyway away yes oh
"""
GRAMMAR = frozenset(_GRAMMAR.split())
"""Pronouns, determiners, prepositions, conjunctions, auxiliaries and particles."""

_PARTICLES = """
a an the this that at of on in to by from before after until till since between and or about around as for with next
last also then now is was
"""
PARTICLES = frozenset(_PARTICLES.split())
"""Articles, prepositions, conjunctions and the like beside dates and places, which say nothing of a person."""

_WORD = re.compile(r"\w+(?:[./]\w+)*")
_BESIDE = ("de", "es", "fr", "it")
_POSSESSIVE = regex.compile(r"['’]s?\Z")
_OFTEN, _VERY_OFTEN = 4.0, 5.0
_MORE, _RATHER_MORE = 0.8, 0.6
_LETTER_PLURALS = frozenset({"a's", "c's", "t's"})


@lru_cache(maxsize=1)
def stop_words() -> frozenset[str]:
    """Return the stop words in lower case with a straight apostrophe: grammar words and contractions ("don't")."""
    from stop_words import get_stop_words  # reads files when imported

    listed = {word.casefold().replace("’", "'") for word in get_stop_words("english")}
    contractions = {word for word in listed if _is_contraction(word)} - _LETTER_PLURALS
    return frozenset((listed & GRAMMAR | contractions) - NAMES_AND_ABBREVIATIONS)


def _is_contraction(word: str) -> bool:
    before, apostrophe, after = word.partition("'")
    return bool(apostrophe) and before.isalpha() and after.isalpha()


def is_stop_word(word: str) -> bool:
    """Return whether ``word`` is a stop word, whatever its case and kind of apostrophe."""
    return word.casefold().replace("’", "'") in stop_words()


def words(text: str) -> list[str]:
    """Return the words of ``text`` in lower case. A figure such as 120/80 or 38.5 is one word."""
    return _WORD.findall(text.casefold())


def content_words(text: str) -> list[str]:
    """Return the :func:`words` of ``text`` without stop words."""
    return [word for word in words(text) if not is_stop_word(word)]


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
