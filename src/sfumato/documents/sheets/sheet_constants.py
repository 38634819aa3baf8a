"""Constant parts of formulas: texts that are put together from pieces, and dates that are written as numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, time, timedelta

CONSTANT = "CONSTANT"
_JOINS = ("CONCAT", "CONCATENATE", "TEXTJOIN")
_CALLED = re.compile(r"(?:DATE|TIME|CHAR|UNICHAR|CONCAT|CONCATENATE|TEXTJOIN)\(|&\s*\(*\s*[-\d\"]", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_TIME = re.compile(r"(\d\d):(\d\d)(?::(\d\d))?")


@dataclass(slots=True)
class Token:
    """A token of a formula, or several that make one constant. PRIVATE.

    Attributes:
        kind: What it is, as openpyxl calls it, or CONSTANT.
        value: What is written in the formula.
        text: What a constant says.
        word: What a constant is: a text, a date or a time.
    """

    kind: str
    value: str = field(repr=False)
    text: str = field(default="", repr=False)
    word: str = "text"

    @property
    def said(self) -> str | None:
        """Return what it says, or None if that depends on something else."""
        if self.kind == "TEXT":
            return self.value[1:-1].replace('""', '"')
        return self.text if self.kind == CONSTANT else self.value if self.kind in ("NUMBER", "LOGICAL") else None


def may_have_constants(formula: str) -> bool:
    """Return whether a formula may put a text or a date together."""
    return _CALLED.search(formula) is not None


def folded(pairs: Iterable[tuple[str, str]]) -> list[Token]:
    """Return the tokens of a formula, of which those that make one constant are one."""
    done = list[Token]()
    opened = list[int]()
    for kind, value in pairs:
        if kind in ("CALL", "PAREN") and value.endswith("("):
            opened.append(len(done))
        done.append(Token(kind, value))
        if kind in ("FUNC", "PAREN") and value == ")" and opened:
            start = opened.pop()
            inner = _joined(done[start + 1 : -1])
            together = _called(done[start].value[:-1], inner)
            source = "".join(each.value for each in (done[start], *inner, done[-1]))
            done[start:] = [Token(CONSTANT, source, *together)] if together else [done[start], *inner, done[-1]]
    return _joined(done)


def constants_in(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return what the constants of a formula say."""
    return [each.text for each in folded(pairs) if each.kind == CONSTANT]


def rewritten(token: Token, new: str) -> str:
    """Return how a formula writes a constant that became ``new``: as a date or a time if it still is one."""
    shape = {"date": _DATE, "time": _TIME}.get(token.word)
    found = shape.fullmatch(new) if shape else None
    if found is not None:
        return f"{token.word.upper()}({','.join(str(int(each or 0)) for each in found.groups())})"
    return '"' + new.replace('"', '""') + '"'


def _joined(tokens: Sequence[Token]) -> list[Token]:
    """Join the constants between which there is a sign that joins texts."""
    joined = list[Token]()
    for token in tokens:
        joined.append(token)
        place = len(joined) - 2
        while place > 0 and not joined[place].value.strip():
            place -= 1
        before = place - 1
        while before >= 0 and not joined[before].value.strip():
            before -= 1
        if token.said is None or before < 0 or joined[place].value.strip() != "&":
            continue
        first = joined[before].said
        if first is not None:
            source = "".join(each.value for each in joined[before:])
            joined[before:] = [Token(CONSTANT, source, first + token.said)]
    return joined


def _called(name: str, inner: Sequence[Token]) -> tuple[str, str] | None:
    """Return what a call of a function says and what that is, or None if it is no constant."""
    arguments: list[str] = [""]
    for token in inner:
        if token.kind == "SEP":
            arguments.append("")
        elif token.said is not None:
            arguments[-1] += token.said
        elif token.value in ("-", "+"):
            arguments[-1] += token.value
        elif token.value.strip():
            return None
    function = name.upper().removeprefix("_XLFN.")
    if not function:
        return (arguments[0], _word_of(inner)) if len(arguments) == 1 and arguments[0] else None
    if function in _JOINS:
        between, texts = (arguments[0], arguments[2:]) if function == "TEXTJOIN" else ("", arguments)
        return between.join(texts), "text"
    with suppress(ValueError, OverflowError, TypeError):
        numbers = [int(float(each or 0)) for each in arguments]
        if function in ("CHAR", "UNICHAR") and len(numbers) == 1:
            return chr(numbers[0]), "text"
        if function == "DATE" and len(numbers) == 3:
            return _date(*numbers), "date"
        if function == "TIME" and len(numbers) == 3:
            seconds = (numbers[0] * 3600 + numbers[1] * 60 + numbers[2]) % 86_400
            return time(seconds // 3600, seconds // 60 % 60, seconds % 60).isoformat(), "time"
    return None


def _word_of(inner: Sequence[Token]) -> str:
    """Return what the constant between two parentheses is."""
    return next((each.word for each in inner if each.kind == CONSTANT), "text")


def _date(year: int, month: int, day: int) -> str:
    """Return the date that Excel takes three numbers for."""
    more, month = divmod(month - 1, 12)
    begin = date((year + 1900 if year < 1900 else year) + more, month + 1, 1)
    return (begin + timedelta(day - 1)).isoformat()
