"""The codes of formats of cells, such as `0.00 "EUR"`: their tokens, and the texts in them."""

from __future__ import annotations

import re
from collections.abc import Sequence

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_(?P<space>.)|\*(?P<fill>.)|\[\$(?P<money>[^\]-]*)(?:-[^\]]*)?\]'
    r"|\[(?P<elapsed>h+|m+|s+)\]|\[(?P<condition>[<>=]{1,2}-?\d+(?:\.\d+)?)\]|\[(?P<other>[^\]]*)\]"
    r"|(?P<general>general)|(?P<half>am/pm|a/p)|(?P<fraction>\.0+(?=[^#?0]|$))|(?P<power>e[+-])"
    r"|(?P<date>y+|m+|d+|h+|s+|e+|g+|b+)|(?P<digit>[0#?])|(?P<sign>.)",
    re.IGNORECASE | re.DOTALL,
)
_BRACKET = re.compile(
    r"\[\$[^\]A-Za-z0-9-]*(-[0-9A-Fa-f]{1,8}(,\d)?)?\]"
    r"|\[(Black|Blue|Cyan|Green|Magenta|Red|White|Yellow|Color ?\d{1,2}|DBNum\d|NatNum\d{1,2}|ENG|JPN)\]",
    re.IGNORECASE,
)


def literals(code: str) -> list[tuple[int, int, str]]:
    """Return the texts in ``code``: where each starts and ends, and the text. Single letters do not count.

    A text is between quotation marks, or made of single signs, or what a bracket holds that is not known.
    """
    found = list[tuple[int, int, str]]()
    for each in _TOKEN.finditer(code):
        kind, start, end = each.lastgroup, *each.span()
        known = kind in ("other", "money") and _BRACKET.fullmatch(each.group())
        if known or kind not in ("quoted", "escaped", "sign", "money", "other"):
            continue
        if kind == "sign" and not each.group().isalnum():
            continue
        text = each.group()[1:-1] if kind in ("money", "other") else each[str(kind)]
        if found and found[-1][1] == start and kind in ("quoted", "escaped", "sign"):
            start, text = found[-1][0], found.pop()[2] + text
        found.append((start, end, text))
    return [each for each in found if sum(map(str.isalpha, each[2])) > 1 or any(map(str.isdigit, each[2]))]


def with_literals(code: str, new: Sequence[str]) -> str:
    """Return ``code`` with other texts."""
    written, done = "", 0
    for (start, end, old), text in zip(literals(code), new, strict=True):
        if text != old:
            plain = text.replace('"', "")
            written, done = written + code[done:start] + (f'"{plain}"' if plain else ""), end
    return written + code[done:]


def sections_of(code: str) -> list[list[tuple[str, str]]]:
    """Return the sections of a code, as tokens of a kind and what it holds."""
    sections: list[list[tuple[str, str]]] = [[]]
    for found in _TOKEN.finditer(code):
        kind = str(found.lastgroup)
        if found.group() == ";":
            sections.append([])
        elif kind == "sign" and found.group() == ".":
            sections[-1].append(("point", "."))
        elif kind == "fraction":
            sections[-1] += [("fraction", found.group())]
        else:
            sections[-1].append((kind, found[kind]))
    return sections
