"""Public running text as one array of pieces: tokenized once, cleared of the held-out text, kept in a file.

The text is any number of ``.txt`` or ``.txt.gz`` files in which a line ``= Title =`` begins an article. An article
that shares three or more runs of 12 pieces with a held-out file is left out, so that the figures on the held-out
files are figures on unseen text.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

Pieces = NDArray[np.uint16]
RUN, MOST_SHARED = 12, 2
_TITLE = re.compile(r"^ ?= [^=].*[^=] = ?$")


def wikitext(path: Path) -> str:
    """Text of a WikiText file with its escapes undone: ``@-@`` is a hyphen, ``<unk>`` an unknown word."""
    text = path.read_text(encoding="utf-8")
    for escape, plain in ((" @-@ ", "-"), (" @,@ ", ","), (" @.@ ", "."), ("<unk>", "[UNK]")):
        text = text.replace(escape, plain)
    return text


def load(files: list[Path], held_out: list[Path], tokenizer: Tokenizer, cache: Path) -> tuple[Pieces, str]:
    """All pieces of ``files`` in order, articles that overlap ``held_out`` left out, and the SHA-256 of the files.

    The array is memory-mapped from ``cache``, where it is written on the first call.
    """
    digest = hashlib.sha256()
    for file in [*files, *held_out]:
        digest.update(file.read_bytes())
    name = digest.hexdigest()
    place = cache / f"pieces-{name[:16]}.npy"
    if not place.exists():
        cache.mkdir(parents=True, exist_ok=True)
        seen = np.unique(np.concatenate([_runs(_encoded(tokenizer, [wikitext(file)])[0]) for file in held_out]))
        kept = [pieces for file in files for pieces in _unseen(tokenizer, file, seen)]
        np.save(place, np.concatenate(kept))
    return np.load(place, mmap_mode="r"), name


def _unseen(tokenizer: Tokenizer, file: Path, seen: NDArray[np.uint64]) -> Iterator[Pieces]:
    batch: list[str] = []
    for article in _articles(file):
        batch.append(article)
        if len(batch) == 2000:
            yield from (one for one in _encoded(tokenizer, batch) if _shared(one, seen) <= MOST_SHARED)
            batch.clear()
    yield from (one for one in _encoded(tokenizer, batch) if _shared(one, seen) <= MOST_SHARED)


def _articles(file: Path) -> Iterator[str]:
    lines: list[str] = []
    with gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else file.open(encoding="utf-8") as stream:
        for line in stream:
            if _TITLE.match(line.rstrip("\n")) and lines:
                yield "".join(lines)
                lines.clear()
            lines.append(line)
    yield "".join(lines)


def _encoded(tokenizer: Tokenizer, texts: list[str]) -> list[Pieces]:
    return [
        np.array(encoding.ids, dtype=np.uint16)
        for encoding in tokenizer.encode_batch_fast(texts, add_special_tokens=False)
    ]


def _shared(pieces: Pieces, seen: NDArray[np.uint64]) -> int:
    runs = _runs(pieces)
    return int((seen[np.searchsorted(seen, runs) % len(seen)] == runs).sum())


def _runs(pieces: Pieces) -> NDArray[np.uint64]:
    """A hash of every run of ``RUN`` pieces (multiplicative, modulo 2^64)."""
    if len(pieces) < RUN:
        return np.zeros(0, dtype=np.uint64)
    windows = np.lib.stride_tricks.sliding_window_view(pieces.astype(np.uint64), RUN)
    factors = np.random.default_rng(12).integers(1, 2**63, RUN, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    return np.asarray((windows * factors).sum(axis=1, dtype=np.uint64))
