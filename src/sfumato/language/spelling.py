"""Numbers of a language that lists describe: figures with a decimal comma, and words that num2words spells.

The list ``numbers`` of a language says what num2words does not: how the last word agrees with a noun ("vingt et une
semaines"), which other spellings are read, and which words make figures larger. A rule ``old>new`` replaces a
regular expression in a spelled number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any

from sfumato.language.accents import any_accents, plain
from sfumato.language.forms import keys_of
from sfumato.language.letter_case import capitalised
from sfumato.language.lists import lists_of
from sfumato.language.nouns import AgreeingNouns, nouns_of
from sfumato.language.numbers import FIGURE, Numbers
from sfumato.language.patterns import GAP, any_phrase, choice, pattern_of

LETTER = "[a-zA-Z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff\u0300-\u036f]"
"""A pattern for a letter of these languages, or an accent that is a sign of its own."""
_MOST_WORDS = 24
_DE = 10**6  # "deux millions de", but "deux mille"
_SIGNS = re.compile("[- ]")


def phrase(phrases: str) -> str:
    """Return a pattern for one of the ``phrases``, in any case, with any gaps, apostrophes and accents."""
    return any_accents(any_phrase("|".join(keys_of(phrases))))


def optional(phrases: str) -> str:
    """Return a pattern for one of the ``phrases`` and the gap after it, or for nothing; "d'" has no gap."""
    if not phrases:
        return ""
    glued = [each for each in keys_of(phrases) if each[-1] in "'-"]
    apart = rf"{phrase(phrases)}{GAP}"
    return rf"(?:{apart}|{phrase(';'.join(glued))})?" if glued else rf"(?:{apart})?"


def ruled(text: str, rules: Sequence[str]) -> str:
    """Return ``text`` after the ``rules``."""
    for rule in rules:
        old, _, new = rule.partition(">")
        text = re.sub(old, new, text)
    return text


class Spelled:
    """Whole numbers in words, up to 10^12."""

    def __init__(self, lists: Mapping[str, Any]) -> None:
        self._code: str = lists["num2words"]
        self._agreeing: Mapping[str, Sequence[str]] = lists["agreeing"]
        self._always: Sequence[str] = lists.get("always", ())
        self._others: Sequence[str] = lists.get("others", ())
        self._joint, self._of = lists.get("joint", ""), lists.get("of", "")
        self._elides: bool = lists.get("elides", False)
        self._scales = [tuple(map(_bare, scale.split(":"))) for scale in keys_of(lists["scales"])]
        self._sizes = tuple(map(int, lists["sizes"].split()))
        self._written = cache(self._spelled)

    @property
    def genders(self) -> Sequence[str]:
        """Return what a number may agree with."""
        return tuple(self._agreeing)

    @cached_property
    def pattern(self) -> str:
        """Return a pattern for what may be a number in words: words that begin as words of numbers do."""
        words = {plain(word) for text in self._table_texts for word in re.split("[- ]", text)}
        words |= {plain(name) for names in self._scales for name in names} | {self._joint} - {""}
        short = choice(re.escape(word) for word in words if len(word) < 3)
        long = choice({word[:3] for word in words if len(word) >= 3})
        accented = re.sub("[aeiou]", lambda vowel: f"(?:{vowel[0]}[\u0300-\u036f]?|{_ACCENTED[vowel[0]]})", long)
        word = rf"(?:{short}(?!{LETTER})|{accented}{LETTER}*+)" if short != "(?:)" else rf"(?:{accented}{LETTER}*+)"
        words_of_number = rf"{word}(?:(?:-|{GAP}){word}){{0,{_MOST_WORDS}}}"
        elided = "(?:(?<=[a-zA-Z])['’])?" if self._elides else ""
        return rf"(?:{words_of_number}{_of(self._of, self._elides)}{elided})"

    def read(self, text: str) -> tuple[int, str] | None:
        """Return the number that ``text`` spells, and its notation, or None."""
        bare = plain(text)
        of = re.search(rf" (?:{self._of}|{self._of[0]}')$", bare) if self._of else None
        number = self._parsed(_bare(bare[: of.start()] if of else bare), len(self._sizes))
        return None if number is None or (of and number % _DE) else (number, _notation(text))

    def write(self, number: int, notation: str, agrees_with: str = "") -> str:
        """Return ``number`` in words, as they are before a noun that they agree with."""
        text = self._written(number, agrees_with)
        return text.upper() if notation == "WORDS" else capitalised(text) if notation == "Words" else text

    def _spelled(self, number: int, agrees_with: str) -> str:
        text = ruled(_cardinal(number, self._code), (*self._always, *self._agreeing.get(agrees_with, ())))
        return f"{text} {self._of}" if self._of and agrees_with and number and number % _DE == 0 else text

    @cached_property
    def _table_texts(self) -> Mapping[str, int]:
        """Return every spelling of the numbers below 1000."""
        keys = ("", *self._agreeing)
        texts = {ruled(_cardinal(number, self._code), self._agreeing.get(key, ())): number
                 for key in keys for number in range(1000)}  # fmt: skip
        return texts | {ruled(text, (rule,)): number for rule in self._others for text, number in texts.items()}

    @cached_property
    def _table(self) -> Mapping[str, int]:
        return {_bare(plain(text)): number for text, number in self._table_texts.items()}

    def _parsed(self, bare: str, scales: int) -> int | None:
        """Return what ``bare`` spells with the first so many scales, or None."""
        for index in range(scales - 1, -1, -1):
            for name in sorted(self._scales[index], key=len, reverse=True):
                before, found, after = bare.partition(name)
                if not found:
                    continue
                times = self._parsed(before, index) if before else 1 if index == 0 else None
                rest = self._parsed(self._unjoined(after), index) if after else 0
                if times and rest is not None and rest < self._sizes[index]:
                    return times * self._sizes[index] + rest
        return self._table.get(bare)

    def _unjoined(self, bare: str) -> str:
        rest = bare.removeprefix(self._joint)
        return rest if rest and bare not in self._table else bare


_ACCENTED = {
    **{"a": "[\u00e0-\u00e5\u00c0-\u00c5]", "e": "[\u00e8-\u00eb\u00c8-\u00cb]", "i": "[\u00ec-\u00ef\u00cc-\u00cf]"},
    **{"o": "[\u00f2-\u00f6\u00d2-\u00d6]", "u": "[\u00f9-\u00fc\u00d9-\u00dc]"},
}


def _of(word: str, elides: bool) -> str:
    """Return a pattern for "de" or "d'" behind a number, or for nothing; ``elides`` says that it loses its vowel."""
    short = rf"|{GAP}{word[0]}['’]" if elides else ""
    return rf"(?:{GAP}{word}(?!{LETTER}){short})?" if word else ""


@cache
def _cardinal(number: int, code: str) -> str:
    from num2words import num2words  # reads its languages when imported

    return str(num2words(number, lang=code))


def _bare(text: str) -> str:
    return _SIGNS.sub("", plain(text)).replace("ß", "ss").rstrip("'")


def _notation(text: str) -> str:
    return "WORDS" if len(text) > 1 and text.isupper() else "Words" if text[:1].isupper() else "words"


class SuffixOrdinals:
    """Ordinals in figures with a suffix that stays, or that only the first one has: "3.", "1er" and "2e"."""

    def __init__(self, lists: Mapping[str, Any]) -> None:
        first, _, other = lists["ordinal"].partition("|")
        self._field = f"{{{first}|{other}}}" if other else first
        self._agrees = bool(other)
        suffixes = sorted(keys_of(lists["ordinals"]), key=len, reverse=True)
        self.pattern = (
            rf"(?P<ordinal>(?P<number>{FIGURE})(?P<suffix>{any_accents('|'.join(map(re.escape, suffixes)))}))"
        )
        self.public = f"{{number}}{self._field}"

    def read(self, match: re.Match[str]) -> tuple[str, str] | None:
        """Return the cardinal of a match and the pattern of its text."""
        if not self._agrees:
            return match["number"], pattern_of(match, {"number": "number"})
        pattern = pattern_of(match, {"number": "number", "suffix": "suffix"})
        return match["number"], pattern.replace("{suffix}", self._field)

    def fields(self, number: int, figure: str, notation: str) -> Mapping[str, str]:
        """Return no further fields."""
        return {}


def numbers_of(code: str) -> Numbers:
    """Return how numbers are written in the language ``code``."""
    lists = lists_of(code, "numbers")
    point, group = lists.get("point", ","), lists["group"]
    words: AgreeingNouns = nouns_of({"m": lists["scale_words"]})
    short = rf"(?-i:{choice(map(re.escape, lists['scale_short'].split()))})(?!{LETTER})"
    singular_below_two = lists.get("singular_below_two", False)
    is_one: Callable[[str], bool] = (lambda value: float(value) < 2) if singular_below_two else _is_one
    return Numbers(
        Spelled(lists), SuffixOrdinals(lists), point, group,
        hedges=optional(lists["hedges"]),
        scale=f"(?:{words.pattern}|{short})",
        scales=words,
        scale_of=_of(lists.get("of", ""), lists.get("elides", False)),
        million=lists["million"],
        is_one=is_one,
        joined=lambda text: ruled(text, lists.get("joined", ())),
        apart=lambda pattern: ruled(pattern, lists.get("apart", ())),
    )  # fmt: skip


def _is_one(value: str) -> bool:
    return value == "1"
