"""The texts that are reviewed, in memory, and the order in which a reviewer sees the records."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from sfumato.detectors.decision import digest_of_text
from sfumato.detectors.decisions import Decisions
from sfumato.errors import ConfigurationError, InputError
from sfumato.files import Source
from sfumato.storage import regular
from sfumato.text.document import Document


@dataclass(frozen=True)
class Texts:
    """The documents of a file. PRIVATE. Those of record r lie between ``edges[r]`` and ``edges[r + 1]``.

    ``places`` says where each is, as a person knows it; it is empty if a record has one text.
    """

    documents: Sequence[Document] = field(repr=False)
    edges: Sequence[int] = field(repr=False)
    places: Sequence[str] = field(default=(), repr=False)

    @property
    def records(self) -> int:
        """Return the number of records."""
        return len(self.edges) - 1

    def numbers(self, record: int) -> range:
        """Return the indices of the documents of ``record``."""
        return range(self.edges[record], self.edges[record + 1])

    def of(self, record: int) -> list[Document]:
        """Return the documents of ``record``."""
        return list(self.documents[self.edges[record] : self.edges[record + 1]])

    def identity(self, record: int) -> str:
        """Return the own id of ``record``; its number if it has no text."""
        documents = self.of(record)
        return documents[0].names[-1] if documents else str(record)

    @cached_property
    def record_of(self) -> dict[tuple[str, ...], int]:
        """Return the record of each text, by the names of the text."""
        return {document.names: record for record in range(self.records) for document in self.of(record)}

    @cached_property
    def digest(self) -> str:
        """Return a digest of all texts with their names, in hexadecimal digits."""
        digest = hashlib.sha256()
        for document in self.documents:
            names = "\0".join(document.names).encode("utf-8", "surrogatepass")
            digest.update(hashlib.sha256(names).digest() + bytes.fromhex(digest_of_text(document.text)))
        return digest.hexdigest()


def texts_of(source: Source) -> Texts:
    """Return all texts of ``source``. Raise InputError if it cannot be read, or if it is many files."""
    if source.kind == "shards":
        raise ConfigurationError("Many files have no review in common; review the files one by one.")
    documents: list[Document] = []
    edges, places = [0], list[str]()
    for chunk in source.chunks():
        edges += [len(documents) + edge for edge in chunk.edges[1:]]
        documents += chunk.documents
        places += chunk.shown
    return Texts(documents, edges, () if source.options.one_text else places)


def check_decisions(decisions: Decisions, texts: Texts) -> None:
    """Raise InputError unless every decision is about a record and a text that ``texts`` hold."""
    for decision in decisions.live:
        place = f"{decisions.name}, line {decision.line}"
        if decision.action == "read" and not 0 <= decision.facts["record"] < texts.records:
            raise InputError(f"{place}: there is no such record; review the file that the decisions are about.")
    for decision in decisions.marks:
        place = f"{decisions.name}, line {decision.line}"
        record = texts.record_of.get(decision.names)
        if record is None or record != decision.facts["record"]:
            raise InputError(
                f"{place}: its record is not where it was; review the file that the decisions are about, read in the "
                "same way."
            )
        document = next(one for one in texts.of(record) if one.names == decision.names)
        try:
            decision.check_text(document)
        except InputError as error:
            raise InputError(f"{place}, record {record}: {error.reason}") from None


HITS, UNMARKED, SAMPLE, ALL = "hits", "unmarked", "sample", "all"
VIEWS = (HITS, UNMARKED, SAMPLE, ALL)
_PAGE_RECORDS = 25
_PAGE_CHARACTERS = 200_000


@dataclass
class Queue:
    """The views of a review. ``score`` says how doubtful the marks of a record are; None if that is not yet known."""

    texts: Texts
    hits: Sequence[int]
    sample: Sequence[int]
    score: Callable[[int], float | None]
    _unmarked: Sequence[int] = field(default=(), init=False)

    def order(self, view: str, afresh: bool) -> Sequence[int]:
        """Return the records of ``view``. The order by doubt stays until it is wanted ``afresh``."""
        if view == HITS:
            return self.hits
        if view == SAMPLE:
            return self.sample
        if view == ALL:
            return range(self.texts.records)
        if view != UNMARKED:
            raise ConfigurationError(f"A view is one of {', '.join(VIEWS)}.")
        if afresh or not self._unmarked:
            scores = {record: self.score(record) or 0 for record in range(self.texts.records)}
            suspicious = [record for record, score in scores.items() if score]
            self._unmarked = sorted(suspicious, key=lambda record: (-scores[record], record))
        return self._unmarked

    def page(self, order: Sequence[int], start: int) -> tuple[Sequence[int], int]:
        """Return the records of the page that begins at ``start`` of ``order``, and where the next one begins."""
        end = start + self._fitting(order[start : start + _PAGE_RECORDS])
        return order[start:end], end

    def page_before(self, order: Sequence[int], start: int) -> int:
        """Return where the page begins that ends before ``start``."""
        return start - self._fitting(order[max(0, start - _PAGE_RECORDS) : start][::-1])

    def _fitting(self, records: Sequence[int]) -> int:
        """Return how many of the first ``records`` have room on a page; one in any case, if there is one."""
        characters = 0
        for count, record in enumerate(records):
            characters += sum(len(document.text) for document in self.texts.of(record))
            if count and characters > _PAGE_CHARACTERS:
                return count
        return len(records)


def drawn_sample(texts: Texts, size: int) -> list[int]:
    """Return ``size`` records with a text, drawn by the operating system's generator without replacement."""
    if size < 0:
        raise ConfigurationError("The sample must be 0 records or more.")
    with_texts = [record for record in range(texts.records) if any(document.text for document in texts.of(record))]
    return secrets.SystemRandom().sample(with_texts, min(size, len(with_texts)))


def hits_from(path: Path, records: int) -> dict[int, tuple[str, ...]]:
    """Return the records that a file of hits names, each with the attacks that hit it as far as the file says.

    A line is an object of JSON: ``{"record": 3, "by": ["known values, by words"]}``; ``by`` may be one name, or
    missing. Raise InputError, which names the place and never content.
    """
    try:
        lines = regular(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{path} cannot be read as UTF-8; check the path.") from None
    hits: dict[int, tuple[str, ...]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            content = json.loads(line)
            record, named = content["record"], content.get("by", [])
        except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
            record, named = None, []
        place = f"{path.name}, line {number}"
        if isinstance(record, bool) or not isinstance(record, int) or not 0 <= record < records:
            raise InputError(f'{place}: it names no record of the input; write {{"record": 0}}.')
        attacks = [named] if isinstance(named, str) else named
        if not isinstance(attacks, list) or not all(isinstance(each, str) and each for each in attacks):
            raise InputError(f'{place}: "by" is neither a name of an attack nor a list of names; leave it out.')
        hits[record] = tuple(dict.fromkeys([*hits.get(record, ()), *attacks]))
    return hits
