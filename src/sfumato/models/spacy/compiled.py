"""Compiled loops for two parts of a spaCy pipeline: its entity recogniser, and its encoder of windows.

The recogniser reads a text from left to right. At each word it may begin an entity, stay in it, end it, make the word
an entity of its own, or pass. The rules of what is allowed are those of spaCy 3.8 for words that carry no marks yet.

The encoder is a chain of layers. Each multiplies a word and its neighbours by a matrix, takes the largest of several
pieces, normalises them and adds the word itself. thinc writes every step of a whole batch to memory; here one block
of words, which fits the processor's cache, passes through all layers, and all steps behind the product are one loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.kernels import compiled

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]
_FEATURES = 3  # the word, the first word of the open entity, the word before
_MOVES = {"B": 0, "I": 1, "L": 2, "U": 3, "O": 4}
_BEGIN, _IN, _LAST, _UNIT, _OUT = _MOVES.values()
_BLOCK = 512
_LEAST_VARIANCE = np.float32(1e-8)  # thinc's
_STEPS = ["expand_window", "maxout", "layernorm", "dropout"]


@dataclass(frozen=True, eq=False)
class Decoder:
    """What a recogniser knows of its actions: for each, the move, the label's number, and the weights."""

    recogniser: Any
    labels: list[str]
    moves: Integers
    kinds: Integers

    @classmethod
    def of(cls, recogniser: Any) -> Self | None:
        """Return the decoder of a recogniser; None if its network or its actions are of another kind."""
        model = recogniser.model
        lower = model.get_ref("lower")
        sizes = {name: lower.maybe_get_dim(name) for name in ("nF", "nP")}
        if sizes["nF"] != _FEATURES or (sizes["nP"] or 1) < 2 or recogniser.cfg.get("beam_width", 1) != 1:
            return None
        if not model.attrs["has_upper"] or model.attrs["unseen_classes"] or type(model.ops).__name__ != "NumpyOps":
            return None
        named = [recogniser.moves.get_class_name(number) for number in range(recogniser.moves.n_moves)]
        pairs = [name.partition("-")[::2] for name in named]
        if not {move for move, _ in pairs} <= _MOVES.keys() or "O" not in named:
            return None
        labels = sorted({label for _, label in pairs})
        moves = np.array([_MOVES[move] for move, _ in pairs], dtype=np.int64)
        # -1: no label; only a word that was blocked before may be taken by such a unit
        kinds = np.array([labels.index(label) if label else -1 for _, label in pairs], dtype=np.int64)
        return cls(recogniser, labels, moves, kinds)

    def annotate(self, docs: Sequence[Any]) -> bool:
        """Set the entities of ``docs``. Return False, with nothing set, if a word carries a mark already."""
        from spacy.tokens import Span

        facts = [doc.to_array(["IS_SPACE", "ENT_IOB", "SENT_START"]) for doc in docs]
        if any(array[:, 1].any() or array[1:, 2].any() for array in facts):
            return False
        vectors, first = self.recogniser.model.get_ref("tok2vec").predict(docs), 0
        for doc, array in zip(docs, facts, strict=True):
            own, first = vectors[first : first + len(doc)], first + len(doc)
            actions = self._actions(own, array[:, 0] != 0)
            spans = [Span(doc, start, end, self.labels[kind]) for start, end, kind in self._entities(actions)]
            doc.set_ents(spans, default="outside")
        return True

    def _actions(self, vectors: Floats, spaces: NDArray[np.bool_]) -> Integers:
        """Return the action taken at each word."""
        lower, upper = self.recogniser.model.get_ref("lower"), self.recogniser.model.get_ref("upper")
        weights: Floats = lower.get_param("W")
        features = vectors @ weights.reshape(-1, weights.shape[-1]).T
        pad, bias = lower.get_param("pad").reshape(-1), lower.get_param("b").reshape(-1)
        last, offset = upper.get_param("W"), upper.get_param("b")
        return _decoded(features, pad, bias, last, offset, self.moves, self.kinds, spaces)

    def _entities(self, actions: Integers) -> list[tuple[int, int, int]]:
        """Return the bounds and the number of the label of each entity."""
        entities, start = [], 0
        for word, action in enumerate(actions.tolist()):
            move = self.moves[action]
            start = word if move in (_BEGIN, _UNIT) else start
            if move in (_LAST, _UNIT):
                entities.append((start, word + 1, int(self.kinds[action])))
        return entities


@compiled
def _decoded(
    features: Floats, pad: Floats, bias: Floats, last: Floats, offset: Floats, moves: Integers, kinds: Integers,
    spaces: NDArray[np.bool_],
) -> Integers:  # fmt: skip
    """Return the best allowed action at each word. The state is the first word of the open entity, and its label."""
    count, width, hidden = len(features), len(bias), last.shape[1]
    pieces, start, kind = width // hidden, -1, -1
    actions, inner = np.empty(count, dtype=np.int64), np.empty(hidden, dtype=np.float32)
    for word in range(count):
        for unit in range(hidden):
            best_piece = np.float32(0)
            for piece in range(pieces):
                column = unit * pieces + piece
                value = features[word, column]
                value += pad[width + column] if start < 0 else features[start, width + column]
                value += pad[2 * width + column] if start < 0 or word == 0 else features[word - 1, 2 * width + column]
                value += bias[column]
                if piece == 0 or value > best_piece:
                    best_piece = value
            inner[unit] = best_piece
        best, best_score = -1, np.float32(0)
        for action in range(len(moves)):
            if not _allowed(moves[action], kinds[action], start >= 0, kind, word == count - 1, spaces[word]):
                continue
            score = offset[action]
            for unit in range(hidden):
                score += inner[unit] * last[action, unit]
            if best < 0 or score > best_score:
                best, best_score = action, score
        actions[word] = best
        if moves[best] == _BEGIN:
            start, kind = word, kinds[best]
        elif moves[best] == _LAST:
            start = -1
    return actions


@compiled
def _allowed(move: int, kind: int, is_open: bool, kind_open: int, is_end: bool, is_space: bool) -> bool:
    """Return whether spaCy allows an action; ``kind_open`` is the label of the open entity."""
    if is_open:
        return kind == kind_open and (move == _LAST or (move == _IN and not is_end))
    if move == _OUT:
        return True
    if kind < 0 or is_space:
        return False
    return move == _UNIT or (move == _BEGIN and not is_end)


class _Layer(NamedTuple):
    """One layer of the chain; rows of ``weights`` and ``bias`` lie piece by piece."""

    weights: Floats
    bias: Floats
    gain: Floats
    shift: Floats


def convolve_in_blocks(model: Any) -> None:
    """Make the chains of convolutions in ``model``, a thinc model, run in blocks. Other layers stay as they are."""
    from thinc.api import Model

    for outer in list(model.walk()):
        if outer.name.startswith("with_array(") and len(outer.layers) == 1 and type(outer.ops).__name__ == "NumpyOps":
            layers = _layers(outer.layers[0])
            if layers and outer.attrs.get("pad", 0) >= len(layers):
                inner: Any = Model("in_blocks", _forward, layers=[outer.layers[0]], attrs={"layers": layers})
                outer.layers[0] = inner


def _layers(chain: Any) -> tuple[_Layer, ...]:
    """Return the layers of a chain of convolutions over one neighbour on each side; () for any other model."""
    parts = chain.layers if chain.name.count("residual(") > 1 else [chain]
    layers = [_layer(part) for part in parts]
    return tuple(layer for layer in layers if layer is not None) if None not in layers else ()


def _layer(part: Any) -> _Layer | None:
    """Return a residual layer of spaCy's MaxoutWindowEncoder; None if it is any other."""
    if not part.name.startswith("residual(") or len(part.layers) != 1:
        return None
    steps = [step for step in part.walk(order="dfs_pre") if not step.layers]
    if [step.name for step in steps] != _STEPS or steps[0].attrs.get("window_size") != 1:
        return None
    outputs, pieces, inputs = steps[1].get_param("W").shape
    if inputs != 3 * outputs:
        return None
    weights = steps[1].get_param("W").transpose(1, 0, 2).reshape(pieces * outputs, inputs)
    bias = steps[1].get_param("b").reshape(outputs, pieces).T.ravel()
    gain, shift = steps[2].get_param("G"), steps[2].get_param("b")
    return _Layer(*(np.ascontiguousarray(array, dtype=np.float32) for array in (weights, bias, gain, shift)))


def _forward(model: Any, rows: Any, is_train: bool) -> tuple[Any, Any]:
    """Return the output of the chain for ``rows``, one for each word. For prediction only."""
    if is_train:
        raise NotImplementedError("A pipeline that was made faster cannot be trained; load it with spacy.load.")
    layers: tuple[_Layer, ...] = model.attrs["layers"]
    far, result = len(layers), np.empty_like(rows)
    edges = [*range(0, len(rows), _BLOCK), len(rows)]
    for start, end in pairwise(edges):
        first = max(0, start - far)  # each layer reads one neighbour more
        block = np.ascontiguousarray(rows[first : end + far], dtype=np.float32)
        for layer in layers:
            block = _normalised(block, _with_neighbours(block) @ layer.weights.T, layer.bias, layer.gain, layer.shift)
        result[start:end] = block[start - first : end - first]
    return result, None


def _with_neighbours(rows: Floats) -> Floats:
    """Return each row behind the one before and followed by the one after; zeros where there is none."""
    count, width = rows.shape
    wide = np.zeros((count, 3 * width), dtype=np.float32)
    wide[1:, :width], wide[:, width : 2 * width], wide[:-1, 2 * width :] = rows[:-1], rows, rows[1:]
    return wide


@compiled
def _normalised(rows: Floats, products: Floats, bias: Floats, gain: Floats, shift: Floats) -> Floats:
    """Return ``rows`` plus the normalised largest pieces of ``products``."""
    count, width = rows.shape
    pieces, result, largest = products.shape[1] // width, np.empty_like(rows), np.empty(width, dtype=np.float32)
    for row in range(count):
        for column in range(width):
            largest[column] = products[row, column] + bias[column]
        for piece in range(1, pieces):
            for column in range(width):
                value = products[row, piece * width + column] + bias[piece * width + column]
                largest[column] = max(largest[column], value)
        mean = np.float32(0)
        for column in range(width):
            mean += largest[column]
        mean /= np.float32(width)
        variance = np.float32(0)
        for column in range(width):
            variance += (largest[column] - mean) * (largest[column] - mean)
        scale = np.float32(1) / np.sqrt(variance / np.float32(width) + _LEAST_VARIANCE)
        for column in range(width):
            result[row, column] = rows[row, column] + (largest[column] - mean) * scale * gain[column] + shift[column]
    return result
