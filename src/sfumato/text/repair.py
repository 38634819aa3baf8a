"""Mend the edges of replacements: "a 8-year-old", "the the", "im Klinik", a small letter that opens a sentence.

The only input is the release, which is public. So a repair costs nothing: whatever is computed from a release is as
private as the release. Every rule looks at words that touch an output. All other text stays as it is, and no output
becomes empty. A second repair changes nothing. Some rules are those of English; other languages say what the end of
the text before an output becomes so that it agrees.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

from sfumato.language.language import READ, Language
from sfumato.language.languages import ENGLISH, language_of
from sfumato.language.patterns import SIGN
from sfumato.text.document import Release
from sfumato.text.sentences import GAP_END, begins_sentence

_BLANKS = " \t\u00a0"
_BEFORE, _AFTER = r"(?<![\w'’./&@+-])", rf"(?=[{_BLANKS}])"
_ARTICLE = re.compile(rf"{_BEFORE}(?:[Aa]n?|[Tt]he){_AFTER}")
_INDEFINITE = re.compile(rf"{_BEFORE}(?P<article>[Aa]n?)[{_BLANKS}]+[\"“‘'(\[«]*(?=(?P<word>\w+|[£$€¥]\d+))")
_LOWER = re.compile(r"(?P<word>[^\W\d_]++(?:['’-][^\W\d_]++)*+)(?=[\s,;:!?)\]\"”]|\.(?:\s|$)|$)")
_ENDINGS = (
    (re.compile(r"s\Z"), re.compile(r"s(?=\W|\Z)")),
    (re.compile(r"(?:['’]s|s['’])\Z"), re.compile(r"(?:['’]s)+(?=\W|\Z)")),
    (re.compile(r"(?<!\.)\.\Z"), re.compile(r"\.(?=[\s\"”’')\]]|\Z)")),
)
"""What ends an output, and what must not follow it: a second plural s, a second possessive, a second full stop."""
_OPENS, _QUOTED = re.compile(r"(?<![\w.,!?;:])['‘](?=\S)"), 300
_REPEATED = frozenset("s'’.")
_SIGN_AT_END = re.compile(rf"(?<![^\W_])(?<!\d[{_BLANKS}]){SIGN}[{_BLANKS}]?\Z")
_SIGN_AT_START = re.compile(rf"[{_BLANKS}]?{SIGN}(?!\w|[{_BLANKS}]?\d)")
_HAS_SIGN = re.compile(rf"(?<![^\W\d_]){SIGN}(?![^\W\d_])")
_LONGEST_SIGN = 8


class Edit(NamedTuple):
    """The text from ``start`` to ``end`` becomes ``new``."""

    start: int
    end: int
    new: str


@dataclass(frozen=True)
class Repair:
    """Mends releases in the language of the code ``language``."""

    language: str = ENGLISH.code

    def __call__(self, release: Release) -> Release:
        """Return ``release`` with the edges of its outputs mended, and with the bounds where the outputs are then."""
        if not len(release.bounds):
            return release
        for rule in self._rules:
            release = _edited(release, list(rule(_Pieces(release.text, release.bounds))))
        return release

    @property
    def _rules(self) -> Iterator[Callable[[_Pieces], Iterator[Edit]]]:
        if self.language == ENGLISH.code:
            return iter((_spaces, _signs, _articles, _capitals, _a_or_an, _endings, _possessives))
        return iter((_spaces, _signs, partial(_agreements, language_of(self.language)), _capitals, _stops))


@dataclass(frozen=True)
class _Pieces:
    """A released text and the bounds of its outputs."""

    text: str
    bounds: Sequence[int]

    @cached_property
    def starts(self) -> Sequence[int]:
        return self.bounds[::2]

    @cached_property
    def ends(self) -> Sequence[int]:
        return self.bounds[1::2]

    @property
    def outputs(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield, for each output, where the gap before it starts, its start and end, and where the gap after ends."""
        edges = [0, *self.bounds, len(self.text)]
        for index in range(1, len(edges) - 1, 2):
            yield edges[index - 1], edges[index], edges[index + 1], edges[index + 2]

    def output_of(self, start: int, end: int) -> int | None:
        """Return the first output that shares a character with the text from ``start`` to ``end``, or None."""
        index = bisect_right(self.ends, start)
        while index < len(self.starts) and self.starts[index] < end:
            if self.starts[index] < self.ends[index]:
                return index
            index += 1
        return None

    def is_cut(self, start: int, end: int) -> bool:
        """Return whether an output starts or ends between ``start`` and ``end``, exclusive."""
        return bisect_right(self.bounds, start) < bisect_left(self.bounds, end)

    def begins_sentence(self, start: int) -> bool:
        """Return whether a sentence begins at ``start``."""
        return begins_sentence(self.text[max(0, start - GAP_END) : start], start <= GAP_END)


def _spaces(pieces: _Pieces) -> Iterator[Edit]:
    """Drop the spaces of an output where the text beside it has some, and of two gaps around an empty output."""
    text = pieces.text
    for _, start, end, gap_end in pieces.outputs:
        if start < end and text[start] != " " != text[end - 1]:
            continue  # nearly every output
        output = text[start:end]
        spaced = text[start - 1 : start] == " "
        if not output:
            rest = text[end:gap_end]
            if spaced and rest.startswith(" "):
                yield Edit(end, gap_end - len(rest.lstrip(" ")), "")
        elif output.strip(" "):
            if spaced and output[0] == " ":
                yield Edit(start, end - len(output.lstrip(" ")), "")
            if output[-1] == " " and text[end:gap_end].startswith(" "):
                yield Edit(start + len(output.rstrip(" ")), end, "")


def _signs(pieces: _Pieces) -> Iterator[Edit]:
    """Drop the sign of a currency beside an output that has one of its own: "$" before "€90".

    Two outputs keep what is between them if that is nothing but signs.
    """
    text, last = pieces.text, 0
    for gap_start, start, end, gap_end in pieces.outputs:
        output = text[start:end]
        if not any(character.isdigit() for character in output) or not _HAS_SIGN.search(output):
            continue
        before, after = start, end
        while sign := _SIGN_AT_END.search(text, max(gap_start, last, before - _LONGEST_SIGN), before):
            before = sign.start()
        while sign := _SIGN_AT_START.match(text, after, gap_end):
            after = sign.end()
        if before < start and (before > gap_start or gap_start == 0):
            yield Edit(before, start, "")
        if after > end and (after < gap_end or gap_end == len(text)):
            yield Edit(end, after, "")
            last = after


class _Article(NamedTuple):
    start: int
    end: int
    output: int | None


def _articles(pieces: _Pieces) -> Iterator[Edit]:
    """Drop one of two articles in a row where an output meets other text. The output keeps its own."""
    kept: list[_Article] = []
    edits: list[Edit] = []
    for match in _ARTICLE.finditer(pieces.text):
        start, end = match.span()
        if pieces.is_cut(start, end) or (match[0][0] == "A" and not pieces.begins_sentence(start)):
            kept = []
            continue
        article = _Article(start, end, pieces.output_of(start, end))
        if kept and pieces.text[kept[-1].end : start].strip(_BLANKS):
            kept = []
        while kept and kept[-1].output is None and article.output is not None:
            dropped = kept.pop()
            while edits and edits[-1].start >= dropped.start:
                edits.pop()
            edits.append(Edit(dropped.start, start, ""))
        if not kept or kept[-1].output is None or kept[-1].output == article.output:
            kept.append(article)
        elif article.output is None:
            edits.append(Edit(kept[-1].end, end, ""))
            kept[-1] = kept[-1]._replace(end=end)
        else:
            kept.append(article)
    yield from edits


def _capitals(pieces: _Pieces) -> Iterator[Edit]:
    """Give an output that begins a sentence a capital, unless its first word is a code or has capitals of its own."""
    for number, (gap_start, start, end, _) in enumerate(pieces.outputs):
        gap = pieces.text[max(gap_start, start - GAP_END) : start]
        if not begins_sentence(gap, number == 0):
            continue
        first = _LOWER.match(pieces.text, start, end)
        if first is not None and first["word"].islower() and len(first["word"][0].upper()) == 1:
            yield Edit(start, start + 1, first["word"][0].upper())


def _a_or_an(pieces: _Pieces) -> Iterator[Edit]:
    """Choose between "a" and "an" where the article or the word after it is part of an output."""
    for match in _INDEFINITE.finditer(pieces.text):
        start, end = match.span("article")
        touches = pieces.output_of(start, match.end("word")) is not None
        if not touches or pieces.is_cut(start, end):
            continue
        article = match["article"]
        if article[0] == "A" and not pieces.begins_sentence(start):
            continue  # a grade, a blood group
        right = ENGLISH.indefinite_article(pieces.text[match.start("word") : match.start("word") + READ])
        if right is not None and right != article.lower():
            yield Edit(start, end, article[0] + right[1:])


def _agreements(language: Language, pieces: _Pieces) -> Iterator[Edit]:
    """Change the end of the text before an output, between it and the output before, so that it agrees."""
    for gap_start, start, end, _ in pieces.outputs:
        before = pieces.text[max(gap_start, start - READ) : start]
        mended = language.agreeing(before, pieces.text[start:end]) if before else None
        if mended is not None and mended != before:
            pairs = enumerate(zip(before, mended, strict=False))
            same = next((index for index, (old, new) in pairs if old != new), min(len(before), len(mended)))
            yield Edit(start - len(before) + same, start, mended[same:])


def _stops(pieces: _Pieces) -> Iterator[Edit]:
    """Drop a full stop that repeats the one at the end of an output."""
    yield from _dropped(pieces, _ENDINGS[-1:])


def _endings(pieces: _Pieces) -> Iterator[Edit]:
    """Drop what repeats the end of an output: a plural s, a possessive, a full stop."""
    yield from _dropped(pieces, _ENDINGS)


def _dropped(pieces: _Pieces, endings: Sequence[tuple[re.Pattern[str], re.Pattern[str]]]) -> Iterator[Edit]:
    for _, start, end, gap_end in pieces.outputs:
        if pieces.text[end : end + 1] not in _REPEATED:
            continue
        tail, position = pieces.text[max(start, end - 2) : end], end
        for ending, repeat in endings:
            repetition = repeat.match(pieces.text, position, gap_end)
            is_whole_gap = repetition is not None and repetition.end() == gap_end < len(pieces.text)
            if repetition is not None and not is_whole_gap and ending.search(tail):
                yield Edit(position, repetition.end(), "")
                position = repetition.end()


def _possessives(pieces: _Pieces) -> Iterator[Edit]:
    """Write "'s" where an apostrophe alone follows an output that does not end in s: "Ibarra' notes".

    A quotation that is open there may end with the same sign.
    """
    text = pieces.text
    for gap_start, start, end, gap_end in pieces.outputs:
        if text[end : end + 1] not in ("'", "’") or not text[end - 1 : end].isalpha() or text[end - 1] in "sSzZxX":
            continue
        is_open = _OPENS.search(text, max(0, start - _QUOTED), start) is not None
        if end < gap_end and text[end + 1 : end + 2].isspace() and not is_open and gap_start <= start:
            yield Edit(end + 1, end + 1, "s")


def _edited(release: Release, edits: Sequence[Edit]) -> Release:
    """Return ``release`` after sorted, disjoint ``edits``. A bound inside one moves to the end of the new text."""
    if not edits:
        return release
    edges = [0, *(edge for edit in edits for edge in edit[:2]), len(release.text)]
    gaps = [release.text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    text = "".join(part for gap, edit in zip(gaps, edits, strict=False) for part in (gap, edit.new)) + gaps[-1]
    bounds, moved, index = array("q"), 0, 0
    for bound in release.bounds:
        while index < len(edits) and edits[index].end <= bound:
            moved += len(edits[index].new) - (edits[index].end - edits[index].start)
            index += 1
        inside = index < len(edits) and edits[index].start < bound
        bounds.append(edits[index].start + moved + len(edits[index].new) if inside else bound + moved)
    return replace(release, text=text, bounds=bounds)
