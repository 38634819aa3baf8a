"""Searches texts in the background, block by block, the records that a page shows first; and what is in doubt."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import Condition, Thread

import regex

from sfumato.abstract.detector import Around, Detector
from sfumato.errors import InputError
from sfumato.release.find import found_in
from sfumato.review.texts import Texts
from sfumato.text.document import Document
from sfumato.text.marks import Doubts, Finding
from sfumato.text.sentences import GAP_END, begins_sentence

_BLOCK = 16
_NEAR = 0.5
"""The chance below which a mark is near the threshold: it is wrong more often than right."""
_LIKELY = 0.1
"""The chance from which an unmarked word is a likely miss."""
FAILED = "failed"
PENDING = "pending"
READY = "ready"
_CAPITAL_OR_NUMBER = regex.compile(r"(?<![\p{L}\p{M}\p{N}])(?:\p{Lu}[\p{L}\p{M}’'-]*|\p{Nd}[\p{Nd}.,:/-]*)")
_NO_NAME = frozenset({"I", "I'm", "I’m", "I've", "I’ve", "I'd", "I’d", "I'll", "I’ll"})
_REST = regex.compile(r"[\p{L}\p{M}\p{N}]*(?:[’'./:-][\p{L}\p{M}\p{N}]+)*")
_AFTER_A_WORD = ".,:/-’'"


class Detection:
    """What ``detector`` finds in ``texts``. One thread searches; everyone else reads."""

    def __init__(self, detector: Detector, texts: Texts) -> None:
        self._detector, self._texts = detector, texts
        self._findings: list[tuple[list[Finding], Doubts] | None] = [None] * len(texts.documents)
        self._state = [PENDING] * texts.records
        self._hurried: deque[int] = deque()
        self._next, self._done, self._ended = 0, 0, False
        self._changed = Condition()
        self._thread = Thread(target=self._search, daemon=True, name="search")

    def start(self) -> None:
        """Begin to search."""
        self._thread.start()

    def stop(self) -> None:
        """End after the block that is being searched."""
        with self._changed:
            self._ended = True

    @property
    def done(self) -> int:
        """Return how many records were searched."""
        return self._done

    def state(self, record: int) -> str:
        """Return whether ``record`` was searched."""
        return self._state[record]

    def findings(self, document: int) -> list[Finding]:
        """Return what was found in the document with this index; nothing if it was not searched."""
        found = self._findings[document]
        return found[0] if found else []

    def doubts(self, document: int) -> Doubts:
        """Return which words outside all marks may be identifiers; none if the document was not searched."""
        found = self._findings[document]
        return found[1] if found else Doubts()

    def hurry(self, records: Iterable[int], seconds: float) -> bool:
        """Search ``records`` next, wait for at most ``seconds``, and return whether all were searched."""
        wanted = [record for record in records if self._state[record] == PENDING]
        with self._changed:
            self._hurried.extendleft(record for record in reversed(wanted) if record not in self._hurried)
            return self._changed.wait_for(
                lambda: self._ended or all(self._state[record] != PENDING for record in wanted), seconds
            )

    def _search(self) -> None:
        while block := self._block():
            self._search_block(block)

    def _block(self) -> list[int]:
        """Return the records to search next; none at the end."""
        with self._changed:
            block: list[int] = []
            while not block and not self._ended and (self._hurried or self._next < self._texts.records):
                if self._hurried:
                    records = [self._hurried.popleft() for _ in range(min(_BLOCK, len(self._hurried)))]
                else:
                    records = list(range(self._next, min(self._next + _BLOCK, self._texts.records)))
                    self._next += _BLOCK
                block = [record for record in records if self._state[record] == PENDING]
            return block

    def _search_block(self, block: Sequence[int]) -> None:
        findings = self._found(block)
        if findings is None and len(block) > 1:  # one record fails alone
            for record in block:
                self._search_block([record])
            return
        with self._changed:
            for record in block:
                self._state[record] = FAILED if findings is None else READY
            for number, own in (findings or {}).items():
                self._findings[number] = own
            self._done += len(block)
            self._changed.notify_all()

    def _found(self, block: Sequence[int]) -> dict[int, tuple[list[Finding], Doubts]] | None:
        numbers = [number for record in block for number in self._texts.numbers(record)]
        if not numbers:
            return {}
        documents = [self._texts.documents[number] for number in numbers]
        try:
            findings, doubts = found_in(self._detector, documents), self._detector.doubts(documents)
        except Exception:  # its message may hold private text; the page says which record cannot be searched
            return None
        every = zip(numbers, findings, doubts, strict=True)
        return {number: (own, doubt.outside(own)) for number, own, doubt in every}


@dataclass(frozen=True)
class Searched(Around):
    """A detector that knows already what ``detector`` finds in some texts."""

    texts: Texts = field(repr=False, compare=False)
    detection: Detection = field(repr=False, compare=False)

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return what was found in each document. Raise InputError for one that was not searched."""
        return [self._of(number, document) for number, document in enumerate(documents)]

    def _of(self, number: int, document: Document) -> list[Finding]:
        record = self.texts.record_of[document.names]
        if self.detection.state(record) != READY:
            raise InputError("the text was not searched; wait until it is.", number)
        place = next(place for place in self.texts.numbers(record) if self.texts.documents[place] is document)
        return self.detection.findings(place)


def doubt_of(marks: Sequence[Finding], words: Sequence[Finding], suspicious: int) -> float:
    """Return a number by which records are read, the highest first; 0 if nothing is in doubt.

    Above 2 are records with a mark near the threshold, the least certain first. Above 1 are those with a likely miss
    among their unmarked ``words``, the most likely first. Then come those with ``suspicious`` capitals and numbers.
    """
    least = min((mark.score for mark in marks if mark.score is not None), default=1.0)
    if least < _NEAR:
        return 3 - least
    most = max((word.score or 0.0 for word in words), default=0.0)
    return 1 + most if most >= _LIKELY else suspicious / (suspicious + 1)


def estimate(expected: float, records: int) -> str:
    """Return how many words are expected to be missed in ``records``, in one sentence."""
    words = max(1, round(expected))
    left = f"the {records:,} records that were searched and not read" if records > 1 else "the one that is not read"
    return (
        f"Estimate, no guarantee: about {words:,} {'word' if words == 1 else 'words'} that may identify somebody "
        f"{'is' if words == 1 else 'are'} left unmarked in {left}, by the detector's own probabilities."
    )


def unmarked(text: str, marks: Sequence[Finding]) -> int:
    """Return how many capitalised words inside sentences, and how many numbers, lie outside all ``marks``."""
    return sum(1 for _ in _words(text, marks))


def unmarked_phrases(text: str, marks: Sequence[Finding], words: Sequence[Finding] = ()) -> list[tuple[int, int]]:
    """Return the bounds of the words that :func:`unmarked` counts, each to its end: "G2P1" and not only "G".

    Those of ``words`` that are likely misses are among them. They lie outside all ``marks``.
    Words with one blank between are one phrase. No phrase overlaps a mark.
    """
    phrases: list[tuple[int, int]] = []
    starts = [mark.start for mark in marks]
    likely = [(word.start, word.end) for word in words if (word.score or 0.0) >= _LIKELY]
    for start, counted in sorted([*_words(text, marks), *likely]):
        after = bisect_right(starts, start)
        free = starts[after] if after < len(starts) else len(text)
        rest = _REST.match(text, start + len(text[start:counted].rstrip(_AFTER_A_WORD)), free)
        end = rest.end() if rest else counted
        if phrases and text[phrases[-1][1] : start] in ("", " "):
            phrases[-1] = phrases[-1][0], max(end, phrases[-1][1])
        else:
            phrases.append((start, end))
    return phrases


def _words(text: str, marks: Sequence[Finding]) -> Iterator[tuple[int, int]]:
    starts = [mark.start for mark in marks]
    for match in _CAPITAL_OR_NUMBER.finditer(text):
        start, end = match.span()
        before = bisect_right(starts, end - 1) - 1
        if before >= 0 and marks[before].end > start:
            continue
        if not match.group()[0].isdigit():
            gap = text[max(0, start - GAP_END) : start]
            if match.group() in _NO_NAME or begins_sentence(gap, start <= GAP_END):
                continue
        yield start, end
