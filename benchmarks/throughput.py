"""Text to text: SanText over SST-2 train with the 33,860-word GloVe. Usage: throughput.py GLOVE.txt

At epsilon 4 nearly every word is its own likeliest outcome; at epsilon 1 the law is nearly flat.

Beside it, in the same run, the plain way (one law computed and one numpy choice a token), on a few hundred tokens.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from recording import DATA, SFUMATO, record, run, table

import sfumato
from sfumato.text.document import Document

EPSILON, FLAT = 4.0, 1.0
REPEATS = 7
BATCH = 8_000


def sentences() -> list[str]:
    lines = (DATA / "sst2" / "train.tsv").read_text(encoding="utf-8").split("\n")[1:]
    return [line.split("\t")[0] for line in lines if line]


def whole_process(glove: Path, folder: Path, copies: int) -> tuple[float, float]:
    """Seconds and peak MB of `sfumato sanitize` over ``copies`` of the file; the certificate is cached."""
    source, text = folder / f"sst2x{copies}.tsv", "\n".join(sentences() * copies)
    source.write_text(f"sentence\n{text}\n", encoding="utf-8")
    made = run(
        SFUMATO, "sanitize", source, "-o", folder / f"out{copies}.tsv", "-m", "santext", "-e", str(EPSILON),
        "--field", "sentence", "--set", f"vocabulary={glove}", "--force",
    )  # fmt: skip
    return made.seconds, made.peak_mb


def warm(sanitizer: sfumato.Sanitizer, documents: list[Document]) -> tuple[float, int]:
    """Seconds of one pass over all documents, and the draws."""
    started, draws = time.perf_counter(), 0
    for first in range(0, len(documents), BATCH):
        for release in sanitizer.sanitize_batch(documents[first : first + BATCH]):
            draws += release.draws
            _ = release.text
    return time.perf_counter() - started, draws


def plain(sanitizer: sfumato.Sanitizer, documents: list[Document], tokens: int) -> float:
    """Tokens a second the plain way: the law of each token, then numpy's choice."""
    mechanism = sanitizer.others.mechanisms["ANY"]
    words = [word for document in documents[:1000] for word in document.text.split()]
    known = [index for word in words if (index := mechanism.vocabulary.find(word)) is not None][:tokens]
    generator, started = np.random.default_rng(0), time.perf_counter()
    for index in known:
        generator.choice(len(mechanism.vocabulary), p=mechanism.law(index))
    return len(known) / (time.perf_counter() - started)


def passes_of(sanitizer: sfumato.Sanitizer, documents: list[Document]) -> tuple[float, float, int]:
    """Seconds of the first pass and of a warm one (median), and the draws of one."""
    sanitizer.prepare()
    cold, draws = warm(sanitizer, documents)
    return cold, statistics.median(warm(sanitizer, documents)[0] for _ in range(REPEATS)), draws


def main() -> None:
    glove = Path(sys.argv[1])
    for epsilon in (EPSILON, FLAT):
        run(SFUMATO, "certify", "-m", "santext", "-e", str(epsilon), "--set", f"vocabulary={glove}")
    with tempfile.TemporaryDirectory() as folder:
        once = [whole_process(glove, Path(folder), 1) for _ in range(3)]
        tenfold = whole_process(glove, Path(folder), 10)
    documents = [Document(text, str(number)) for number, text in enumerate(sentences())]
    sanitizer = sfumato.build("santext", EPSILON, vocabulary=glove)
    cold, seconds, draws = passes_of(sanitizer, documents)
    flat = sfumato.build("santext", FLAT, vocabulary=glove)
    flat_cold, flat_seconds, _ = passes_of(flat, documents)
    spaced = sum(len(document.text.split()) for document in documents)
    naive = plain(sanitizer, documents, 300)
    rows: list[list[object]] = [
        ["words drawn, one pass", f"{draws:,} ({spaced:,} between spaces)"],
        ["first pass in the process (tables are made)", f"{cold:.2f} s"],
        [f"warm pass, median of {REPEATS}", f"{seconds:.2f} s"],
        ["words drawn a second, warm", f"{draws / seconds:,.0f} (target: 1,500,000)"],
        ["tokens between spaces a second, warm", f"{spaced / seconds:,.0f}"],
        ["first pass at epsilon 1", f"{flat_cold:.2f} s"],
        ["words drawn a second at epsilon 1, warm", f"{draws / flat_seconds:,.0f} (target: 800,000)"],
        [
            "whole process, median of 3, certificate cached",
            f"{statistics.median(s for s, _ in once):.1f} s (target: 6)",
        ],
        ["peak memory", f"{max(m for _, m in once):,.0f} MB (target: 2,000)"],
        ["whole process, ten times the text", f"{tenfold[0]:.1f} s"],
        ["peak memory, ten times the text", f"{tenfold[1]:,.0f} MB"],
        ["naive: law and numpy choice for each token", f"{naive:,.0f} a second"],
        ["warm against naive", f"{draws / seconds / naive:,.0f} times"],
        ["load of the machine, five minutes' mean", f"{os.getloadavg()[1]:.1f} on {os.cpu_count()} cores"],
    ]
    record("throughput", table(["SanText, SST-2 train, 33,860 GloVe words, epsilon 4", ""], rows))


if __name__ == "__main__":
    main()
