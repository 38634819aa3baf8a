"""English by rule: plurals, the possessive, and the capitals of phrases."""

from __future__ import annotations

import re

import regex

_IRREGULAR = {"man": "men", "woman": "women", "person": "people", "child": "children", "wife": "wives"}
"""Words with a plural of their own; longer words in small letters end as they do ("midwives", not "Germen")."""
_BEHIND = re.compile(r" (?:of|in|to) ")
_SAME = re.compile(r"(?:[A-Z]\w*(?:ese|sh|ch|ss)|[Ss]taff)$")
_WORD = regex.compile(r"\p{L}[\p{L}\p{M}\p{N}]*(?:['’]\p{L}+)?")
_LEADS = re.compile(
    r"(?:^|[\s(])(?:an?|the|this|that|another|our|my|his|her|their|one)\s(?:[a-z-]+\s)?$", re.IGNORECASE
)
_FOLLOWS = re.compile(
    r"\s+(?:[a-z]+(?:-[a-z]+)?\s)?(?:man|woman|male|female|boy|girl|lady|gentleman|patient|son|daughter|child|brother|sister"
    r"|mother|father|husband|wife|partner|nephew|niece|cousin|grandson|granddaughter|grandmother|grandfather|twins?)\b"
)
_ENDS_PHRASE = (
    "a|an|and|are|as|at|because|before|after|but|by|during|for|from|had|has|have|he|her|his|if|in|into|is|it|near|of|on"
    "|or|she|since|so|that|the|their|then|they|this|to|until|was|were|when|where|which|while|who|will|with"
)
"""Words that begin something new behind a noun phrase."""
_SMALL = frozenset(["a", "an", "and", "as", "at", "by", "for", "in", "of", "on", "or", "the", "to", "with"])


def plural(phrase: str) -> str:
    """Return the plural of a noun phrase: its last word changes, or the word before "of" and the like."""
    behind = _BEHIND.search(phrase)
    text, rest = (phrase[: behind.start()], phrase[behind.start() :]) if behind else (phrase, "")
    start, blank, last = text.rpartition(" ")
    return f"{start}{blank}{_plural_word(last)}{rest}"


def _plural_word(word: str) -> str:
    for single, many in _IRREGULAR.items() if not _SAME.search(word) else ():
        if word == single or (word.islower() and word.endswith(single) and len(word) > len(single) + 2):
            return f"{word[: -len(single)]}{many}"
    if _SAME.search(word):
        return word
    if re.search(r"(?:s|x|z|ch|sh)$", word):
        return f"{word}es"
    return f"{word[:-1]}ies" if re.search(r"[^aeiou]y$", word) else f"{word}s"


def singulars(phrase: str) -> tuple[str, ...]:
    """Return the noun phrases whose plural is ``phrase``, and which look different."""
    behind = _BEHIND.search(phrase)
    text, rest = (phrase[: behind.start()], phrase[behind.start() :]) if behind else (phrase, "")
    start, blank, last = text.rpartition(" ")
    irregular = [f"{last[: -len(many)]}{single}" for single, many in _IRREGULAR.items() if last.endswith(many)]
    guesses = [*irregular, f"{last[:-3]}y", last[:-1], last[:-2]]
    whole = [f"{start}{blank}{guess}{rest}" for guess in dict.fromkeys(guesses) if guess]
    return tuple(single for single in whole if single != phrase and plural(single) == phrase)


def possessive(phrase: str, ending: str, is_plural: bool) -> str:
    """Return ``phrase`` with ``ending``, an apostrophe and an s; a plural in s has the apostrophe alone."""
    return f"{phrase}{ending[0]}" if is_plural and phrase[-1:] in ("s", "S") else f"{phrase}{ending}"


def is_before_noun(before: str, after: str) -> bool:
    """Return whether what stands between ``before`` and ``after`` says something of a noun behind it.

    An article before it says so, or a word for a person behind it.
    """
    return bool((_LEADS.search(before[-24:]) and after[:1].isspace()) or _FOLLOWS.match(after[:40]))


_GAP_AFTER = re.compile(rf"\s*(?:[,.;:!?)\]]|$)|\s+(?:\(|(?:{_ENDS_PHRASE})\b)")
_THE = re.compile(r"(?<![^\s(])(?P<article>[Tt]he|an?)(?P<blank>\s+)$")
_LEADS_TO = re.compile(r"(?:^|\s)(?:at|in|of|to|from|by|with|for|near|via|against|outside|and)\s$")


def article_before(before: str, after: str, name: str, definite: bool | None) -> tuple[str, str]:
    """Return the text ``before`` a proper ``name``, and the name, with the article that it takes.

    ``definite`` says that "the" stands before it, or that no article does, or that either may. Before a noun that
    follows the name, the article is the noun's, and stays: "the Leeds office".
    """
    if not _GAP_AFTER.match(after):
        return before, name
    match = _THE.search(before)
    if definite is False:
        return (before if match is None else before[: match.start()]), name.removeprefix("the ")
    if match is not None and match["article"] in ("a", "an"):
        return f"{before[: match.start()]}the{match['blank']}", name.removeprefix("the ")
    if definite and match is None and _LEADS_TO.search(before):
        return before, f"the {name.removeprefix('the ')}"
    return before, name


def titled(phrase: str) -> str:
    """Return ``phrase`` with a capital for each word, except small words within it: "University of Oslo"."""
    return str(_WORD.sub(_with_capital, phrase))


def _with_capital(word: regex.Match[str]) -> str:
    text = word.group()
    return str(text if word.start() and text in _SMALL else text[:1].upper() + text[1:])


def uncased(text: str, proper: bool) -> str:
    """Return ``text``, which no list holds, as a list might hold it.

    Lists have proper names with capitals, and other phrases in small letters. A single word in capitals is an
    abbreviation.
    """
    small = text.lower()
    if text.isupper() and " " in text:
        listed = titled(small) if proper else small
        return listed if listed.upper() == text else text
    return small if not proper and text in (small[:1].upper() + small[1:], titled(small)) else text
