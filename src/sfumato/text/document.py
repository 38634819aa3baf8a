"""Private texts and released texts.

The types keep the private side and the public side apart. A :class:`Document` and its :class:`Spans` are private. A
:class:`Release` holds only what an attacker may see: the released text, and the labels and bounds of the spans that
were replaced. So nothing computed from a release can look back at a private token.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeVar

import regex

from sfumato.errors import InputError
from sfumato.text import notebook

T = TypeVar("T")
_UNSEEN = regex.compile(r"[\p{Cf}\p{Default_Ignorable_Code_Point}]+")
_LONE = re.compile(r"[\ud800-\udfff]")


def readable(text: str) -> str:
    """Return ``text`` with U+FFFD instead of each lone surrogate, which JSON can hold and no encoder reads.

    Every character keeps its offset.
    """
    return _LONE.sub("\ufffd", text)


def name_of_person(value: object) -> str:
    """Return the name by which a person, or a record by its id, is counted; "" if ``value`` names nobody.

    Spellings that differ in capitals, compatible forms (full width, ligatures), invisible characters, the way an
    accent is written, or blanks have one name. Every count of people and every account asks this function alone.
    """
    text = str(value)
    if not text.isascii():
        text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).upper().casefold())
        text = unicodedata.normalize("NFC", _UNSEEN.sub("", text))
    return " ".join(text.lower().split())


def _of_columns(cls: type[T], columns: Mapping[str, Sequence[Any]]) -> list[T]:
    """Return objects with slots, whose fields are the ``columns``. Raise ValueError for different lengths."""
    [length, *others] = {len(values) for values in columns.values()}
    if others:
        raise ValueError("the columns have different lengths")
    objects = [cls.__new__(cls) for _ in range(length)]
    for name, values in columns.items():
        deque(map(getattr(cls, name).__set__, objects, values), maxlen=0)
    return objects


@dataclass(frozen=True, slots=True)
class Document:
    """One private text. Its plain representation never shows the text.

    Attributes:
        text: The text.
        id: Its name, which becomes the release's and which keyed draws depend on.
        metadata: The other fields of its record. Documents that share one mapping belong to one record.
        origin: The field and the record's id, if the text was read from a file.
        lead: What a reader sees before it, such as "Name: " of a form. A detector may read it; it is never replaced.
        public: Whether the text tells nothing by itself, such as a heading of a column. A detector may pass it by.
    """

    text: str
    id: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict, repr=False)
    origin: tuple[str, ...] = field(default=(), repr=False)
    lead: str = field(default="", repr=False)
    public: bool = False

    def __post_init__(self) -> None:
        """Refuse what engines cannot read. Documents of files are made by :meth:`several`, without this look."""
        if not (isinstance(self.text, str) and isinstance(self.id, str)):
            raise InputError("a document has a text and an id, and both must be str.")
        if not (isinstance(self.metadata, Mapping) and isinstance(self.origin, tuple)):
            raise InputError("the metadata of a document must be a mapping, and its origin a tuple.")
        if not isinstance(self.lead, str):
            raise InputError("what leads to a document must be str.")
        if not isinstance(self.public, bool):
            raise InputError("whether a document is public must be True or False.")

    @classmethod
    def several(
        cls,
        texts: Sequence[str],
        ids: Sequence[str],
        metadata: Sequence[Mapping[str, Any]],
        origins: Sequence[tuple[str, ...]],
    ) -> list[Document]:
        """Return documents from columns of one length, in half the time that one call for each takes."""
        columns = {"text": texts, "id": ids, "metadata": metadata, "origin": origins}
        return _of_columns(cls, {**columns, "lead": [""] * len(texts), "public": [False] * len(texts)})

    @property
    def names(self) -> tuple[str, ...]:
        """Return the origin, or the id if there is no origin.

        The names set this text apart from the other texts of its data set, for keyed draws.
        """
        return self.origin or (self.id,)

    def __repr__(self) -> str:
        return f"Document(id={self.id!r}, {len(self.text)} characters)"


def records(documents: Sequence[Document]) -> list[range]:
    """Return the indices of the ``documents`` of each record: neighbours that share their record's fields."""
    groups: list[range] = []
    for number, document in enumerate(documents):
        before = documents[number - 1] if number else None
        if before is not None and document.metadata and document.metadata is before.metadata:
            groups[-1] = range(groups[-1].start, number + 1)
        else:
            groups.append(range(number, number + 1))
    return groups


class Replacement(NamedTuple):
    """One replaced span of a release.

    Attributes:
        start: Where it starts in the released text, in characters.
        end: Where it ends (half-open).
        label: The label of what was replaced.
        output: The text that was put in.
    """

    start: int
    end: int
    label: str
    output: str


@dataclass(frozen=True, slots=True)
class Release:
    """One sanitized text. A notebook shows it with the replaced spans marked.

    Attributes:
        id: The id of its document.
        text: The released text.
        bounds: Where each replaced span starts and ends in `text`: 2·n offsets in characters for n spans.
        labels: One label for all spans, or a sequence of n labels.
        draws: How many random draws the document paid for.
        draws_by: The same by treatment, if a policy treats its kinds differently.
    """

    id: str
    text: str
    bounds: Sequence[int] = field(repr=False)
    labels: str | Sequence[str]
    draws: int
    draws_by: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def joined(cls, id: str, parts: Sequence[str], labels: str | Sequence[str], draws: int) -> Release:
        """Return the release of `parts`: in turns, text that was kept (even indices) and outputs (odd indices)."""
        edges = list(accumulate(map(len, parts)))
        return cls(id, "".join(parts), array("q", edges[: len(parts) // 2 * 2]), labels, draws)

    @classmethod
    def several(
        cls,
        ids: Sequence[str],
        texts: Sequence[str],
        bounds: Sequence[Sequence[int]],
        labels: Sequence[str | Sequence[str]],
        draws: Sequence[int],
    ) -> list[Release]:
        """Return releases from columns of one length, in half the time that one call for each takes."""
        columns = {"id": ids, "text": texts, "bounds": bounds, "labels": labels, "draws": draws}
        return _of_columns(cls, {**columns, "draws_by": [{} for _ in ids]})

    def of_parts(self, parts: Sequence[str]) -> Release:
        """Return the same release with other `parts`, as many of them."""
        made = Release.joined(self.id, parts, self.labels, self.draws)
        return replace(made, draws_by=self.draws_by)

    @property
    def parts(self) -> tuple[str, ...]:
        """Return, in turns, text that was kept (even indices) and outputs (odd indices)."""
        edges = [0, *self.bounds, len(self.text)]
        return tuple(self.text[start:end] for start, end in pairwise(edges))

    @property
    def replacements(self) -> tuple[Replacement, ...]:
        """Return position (in the released text), label and output of each replaced span; never an original."""
        starts, ends = self.bounds[::2], self.bounds[1::2]
        labels = labels_of(self)
        return tuple(
            Replacement(start, end, label, self.text[start:end])
            for start, end, label in zip(starts, ends, labels, strict=True)
        )

    def __repr__(self) -> str:
        count = len(self.bounds) // 2
        return f"Release(id={self.id!r}, {len(self.text)} characters, {count} replaced, {self.draws} draws)"

    def _repr_html_(self) -> str:
        spans = [(span.start, span.end, span.label) for span in self.replacements]
        return notebook.columns(["Release"], [notebook.marked(self.text, spans)])


@dataclass(frozen=True, slots=True)
class Preview:
    """A text beside its release, for a look at what a method does. PRIVATE: it holds the original.

    A notebook shows both with the replaced spans marked. Clear that output before you share the notebook. The plain
    representation shows neither text.

    Attributes:
        original: The document.
        spans: Start, end and label of each span of the original that the method replaces.
        release: Its release.
    """

    original: Document
    spans: Sequence[tuple[int, int, str]] = field(repr=False)
    release: Release

    def __repr__(self) -> str:
        return f"Preview({self.original!r}, {self.release!r})"

    def _repr_html_(self) -> str:
        released = [(span.start, span.end, span.label) for span in self.release.replacements]
        texts = notebook.marked(self.original.text, self.spans), notebook.marked(self.release.text, released)
        return notebook.columns(["Original (private)", "Release"], texts)


GROUP = "stream"


def document_of(text: Any, index: int | None = None) -> Document:
    """Return ``text`` as a document. Raise InputError unless it is a str or a Document."""
    if isinstance(text, str):
        return Document(text)
    if isinstance(text, Document):
        return text
    raise InputError(f"a text must be a str or a Document, not {type(text).__name__}.", index, GROUP)


def labels_of(release: Release) -> Sequence[str]:
    """Return the label of each replaced span of ``release``."""
    count = len(release.bounds) // 2
    return [release.labels] * count if isinstance(release.labels, str) else release.labels
