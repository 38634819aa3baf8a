"""Words in a script that the pipeline cannot read: what they disclose is unknown, so all of them are marked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import regex

from sfumato.detectors.found import Found

OTHER_SCRIPT = "OTHER_SCRIPT"
_SCORE = 2.0  # above every other: a policy that keeps numbers must not keep the words beside one
_TOKEN = regex.compile(r"\S+")
_EDGE = regex.compile(r"\p{P}*+")
_BETWEEN = regex.compile(r"[^\p{L}\n\r]*+")
_FIGURE = r"\p{N}[\p{N}.,/:-]*"
_BEFORE = regex.compile(rf"(?r)(?:(?<![\p{{L}}\p{{N}}]){_FIGURE}[^\p{{L}}\p{{N}}\n\r]{{1,3}})*")  # from right to left
_AFTER = regex.compile(rf"(?:[^\p{{L}}\p{{N}}\n\r]{{0,3}}+{_FIGURE}+)*+")
_FAR = 40
_CYRILLIC, _ARABIC = ("Cyrillic",), ("Arabic",)
SCRIPTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("be", "bg", "kk", "ky", "mk", "mn", "ru", "sr", "tg", "uk"), _CYRILLIC),
    **dict.fromkeys(("ar", "fa", "ps", "ur"), _ARABIC),
    **{"el": ("Greek",), "grc": ("Greek",), "he": ("Hebrew",), "yi": ("Hebrew",), "hy": ("Armenian",)},
    **{"ka": ("Georgian",), "am": ("Ethiopic",), "th": ("Thai",), "ko": ("Hangul", "Han"), "zh": ("Han",)},
    **dict.fromkeys(("hi", "mr", "ne", "sa"), ("Devanagari",)),
    **{"ja": ("Han", "Hiragana", "Katakana"), "bn": ("Bengali",), "ta": ("Tamil",), "te": ("Telugu",)},
}
"""The scripts that a pipeline for a language reads in addition to Latin. A language that is not listed has none."""

_DRESSED = r"[\uFF21-\uFF3A\uFF41-\uFF5A\u249C-\u24E9\U0001F110-\U0001F1FF\u3200-\u33FF]"
_SMALL = (
    r"[\u1D00-\u1DBF\uA730\uA731\u0262\u026A\u0274\u0276\u0280\u0281\u0299\u029C\u029F\u028F\u02B0-\u02B8"
    r"\u02E0-\u02E4]"
)
_SYMBOL = r"[\p{Common}&&\p{L}&&[\u2102-\u2138\U0001D400-\U0001D7CB]]"
_ALIKE = r"[\u0391\u0392\u0395-\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03b9\u03c1\u03c5]"
_MARKS = r"[\p{M}\p{Cf}]*+"


@lru_cache(maxsize=8)
def _unread(language: str) -> Any:
    """Return a pattern for what a pipeline for ``language`` cannot read, in a word.

    Signs of other scripts, unassigned and private ones among them, and Latin letters in disguise: of full width, in
    circles and squares. A Greek letter, a mathematical sign or a small capital alone is a symbol (TNFα); two are a
    word, and so is one that looks Latin, or is mathematical, beside a Latin letter.
    """
    known = ("Latin", "Common", "Inherited", *SCRIPTS.get(language, ()))
    read = "".join(rf"--\p{{{script}}}" for script in (*known, "Greek"))
    ways = [rf"[\p{{Any}}{read}]", _DRESSED, *(rf"{sign}{_MARKS}{sign}" for sign in (_SMALL, _SYMBOL))]
    ways += [rf"{_SYMBOL}{_MARKS}\p{{Latin}}", rf"\p{{Latin}}{_MARKS}{_SYMBOL}"]
    if "Greek" not in known:
        ways.append(rf"\p{{Greek}}{_MARKS}\p{{Greek}}")
        ways += [rf"{_ALIKE}{_MARKS}\p{{Latin}}", rf"\p{{Latin}}{_MARKS}{_ALIKE}"]
    return regex.compile("|".join(ways), regex.V1)


@lru_cache(maxsize=8)
def _odd(language: str) -> Any:
    """Return a pattern for the characters without which nothing in a text is unread."""
    known = ("Latin", "Common", "Inherited", *SCRIPTS.get(language, ()))
    read = "".join(rf"--\p{{{script}}}" for script in known)
    return regex.compile("|".join((rf"[\p{{Any}}{read}]", _DRESSED, _SMALL, _SYMBOL)), regex.V1)


def unread(text: str, language: str) -> Iterator[Found]:
    """Yield every run of words in scripts that a pipeline for ``language`` cannot read, with numbers beside and
    between.

    A word extends from space to space, less the signs around it: a word that is half in another script is marked
    whole.
    """
    if text.isascii() or _odd(language).search("".join(set(text))) is None:
        return
    if (other := _unread(language)).search(text) is None:
        return
    start = end = -1
    for token in _TOKEN.finditer(text):
        if token.group().isascii() or other.search(token.group()) is None:
            continue
        first, last = _bare(text, *token.span())
        if start >= 0 and _BETWEEN.fullmatch(text, end, first) is None:
            yield Found(start, end, OTHER_SCRIPT, _SCORE)
            start = -1
        if start < 0:
            start = _BEFORE.match(text, max(0, first - _FAR), first).start()
        end = max(last, _AFTER.match(text, last).end())
    if start >= 0:
        yield Found(start, end, OTHER_SCRIPT, _SCORE)


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds of a word without the punctuation around it."""
    first = _EDGE.match(text, start, end).end()
    while end > first and _EDGE.fullmatch(text[end - 1]):
        end -= 1
    return first, end
