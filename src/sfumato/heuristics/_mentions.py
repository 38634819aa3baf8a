"""Which mentions of a document mean the same: "Mr John Smith", "Smith" and "JOHN SMITH" are one person.

A shorter name joins the one longer name that holds all its words; where several longer names do, it stands alone,
because joining two people would tell more lies than parting one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import dropwhile

from sfumato.language.en.people import INITIALS, TITLES
from sfumato.storage.keys import keyed
from sfumato.text.marks import MarkedRecord
from sfumato.text.occurrences import Names, folded

PERSON = "PERSON"
_TITLE = re.compile(rf"(?:{'|'.join((*TITLES.read, *INITIALS))})\.?", re.IGNORECASE)
_WORD = re.compile(r"\w+(?:['’‑-]\w+)*")
_DIGITS = 8
_HASHED = 16


def title_of(text: str) -> str:
    """Return the title, with its stop and the space behind it, that a name begins with, or ""."""
    first = re.match(rf"(?:{_TITLE.pattern})\s+(?=\w)", text, re.IGNORECASE)
    return first.group() if first else ""


def _key_of(text: str, label: str, names: Names) -> str:
    """Return what two mentions must share to be one: their words, whatever case, accents, unseen characters, title.

    Spellings that the engine takes for one text (:mod:`sfumato.text.occurrences`) have one key.
    """
    if label != PERSON and names[text]:
        return names[text]
    plain = " ".join(folded(text).text.split())
    if label != PERSON:
        return plain
    whole = unicodedata.normalize("NFC", plain)  # \w+ is to hold the marks that are parts of letters
    words = [re.sub(r"['’]s$", "", word) for word in _WORD.findall(whole)]
    named = list(dropwhile(_TITLE.fullmatch, words))  # "John Major" keeps his last name
    return " ".join(named or words) or plain


def identities(record: MarkedRecord) -> list[str]:
    """Return a key for each span of ``record``; spans that mean the same share it, whatever label finds them."""
    mentions = list(zip(record.texts, record.labels, strict=True))
    keys = {mention: _key_of(*mention, record.names) for mention in dict.fromkeys(mentions)}
    longest = _joined({key for (_, label), key in keys.items() if label == PERSON})
    return [
        longest.get(keys[mention], keys[mention]) if mention[1] == PERSON else keys[mention] for mention in mentions
    ]


def _joined(names: set[str]) -> dict[str, str]:
    """Return, for every name, the longest one that it is a part of, where that is not in doubt."""
    words = {name: frozenset(name.split()) for name in names}
    holders: dict[str, list[str]] = {}
    for name in names:
        for word in words[name]:
            holders.setdefault(word, []).append(name)
    longest: dict[str, str] = {}
    for name in sorted(names):
        if not words[name]:
            continue
        rarest = min((holders[word] for word in words[name]), key=len)
        longer = [other for other in rarest if words[name] < words[other]]
        top = [other for other in longer if not any(words[other] < words[another] for another in longer)]
        if len(top) == 1:
            longest[name] = top[0]
    return longest


class Pseudonyms:
    """The pseudonyms of one record, whose texts are ``text``.

    A pseudonym that the text holds already is passed over: a reader could not tell it from ours.
    """

    def __init__(self, text: str) -> None:
        self._folded = text.casefold()
        self._given: dict[tuple[str, str], str] = {}
        self._last: dict[str, int] = {}

    def numbered(self, label: str, key: str) -> str:
        """Return the pseudonym of what has this ``key``, by the order in which keys are asked for."""
        if (label, key) not in self._given:
            number = self._last.get(label, 0) + 1
            while self.holds(f"{label}_{number}"):
                number += 1
            self._last[label] = number
            self._given[label, key] = f"{label}_{number}"
        return self._given[label, key]

    def of_the_run(self, secret: bytes, label: str, key: str, digits: int = _DIGITS) -> str:
        """Return the pseudonym that ``key`` has in every document of a run with this secret.

        32 bits, so that two of 10,000 names share one with a chance of about 1 %; if the text holds it, the next one
        is taken.
        """
        if (label, key) not in self._given:
            tries = (f"{label}_{keyed(secret, 'pseudonym', label, key, str(turn)).hex().upper()[:digits]}"
                     for turn in range(1000))  # fmt: skip
            free = (pseudonym for pseudonym in tries if not self.holds(pseudonym))
            self._given[label, key] = next(free, f"[{label}]")
        return self._given[label, key]

    def holds(self, pseudonym: str) -> bool:
        """Return whether the text holds ``pseudonym``."""
        return pseudonym.casefold() in self._folded


def hashed(secret: bytes, label: str, key: str) -> str:
    """Return the first 64 bits of HMAC-SHA256 of ``key``."""
    return f"{label}_{keyed(secret, 'hash', label, key).hex()[:_HASHED]}"


def named(labels: Sequence[str]) -> list[str]:
    """Return labels as they may appear in a pseudonym: letters, digits and underscores."""
    return ["".join(sign if sign.isalnum() else "_" for sign in label) for label in labels]
