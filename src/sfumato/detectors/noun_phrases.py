"""Noun phrases, found by a spaCy pipeline's parser on this machine: "the old surgeon" gives "old surgeon"."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

from sfumato.abstract.detector import Detector
from sfumato.detectors.merging import merged
from sfumato.detectors.tagger import DEFAULT_PIPELINE
from sfumato.detectors.windows import failed, windows
from sfumato.errors import ConfigurationError
from sfumato.models.spacy.pipelines import PARSE, load_pipeline, zone
from sfumato.options.option import Option
from sfumato.text.document import Document, readable
from sfumato.text.marks import Span, Spans

LABEL = "NP"
_ONE_AT_A_TIME = threading.Lock()  # a spaCy pipeline is not safe across threads
_LEADING = frozenset({"DET", "PRON", "PUNCT", "SPACE", "CCONJ", "ADP"})


@dataclass(frozen=True)
class NounPhrases(Detector):
    """Noun phrases without their articles and possessives; pronouns do not count.

    ``pipeline`` is an installed spaCy pipeline or a folder; ``window`` and ``overlap`` are in characters.
    """

    pipeline: Annotated[str, Option("installed spaCy pipeline, or a folder")] = DEFAULT_PIPELINE
    window: Annotated[int, Option("characters of a long text that are read at once")] = 10_000
    overlap: Annotated[int, Option("characters that two windows share")] = 400

    def __post_init__(self) -> None:
        if not 4 * self.overlap <= self.window or self.overlap < 2:
            raise ConfigurationError("A window must be at least four times the overlap, and that at least 2.")

    @property
    def description(self) -> str:
        """Return what is protected."""
        return f"the noun phrases that {self.pipeline!r} finds, without their articles"

    @property
    def unprotected(self) -> str:
        """Return what is left unprotected."""
        return "verbs, adjectives that stand alone, pronouns, and noun phrases that the parser does not find"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the noun phrases of each document. Raise InputError if the parser fails."""
        return [merged(self._found(number, document.text)) for number, document in enumerate(documents)]

    def _found(self, number: int, text: str) -> list[Span]:
        nlp, cuts = self._nlp, windows(text, self.window, self.overlap)
        try:
            with _ONE_AT_A_TIME, zone(nlp, [text]):  # the zone frees the words: no growth
                parsed = zip(cuts, nlp.pipe([readable(text[start:end]) for start, end in cuts]), strict=True)
                return [Span(start + a, start + b, LABEL) for (start, _), doc in parsed for a, b in _phrases(doc)]
        except Exception as error:
            failure = failed("the parser", error, [(number, 0, len(text))])
        # Raised outside the except block: spaCy's message may quote the text.
        raise failure

    @cached_property
    def _nlp(self) -> Any:
        return load_pipeline(self.pipeline, PARSE)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_nlp"}


def _phrases(doc: Any) -> Iterator[tuple[int, int]]:
    for chunk in doc.noun_chunks:
        words = list(chunk)
        while words and words[0].pos_ in _LEADING:
            del words[0]
        while words and words[-1].is_space:
            del words[-1]
        if words and any(word.pos_ in ("NOUN", "PROPN") for word in words):
            yield words[0].idx, words[-1].idx + len(words[-1])
