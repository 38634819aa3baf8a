"""What Presidio's recognisers find: formats with checksums in many countries, or recognisers of the user's own."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from sfumato.abstract.detector import Detector
from sfumato.detectors.any_date import with_public_dates
from sfumato.detectors.found import Found, findings_of
from sfumato.detectors.labels import check_labels
from sfumato.detectors.presidio.restraints import without
from sfumato.detectors.tagger import DEFAULT_PIPELINE
from sfumato.detectors.windows import batches, failed
from sfumato.errors import ConfigurationError
from sfumato.language.languages import ENGLISH, LANGUAGES
from sfumato.models.spacy.pipelines import load_pipeline, zone
from sfumato.options.option import Option
from sfumato.storage.digests import digest_of_everything
from sfumato.text.document import Document
from sfumato.text.marks import Finding, Spans

_ONE_AT_A_TIME = threading.Lock()  # a spaCy pipeline is not safe across threads


@dataclass(frozen=True)
class Presidio(Detector):
    """The finds of Presidio's recognisers for ``language``, or of those in ``recognizers``, a file in its format.

    ``threshold`` is the least score of a recogniser. ``labels`` keeps only spans with one of these labels.
    ``pipeline`` cuts the words; its entities are those of the detector ``entities``, and are not marked here.
    ``window`` and ``overlap`` are in characters.
    """

    pipeline: Annotated[str, Option("installed spaCy pipeline, or a folder")] = DEFAULT_PIPELINE
    language: Annotated[str, Option("language of the texts, as Presidio names it")] = "en"
    labels: Annotated[Collection[str] | None, Option("only spans with one of these labels")] = None
    threshold: Annotated[float, Option("least score of a Presidio recogniser")] = 0.4
    recognizers: Annotated[str | None, Option("YAML FILE of recognisers in Presidio's format", file=True)] = None
    window: Annotated[int, Option("characters of a long text that are read at once")] = 10_000
    overlap: Annotated[int, Option("characters that two windows share")] = 400

    def __post_init__(self) -> None:
        if isinstance(self.labels, str) or (self.labels is not None and not self.labels):
            raise ConfigurationError("labels must be a set with at least one label.")
        if self.labels is not None:
            object.__setattr__(self, "labels", frozenset(self.labels))
        if not 0 <= self.threshold <= 1:
            raise ConfigurationError(f"The threshold is a score from 0 to 1, not {self.threshold!r}.")
        if not 4 * self.overlap <= self.window or self.overlap < 2:
            raise ConfigurationError("A window must be at least four times the overlap, and that at least 2.")

    @property
    def description(self) -> str:
        """Return what is protected."""
        kinds = "" if self.labels is None else f" ({', '.join(sorted(self.labels))} only)"
        return f"what Presidio's recognisers find{kinds}"

    @property
    def unprotected(self) -> str:
        """Return what is left unprotected."""
        return "everything that no recogniser finds: names, places and organisations, unless one is written for them"

    @property
    def setting(self) -> str:
        """Return the settings, with a hash of the file of recognisers."""
        listed = "" if self.recognizers is None else digest_of_everything(Path(self.recognizers))
        return f"{super().setting} {listed}"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the finds in each document. Raise InputError if a recogniser fails."""
        return [Spans.of(findings) for findings in self.findings(documents)]

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return the spans with score and finder: ``presidio:`` and a recogniser.

        Texts are read with public dates, so that no mark depends on which date it is.
        """
        public, dates = with_public_dates(documents, [LANGUAGES.get(self.language, ENGLISH)] * len(documents))
        seen: list[list[Found]] = [[] for _ in documents]
        for batch in batches(public, self.window, self.overlap):
            for number, span in self._seen(public, batch):
                seen[number].append(span)
        return [each.original(findings_of(spans)) for each, spans in zip(dates, seen, strict=True)]

    def _seen(self, documents: Sequence[Document], batch: list[tuple[int, int, int]]) -> list[tuple[int, Found]]:
        """Return the finds in a batch of windows, each with the number of its document."""
        nlp, patterns = self._loaded
        texts = [documents[number].text[start:end] for number, start, end in batch]
        try:
            with _ONE_AT_A_TIME, zone(nlp, texts):  # the zone frees the batch's words: no growth
                return [
                    (number, span._replace(start=start + span.start, end=start + span.end))
                    for (number, start, _), text in zip(batch, texts, strict=True)
                    for span in patterns.find(nlp.make_doc(text), text)
                    if self.labels is None or span.label in self.labels
                ]
        except Exception as error:
            failure = failed("Presidio", error, batch)
        # Raised outside the except block: the messages of spaCy and Presidio may quote the text.
        raise failure

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        # both are for recognisers that only a file of recognisers can ask for
        hidden = without("torch", "transformers") if self.recognizers is None else nullcontext()
        with hidden:
            from sfumato.detectors.presidio.recognisers import Patterns
        nlp = load_pipeline(self.pipeline)
        patterns = Patterns(nlp, self.language, self.threshold, self.recognizers)
        check_labels(self.labels or (), patterns.labels, "The detector")
        return nlp, patterns

    @property
    def known_labels(self) -> frozenset[str]:
        """Return the labels that a span may have."""
        every: frozenset[str] = self._loaded[1].labels
        return every & frozenset(self.labels or every)

    @property
    def public_labels(self) -> bool:
        """Return whether the labels are public: unless a file of recognisers or a pipeline of the user adds some."""
        return self.recognizers is None and "/" not in self.pipeline

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_loaded"}
