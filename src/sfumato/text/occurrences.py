"""Where texts that were marked stand in another text, however they are spelled there.

Two spellings are one where they differ in capitals (ß and SS, İ, I and ı among them), in accents or in how an accent
is written, in compatible forms (full-width letters, ligatures), in characters that nobody sees (zero width, soft
hyphens, marks of direction), in kinds of apostrophe and hyphen, and in what parts the words: any white space, line
breaks, a hyphen or a low line. A word may be divided at the end of a line. A possessive ending and punctuation around
a text do not belong to it.

Only whole words count, but where a script writes no spaces (Chinese, Japanese, Thai, ...) or a language hangs its
particles on a name (Korean) there is nothing to end a word, and a text counts wherever it stands.

A single everyday word of English ("Will", "Mark") keeps its capital: where it was marked with one, "will" is another
text.

Every character is folded by itself, so that a place in the folded text has one place in the text, never another.
"""

from __future__ import annotations

import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import regex

from sfumato.text.stop_words import stop_words
from sfumato.text.word_frequency import is_everyday

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
_DIVIDED = regex.compile(r"(?<=\p{L})-[^\S\n]*\n\s*(?=\p{L})")  # a word that was parted at the end of a line
_BEYOND = regex.compile(r"[^\x00-\x7f]+")
_ACCENT = 10  # combining classes below are parts of letters: viramas, nuktas, voicing marks
_SIGNS = {**dict.fromkeys("’‘ʼʹ′´", "'"), **dict.fromkeys("‐‑‒–—―−﹘", "-"), "ı": "i"}


class Folded(NamedTuple):
    """A text without what may differ between two spellings, and where each of its characters comes from.

    ``origins`` is None where that is its own place. ``soft`` are places where something unseen was left out: it may
    have stood inside a word or between two.
    """

    text: str
    origins: array[int] | None
    length: int
    soft: frozenset[int] = frozenset()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where [start, end) stands in the text, with the unseen characters and the accents that follow it."""
        if self.origins is None:
            return start, end
        after = self.origins[end] if end < len(self.origins) else self.length
        return self.origins[start], max(after, self.origins[end - 1] + 1)

    def without(self, pattern: Any) -> Folded:
        """The same without what ``pattern`` matches."""
        origins = array("q", range(self.length)) if self.origins is None else self.origins
        kept, parts, done = array("q"), [], 0
        for match in pattern.finditer(self.text):
            parts.append(self.text[done : match.start()])
            kept.extend(origins[done : match.start()])
            done = match.end()
        return Folded("".join([*parts, self.text[done:]]), kept + origins[done:], self.length)


def folded(text: str) -> Folded:
    """``text``, each character folded by itself."""
    if text.isascii():
        return Folded(text.lower(), None, len(text))
    parts: list[str] = []
    origins, soft, done = array("q"), set[int](), 0
    for other in _BEYOND.finditer(text):
        parts.append(text[done : other.start()].lower())
        origins.extend(range(done, other.start()))
        for at, sign in enumerate(other.group(), other.start()):
            plain = _plain(sign)
            if not plain and _UNSEEN.match(sign):
                soft.add(len(origins))
            parts.append(plain)
            origins.extend([at] * len(plain))
        done = other.end()
    parts.append(text[done:].lower())
    origins.extend(range(done, len(text)))
    return Folded("".join(parts), origins, len(text), frozenset(soft))


@lru_cache(maxsize=1 << 13)
def _plain(sign: str) -> str:
    """One character, folded: none, one or several."""
    if _UNSEEN.match(sign) or unicodedata.combining(sign) >= _ACCENT:
        return ""
    if sign in _SIGNS:
        return _SIGNS[sign]
    wide = unicodedata.normalize("NFKD", sign)
    if not _LETTER_OR_LINE.match(sign):  # a sign that is no letter must not become one: "Anna™", "Anna²"
        return _SIGNS.get(wide, wide) if len(wide) == 1 and not wide.isalnum() else sign
    plain = unicodedata.normalize("NFKD", wide.casefold())
    return "".join(one for one in plain if unicodedata.combining(one) < _ACCENT)


def name_of(text: str) -> str:
    """What all spellings of ``text`` share: two texts with one name are the same. "" without a letter or a digit."""
    plain = folded(text).text.strip()
    bare = _EDGES.sub("", plain)
    bare = _STOP.sub("", bare) if bare.count(".") == 1 else bare
    bare = _POSSESSIVE.sub("", bare)
    if len(bare) > 1 and bare not in stop_words():  # what is cut down to "a" would be found everywhere
        plain = bare
    if not any(map(str.isalnum, plain)):
        return ""
    first = _WORD.search(plain)
    at = first.start() if first is not None else 0
    core = plain[at:].rstrip("_-")
    return plain[:at] + str(_PARTS.sub(" ", core)).rstrip() + ("" if core[-1:].isspace() else plain[at + len(core) :])


def _has_capital(text: str) -> bool:
    """Return whether the first letter of ``text`` is a capital."""
    return next((not letter.islower() for letter in text if letter.isalpha()), False)


class Names(dict[str, str]):
    """The name of each text that was asked for (:func:`name_of`), which is folded once. Private: it holds texts."""

    def __missing__(self, text: str) -> str:
        self[text] = name = name_of(text)
        return name


class _Entry(NamedTuple):
    """A name to look for: how far in its first word begins, and the pieces of it between which words are parted."""

    before: int
    name: str
    parts: list[str]


class Occurrences:
    """Finds ``marked`` texts; those without a letter or a digit are left out.

    ``loose`` takes a low line for the end of a word as well, where a text holds a letter: "anna" in "anna_1990".
    Every word of a text is looked up once, so that what is marked may be long. ``names`` may know names already.
    """

    def __init__(self, marked: Iterable[str], loose: bool = False, names: Names | None = None) -> None:
        self._loose = loose
        texts, names = list(marked), Names() if names is None else names
        written = {names[text] for text in texts if not _has_capital(text)}
        self._capitals: set[str] = set()
        """Names of one everyday word that were marked with a capital only."""
        self._known: dict[str, list[_Entry]] = {}
        self._initials: dict[str, list[_Entry]] = {}
        for name in dict.fromkeys(names[text] for text in texts):
            if name not in written and name.isalpha() and is_everyday(name):
                self._capitals.add(name)
            first = _WORD.search(name)
            if first is not None:
                at = first.start()
                parts = name[at:].split(" ")
                entry = _Entry(at, name, [name[:at] + parts[0], *parts[1:]])
                self._known.setdefault(first.group(), []).append(entry)
                self._initials.setdefault(name[at], []).append(entry)

    def __bool__(self) -> bool:
        return bool(self._known)

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Start and end of every place in ``text``, of overlapping ones too, and the name of what stands there."""
        if not self._known:
            return
        seen = folded(text)
        views = [seen] if _DIVIDED.search(seen.text) is None else [seen, seen.without(_DIVIDED)]
        for view in views:
            for start, end, name in self._found(view):
                if name not in self._capitals or _has_capital(text[start:end]):
                    yield start, end, name

    def _found(self, seen: Folded) -> Iterator[tuple[int, int, str]]:
        words = _ASCII_WORD if seen.text.isascii() else _WORD
        doubtful = set(seen.soft)  # where a word may begin, and where the word that has it inside does
        soft = sorted(seen.soft)
        for word in words.finditer(seen.text):
            for entry in self._known.get(word.group(), ()):
                yield from self._at(seen, word.start(), entry)
            if soft and bisect_left(soft, word.start()) < bisect_right(soft, word.end()):
                doubtful.add(word.start())
        for at in sorted(doubtful):
            for entry in self._initials.get(seen.text[at : at + 1], ()):
                yield from self._at(seen, at, entry)

    def _at(self, seen: Folded, word: int, entry: _Entry) -> Iterator[tuple[int, int, str]]:
        """``entry`` where its first word begins at ``word``."""
        start = word - entry.before
        end = _end(seen, start, entry.parts) if start >= 0 else None
        if end is None:
            return
        loose = self._loose and any(map(str.isalpha, entry.name))
        if all(at in seen.soft or not _holds_together(seen.text, at, loose) for at in (start, end)):
            yield *seen.span(start, end), entry.name


def _end(seen: Folded, start: int, parts: list[str]) -> int | None:
    """Where ``parts`` end that begin at ``start``, with anything that parts words between them."""
    at = start
    for number, part in enumerate(parts):
        if number:
            gap = _PARTS.match(seen.text, at)
            if gap is None and at not in seen.soft:
                return None
            at = at if gap is None else gap.end()
        if not seen.text.startswith(part, at):
            return None
        at += len(part)
    return at


def _holds_together(text: str, at: int, loose: bool) -> bool:
    """Whether the characters before and after ``at`` belong to one word."""
    if not 0 < at < len(text):
        return False
    one, other = text[at - 1], text[at]
    if loose and "_" in (one, other):
        return False
    if _INSIDE.match(other):
        return True
    if not (_LETTER_OR_LINE.match(one) and _LETTER_OR_LINE.match(other)):
        return False
    return not (_CLINGS.match(one) or _CLINGS.match(other))


def whole_word(text: str, start: int, end: int) -> tuple[int, int]:
    """[start, end) with the rest of the words that it begins and ends in the middle of."""
    loose = any(map(str.isalpha, text[start:end]))
    while _holds_together(text, start, loose):
        start -= 1
    while _holds_together(text, end, loose):
        end += 1
    return start, end


def whole_letters(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """``spans`` (sorted, disjoint), each with all marks of its last letter, and all of its first one.

    What a detector cuts inside a letter would leave half of it standing.
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
    """``places`` from left to right, the longest of those that begin together, without what overlaps one before."""
    done = 0
    for start, end, name in sorted(places, key=lambda one: (one[0], -one[1])):
        if start >= done:
            yield start, end, name
            done = end
