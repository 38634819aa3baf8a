"""A review that is open: the texts, what is found in them, the decisions, and the order of the records."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from threading import RLock
from typing import Any

from sfumato.abstract.detector import Detector
from sfumato.detectors.decision import LISTS, MARKS, of_mark
from sfumato.detectors.reviewed import Reviewed
from sfumato.errors import ConfigurationError
from sfumato.review.detection import READY, Detection, Searched, doubt_of, estimate, unmarked, unmarked_phrases
from sfumato.review.journal import Journal
from sfumato.review.sampled_misses import SampledMisses, check_sample, sample_of, sampled_misses, silence_of
from sfumato.review.texts import ALL, Queue, Texts, check_decisions, drawn_sample
from sfumato.review.treated import ByPolicy, Piece, TreatmentOf, by_label, segments
from sfumato.text.document import Document
from sfumato.text.marks import Finding

Facts = dict[str, Any]
_PATIENCE = 0.02  # seconds that a page waits for its records to be searched, before it comes without marks


class Session:
    """One review. Its answers hold private text: they are for the reviewer only. Threads may share it."""

    def __init__(
        self, texts: Texts, detector: Detector, journal: Journal, hits: Mapping[int, Collection[str]] | None = None,
        sample: int = 0, treatment_of: TreatmentOf = by_label,
    ) -> None:  # fmt: skip
        check_decisions(journal.decisions, texts)
        check_sample(journal.decisions, detector, texts)
        self.texts, self._journal, self._lock = texts, journal, RLock()
        if journal.decisions.sample is None:
            drawn = drawn_sample(texts, sample)
            journal.append({"action": "sample", "records": drawn, "of": sample_of(detector, texts)})
        self.detection = Detection(detector, texts)
        self._searched = Searched(detector, texts, self.detection)
        self._reviewed = Reviewed(self._searched, journal.decisions)
        self._scores: dict[int, float] = {}
        self._misses: tuple[int, SampledMisses | None] = (-1, None)
        self._hits, self._treatment_of = hits or {}, treatment_of
        self.queue = Queue(texts, list(self._hits), self._sample, self._score)

    @property
    def _sample(self) -> list[int]:
        sample = self._journal.decisions.sample
        return [] if sample is None else list(sample.facts["records"])

    @property
    def reviewed(self) -> Reviewed:
        """Return the detector with the decisions so far."""
        return self._reviewed

    # What the page shows.

    def state(self) -> Facts:
        """Return how far the review is; it holds no text."""
        with self._lock:
            decisions = self._journal.decisions
            misses = self.misses()
            return {
                "records": self.texts.records, "searched": self.detection.done, "read": len(decisions.read),
                "decisions": decisions.count, "hits": len(self._hits), "sample": len(self._sample),
                "sampled_read": len(decisions.read.intersection(self._sample)),
                "sentence": silence_of(decisions) if misses is None else misses.sentence,
                "estimate": self._estimate(),
            }  # fmt: skip

    def _estimate(self) -> str | None:
        """Return how many misses to expect in records that nobody read; None if the detector tells no chances."""
        read = self._journal.decisions.read
        left = [
            record
            for record in range(self.texts.records)
            if self.detection.state(record) == READY and record not in read
        ]
        expected = sum(
            self.detection.doubts(place).expected for record in left for place in self.texts.numbers(record)
        )
        return estimate(expected, len(left)) if expected else None

    def misses(self) -> SampledMisses | None:
        """Return what the sample shows; None if its records were not all searched, or if there is no sample."""
        sample = self._sample
        if not sample or any(self.detection.state(record) != READY for record in sample):
            return None
        with self._lock:
            lines = len(self._journal.decisions.lines)
            if self._misses[0] != lines:
                misses = sampled_misses(self._journal.decisions, self._searched, self.texts, self._treatment_of)
                self._misses = lines, misses
            return self._misses[1]

    def page(self, view: str = ALL, start: int = 0, afresh: bool = False) -> Facts:
        """Return a page of records of a view. Records that are not yet searched come without marks."""
        order = self.queue.order(view, afresh)
        start = max(0, min(start, len(order)))
        records, end = self.queue.page(order, start)
        self.detection.hurry(records, _PATIENCE)
        return {
            "view": view, "count": len(order), "from": start, "records": [self.record(number) for number in records],
            "next": end if end < len(order) else None,
            "previous": self.queue.page_before(order, start) if start else None,
        }  # fmt: skip

    def record(self, record: int) -> Facts:
        """Return one record with its marks."""
        self._check_record(record)
        documents = self.texts.of(record)
        state = self.detection.state(record)
        with self._lock:
            marks: list[list[Finding]] = (
                self._reviewed.findings(documents) if state == READY else [[]] * len(documents)
            )
            decisions = self._journal.decisions
        return {
            "record": record, "id": self.texts.identity(record), "read": record in decisions.read,
            "sampled": record in self._sample, "hit": record in self._hits,
            "hit_by": list(self._hits.get(record, ())), "state": state,
            "texts": [
                {
                    "field": self.texts.places[place] if self.texts.places else "",
                    "pieces": self._pieces(place, own, state == READY, staying),
                }
                for place, own, staying in zip(
                    self.texts.numbers(record), marks, self._staying(documents, marks), strict=True
                )
            ],
        }  # fmt: skip

    def place(self, name: str) -> int:
        """Return the record with this id, else the one with this number. Raise ConfigurationError without either."""
        record = self._records.get(name)
        if record is None and name.isascii() and name.isdigit() and int(name[:20]) < self.texts.records:
            record = int(name)
        if record is None:
            raise ConfigurationError("No record has this id or this number; numbers begin at 0.")
        return record

    @cached_property
    def _records(self) -> dict[str, int]:
        return {self.texts.identity(record): record for record in reversed(range(self.texts.records))}

    def _staying(self, documents: Sequence[Document], marks: Sequence[Sequence[Finding]]) -> list[set[int]]:
        """Return where the marks of each text of a record begin that stay, as a policy treats the record."""
        if not isinstance(self._treatment_of, ByPolicy):
            return [set() for _ in documents]
        rows = zip(marks, self._treatment_of.staying(documents, marks), strict=True)
        return [{mark.start for mark, stays in zip(own, kept, strict=True) if stays} for own, kept in rows]

    def _pieces(self, place: int, marks: Sequence[Finding], searched: bool, staying: Collection[int]) -> list[Piece]:
        """Return the pieces of a text; words that could be misses are known once it was ``searched``."""
        text = self.texts.documents[place].text
        words = unmarked_phrases(text, marks, self.detection.doubts(place).outside(marks).words) if searched else ()
        bounds = [(mark.start, mark.end, mark.label) for mark in marks]
        chances = {mark.start: round(mark.score, 2) for mark in marks if mark.score is not None}
        pieces = segments(text, bounds, self._treatment_of, words, staying)
        for piece in pieces:
            if "label" in piece and piece["start"] in chances:
                piece["chance"] = chances[piece["start"]]
        return pieces

    # What the reviewer decides.

    def decide(self, record: int, text: int, action: str, start: int, end: int, label: str, scope: str) -> Facts:
        """Keep a decision about characters of a text, and return the record as it is now."""
        if action not in (*MARKS, *LISTS):
            raise ConfigurationError("There is no such action.")
        document = self._document(record, text)
        if not 0 <= start < end <= len(document.text):
            raise ConfigurationError("These characters are not in the text.")
        with self._lock:
            if action in LISTS:
                self._append({"action": action, "text": document.text[start:end], "label": label})
            else:
                self._append(of_mark(document, record, action, start, end, label, scope))
        return self.record(record)

    def read(self, record: int, done: bool) -> Facts:
        """Keep that the reviewer read a record, or that they did not."""
        self._check_record(record)
        if done and self.detection.state(record) != READY:
            raise ConfigurationError("The record was not searched; wait until its marks are there.")
        with self._lock:
            if done and record not in self._journal.decisions.read:
                self._append({"action": "read", "record": record, "sampled": record in self._sample})
            elif not done:
                for line in self._journal.decisions.live:
                    if line.action == "read" and line.facts["record"] == record:
                        self._append({"action": "undo", "of": line.line})
        return self.record(record)

    def undo(self) -> Facts:
        """Take back the last decision that counts, and return its record (None for an entry of a list)."""
        with self._lock:
            live = [line for line in self._journal.decisions.live if line.action != "sample"]
            if not live:
                raise ConfigurationError("There is nothing to undo.")
            self._append({"action": "undo", "of": live[-1].line})
            record = live[-1].facts.get("record")
        return {"action": live[-1].action, "record": None if record is None else self.record(record)}

    def add_lines(self, lines: Sequence[Mapping[str, Any]]) -> None:
        """Keep decisions that were made elsewhere, or none. Raise InputError if one of them cannot be."""
        with self._lock:
            self._journal.append_all(lines)
            self._reviewed = Reviewed(self._searched, self._journal.decisions)

    def _append(self, facts: Mapping[str, Any]) -> None:
        self._journal.append(facts)
        if facts["action"] != "read":
            self._reviewed = Reviewed(self._searched, self._journal.decisions)

    def _document(self, record: int, text: int) -> Document:
        self._check_record(record)
        documents = self.texts.of(record)
        if not 0 <= text < len(documents):
            raise ConfigurationError("There is no such text.")
        return documents[text]

    def _check_record(self, record: int) -> None:
        if not 0 <= record < self.texts.records:
            raise ConfigurationError("There is no such record.")

    def _score(self, record: int) -> float | None:
        if record not in self._scores and self.detection.state(record) == READY:
            numbers = self.texts.numbers(record)
            marks = [mark for place in numbers for mark in self.detection.findings(place)]
            words = [word for place in numbers for word in self.detection.doubts(place).words]
            suspicious = sum(
                unmarked(self.texts.documents[place].text, self.detection.findings(place)) for place in numbers
            )
            self._scores[record] = doubt_of(marks, words, suspicious)
        return self._scores.get(record)
