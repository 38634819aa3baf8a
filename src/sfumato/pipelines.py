"""Finds and loads a spaCy pipeline from the disk, without running its package and without the network."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError, MissingExtraError

_INSTALL = "pip install 'sfumato[models]'"
ENTITIES, PARSE = "doc.ents", "token.dep"
"""What a pipeline may be asked for, as spaCy names it."""
_NAMED = {ENTITIES: "entities; name one with 'ner'", PARSE: "clauses; name one with 'parser'"}
_NEVER = frozenset({"lemmatizer", "trainable_lemmatizer", "textcat", "textcat_multilabel"})
_IDLE = {
    ENTITIES: _NEVER | {"tagger", "morphologizer", "parser", "senter", "sentencizer", "attribute_ruler"},
    PARSE: _NEVER | {"ner", "beam_ner", "entity_linker", "entity_ruler", "senter", "sentencizer"},
}
_COMMON = 2_000
"""A larger list costs more time at the start than it saves in a megabyte; four forms of these fit into the cache."""
_SHARED = frozenset({"tok2vec", "transformer", "curated_transformer"})


def load_pipeline(pipeline: str, wanted: str = ENTITIES) -> Any:
    """The pipeline with the parts that give what is ``wanted`` and nothing else.

    ``pipeline`` is the name of an installed package or, with a slash in it, a folder.
    """
    folder = _folder(pipeline)
    try:
        import spacy
    except ImportError:
        raise MissingExtraError(f"Reading the grammar of a text needs spaCy; type: {_INSTALL}") from None
    try:
        excluded = _excluded(spacy.util.load_config(folder / "config.cfg"), _IDLE[wanted])
        with warnings.catch_warnings():
            # W095: trained with another minor version of spaCy; such a pipeline works or fails to load
            warnings.filterwarnings("ignore", message=r"\[W095\]", category=UserWarning)
            nlp = spacy.load(folder, exclude=excluded)
    except Exception as error:
        raise ConfigurationError(
            f"The spaCy pipeline {pipeline!r} cannot be loaded ({type(error).__name__}); "
            "install the release that fits the installed spaCy."
        ) from None
    if not any(wanted in nlp.get_pipe_meta(name).assigns for name in nlp.pipe_names):
        raise ConfigurationError(f"The spaCy pipeline {pipeline!r} finds no {_NAMED[wanted]}.")
    _multiply_by_numpy(nlp)
    _remember_common_words(nlp)
    return nlp


def _multiply_by_numpy(nlp: Any) -> None:
    """Let the pipeline's layers multiply matrices with numpy's BLAS: three times as fast as spaCy's own on most CPUs.

    Only layers that compute on the CPU are changed, and only this pipeline's.
    """
    from thinc.api import NumpyOps

    plain = NumpyOps(use_blis=False)
    for _, part in nlp.pipeline:
        for layer in part.model.walk() if hasattr(part, "model") else ():
            if type(layer.ops) is NumpyOps:
                layer.ops = plain


def _remember_common_words(nlp: Any) -> None:
    """Let the tokenizer remember how it cuts the most common words of its language, at both ends of a sentence.

    Whoever reads texts in a memory zone, so that nothing of them stays, has every other word cut anew each time.
    """
    from spacy.tokenizer import Tokenizer
    from wordfreq import top_n_list

    if type(nlp.tokenizer) is not Tokenizer:
        return
    try:
        common = top_n_list(nlp.lang, _COMMON)
    except LookupError:  # a language that wordfreq has no list of
        return
    for word in common:
        nlp.make_doc(f"{word.capitalize()} {word} {word}, {word}.")


def tagged(nlp: Any, texts: Sequence[str]) -> list[Any]:
    """What ``nlp.pipe`` makes of ``texts``, in half the time where a greedy entity recogniser is in it.

    The compiled loop of spaCy 3.8 takes Python's lock dozens of times a word, because a function that it calls
    promises no "noexcept". The same steps, asked for from here, hold the lock and take it once.
    """
    from spacy.pipeline import EntityRecognizer

    docs = [nlp.make_doc(text) for text in texts]
    for _, part in nlp.pipeline:
        if type(part) is EntityRecognizer and part.cfg.get("beam_width", 1) == 1 and any(map(len, docs)):
            part.set_annotations(docs, _decoded(part, docs))
        else:
            docs = list(part.pipe(docs)) if hasattr(part, "pipe") else [part(doc) for doc in docs]
    return docs


def _decoded(recogniser: Any, docs: Sequence[Any]) -> Any:
    """The final states of ``docs``: in each step the best allowed action of each that is not done."""
    steps, states = recogniser.model.predict(docs), recogniser.moves.init_batch(docs)
    going = [state for state in states if not state.is_final()]
    while going:
        going = recogniser.transition_states(going, steps.predict(going))
    steps.clear_memory()  # it refers to itself, and would keep its arrays
    return states


def pipeline_labels(nlp: Any) -> frozenset[str]:
    """The labels that the pipeline can give to an entity."""
    finders = (name for name in nlp.pipe_names if ENTITIES in nlp.get_pipe_meta(name).assigns)
    return frozenset(label for name in finders for label in nlp.pipe_labels.get(name, ()))


def _folder(pipeline: str) -> Path:
    """The folder that holds config.cfg; in a package it may lie one level down."""
    if "/" in pipeline or "\\" in pipeline:
        if (Path(pipeline) / "config.cfg").is_file():
            return Path(pipeline)
        raise ConfigurationError(f"The folder {pipeline!r} holds no spaCy pipeline (no config.cfg).")
    found = importlib.util.find_spec(pipeline) if pipeline.isidentifier() else None
    for place in found.submodule_search_locations or () if found else ():
        for config in (Path(place) / "config.cfg", *sorted(Path(place).glob("*/config.cfg"))):
            if config.is_file():
                return config.parent
    raise MissingExtraError(f"The spaCy pipeline {pipeline!r} is not installed; for the default one type: {_INSTALL}")


def _excluded(config: Any, not_needed: frozenset[str]) -> list[str]:
    """The components that are ``not_needed``: what is needed may still listen to a shared encoder."""
    components: dict[str, Any] = dict(config["components"])
    idle = {name for name, part in components.items() if part.get("factory", name) in not_needed}
    used = [part for name, part in components.items() if name not in idle]
    if not any("Listener" in str(part) for part in used):
        idle |= {name for name, part in components.items() if part.get("factory", name) in _SHARED}
    return sorted(idle)
