"""The texts that are reviewed: every text of a file, record by record, in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sfumato.detectors.decision import digest_of_text
from sfumato.detectors.decisions import Decisions
from sfumato.errors import ConfigurationError, InputError
from sfumato.files import Source
from sfumato.text.document import Document


@dataclass(frozen=True)
class Texts:
    """The documents of a file. PRIVATE. Those of record r lie between ``edges[r]`` and ``edges[r + 1]``."""

    documents: Sequence[Document] = field(repr=False)
    edges: Sequence[int] = field(repr=False)
    one_text: bool = True

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
    edges = [0]
    for chunk in source.chunks():
        edges += [len(documents) + edge for edge in chunk.edges[1:]]
        documents += chunk.documents
    return Texts(documents, edges, source.options.one_text)


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
