"""Find marked texts in another text, however they are spelled there.

Two spellings count as the same text if they differ only in these ways:

- capitals (ß and SS, İ, I and ı among them);
- accents, or the way an accent is written;
- compatible forms (full-width letters, ligatures);
- invisible characters (zero width, soft hyphens, marks of direction);
- kinds of apostrophe and hyphen;
- the separator of words: any white space, line breaks, a hyphen or a low line.

A word may be divided at the end of a line. A possessive ending and punctuation around a text do not belong to it.

Only whole words count. Some scripts write no spaces (Chinese, Japanese, Thai, ...), and Korean attaches its particles
to a name. There nothing ends a word, so a text counts wherever it appears.

A single everyday word of English ("Will", "Mark"), or an adjective of another language that is a name too ("Stark"),
keeps its capital: if it was marked with one, "will" is another text.

Every character is folded by itself, so each offset of the folded text has exactly one offset in the text.
"""

from __future__ import annotations

import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import regex

from sfumato.language.en.words import is_everyday, stop_words
from sfumato.language.lists import lists_of, words_of

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}"
_LETTER = r"[\p{L}\p{M}\p{Nd}\p{Nl}]"
_WORD = regex.compile(rf"[{UNSPACED}](?:\p{{M}}|[\u1160-\u11ff])*|(?:(?![{UNSPACED}]){_LETTER})+|\p{{No}}")
_ASCII_WORD = regex.compile("[a-z0-9]+")
_CLINGS = regex.compile(rf"[{UNSPACED}]")
_INSIDE = regex.compile(r"[\p{M}\u1160-\u11ff]")  # a mark, or a vowel or last consonant of a Korean syllable
_LETTER_OR_LINE = regex.compile(rf"{_LETTER}|_")
_PARTS = regex.compile(r"[\s_-]+")
_EDGES = regex.compile(r"^[\s,;:!?\"“”„«»()\[\]{}<>]+|[\s,;:!?\"“”„«»()\[\]{}<>]+$")
_POSSESSIVE = regex.compile(r"(?<=\p{L}{2})'s$|(?<=\p{L}s)'$")
_STOP = regex.compile(r"(?<=\p{L}{4})\.$")
_UNSEEN = regex.compile(r"[\p{Cf}\p{Default_Ignorable_Code_Point}\u0640]")
_DIVIDED = regex.compile(r"(?<=\p{L})-[^\S\n]*\n\s*(?=\p{L})")  # a word divided at the end of a line
_BEYOND = regex.compile(r"[^\x00-\x7f]+")
_ACCENT = 10  # combining classes below are parts of letters: viramas, nuktas, voicing marks
_SIGNS = {**dict.fromkeys("’‘ʼʹ′´", "'"), **dict.fromkeys("‐‑‒–—―−﹘", "-"), "ı": "i"}


class Folded(NamedTuple):
    """A text without the differences between spellings, and the offset of each of its characters in the original.

    ``origins`` is None if every character keeps its own offset. ``length`` is that of the original. ``soft`` holds
    the offsets where an invisible character was left out: it may have been inside a word or between two words.
    """

    text: str
    origins: array[int] | None
    length: int
    soft: frozenset[int] = frozenset()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the bounds of [start, end) in the original, with invisible characters and accents that follow it."""
        if self.origins is None:
            return start, end
        after = self.origins[end] if end < len(self.origins) else self.length
        return self.origins[start], max(after, self.origins[end - 1] + 1)

    def without(self, pattern: Any) -> Folded:
        """Return the folded text without the matches of ``pattern``."""
        origins = array("q", range(self.length)) if self.origins is None else self.origins
        kept, parts, done = array("q"), [], 0
        for match in pattern.finditer(self.text):
            parts.append(self.text[done : match.start()])
            kept.extend(origins[done : match.start()])
            done = match.end()
        return Folded("".join([*parts, self.text[done:]]), kept + origins[done:], self.length)


def folded(text: str) -> Folded:
    """Return ``text`` with each character folded by itself."""
    if text.isascii():
        return Folded(text.lower(), None, len(text))
    parts: list[str] = []
    origins, soft, done = array("q"), set[int](), 0
    for run in _BEYOND.finditer(text):
        parts.append(text[done : run.start()].lower())
        origins.extend(range(done, run.start()))
        for index, sign in enumerate(run.group(), run.start()):
            plain = _plain(sign)
            if not plain and _UNSEEN.match(sign):
                soft.add(len(origins))
            parts.append(plain)
            origins.extend([index] * len(plain))
        done = run.end()
    parts.append(text[done:].lower())
    origins.extend(range(done, len(text)))
    return Folded("".join(parts), origins, len(text), frozenset(soft))


@lru_cache(maxsize=1 << 13)
def _plain(sign: str) -> str:
    """Return one character, folded: no character, one or several."""
    if _UNSEEN.match(sign) or unicodedata.combining(sign) >= _ACCENT:
        return ""
    if sign in _SIGNS:
        return _SIGNS[sign]
    wide = unicodedata.normalize("NFKD", sign)
    if not _LETTER_OR_LINE.match(sign):  # only a letter may become a letter: "Anna™", "Anna²"
        return _SIGNS.get(wide, wide) if len(wide) == 1 and not wide.isalnum() else sign
    plain = unicodedata.normalize("NFKD", wide.casefold())
    return "".join(letter for letter in plain if unicodedata.combining(letter) < _ACCENT)


def name_of(text: str) -> str:
    """Return the name that all spellings of ``text`` share. It is "" if ``text`` holds no letter and no digit."""
    plain = folded(text).text.strip()
    bare = _EDGES.sub("", plain)
    bare = _STOP.sub("", bare) if bare.count(".") == 1 else bare
    bare = _POSSESSIVE.sub("", bare)
    if len(bare) > 1 and bare not in stop_words():  # a name cut down to "a" would match everywhere
        plain = bare
    if not any(map(str.isalnum, plain)):
        return ""
    first = _WORD.search(plain)
    begin = first.start() if first is not None else 0
    core = plain[begin:].rstrip("_-")
    return (
        plain[:begin]
        + str(_PARTS.sub(" ", core)).rstrip()
        + ("" if core[-1:].isspace() else plain[begin + len(core) :])
    )


def _has_capital(text: str) -> bool:
    """Return whether the first letter of ``text`` is a capital."""
    return next((not letter.islower() for letter in text if letter.isalpha()), False)


class Names(dict[str, str]):
    """The name of each text that was asked for (:func:`name_of`), which is folded once. Private: it holds texts."""

    def __missing__(self, text: str) -> str:
        self[text] = name = name_of(text)
        return name


class _Entry(NamedTuple):
    """A name to look for: the offset of its first word, and its pieces between separators of words."""

    before: int
    name: str
    parts: list[str]


@lru_cache(maxsize=1)
def adjectives() -> frozenset[str]:
    """Return words of other languages that are names too, as they are folded: "Stark", "Leal"."""
    lists = (lists_of(code, "names") for code in ("de", "es", "fr", "it", "nl", "pt"))
    return frozenset(folded(word).text for names in lists for word in words_of(names.get("adjectives", "")))


class Occurrences:
    """Finds ``marked`` texts. A text without a letter or a digit is left out.

    ``loose`` also takes a low line for the end of a word if a text holds a letter: "anna" in "anna_1990". Every word
    of a text is looked up once, so the list of marked texts may be long. ``names`` may hold names already.
    """

    def __init__(self, marked: Iterable[str], loose: bool = False, names: Names | None = None) -> None:
        self._loose = loose
        texts, names = list(marked), Names() if names is None else names
        written = {names[text] for text in texts if not _has_capital(text)}
        self._capitals: set[str] = set()
        """Names that are one everyday word and were marked with a capital only."""
        self._known: dict[str, list[_Entry]] = {}
        self._initials: dict[str, list[_Entry]] = {}
        for name in dict.fromkeys(names[text] for text in texts):
            if name not in written and name.isalpha() and (name in adjectives() or is_everyday(name)):
                self._capitals.add(name)
            first = _WORD.search(name)
            if first is not None:
                begin = first.start()
                parts = name[begin:].split(" ")
                entry = _Entry(begin, name, [name[:begin] + parts[0], *parts[1:]])
                self._known.setdefault(first.group(), []).append(entry)
                self._initials.setdefault(name[begin], []).append(entry)

    def __bool__(self) -> bool:
        return bool(self._known)

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Yield the start, the end and the name of every occurrence in ``text``, overlapping ones included."""
        if not self._known or not text or text.isspace():
            return
        seen = folded(text)
        views = [seen] if _DIVIDED.search(seen.text) is None else [seen, seen.without(_DIVIDED)]
        for view in views:
            for start, end, name in self._matches(view):
                if name not in self._capitals or _has_capital(text[start:end]):
                    yield start, end, name

    def _matches(self, seen: Folded) -> Iterator[tuple[int, int, str]]:
        words = _ASCII_WORD if seen.text.isascii() else _WORD
        doubtful = set(seen.soft)  # a word may begin there, or at the start of the word around it
        soft = sorted(seen.soft)
        for word in words.finditer(seen.text):
            for entry in self._known.get(word.group(), ()):
                yield from self._match_at(seen, word.start(), entry)
            if soft and bisect_left(soft, word.start()) < bisect_right(soft, word.end()):
                doubtful.add(word.start())
        for begin in sorted(doubtful):
            for entry in self._initials.get(seen.text[begin : begin + 1], ()):
                yield from self._match_at(seen, begin, entry)

    def _match_at(self, seen: Folded, word: int, entry: _Entry) -> Iterator[tuple[int, int, str]]:
        """Yield the occurrence of ``entry`` if its first word begins at ``word``."""
        start = word - entry.before
        end = _end(seen, start, entry.parts) if start >= 0 else None
        if end is None:
            return
        loose = self._loose and any(map(str.isalpha, entry.name))
        if all(edge in seen.soft or not _holds_together(seen.text, edge, loose) for edge in (start, end)):
            yield *seen.span(start, end), entry.name


def _end(seen: Folded, start: int, parts: list[str]) -> int | None:
    """Return the end of ``parts`` if they begin at ``start``, with separators of words between them; else None."""
    end = start
    for number, part in enumerate(parts):
        if number:
            gap = _PARTS.match(seen.text, end)
            if gap is None and end not in seen.soft:
                return None
            end = end if gap is None else gap.end()
        if not seen.text.startswith(part, end):
            return None
        end += len(part)
    return end


def _holds_together(text: str, edge: int, loose: bool) -> bool:
    """Return whether the characters before and after ``edge`` belong to one word."""
    if not 0 < edge < len(text):
        return False
    before, after = text[edge - 1], text[edge]
    if loose and "_" in (before, after):
        return False
    if _INSIDE.match(after):
        return True
    if not (_LETTER_OR_LINE.match(before) and _LETTER_OR_LINE.match(after)):
        return False
    return not (_CLINGS.match(before) or _CLINGS.match(after))


def whole_word(text: str, start: int, end: int) -> tuple[int, int]:
    """Return [start, end) widened to the whole words that it begins and ends in."""
    loose = any(map(str.isalpha, text[start:end]))
    while _holds_together(text, start, loose):
        start -= 1
    while _holds_together(text, end, loose):
        end += 1
    return start, end


def whole_letters(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ``spans`` (sorted, disjoint), each widened to all marks of its first and of its last letter.

    Otherwise a span that ends inside a letter would leave half of the letter in the text.
    """
    wide = list(spans)
    if text.isascii():
        return wide
    limits: list[Any] = [(0, 0), *wide, (len(text), len(text))]
    for number, ((_, low), (start, end), (high, _)) in enumerate(zip(limits, wide, limits[2:], strict=False)):
        while end < high and _INSIDE.match(text[end]):
            end += 1
        while start > low and _INSIDE.match(text[start]):
            start -= 1
        wide[number] = limits[number + 1] = (start, end)
    return wide


def disjoint(places: Iterable[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """Yield ``places`` from left to right: of those with one start the longest, and none that overlaps one before."""
    done = 0
    for start, end, name in sorted(places, key=lambda place: (place[0], -place[1])):
        if start >= done:
            yield start, end, name
            done = end
