"""English by rule: plurals, the possessive, and "a" or "an"."""

from __future__ import annotations

import re

_IRREGULAR = {"man": "men", "woman": "women", "person": "people", "child": "children", "wife": "wives"}
"""Words with a plural of their own; longer words in small letters end as they do ("midwives", not "Germen")."""
_BEHIND = re.compile(r" (?:of|in|to) ")
_SAME = re.compile(r"(?:[A-Z]\w*(?:ese|sh|ch|ss)|[Ss]taff)$")
_SILENT_H = re.compile(r"(?:hour|hono|heir|honest)", re.IGNORECASE)
_LIKE_YOU = re.compile(r"(?:uni(?![dmn])|us[aeu]|ut[eio]|eu|ew|on[ce]e?\b|ubiq|uk|ur[aeiou]|uga)", re.IGNORECASE)
_SPELLED_OUT = re.compile(r"[A-Z](?:[A-Z]+s?\b|\b)|[A-Za-z]-")
_VOWEL = re.compile(r"[aeiouàáâäåæèéêëìíîïòóôöøùúûü]", re.IGNORECASE)


def article(phrase: str) -> str:
    """Return "a" or "an", as ``phrase`` is spoken. An abbreviation is spoken letter by letter."""
    if _SPELLED_OUT.match(phrase):
        return "an" if phrase[0].upper() in "AEFHILMNORSX" else "a"
    if _SILENT_H.match(phrase):
        return "an"
    return "an" if _VOWEL.match(phrase) and not _LIKE_YOU.match(phrase) else "a"


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
