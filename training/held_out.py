"""Single masked words of a held-out text, in running text and in the pair form "original [SEP] masked"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

CLS, SEP, MASK = 101, 102, 103


@dataclass(frozen=True)
class Batch:
    """Pieces and kinds (documents, length), flat positions to predict and the pieces that stood there."""

    ids: Tensor
    kinds: Tensor
    where: Tensor
    answers: Tensor


@dataclass(frozen=True)
class Pieces:
    """A text in pieces; which pieces are words, and which continue one."""

    text: NDArray[np.int64]
    is_word: NDArray[np.bool_]
    continues: NDArray[np.bool_]


def words_of(tokenizer: Any) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """For each piece of ``tokenizer``: whether it is a whole word of letters, and whether it continues one."""
    names = [tokenizer.id_to_token(piece) for piece in range(tokenizer.get_vocab_size())]
    words = [name.isalpha() and (len(name) > 1 or name in "ai") for name in names]
    return np.array(words), np.array([name.startswith("##") for name in names])


def batches(pieces: Pieces, length: int, count: int, seed: int = 2) -> tuple[list[Batch], list[Batch]]:
    """``count`` words at random places, each masked alone: in running text, and in the pair form (64 a batch)."""
    draw, half = np.random.default_rng(seed), (length - 3) // 2
    whole = pieces.is_word[pieces.text] & np.append(~pieces.continues[pieces.text[1:]], True)
    places = draw.permutation(np.flatnonzero(whole[length:-length]) + length)[:count]
    running, pairs = [], []
    for at in range(0, count, 64):
        some = places[at : at + 64]
        rows = np.arange(len(some))
        before = draw.integers(0, length - 2, len(some))
        ids = np.full((len(some), length), SEP, dtype=np.int64)
        ids[:, 0], ids[:, 1:-1] = CLS, _windows(pieces, some - before, length - 2)
        ids[rows, before + 1] = MASK
        running.append(_batch(ids, np.zeros_like(ids), rows * length + before + 1, pieces.text[some]))
        before = draw.integers(0, half, len(some))
        original = _windows(pieces, some - before, half)
        ids = np.full((len(some), 2 * half + 3), SEP, dtype=np.int64)
        ids[:, 0], ids[:, 1 : half + 1], ids[:, half + 2 : -1] = CLS, original, original
        ids[rows, half + 2 + before] = MASK
        kinds = np.zeros_like(ids)
        kinds[:, half + 2 :] = 1
        pairs.append(_batch(ids, kinds, rows * ids.shape[1] + half + 2 + before, pieces.text[some]))
    return running, pairs


def _windows(pieces: Pieces, starts: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    return pieces.text[starts[:, None] + np.arange(length)]


def _batch(
    ids: NDArray[np.int64], kinds: NDArray[np.int64], where: NDArray[np.int64], answers: NDArray[np.int64]
) -> Batch:
    return Batch(*(torch.from_numpy(one) for one in (ids, kinds, where, answers)))
