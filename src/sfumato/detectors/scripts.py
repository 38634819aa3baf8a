"""Words in a script that the pipeline cannot read: nobody can say what they tell, so all of them are marked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import regex

from sfumato.detectors.found import Found

OTHER_SCRIPT = "OTHER_SCRIPT"
_SCORE = 0.3  # whatever else is found in the same place says more
_WORD = regex.compile(r"[\p{L}\p{M}]+")
_BETWEEN = regex.compile(r"[^\p{L}\n\r]*+")
_BEFORE, _AFTER = (
    regex.compile(r"(?<![\p{L}\p{N}])\p{N}[\p{N}.,/:-]{0,19}\s?\Z"),
    regex.compile(r"\s?\p{N}[\p{N}.,/:-]*"),
)
_FAR = 21
_CYRILLIC, _ARABIC = ("Cyrillic",), ("Arabic",)
_SCRIPTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("be", "bg", "kk", "ky", "mk", "mn", "ru", "sr", "tg", "uk"), _CYRILLIC),
    **dict.fromkeys(("ar", "fa", "ps", "ur"), _ARABIC),
    **{"el": ("Greek",), "grc": ("Greek",), "he": ("Hebrew",), "yi": ("Hebrew",), "hy": ("Armenian",)},
    **{"ka": ("Georgian",), "am": ("Ethiopic",), "th": ("Thai",), "ko": ("Hangul", "Han"), "zh": ("Han",)},
    **dict.fromkeys(("hi", "mr", "ne", "sa"), ("Devanagari",)),
    **{"ja": ("Han", "Hiragana", "Katakana"), "bn": ("Bengali",), "ta": ("Tamil",), "te": ("Telugu",)},
}
"""The scripts that a pipeline for a language reads beside Latin; none for a language that is not listed."""


@lru_cache(maxsize=8)
def _unread(language: str) -> Any:
    """Letters that a pipeline for ``language`` cannot read, in a word.

    A Greek letter or a mathematical sign alone is a symbol, as in TNFα; Latin letters of full width are no Latin to a
    pipeline.
    """
    read = "".join(rf"--\p{{{script}}}" for script in ("Latin", "Greek", "Common", *_SCRIPTS.get(language, ())))
    symbols = "" if "Greek" in _SCRIPTS.get(language, ()) else r"|[\p{Greek}&&\p{L}]{2}"
    return regex.compile(
        rf"[\p{{L}}{read}]|[\uFF21-\uFF3A\uFF41-\uFF5A]|[\p{{Common}}&&\p{{Lu}}\p{{Ll}}]{{2}}{symbols}", regex.V1
    )


def unread(text: str, language: str) -> Iterator[Found]:
    """Every run of words in scripts that a pipeline for ``language`` cannot read, with numbers beside and between."""
    if text.isascii() or (other := _unread(language)).search(text) is None:
        return
    start = end = -1
    for word in _WORD.finditer(text):
        if other.search(word.group()) is None:
            continue
        if start >= 0 and _BETWEEN.fullmatch(text, end, word.start()) is None:
            yield Found(start, end, OTHER_SCRIPT, _SCORE)
            start = -1
        if start < 0:
            before = _BEFORE.search(text, max(0, word.start() - _FAR), word.start())
            start = word.start() if before is None else before.start()
        after = _AFTER.match(text, word.end())
        end = word.end() if after is None else after.end()
    if start >= 0:
        yield Found(start, end, OTHER_SCRIPT, _SCORE)
