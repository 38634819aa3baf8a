"""A small entity recogniser for experiments: a network on frozen vectors of words, and what it recognises.

The vectors are those of the masked model that ships with sfumato (two of its layers) and the shapes of the words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from tagged_sentences import Sentence, entities

from sfumato.models.causal.transformers import TransformersCausal
from sfumato.models.masked.embedded import EmbeddedSource
from sfumato.types import FloatArray

HIDDEN, EPOCHS, BATCH = 256, 12, 128
RESAMPLED = 1000
Tagger = Callable[[Sequence[Sentence]], list[list[str]]]
"""Returns the tags that it guesses for the words of each sentence."""


class Vectors:
    """Frozen vectors of words in their sentences, and the words' shapes; each sentence is read once."""

    def __init__(self) -> None:
        network, self._tokenizer = EmbeddedSource().load()
        self._network = network.eval()
        self._known: dict[tuple[str, ...], np.ndarray] = {}

    def of(self, sentences: Sequence[Sentence]) -> list[np.ndarray]:
        """Return for each sentence an array of shape (words, dimensions)."""
        new = sorted({sentence.words for sentence in sentences} - set(self._known), key=len)
        for first in range(0, len(new), 32):
            self._read(new[first : first + 32])
        return [self._known[sentence.words] for sentence in sentences]

    def _read(self, some: Sequence[tuple[str, ...]]) -> None:
        import torch

        given = self._tokenizer([list(words) for words in some], is_split_into_words=True, padding=True,
                                truncation=True, max_length=256, return_tensors="pt")  # fmt: skip
        with torch.inference_mode():
            layers = self._network.bert(**given, output_hidden_states=True).hidden_states
        states = torch.cat([layers[3], layers[-1]], dim=2).numpy()
        for number, words in enumerate(some):
            owners = [-1 if owner is None else owner for owner in given.word_ids(number)]
            means = np.zeros((len(words), states.shape[2]), dtype=np.float32)
            for index in range(len(words)):
                inside = [place for place, owner in enumerate(owners) if owner == index]
                if inside:
                    means[index] = states[number, inside].mean(axis=0)
            shapes = [shape(words, index) for index in range(len(words))]
            self._known[words] = np.hstack([means, shapes]).astype(np.float32)


class CausalVectors(Vectors):
    """The same of a causal model, which reads from left to right: the mean of a word's pieces in the last layer."""

    def __init__(self, model: TransformersCausal) -> None:
        self._model = model
        self._known = {}

    def _read(self, some: Sequence[tuple[str, ...]]) -> None:
        import torch

        for words in some:
            pieces = [self._model.pieces(f" {word}") for word in words]
            owners = np.repeat(np.arange(len(words)), [len(own) for own in pieces])
            ids = torch.tensor([[piece for own in pieces for piece in own]])
            with torch.inference_mode():
                answer = self._model.network(input_ids=ids, output_hidden_states=True, use_cache=False)
            states = answer.hidden_states[-1][0].float().numpy()
            means = [states[owners == index].mean(axis=0) for index in range(len(words))]
            shapes = [shape(words, index) for index in range(len(words))]
            self._known[words] = np.hstack([means, shapes]).astype(np.float32)


def shape(words: Sequence[str], index: int) -> list[float]:
    """Return what the letters of a word look like, and whether its neighbours begin with capitals."""
    word = words[index]
    near = [words[place][:1].isupper() if 0 <= place < len(words) else False for place in (index - 1, index + 1)]
    marks = [word[:1].isupper(), word.isupper(), word[1:].islower(), word.isalpha(), any(map(str.isdigit, word))]
    return [float(mark) for mark in (*marks, word[:1] in "@#", word[:4] == "http", index == 0, *near)]


def trained(sentences: Sequence[Sentence], tags: Sequence[str], vectors: Vectors, seed: int) -> Tagger:
    """Return a tagger that learned from ``sentences``, whose tags are among ``tags``."""
    import torch

    torch.manual_seed(seed)
    numbers = {tag: number for number, tag in enumerate(tags)}
    inputs = torch.from_numpy(np.concatenate(vectors.of(sentences)))
    truth = torch.tensor([numbers[tag] for sentence in sentences for tag in sentence.tags])
    middle, spread = inputs.mean(dim=0), inputs.std(dim=0) + 1e-6
    network = torch.nn.Sequential(
        torch.nn.Linear(inputs.shape[1], HIDDEN), torch.nn.ReLU(), torch.nn.Dropout(0.3),
        torch.nn.Linear(HIDDEN, len(tags)),
    )  # fmt: skip
    learner = torch.optim.AdamW(network.parameters(), lr=1e-3, weight_decay=0.01)
    inputs = (inputs - middle) / spread
    for _ in range(EPOCHS):
        for batch in torch.randperm(len(inputs)).split(BATCH):
            learner.zero_grad()
            torch.nn.functional.cross_entropy(network(inputs[batch]), truth[batch]).backward()
            learner.step()
    network.eval()

    def guessed(test: Sequence[Sentence]) -> list[list[str]]:
        with torch.inference_mode():
            scores = [network((torch.from_numpy(own) - middle) / spread) for own in vectors.of(test)]
        return [[tags[number] for number in own.argmax(dim=1).tolist()] for own in scores]

    return guessed


def counts(test: Sequence[Sentence], guessed: Sequence[Sequence[str]]) -> list[list[int]]:
    """Return for each sentence: places hit, places and labels hit, entities guessed, entities there."""
    rows = []
    for sentence, tags in zip(test, guessed, strict=True):
        there, told = set(entities(sentence.tags)), set(entities(tags))
        places = {entity[:2] for entity in there} & {entity[:2] for entity in told}
        rows.append([len(places), len(there & told), len(told), len(there)])
    return rows


def f1(counted: Any, weights: FloatArray | None = None) -> FloatArray:
    """Return F1 of places and of places with labels, in per cent, shape (..., 2), as the mean over seeds.

    ``counted`` has the shape (seeds, sentences, 4) of :func:`counts`. ``weights``, shape (draws, sentences), count a
    sentence more than once.
    """
    rows = np.asarray(counted, dtype=float)
    sums = rows.sum(axis=1) if weights is None else np.einsum("dn,snc->dsc", weights, rows)
    both = 200 * sums[..., :2] / np.maximum(1, sums[..., 2:3] + sums[..., 3:])
    return np.asarray(both.mean(axis=-2))


def interval(counted: Any, other: Any = None) -> list[tuple[float, float, float]]:
    """Return F1 of places and of places with labels with their 95 % intervals, over sentences that are drawn again.

    With ``other``, the gain over it on the same sentences.
    """
    sentences = np.asarray(counted).shape[1]
    draws = np.random.default_rng(0).multinomial(sentences, np.full(sentences, 1 / sentences), RESAMPLED)
    value, many = f1(counted), f1(counted, draws.astype(float))
    if other is not None:
        value, many = value - f1(other), many - f1(other, draws.astype(float))
    low, high = np.percentile(many, [2.5, 97.5], axis=0)
    return [(float(value[side]), float(low[side]), float(high[side])) for side in (0, 1)]


def told(estimate: tuple[float, float, float], sign: str = "") -> str:
    """Return an estimate with its interval in words."""
    value, low, high = estimate
    return f"{value:{sign}.1f} ({low:{sign}.1f} to {high:{sign}.1f})"
