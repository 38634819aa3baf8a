"""Which words a network leaves unmarked although they may be identifiers: for a person who reviews its marks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from sfumato.detectors.windows import batches, failed
from sfumato.errors import SfumatoError
from sfumato.models.token_classifier.labels import KINDS, words_of
from sfumato.models.token_classifier.network import Answer, TokenClassifier
from sfumato.text.document import Document
from sfumato.text.marks import Doubts, Finding

LEAST = 0.02
"""The chance from which a word is named by itself; of all others only the sum of their chances is known."""
_WINDOW, _OVERLAP = 40_000, 800  # characters


def doubts_of(
    network: TokenClassifier, documents: Sequence[Document], labels: Mapping[str, str], kept: Collection[str] | None,
    finder: str,
) -> list[Doubts]:  # fmt: skip
    """Return the words of each document with their chances, marked ones too. ``labels`` are those of the kinds.

    Words whose label is not among those that are ``kept`` do not count. Raise InputError if the network fails.
    """
    wanted = np.array([kept is None or labels[kind] in kept for kind in KINDS])
    words: list[list[Finding]] = [[] for _ in documents]
    others, reached = [0.0] * len(documents), [0] * len(documents)
    for batch in batches(documents, _WINDOW, _OVERLAP):
        texts = [documents[number].text[start:end] for number, start, end in batch]
        for (number, offset, _), text, answer in zip(batch, texts, _answers(network, texts, batch), strict=True):
            if not len(answer.pieces):
                continue
            first, shares = words_of(answer.pieces, answer.classes)
            kinds = shares[:, 1:].argmax(axis=1) // 2
            chances = network.card.calibration.chances(kinds, 1 - shares[:, 0]) * wanted[kinds]
            starts = answer.pieces.starts[first]
            ends = answer.pieces.ends[np.append(first[1:], len(answer.pieces)) - 1]
            counts = np.array([text[start].isalnum() for start in starts]) & (starts + offset >= reached[number])
            likely = counts & (chances >= LEAST)
            others[number] += float(chances[counts & ~likely].sum())
            words[number] += [
                Finding(offset + start, offset + end, labels[KINDS[kind]], chance, finder)
                for start, end, kind, chance in zip(
                    *(column[likely].tolist() for column in (starts, ends, kinds, chances)), strict=True
                )
            ]
            reached[number] = offset + int(ends[-1])  # the next window begins with what this one has answered
    return [Doubts(own, rest) for own, rest in zip(words, others, strict=True)]


def _answers(
    network: TokenClassifier, texts: Sequence[str], batch: Sequence[tuple[int, int, int]]
) -> Sequence[Answer]:
    try:
        return network.answers(texts)
    except SfumatoError:
        raise
    except Exception as error:
        failure = failed("the network", error, batch)
    raise failure  # outside the except block: the message of a library may quote the text
