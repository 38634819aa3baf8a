"""Where sentences begin, which is the public rule for the case of an output, and the words of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import regex

GAP_END = 16
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_STOPS, _CLOSERS, _OPENERS, _BULLETS = r".!?…", r"\"'”’)\]»", r"\"'“‘(\[«¿¡", r"#*>-"
_OPENS = re.compile(rf"(?:[{_STOPS}][{_CLOSERS}]*\s+|\n\s*)[{_OPENERS}]*$")
_FIRST = re.compile(rf"^[\s{_OPENERS}{_BULLETS}]*$")


def gap_characters() -> tuple[str, ...]:
    """Return the classes of characters that :func:`begins_sentence` distinguishes.

    The classes are spaces, line breaks, openers, closers, stops, and the characters that may lead a sentence.
    """
    classes = (r"\s", r"\n", _OPENERS, _CLOSERS, _STOPS, rf"\s{_OPENERS}{_BULLETS}")
    every = "".join(map(chr, range(0x3001)))  # the last space is U+3000
    return tuple("".join(re.findall(f"[{characters}]", every)) for characters in classes)


@lru_cache(maxsize=4096)
def begins_sentence(released_gap: str, first: bool) -> bool:
    """Return whether the text after ``released_gap`` begins a sentence: the public rule for the case of an output.

    ``first`` says that the gap opens the text. The rule reads only text that is released anyway, and of a long gap
    only its end.
    """
    end = released_gap[-GAP_END:]
    return bool((first and _FIRST.match(end)) or _OPENS.search(end))


def capitalised(output: str) -> str:
    """Return ``output`` with an upper-case first letter, for the start of a sentence.

    Every other output keeps the vocabulary's own spelling. The case of the private word is not an argument, so it
    cannot be copied.
    """
    return output[:1].upper() + output[1:]


def laid_out_like(text: str, model: str) -> str:
    """Return ``text`` without a line break or a tab that ``model`` has none of.

    A text may be one line or one cell of a file.
    """
    if "\n" not in model:
        text = re.sub(r"[ \t]*[\r\n]+[ \t]*", " ", text)
    return text if "\t" in model else text.replace("\t", " ")


def words(text: str) -> list[str]:
    """Return the words of ``text`` in lower case."""
    return [str(word) for word in _WORD.findall(text.casefold())]


def spaced_words(text: str) -> str:
    """Return the words of ``text`` in lower case, with a single space before, between and after them."""
    return f" {' '.join(words(text))} "


LEAST = 3
"""The fewest letters and digits of a value that is looked for in a text."""


def still_there(values: Iterable[str], text: str) -> list[str]:
    """Return those of ``values`` that are in ``text``, as whole words in any case, each once.

    A value of fewer than three letters and digits is not looked for: it would be found in other words' company.
    """
    spaced = spaced_words(text)
    forms = ((value, spaced_words(value)) for value in dict.fromkeys(values))
    return [value for value, own in forms if len(own.replace(" ", "")) >= LEAST and own in spaced]
