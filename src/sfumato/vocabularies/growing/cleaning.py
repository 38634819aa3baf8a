"""Phrases for a vocabulary: each phrase of a chat model is tidied, or refused for one reason."""

from __future__ import annotations

import re
import unicodedata

from sfumato.language.en.offensive import is_offensive

LONGEST, MOST_WORDS = 80, 10
"""The most characters and the most words of a phrase."""

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
    """Return ``text`` in Unicode's composed form (NFC), trimmed, with one blank for every run of blanks.

    Other characters stay.
    """
    return re.sub(r"[^\S\t\n\r\x0b\x0c\x1c-\x1f\x85\u2028\u2029]+", " ", unicodedata.normalize("NFC", text).strip())


def tidied(text: str) -> str:
    """Return ``text`` without the marks of a list: bullets, numbers and quotes around it, commas after it."""
    phrase, before = spaced(text), None
    while phrase != before:
        before = phrase
        phrase = _BULLET.sub("", phrase, count=1) if _BULLET.match(phrase) else phrase
        phrase = phrase.rstrip(",;").strip()
        for opening, closing in _QUOTES:
            if len(phrase) > 2 and phrase[0] == opening and phrase[-1] == closing:
                phrase = phrase[1:-1].strip()
    return phrase


def fault(phrase: str) -> str | None:
    """Return the reason why ``phrase`` may not be in a vocabulary; None if it may.

    Addresses and long numbers are searched for in the compatible form (NFKC), in which wide digits are digits. They
    are refused because a model may have them from a person's record.
    """
    plain = unicodedata.normalize("NFKC", phrase)
    if not phrase.strip():
        return EMPTY
    if any(unicodedata.category(sign) in _STRANGE for sign in phrase) or unicodedata.category(phrase[0])[0] == "M":
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
    return None if any(sign.isalpha() for sign in phrase) else LETTERS


def folded(phrase: str) -> str:
    """Return the form that phrases share if they differ only in case, blanks or compatible characters."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", phrase).casefold()).split())
