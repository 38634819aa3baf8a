"""Presidio's analyzer with its recognisers and checksums, on this machine alone: nothing is fetched.

Its slow recognisers run only where they can find something: the one for telephone numbers where digits are close
together, the one for web addresses on words with a dot. Patterns are tried only where a text can begin to match them.
The results stay the same.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import regex
import tldextract
from presidio_analyzer import (
    AnalyzerEngine,
    PatternRecognizer,
    RecognizerRegistry,
    RecognizerResult,
    pattern_recognizer,
)
from presidio_analyzer.nlp_engine import NlpArtifacts, SpacyNlpEngine
from presidio_analyzer.predefined_recognizers import EmailRecognizer, PhoneRecognizer, UrlRecognizer
from presidio_analyzer.predefined_recognizers.generic import iban_recognizer
from presidio_analyzer.recognizer_registry import RecognizerRegistryProvider

from sfumato.detectors.found import Found
from sfumato.detectors.prefilter import MOST, group_of, matches_at
from sfumato.detectors.presidio.restraints import unlogged
from sfumato.errors import ConfigurationError
from sfumato.missing import missing

_DIALLED = regex.compile(r"\d(?:(?:[^\d\n\p{L}]|[xXー]){0,4}\d){4,}")
_BEFORE = regex.compile(r"(?:(?<!\d)\d{1,20}[^\d\n]{1,20}){0,2}[^\d\n]{0,20}(?=\Z)")
_AFTER = regex.compile(r"[ \t\u00a0,]*+[^\d\n]{0,20}+[ \t\u00a0,]*+(?:\d{1,20}(?!\d)[^\d\n]{0,20})?")
"""A telephone number has five digits or more, of which neighbours are at most four signs apart. An extension may
follow it, and the text before it may end with one."""
_FAR = 120
_DOTTED = regex.compile(r"(?<!\S)[^\s.]*+\.[^\s\p{L}]*+\p{L}\S*+")


_LABELS = {"DATE_TIME": "DATE"}
_RUN = regex.compile(r"[!-~]+")
_LONG = 500
"""A longer word with a dot would cost the square of its length, so it counts as an address unread."""


class _Phones(PhoneRecognizer):
    """Presidio's recogniser, run on pieces with digits."""

    def analyze(self, text: str, entities: list[str], nlp_artifacts: Any = None) -> list[Any]:
        return _by_pieces(super().analyze, _dialled(text), text, entities, nlp_artifacts)


class _Urls(UrlRecognizer):
    """Presidio's recogniser, run on words with a dot."""

    def analyze(
        self, text: str, entities: list[str], nlp_artifacts: Any = None, regex_flags: Any = None
    ) -> list[Any]:
        def analyze(piece: str, *given: Any) -> list[Any]:
            if len(piece) <= _LONG:
                return ask(piece, *given)
            return _by_pieces(analyze_run, map(_bounds, _RUN.finditer(piece)), piece, *given)

        def analyze_run(run: str, *given: Any) -> list[Any]:
            return ask(run, *given) if len(run) <= _LONG else [RecognizerResult("URL", 0, len(run), 0.5)]

        ask = super().analyze
        return _by_pieces(analyze, map(_bounds, _DOTTED.finditer(text)), text, entities, nlp_artifacts)


class _Emails(EmailRecognizer):
    """Presidio's recogniser, with the list of public suffixes that comes with tldextract instead of one from the
    network.
    """

    _known = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)

    def validate_result(self, pattern_text: str) -> bool:
        return bool(self._known(pattern_text).fqdn)


def _by_pieces(
    analyze: Any, pieces: Iterable[tuple[int, int]], text: str, entities: list[str], artifacts: Any
) -> list[Any]:
    results = []
    for start, end in pieces:
        for result in analyze(text[start:end], entities, artifacts):
            result.start += start
            result.end += start
            results.append(result)
    return results


def _bounds(match: Any) -> tuple[int, int]:
    start, end = match.span()
    return start, end


def _dialled(text: str) -> Iterator[tuple[int, int]]:
    """Yield where telephone numbers may be, with the text beside them that decides; pieces that meet are one."""
    begins = ends = -1
    for match in _DIALLED.finditer(text):
        start = _BEFORE.search(text, max(0, match.start() - _FAR), match.start()).start()
        end = _AFTER.match(text, match.end()).end()
        if start > ends >= 0:
            yield begins, ends
            begins = ends = -1
        begins, ends = begins if ends >= 0 else start, end
    if ends >= 0:
        yield begins, ends


class _Watch(logging.Logger):
    """Records that Presidio skipped a pattern that took too long. Presidio only logs this, and a skipped match would
    leak.

    It replaces the logger of the modules that skip, so that no logging settings can silence it.
    """

    def __init__(self) -> None:
        super().__init__("sfumato's watch over Presidio")
        self._heard = threading.local()

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802
        """Return whether a record of ``level`` may report a skipped pattern."""
        return level >= logging.WARNING

    def handle(self, record: logging.LogRecord) -> None:
        """Remember the record; it is raised as an error, not written as a line in a log."""
        self._heard.skipped = self._heard.__dict__.get("skipped", False) or "timed out" in str(record.msg)

    def skipped(self) -> bool:
        """Return whether this thread skipped a pattern since the last call."""
        return bool(self._heard.__dict__.pop("skipped", False))


_WATCH = _Watch()


class SkippedPatternError(Exception):
    """A pattern took too long and was skipped."""


class Patterns:
    """Presidio's pattern recognisers for one language; ``nlp`` is the loaded pipeline that cut the words."""

    def __init__(self, nlp: Any, language: str, threshold: float, recognizers: str | None) -> None:
        self._language, self._threshold, self._stops = language, threshold, nlp.Defaults.stop_words
        with unlogged():
            registry = _with_ours(_registry(language, recognizers), language)
            self._shared = anchor(registry.recognizers)
            engine: Any = SpacyNlpEngine(models=[{"lang_code": language, "model_name": nlp.meta["name"]}])
            engine.nlp = {language: nlp}  # loaded: otherwise Presidio would look for a package, or download it
            self._analyzer = AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=[language])
        pattern_recognizer.logger = iban_recognizer.logger = _WATCH

    @property
    def labels(self) -> frozenset[str]:
        """Return the labels that the recognisers can give."""
        with unlogged():
            entities = self._analyzer.get_supported_entities(self._language)
        return frozenset(_LABELS.get(entity, entity) for entity in entities)

    def find(self, doc: Any, text: str) -> Iterator[Found]:
        """Yield the finds of the recognisers in ``text``; ``doc`` holds its words. Raise SkippedPatternError."""
        lower, offsets = doc.to_array("LOWER").tolist(), doc.to_array("IDX").tolist()
        spelled = {number: doc.vocab.strings[number] for number in set(lower)}
        words = [spelled[number] for number in lower]
        artifacts: Any = NlpArtifacts([], doc, offsets, words, None, self._language)
        artifacts.keywords = {word for word in words if word not in self._stops}
        _WATCH.skipped()
        with self._shared.reading(text), unlogged():
            results = self._analyzer.analyze(
                text, self._language, score_threshold=self._threshold, nlp_artifacts=artifacts
            )
        if _WATCH.skipped():
            raise SkippedPatternError
        for result in results:
            # a format that Presidio knows is surer than a rule for any code, however low its score is
            label = _LABELS.get(result.entity_type, result.entity_type)
            name = (result.recognition_metadata or {}).get(RecognizerResult.RECOGNIZER_NAME_KEY, "")
            yield Found(result.start, result.end, label, (1 + result.score) / 2, f"presidio:{name}", result.score)


def _with_ours(registry: Any, language: str) -> Any:
    """Return ``registry`` with recognisers of our own in the place of Presidio's slow ones."""
    for ours in (_Phones, _Urls, _Emails):
        theirs = ours.__bases__[0].__name__
        old = [recognizer for recognizer in registry.recognizers if type(recognizer).__name__ == theirs]
        for recognizer in old:
            registry.recognizers.remove(recognizer)
            registry.add_recognizer(ours(supported_language=language, context=recognizer.context, name=theirs))
    return registry


def _registry(language: str, recognizers: str | None) -> Any:
    """Return Presidio's own recognisers for ``language``, or those of a file in Presidio's format."""
    if recognizers is not None and not Path(recognizers).is_file():
        raise ConfigurationError("The file of recognisers does not exist; write one in Presidio's YAML format.")
    registry: Any
    try:
        if recognizers is None:
            registry = RecognizerRegistry(supported_languages=[language])
            registry.load_predefined_recognizers(languages=[language])
        else:
            registry = RecognizerRegistryProvider(conf_file=recognizers).create_recognizer_registry()
    except Exception as error:
        raise missing(error) or ConfigurationError(
            f"Presidio cannot load its recognisers ({type(error).__name__})."
        ) from None
    for recognizer in [
        recognizer for recognizer in registry.recognizers if type(recognizer).__name__ == "SpacyRecognizer"
    ]:
        registry.recognizers.remove(recognizer)  # the entities of the pipeline are taken as they are
    if not registry.recognizers:
        raise ConfigurationError(f"Presidio has no recogniser for the language {language!r}.")
    return registry


class SharedPlaces(threading.local):
    """Where each of the patterns of all recognisers may begin in the text that this thread reads."""

    def __init__(self, patterns: tuple[Any, ...]) -> None:
        self._groups = [patterns[first : first + MOST] for first in range(0, len(patterns), MOST)]
        self._text: str | None = None
        self._places: list[list[int] | None] = []

    @contextmanager
    def reading(self, text: str) -> Iterator[None]:
        """Look for places in ``text``, and forget them after the block."""
        self._places = [places for group in self._groups for places in group_of(group).places(text)]
        self._text = text
        try:
            yield
        finally:
            self._text, self._places = None, []

    def of(self, number: int, text: str) -> list[int] | None:
        """Return where the pattern ``number`` may begin; None for anywhere."""
        return self._places[number] if text is self._text else None


@dataclass(frozen=True, eq=False)
class _Anchored:
    """Stands in for a compiled pattern, of which Presidio uses ``finditer`` alone."""

    pattern: Any
    number: int
    shared: SharedPlaces

    def finditer(self, text: str, timeout: float) -> Iterator[Any]:
        """Return what the pattern's own method returns."""
        places = self.shared.of(self.number, text)
        return self.pattern.finditer(text, timeout=timeout) if places is None else self._at(text, places, timeout)

    def _at(self, text: str, places: list[int], timeout: float) -> Iterator[Any]:
        return matches_at(self.pattern, text, places, timeout)


def anchor(recognizers: list[Any]) -> SharedPlaces:
    """Make the pattern recognisers among ``recognizers`` try their patterns only where these may begin."""
    mine: list[Any] = [recognizer for recognizer in recognizers if isinstance(recognizer, PatternRecognizer)]
    pairs = [(pattern, recognizer.global_regex_flags) for recognizer in mine for pattern in recognizer.patterns]
    every = tuple(regex.compile(pattern.regex, flags) for pattern, flags in pairs)
    shared = SharedPlaces(every)
    for number, ((pattern, flags), compiled) in enumerate(zip(pairs, every, strict=True)):
        pattern.compiled_with_flags, pattern.compiled_regex = flags, _Anchored(compiled, number, shared)
    return shared
