"""A spaCy pipeline made faster on a CPU. What it finds stays the same; what it is not made of stays as it is.

A run of :data:`LONGEST` characters without white space is the exception: it is cut into words piece by piece, because
spaCy's tokenizer takes the square of its length for punctuation (10,000 brackets took 8 seconds).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import regex

from sfumato.text.document import readable

COMMON = 2_000
"""A longer list costs more time at the start than it saves in a megabyte; four forms of these fit into the cache."""
LONGEST = 200
_LONG = regex.compile(rf"\S{{{LONGEST + 1},}}+")
_PIECE = regex.compile(rf"\S{{1,{LONGEST}}}+[\p{{L}}\p{{M}}\p{{N}}]*+")  # no word is cut
_BY_ROWS = frozenset({"ints-getitem", "hashembed", "maxout", "layernorm", "dropout"})


def hasten(nlp: Any) -> None:
    """Change a loaded pipeline; whatever it was loaded with must not be used by another."""
    _multiply_by_numpy(nlp)
    _embed_each_word_once(nlp)
    _remember_common_words(nlp)
    nlp.tokenizer = _InPieces(nlp.tokenizer)


class _InPieces:
    """A tokenizer that is asked about runs without white space in pieces of LONGEST characters."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

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

    A space stays with the word before it, as the tokenizer would have it.
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
    """Let the pipeline's layers multiply matrices with numpy's BLAS: three times as fast as spaCy's own on most CPUs.

    Only layers that compute on the CPU are changed, and only this pipeline's.
    """
    from thinc.api import NumpyOps

    plain = NumpyOps(use_blis=False)
    for _, part in nlp.pipeline:
        for layer in _layers(part):
            if type(layer.ops) is NumpyOps:
                layer.ops = plain


def _embed_each_word_once(nlp: Any) -> None:
    """Let the embedding of a pipeline mix the features of each different word of a batch once, not at each place.

    It is changed where it is spaCy's MultiHashEmbed without vectors, on the CPU: features, embedded, then mixed.
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
    """Every layer of a part of a pipeline that is made of thinc's."""
    from thinc.api import Model

    model = getattr(part, "model", None)
    return list(model.walk()) if isinstance(model, Model) else []


def _is_by_rows(layer: Any) -> bool:
    """Whether a layer is known to make each row of its output of the same row of its input."""
    return layer.attrs.get("pad", 0) == 0 and {one.name for one in layer.walk() if not one.layers} <= _BY_ROWS


def _each_row_once(model: Any, rows: Any, is_train: bool) -> tuple[Any, Any]:
    """The layer's output for ``rows`` (words, features), computed for each different row; for prediction only."""
    if is_train:
        raise NotImplementedError("A pipeline that was made faster cannot be trained.")
    # features are hashes, so that rows hardly ever share a sum, which is quicker to sort than rows
    sums = rows.astype(np.uint64) @ np.arange(1, 2 * rows.shape[1], 2, dtype=np.uint64)
    _, first, places = np.unique(sums, return_index=True, return_inverse=True)
    different = rows[first]
    if not np.array_equal(different[places], rows):
        return model.layers[0].predict(rows), None
    return model.layers[0].predict(different)[places], None


def _remember_common_words(nlp: Any) -> None:
    """Let the tokenizer remember how it cuts the most common words of its language, at both ends of a sentence.

    Whoever reads texts in a memory zone, so that nothing of them stays, has every other word cut anew each time.
    """
    from spacy.tokenizer import Tokenizer
    from wordfreq import available_languages, top_n_list

    if type(nlp.tokenizer) is not Tokenizer:
        return
    for word in top_n_list(nlp.lang, COMMON) if nlp.lang in available_languages() else ():
        nlp.make_doc(f"{word.capitalize()} {word} {word}, {word}.")


def tagged(nlp: Any, texts: Sequence[str]) -> list[Any]:
    """What ``nlp.pipe`` makes of ``texts``, in half the time where a greedy entity recogniser is in it.

    The compiled loop of spaCy 3.8 takes Python's lock dozens of times a word, because a function that it calls
    promises no "noexcept". The same steps, asked for from here, hold the lock and take it once.
    """
    from spacy.pipeline import EntityRecognizer

    docs = [nlp.make_doc(readable(text)) for text in texts]
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
