"""Patterns: of words in a text, and of a text whose value is taken out, with a field in braces in its place.

"11 January 2019" has the pattern "{d} {Month} {yyyy}". Whatever is not a field comes from a closed public list, so a
pattern holds nothing of the value. Words that agree with the value are fields too: "{week|weeks}" is written for the
value that is drawn, never for the one that was read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import regex

LONGEST = 200
"""Longer texts are not readable as any value made of numbers: every reader takes them for None at once."""

GAP = r"[ \t\r\n\u00a0\u202f]{1,4}"
"""A gap between two words, kept as it is; a line break and a blank that does not break are gaps too."""

FLAGS = re.ASCII | re.IGNORECASE
"""The flags of every reader: in ASCII, because a long s or a Kelvin sign equals s and k in another case."""

_END = ""
_FIELD = re.compile(r"\{([^{}|]+)(?:\|([^{}|]+))?\}")


def choice(words: Iterable[str]) -> str:
    """Return a pattern for one of the ``words``, the longest that fits."""
    return f"(?:{'|'.join(sorted(dict.fromkeys(words), key=lambda word: (-len(word), word)))})"


def one_of(phrases: str) -> str:
    """Return a pattern for one of the ``phrases``, which bars separate; their blanks may be any gap."""
    return choice(phrase.replace(".", r"\.") for phrase in phrases.split("|")).replace(" ", GAP)


def any_phrase(phrases: str) -> str:
    """Return :func:`one_of` the ``phrases``, whose apostrophes may be straight or curved."""
    return one_of(phrases).replace("'", "['’]")


def matched(text: str, shapes: Iterable[re.Pattern[str]]) -> re.Match[str] | None:
    """Return the match of all of ``text`` by the first of the ``shapes`` that fits; None for a long text."""
    if len(text) > LONGEST:
        return None
    for shape in shapes:  # a loop, because whole domains are read by it, and a generator takes a third longer
        if match := shape.fullmatch(text):
            return match
    return None


def pattern_of(match: re.Match[str], fields: Mapping[str, str]) -> str:
    """Return the matched text in which the field ``fields[group]`` in braces replaces each such ``group``.

    A group may be empty, before another one.
    """
    pieces, end = [], 0
    for group in sorted(fields, key=match.span):
        pieces += [match.string[end : match.start(group)], "{", fields[group], "}"]
        end = match.end(group)
    return "".join(pieces) + match.string[end:]


def filled(pattern: str, fields: Mapping[str, str], is_one: bool = False) -> str:
    """Return ``pattern`` with its fields filled in; ``is_one`` chooses the singular of "{week|weeks}"."""

    def replaced(match: re.Match[str]) -> str:
        if match.group(2) is not None:
            return match.group(1 if is_one else 2)
        return fields[match.group(1)]

    return _FIELD.sub(replaced, pattern)


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for any of ``words`` as it is written, which takes the longest one that matches.

    It is arranged by common beginnings, so that a hundred words cost little more than a few.
    """
    tree: dict[str, Any] = {}
    for word in words:
        branch = tree
        for character in word:
            branch = branch.setdefault(character, {})
        branch[_END] = {}
    return _pattern(tree)


def _pattern(tree: dict[str, Any]) -> str:
    if len(tree) == 1 and _END not in tree:  # no choice: without a group, so that depth stays small
        [(character, below)] = tree.items()
        return f"{regex.escape(character)}{_pattern(below)}"
    branches = [regex.escape(character) + _pattern(below) for character, below in sorted(tree.items()) if character]
    if not branches:
        return ""
    return f"(?:{'|'.join(branches)}){'?' if _END in tree else ''}"


_SIGNS = (
    "US$ U.S.$ AU$ A$ CA$ CAD$ C$ NZ$ HK$ SG$ S$ NT$ MX$ R$ $ £ € ¥ ₹ ₽ ₺ ₩ ₪ ₫ ₦ ₴ ₱ ₡ ₲ ₵ ₸ ₼ ฿ ﷼ "
    "zł Kč kr. kr Fr. SFr. Rs. Rs Ft"
)
SIGN = rf"(?:{'|'.join(map(re.escape, sorted(_SIGNS.split(), key=len, reverse=True)))})"
"""A pattern for the sign of a currency, the longest that fits."""
