"""What the text that a pattern matches can begin with, read off the pattern itself.

The answer is a set of beginnings: for each of the first five characters, the ASCII characters that are possible
there, and whether any other character is. It is always wide enough. A pattern with anything unknown in it may begin
anywhere, so that nobody has to keep a list of beginnings in step with a rule.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

import regex

DEPTH = 5
"""Characters of a beginning."""
OTHER, FOREIGN = 1 << 128, 1 << 129
"""The bits for characters beyond ASCII: of words, and all others. Bit n below stands for the character n."""
EVERY = (1 << 130) - 1
_IGNORE_CASE = int(re.IGNORECASE)
_MOST = 3_000  # beginnings of one pattern; more would match nearly everywhere

Sets = tuple[int, ...]
Sequences = frozenset[Sets]
"""Ways to begin: sets of characters, one after the other. Fewer than DEPTH: the text may go on with anything."""


_PLAIN_FLAGS = regex.IGNORECASE | regex.MULTILINE | regex.DOTALL | regex.UNICODE | regex.VERSION0


class Beginnings(NamedTuple):
    """The ways to begin, and the set of characters that may precede; nothing may always precede."""

    ways: Sequences
    before: int


class _Unknown(Exception):  # noqa: N818
    """The pattern holds something that is not understood here."""


def beginnings(pattern: Any) -> Beginnings | None:
    """Return how texts that ``pattern`` (of the regex package) matches begin; None if they may begin anywhere."""
    ignore_case = bool(pattern.flags & regex.IGNORECASE)
    if pattern.flags & ~_PLAIN_FLAGS:
        return None
    try:
        tree = _parsed(pattern.pattern)
        ways = _of_sequence(tree, ignore_case)
        if any(not way or way[0] == EVERY for way in ways):
            return None
        return Beginnings(ways, _before(tree, ways))
    except (_Unknown, re.error, RecursionError, ImportError, AttributeError):
        return None


_LETTER, _SIGN = "\u0100", "\u0101"
"""Marks of a letter, and of any other character, beyond ASCII."""
_CLASSES = {"L": f"a-zA-Z{_LETTER}", "Ll": f"a-z{_LETTER}", "Lu": f"A-Z{_LETTER}", "N": f"0-9{_SIGN}", "M": _SIGN}
_NO_WORD = r"(?!\L<grammar>\b)"
_FUZZY = re.compile(r"(?<!\\)\{(?!\d*,?\d*\})")  # {e<=1} allows errors, and is plain text to Python
_STRANGE = (
    "(?r",
    "(?V1",
    "(?b",
    "(?e",
    "\\X",
    "\\R",
    "\\h",
    "\\N",
    "\\P",
    "[[",
    "&&",
    "--\\",
    "(?P=",
    _LETTER,
    _SIGN,
)
_PROPERTY = re.compile(r"\\p\{(\w+)\}")


def _parsed(source: str) -> Any:
    """Return the tree of a pattern, with the syntax that Python's own parser lacks replaced by something wider."""
    from re import _parser  # type: ignore[attr-defined]

    def spelled(match: re.Match[str]) -> str:
        if match[1] not in _CLASSES:
            raise _Unknown
        return _CLASSES[match[1]] if _in_class(source, match.start()) else f"[{_CLASSES[match[1]]}]"

    source = source.replace(_NO_WORD, "")
    if any(sign in source for sign in (*_STRANGE, r"\L<")):
        raise _Unknown
    plain = _PROPERTY.sub(spelled, source).replace(r"\K", "")
    if any(not _in_class(plain, brace.start()) for brace in _FUZZY.finditer(plain)):
        raise _Unknown
    plain = re.sub(r"\(\?P<\w+>", "(", plain)  # one name may be there twice
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return list(_parser.parse(plain))


def _in_class(source: str, place: int) -> bool:
    """Return whether ``place`` lies inside the brackets of a class."""
    inside, index = False, 0
    while index < place:
        sign = source[index]
        if sign == "\\":
            index += 1
        elif sign == "[" and not inside:
            inside = True
            index += source[index + 1 : index + 2] == "^"
            index += source[index + 1 : index + 2] == "]"
        elif sign == "]":
            inside = False
        index += 1
    return inside


def _of_sequence(nodes: Iterable[Any], ignore_case: bool) -> Sequences:
    ways: Sequences = frozenset({()})
    for node in nodes:
        ways = _joined(ways, _of_node(node, ignore_case))
        if all(len(way) == DEPTH for way in ways):
            break
    return ways


def _joined(first: Sequences, second: Sequences) -> Sequences:
    """Return each way of ``first`` followed by each of ``second``, cut at DEPTH."""
    whole = {way for way in first if len(way) == DEPTH}
    if len(whole) + (len(first) - len(whole)) * len(second) > _MOST:
        return frozenset(way + (EVERY,) * (DEPTH - len(way)) for way in first)
    return frozenset(whole | {(way + more)[:DEPTH] for way in first - whole for more in second})


def _of_node(node: Any, ignore_case: bool) -> Sequences:
    name, given = str(node[0]), node[1]
    match name:
        case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN":
            return frozenset({(_characters(node, ignore_case),)})
        case "AT" | "ASSERT" | "ASSERT_NOT":
            return frozenset({()})
        case "BRANCH":
            return frozenset().union(*(_of_sequence(branch, ignore_case) for branch in given[1]))
        case "SUBPATTERN":
            _, added, removed, inner = given
            return _of_sequence(inner, bool((ignore_case or added & _IGNORE_CASE) and not removed & _IGNORE_CASE))
        case "ATOMIC_GROUP":
            return _of_sequence(given, ignore_case)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, most, inner = given
            return _repeated(_of_sequence(inner, ignore_case), least, int(most))
    return frozenset({(EVERY,) * DEPTH})  # a reference to a group, which may be empty: anything may follow


def _repeated(ways: Sequences, least: int, most: int) -> Sequences:
    every: Sequences = frozenset({()})
    for _ in range(min(least, DEPTH)):
        every = _joined(every, ways)
    result = every
    for _ in range(min(most, DEPTH) - min(least, DEPTH)):
        every = _joined(every, ways)
        result |= every
    return result


_WORD = sum(1 << ord(sign) for sign in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_DIGIT = sum(1 << ord(sign) for sign in "0123456789")
_DOUBTFUL = sum(1 << code for code in range(28, 32))
"""White space for Python, and not for everyone."""
_SPACE = sum(1 << ord(sign) for sign in " \t\n\r\f\v") | _DOUBTFUL
_ASCII = (1 << 128) - 1
_CATEGORIES = {
    "CATEGORY_DIGIT": _DIGIT | OTHER,
    "CATEGORY_WORD": _WORD | OTHER | FOREIGN,
    "CATEGORY_SPACE": _SPACE | FOREIGN,
    "CATEGORY_NOT_DIGIT": _ASCII & ~_DIGIT | OTHER | FOREIGN,
    "CATEGORY_NOT_WORD": _ASCII & ~_WORD | OTHER | FOREIGN,
    "CATEGORY_NOT_SPACE": _ASCII & ~_SPACE | _DOUBTFUL | OTHER | FOREIGN,
}


def _characters(node: Any, ignore_case: bool) -> int:
    """Return the set of characters that a node for one character matches, or a wider one."""
    name, given = str(node[0]), node[1]
    if name == "LITERAL":
        return _literal(given, ignore_case)
    if name != "IN":
        return EVERY
    items, negated = list(given), False
    if str(items[0][0]) == "NEGATE":
        items, negated = items[1:], True
    result = 0
    for item in items:
        kind, value = str(item[0]), item[1]
        if kind == "LITERAL":
            result |= _literal(value, ignore_case)
        elif kind == "RANGE":
            for code in range(value[0], min(value[1], 127) + 1):
                result |= _literal(code, ignore_case)
            result |= OTHER | FOREIGN if value[1] > 127 else 0
        elif kind == "CATEGORY":
            result |= _CATEGORIES[str(value)]
        else:
            return EVERY
    # Under a negation a set that is too wide would be too narrow: only ASCII is exact.
    return (_ASCII & ~result) | _DOUBTFUL | OTHER | FOREIGN if negated else result


def _literal(code: int, ignore_case: bool) -> int:
    """Return the set of one character, in all cases if ``ignore_case``."""
    if code in (ord(_LETTER), ord(_SIGN)):
        return OTHER if code == ord(_LETTER) else OTHER | FOREIGN
    if code > 127:
        return EVERY if ignore_case and chr(code).isalpha() else OTHER | FOREIGN
    forms = {chr(code)}
    if ignore_case:
        forms |= {chr(code).lower(), chr(code).upper()}
    result = sum(1 << ord(form) for form in forms)
    return result | (OTHER if ignore_case and chr(code).lower() in "iks" else 0)  # İ, ı, ſ and the sign of kelvin


def _before(tree: list[Any], ways: Sequences) -> int:
    """Return which characters may precede a match."""
    allowed = EVERY
    for node in tree:
        name, given = str(node[0]), node[1]
        if name == "SUBPATTERN" and given[0] is None:
            return allowed & _before(list(given[3]), ways)
        if name == "AT" and str(given) == "AT_BOUNDARY":
            within = _WORD | OTHER
            if all(way[0] & ~within == 0 for way in ways):
                allowed &= ~_WORD
        elif name == "ASSERT_NOT" and given[0] == -1:
            inner = list(given[1])
            if len(inner) == 1 and str(inner[0][0]) == "IN" and str(inner[0][1][0][0]) != "NEGATE":
                allowed &= ~(_characters(inner[0], False) & _ASCII & ~_DOUBTFUL)
        elif name not in ("AT", "ASSERT", "ASSERT_NOT"):
            break
    return allowed
