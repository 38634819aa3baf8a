"""Phrases as they may stand in a vocabulary: what a chat model wrote is tidied, or refused for one reason."""

from __future__ import annotations

import re
import unicodedata

from sfumato.text.offensive import is_offensive

LONGEST, MOST_WORDS = 80, 10
"""Characters and words of a phrase at most."""

EMPTY = "nothing left"
CHARACTERS = "characters that no phrase has"
LONG = "too long"
ADDRESS = "an e-mail or web address"
NUMBER = "a number of 9 digits or more"
LETTERS = "no letter"
OFFENSIVE = "offensive"

_STRANGE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Control, invisible and direction marks, halves of pairs, private, unassigned, line and paragraph separators."""
_MARK_UP = re.compile(r"[<>{}\[\]|\\_=\N{REPLACEMENT CHARACTER}\N{HORIZONTAL ELLIPSIS}]|\.\.\.")
_ADDRESS = re.compile(
    r"@|://|\bwww\.|\b[\w-]+\.(?:com|org|net|edu|gov|mil|info|biz|(?:ac|co|gov)\.[a-z]{2})\b", re.IGNORECASE
)
_NUMBER = re.compile(r"\d(?:[ ./()+-]*\d){8}")
_BULLET = re.compile(r"(?:[-*+•‣◦▪·–—]|\(?\d{1,3}[.):]|\(?[a-zA-Z]\))\s+")
_QUOTES = tuple(map(tuple, ('""', "''", "“”", "„“", "„”", "‘’", "‚‘", "«»", "»«", "‹›", "``", "**", "__")))


def spaced(text: str) -> str:
    """``text`` in Unicode's composed form (NFC), trimmed, every run of blanks one blank; other characters stay."""
    return re.sub(r"[^\S\t\n\r\x0b\x0c\x1c-\x1f\x85\u2028\u2029]+", " ", unicodedata.normalize("NFC", text).strip())


def tidied(text: str) -> str:
    """``text`` without what a list brings: bullets and numbers before it, quotes around it, commas behind it."""
    found, before = spaced(text), None
    while found != before:
        before = found
        found = _BULLET.sub("", found, count=1) if _BULLET.match(found) else found
        found = found.rstrip(",;").strip()
        for opening, closing in _QUOTES:
            if len(found) > 2 and found[0] == opening and found[-1] == closing:
                found = found[1:-1].strip()
    return found


def fault(phrase: str) -> str | None:
    """Why ``phrase`` may not stand in a vocabulary; None where it may.

    Addresses and long numbers are looked for in the compatible form (NFKC), in which wide digits are digits. They are
    refused because a model may have them from somebody's record.
    """
    plain = unicodedata.normalize("NFKC", phrase)
    if not phrase.strip():
        return EMPTY
    if any(unicodedata.category(one) in _STRANGE for one in phrase) or unicodedata.category(phrase[0])[0] == "M":
        return CHARACTERS
    if len(phrase) > LONGEST or len(phrase.split()) > MOST_WORDS:
        return LONG
    if _ADDRESS.search(plain):
        return ADDRESS
    if _MARK_UP.search(plain):
        return CHARACTERS
    if _NUMBER.search(plain):
        return NUMBER
    if is_offensive(plain):
        return OFFENSIVE
    return None if any(one.isalpha() for one in phrase) else LETTERS


def folded(phrase: str) -> str:
    """What two phrases share that differ in case, blanks or compatible characters only."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", phrase).casefold()).split())
