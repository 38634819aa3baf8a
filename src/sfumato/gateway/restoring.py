"""Put originals back for pseudonyms in text that arrives in pieces.

A piece is held back only as far as its end may still become a known pseudonym, or is one whose next character is not
known yet. So however a text is cut, what comes back joined is what the whole text would give
(:class:`sfumato.release.pseudonym_mentions.Mentions`), and text that begins no pseudonym does not wait.

In an address of the web nothing is put back: a page or a picture that is fetched there would get the original. In
the arguments of a tool a text is JSON inside a string: escapes are read, and an original is written with its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import regex

from sfumato.release.pseudonym_mentions import ESCAPES, Mention, Mentions, TextFormat, decoded, format_of
from sfumato.text.occurrences import folded

PLAIN, JSON = "plain", "json"
FORMATS: Mapping[str, TextFormat] = {PLAIN: format_of(Path("a.txt")), JSON: format_of(Path("a.json"))}

_CONTEXT = 160
"""Characters before a piece that are read again: grown together with them, a pseudonym is another word."""
_SAFE = regex.compile(r"\s")
_LONGEST_WORD = 4096
"""Characters of a word, such as an address, that are read again."""
_UNFINISHED = regex.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u[0-9a-fA-F]{0,3})?)?\Z|\\(?:u[0-9a-fA-F]{0,3})?\Z"
)
"""An escape of JSON, or the first half of a pair, that is not complete."""
_UNFINISHED_IN_TEXT = regex.compile(r"(?:\\+|&(?:#(?:[0-9]{0,7}|[xX][0-9a-fA-F]{0,6})|[A-Za-z]{0,8})|%5?)\Z")
"""The same of Markdown, HTML and addresses, which JSON may hold."""
_LOOSE = frozenset(" \t_#-\u00a0")
_TYPED = regex.compile(r"[^\W_]+(?:_[^\W_]+)*_[0-9A-F]{8}")


@dataclass
class Counts:
    """How many pseudonyms were restored, how many of their form are unknown, and how many were doubtful and stay."""

    restored: int = 0
    unknown: int = 0
    doubtful: int = 0


@dataclass(frozen=True)
class Names:
    """The originals behind pseudonyms. PRIVATE.

    Typed pseudonyms are found in whatever case or escape they are written; realistic ones as whole words as they are.
    """

    originals: Mapping[str, str] = field(repr=False)

    @cached_property
    def longest(self) -> int:
        """Return how many characters a pseudonym may take, each of them written as an escape."""
        return 12 * max(map(len, self.originals), default=0)

    @cached_property
    def beginnings(self) -> frozenset[str]:
        """Return what a text may end in that may still become a pseudonym, folded."""
        spelled = {_loosened(folded(name).text)[0] for name in self.originals}
        return frozenset(name[:end] for name in spelled for end in range(1, len(name) + 1))

    @cached_property
    def _typed(self) -> dict[str, str]:
        return {name: original for name, original in self.originals.items() if _TYPED.fullmatch(name)}

    @cached_property
    def _mentions(self) -> Mapping[str, Mentions]:
        return {kind: Mentions(self._typed, form.reading) for kind, form in FORMATS.items()}

    @cached_property
    def _realistic(self) -> regex.Pattern[str] | None:
        others = sorted(self.originals.keys() - self._typed.keys(), key=len, reverse=True)
        if not others:
            return None
        return regex.compile(rf"(?<![\w])(?:{'|'.join(map(regex.escape, others))})(?![\w])")

    def find(self, text: str, kind: str) -> Iterator[Mention]:
        """Yield every mention in ``text``, which is of the ``kind`` plain or json, from left to right."""
        mentions = list(self._mentions[kind].find(text)) if self._typed else []
        if self._realistic is not None:
            taken = [(mention.start, mention.end) for mention in mentions]
            for match in self._realistic.finditer(text):
                start, end = match.span()
                if not any(first < end and start < last for first, last in taken):
                    mentions.append(Mention(start, end, self.originals[match.group()], True))
        return iter(sorted(mentions))

    def restored(self, text: str, kind: str = PLAIN, counts: Counts | None = None) -> str:
        """Return a whole ``text`` with the originals of all pseudonyms that are certain."""
        restorer = Restorer(self, kind, counts or Counts())
        return restorer.feed(text) + restorer.end()


class Restorer:
    """Restores one text that arrives in pieces."""

    def __init__(self, names: Names, kind: str, counts: Counts) -> None:
        self._names, self._counts = names, counts
        self._before, self._held = "", ""
        self.kind, self.written, self.said = kind, "", ""

    def feed(self, piece: str) -> str:
        """Return what of the text so far can be said, after another ``piece``."""
        self._held += piece
        self.written += piece
        return self._told(self._open())

    def end(self) -> str:
        """Return all that was held back: the text has ended."""
        return self._told(len(self._held))

    def _told(self, end: int) -> str:
        told = self._said(end)
        self.said += told
        return told

    def _said(self, end: int) -> str:
        """Return the restored text up to ``end`` of what is held, which is known from now on."""
        if not end:
            return ""
        piece, self._held = self._held[:end], self._held[end:]
        if not self._names.originals:
            return piece
        text, done = self._before + piece, len(self._before)
        last, parts = len(text), list[str]()
        escaped = FORMATS[self.kind].escaped
        for mention in self._names.find(text + self._held, self.kind):  # what follows may make it another word
            if not done <= mention.start < last:
                continue
            inside = self.kind == PLAIN and _in_address(text, mention.start)
            if mention.original is None or inside:
                self._counts.unknown += mention.certain and not inside
                self._counts.doubtful += inside or not mention.certain
                continue
            self._counts.restored += 1
            parts += [text[done : mention.start], escaped(mention.original)]
            done = mention.end
        self._before = _cut(text)
        return "".join([*parts, text[done:]])

    def _open(self) -> int:
        """Return where the end of what is held begins that may still become a pseudonym."""
        held = self._held
        if not self._names.originals or not held:
            return len(held)
        start = max(0, len(held) - self._names.longest - 16)
        end = len(held)
        if self.kind == JSON and (cut := _UNFINISHED.search(held, max(start, end - 12))):
            end = cut.start()
        text, first = decoded(held[start:end], FORMATS[self.kind].reading)
        if cut := _UNFINISHED_IN_TEXT.search(text, max(0, len(text) - 16)):
            end = start + first[cut.start()]
            text = text[: cut.start()]
        plain, second = decoded(text, ESCAPES)
        origins = [first[place] for place in second]
        low = folded(plain)
        spelled, places = _loosened(low.text)
        beginnings = self._names.beginnings
        # after a whole pseudonym low lines may follow, and a letter would make it another word
        bare = spelled[:-1] if spelled.endswith("_") else spelled
        for index in range(len(spelled)):
            if spelled[index:] in beginnings or (index < len(bare) and bare[index:] in beginnings):
                place = places[index]
                return start + origins[low.span(place, place + 1)[0]]
        return end


def _loosened(text: str) -> tuple[str, list[int]]:
    """Return ``text`` with every run of signs that may stand for a low line as one, and where each character was."""
    signs, places = list[str](), list[int]()
    for place, sign in enumerate(text):
        if sign in _LOOSE:
            if signs and signs[-1] == "_":
                continue
            sign = "_"
        signs.append(sign)
        places.append(place)
    return "".join(signs), places


def _cut(text: str) -> str:
    """Return the end of ``text`` that is read again, from a place where no escape is cut."""
    if len(text) <= _CONTEXT:
        return text
    blanks = [
        blank.start() for blank in _SAFE.finditer(text, max(0, len(text) - _LONGEST_WORD), len(text) - _CONTEXT)
    ]
    return text[blanks[-1] :] if blanks else text[-_LONGEST_WORD:]


def _in_address(text: str, place: int) -> bool:
    """Return whether ``place`` is inside an address of the web.

    What follows such an address would carry an original away, to a place that the model names.
    """
    word = max(text.rfind(blank, 0, place) for blank in (" ", "\n", "\t"))
    return "://" in text[word + 1 : place]
