"""Batches of labelled text, as the network learns from them and is measured by them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass

import corpora
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sfumato.models.token_classifier.pieces import GAPS, SHAPES

_CLS, _SEP, _PAD = 101, 102, 0
_LOWER = np.array([SHAPES.index("lower") if "case" in name or name in ("title", "capital", "capitals") else number
                   for number, name in enumerate(SHAPES)], dtype=np.int8)  # fmt: skip
_UPPER = np.array([SHAPES.index("capitals") if "case" in name or name in ("title", "lower") else number
                   for number, name in enumerate(SHAPES)], dtype=np.int8)  # fmt: skip
_FLAT = np.array([GAPS.index("blank") if name in ("wide", "line", "paragraph") else number
                  for number, name in enumerate(GAPS)], dtype=np.int8)  # fmt: skip
Window = tuple[corpora.Record, int, int]


@dataclass(frozen=True)
class Batch:
    """Rows of pieces framed by [CLS] and [SEP], and what is known of each."""

    ids: Tensor
    shapes: Tensor
    gaps: Tensor
    mask: Tensor
    classes: Tensor
    telling: Tensor
    allowed: Tensor


def batch_of(rows: Sequence[Window], draw: np.random.Generator | None = None) -> Batch:
    """Lay out ``rows``; with ``draw`` some are read in small letters, in capitals, or without their lines."""
    longest = max(stop - start for _, start, stop in rows) + 2
    shape = (len(rows), longest)
    ids, shapes, gaps = np.full(shape, _PAD), np.zeros(shape, dtype=np.int8), np.zeros(shape, dtype=np.int8)
    classes = np.full(shape, corpora.UNKNOWN, dtype=np.int8)
    telling = classes.copy()
    for number, (record, start, stop) in enumerate(rows):
        inner = slice(1, stop - start + 1)
        ids[number, 0], ids[number, stop - start + 1] = _CLS, _SEP
        ids[number, inner] = record.pieces.ids[start:stop]
        shapes[number, inner], gaps[number, inner] = changed(record, start, stop, draw)
        classes[number, inner], telling[number, inner] = record.classes[start:stop], record.telling[start:stop]
    allowed = np.stack([record.open for record, _, _ in rows])
    whole = [torch.from_numpy(np.asarray(part, dtype=np.int64)) for part in (ids, shapes, gaps)]
    known = [torch.from_numpy(np.asarray(part, dtype=np.int64)) for part in (classes, telling)]
    return Batch(*whole, torch.from_numpy(ids != _PAD), *known, torch.from_numpy(allowed))


def changed(
    record: corpora.Record, start: int, stop: int, draw: np.random.Generator | None
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Return shapes and gaps of a window, in some draws as a text without capitals or without lines has them."""
    shapes, gaps = record.pieces.shapes[start:stop], record.pieces.gaps[start:stop]
    if draw is None:
        return shapes, gaps
    chance = draw.random()
    if chance < 0.06:
        shapes = _LOWER[shapes]
    elif chance < 0.10:
        shapes = _UPPER[shapes]
    return shapes, _FLAT[gaps] if draw.random() < 0.1 else gaps


def round_of(records: dict[str, list[corpora.Record]], number: int, asked: argparse.Namespace) -> list[list[Window]]:
    """Return the batches of one round through all corpora, windows of about equal length together."""
    draw = np.random.default_rng((asked.seed, number))
    rows: list[Window] = []
    for name, own in records.items():
        repeats = corpora.REPEATS.get(name, asked.share_of_others if not name.startswith(("en_", "made")) else 1.0)
        for turn in range(int(np.ceil(repeats))):
            share = min(1.0, repeats - turn)
            chosen = [own[index] for index in np.flatnonzero(draw.random(len(own)) < share)]
            rows += corpora.windows(chosen, asked.length, draw)
    order = draw.permutation(len(rows))
    rows = [rows[index] for index in order]
    rows.sort(key=lambda window: (window[2] - window[1]) // 8)  # stable: of one length in a random order
    batches: list[list[Window]] = [[]]
    for window in rows:
        length = window[2] - window[1] + 2
        if batches[-1] and (len(batches[-1]) + 1) * (length + 6) > asked.pieces:
            batches.append([])
        batches[-1].append(window)
    return [batches[index] for index in draw.permutation(len(batches))]
