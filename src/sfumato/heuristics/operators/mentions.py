"""Which mentions of a document mean the same: "Mr John Smith", "Smith" and "JOHN SMITH" are one person.

A shorter name joins the one longer name that holds all its words; where several longer names do, it stands alone,
because joining two people would tell more lies than parting one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from sfumato.text.layout import Layout
from sfumato.text.occurrences import folded, name_of

PERSON = "PERSON"
_TITLE = re.compile(
    r"(?:mr|mrs|ms|miss|mx|messrs|dr|drs|prof|professor|sir|dame|lady|lord|judge|justice|rev|reverend|capt"
    r"|captain|col"
    r"|gen|lt|sgt|sergeant|hon|herr|frau|mme|mlle|madame|monsieur|señor|señora|sr|sra|me|m|president|officer"
    r"|inspector)\.?",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+(?:['’‑-]\w+)*")


def title_of(text: str) -> str:
    """The title, with its stop and the space behind it, that a name begins with, or ""."""
    first = re.match(rf"(?:{_TITLE.pattern})\s+(?=\w)", text, re.IGNORECASE)
    return first.group() if first else ""


def key_of(text: str, label: str) -> str:
    """What two mentions must share to be one: their words, whatever case, accents, unseen characters and title.

    Spellings that the engine takes for one text (:mod:`sfumato.text.occurrences`) have one key.
    """
    plain = " ".join(folded(text).text.split())
    if label != PERSON:
        return name_of(text) or plain
    whole = unicodedata.normalize("NFC", plain)  # \w+ is to hold the marks that are parts of letters
    words = [re.sub(r"['’]s$", "", word) for word in _WORD.findall(whole)]
    named = [word for word in words if not _TITLE.fullmatch(word)]
    return " ".join(named or words) or plain


def identities(layout: Layout) -> list[str]:
    """A key for each span of ``layout``; spans that mean the same share it, whatever label finds them."""
    keys = [
        key_of(layout.text[start:end], label) for (start, end), label in zip(layout.spans, layout.labels, strict=True)
    ]
    longest = _joined({key for key, label in zip(keys, layout.labels, strict=True) if label == PERSON})
    return [longest.get(key, key) if label == PERSON else key for key, label in zip(keys, layout.labels, strict=True)]


def _joined(names: set[str]) -> dict[str, str]:
    """For every name the longest one that it is a part of, where that is not in doubt."""
    words = {name: frozenset(name.split()) for name in names}
    holders: dict[str, list[str]] = {}
    for name in names:
        for word in words[name]:
            holders.setdefault(word, []).append(name)
    found: dict[str, str] = {}
    for name in sorted(names):
        if not words[name]:
            continue
        rarest = min((holders[word] for word in words[name]), key=len)
        longer = [other for other in rarest if words[name] < words[other]]
        top = [one for one in longer if not any(words[one] < words[other] for other in longer)]
        if len(top) == 1:
            found[name] = top[0]
    return found


def numbered(keys: Sequence[str]) -> dict[str, int]:
    """Numbers from 0 in the order in which ``keys`` first stand."""
    return {key: number for number, key in enumerate(dict.fromkeys(keys))}
