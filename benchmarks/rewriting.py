"""DP-MLM with the model that ships with sfumato: speed beside dpmlm, blocks, batches, lengths, memory.

Usage: rewriting.py [--beside PYTHON] [--smoke] [--record]

PYTHON is the interpreter of an environment of its own with the PyPI package dpmlm 1.3.0 (without it, that section is
left out). All figures of a section come from one run, in turns, so that a busy minute hits every row alike.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from recording import DATA, DOCS, run, table, written

from sfumato.building.build import build_contextual
from sfumato.engines.contextual import Contextual
from sfumato.engines.engine import Engine
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.privacy.randomness import SeededRandomness
from sfumato.text.document import Document, Release

matplotlib.use("svg")
EPSILON = 50.0
BLOCKS = (1, 2, 4, 8, 16)
FEW = 20  # texts for what is slow on a CPU without bfloat16 arithmetic
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128)
LENGTHS = (5, 10, 20, 40, 80, 160, 320)
IN_MEMORY = ((1, 10), (32, 10), (128, 10), (32, 80), (32, 320))


def sentences(number: int) -> list[str]:
    """The first sentences of SST-2's development set."""
    lines = (DATA / "sst2" / "dev.tsv").read_text(encoding="utf-8").split("\n")[1:]
    return [line.split("\t")[0].strip() for line in lines if line][:number]


def of_length(words: int, number: int) -> list[str]:
    """Texts of exactly so many words between spaces, cut out of SST-2 laid end to end."""
    every = " ".join(sentences(10_000)).split()
    return [" ".join(np.resize(np.roll(every, -first * words), words).tolist()) for first in range(number)]


@dataclass
class Timed:
    """Something to be timed: ``once`` gives seconds and draws of one pass."""

    name: str
    once: Callable[[], tuple[float, int]]
    words: int
    seconds: list[float]
    draws: list[int]

    @property
    def drawn(self) -> float:
        """Draws a second: the median over the passes."""
        return statistics.median(draws / seconds for draws, seconds in zip(self.draws, self.seconds, strict=True))

    @property
    def read(self) -> float:
        """Words between spaces a second: the median over the passes."""
        return self.words / statistics.median(self.seconds)


def in_turns(timed: Sequence[Timed], repeats: int) -> None:
    """Pass after pass, each thing once in every round."""
    for _ in range(repeats):
        for one in timed:
            seconds, draws = one.once()
            one.seconds.append(seconds)
            one.draws.append(draws)


def ours(name: str, rewriter: Engine, texts: Sequence[str]) -> Timed:
    """sfumato on ``texts``, warm."""
    documents = [Document(text, str(number)) for number, text in enumerate(texts)]
    rewriter.sanitize("One short text.")

    def once() -> tuple[float, int]:
        started = time.perf_counter()
        releases = rewriter.sanitize_batch(documents)
        return time.perf_counter() - started, sum(release.draws for release in releases)

    return Timed(name, once, sum(len(text.split()) for text in texts), [], [])


class Beside:
    """dpmlm in its own environment, on the same model, clip range and texts."""

    def __init__(self, python: str, folder: Path, clip: tuple[float, float], texts: list[str]) -> None:
        import torch

        script = Path(__file__).with_name("rewriting_beside_dpmlm.py")
        self._words = sum(len(text.split()) for text in texts)
        self._process = subprocess.Popen(
            [python, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        job = {"folder": str(folder), "clip": clip, "texts": texts, "epsilon": EPSILON}
        stops = str(DATA / "stopwords" / "english.txt")
        self._ask({**job, "stopwords": stops, "threads": torch.get_num_threads()})

    def _ask(self, question: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(question), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit("dpmlm stopped; what it said stands above.")
        return json.loads(answer)

    def timed(self, name: str, batched: bool, stop: bool) -> Timed:
        """One of its ways of working; ``stop``: whether it rewrites stop words too."""

        def once() -> tuple[float, int]:
            seconds, rows = self._ask({"batched": batched, "stop": stop})
            return float(seconds), int(rows)

        return Timed(name, once, self._words, [], [])

    def end(self) -> None:
        """Close its input, on which it leaves."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def beside_dpmlm(python: str, number: int, repeats: int) -> str:
    """The table of sfumato and dpmlm."""
    from sfumato.models.masked.embedded import EmbeddedSource

    texts = sentences(number)
    with tempfile.TemporaryDirectory() as temporary:
        name = str(Path(temporary) / "sfumato-minilm")
        network, tokenizer = EmbeddedSource().load()
        network.save_pretrained(name)
        tokenizer.save_pretrained(name)
        first = build_contextual("dp-mlm", EPSILON, model=name, number_format="float32", law="softmax")
        clip = first.others.mechanism.scoring
        halved = build_contextual("dp-mlm", EPSILON, model=name, number_format="bfloat16", clip=clip)
        bytewise = build_contextual("dp-mlm", EPSILON, model=name, number_format="int8", clip=clip)
        other = Beside(python, Path(name), (clip.lower, clip.upper), texts)

        def variant(**options: Any) -> Engine:
            return Engine(first.detector, Contextual(replace(first.others.mechanism, **options)))

        theirs = "dpmlm, one word at a time (its copy is kept up to date)"
        every = [
            other.timed(theirs, False, True),
            other.timed("dpmlm, its batch mode (its copy is not)", True, True),
            ours("sfumato, the paper's order, float32", first, texts),
            ours("sfumato, the paper's order, int8", bytewise, texts),
            ours(f"sfumato, the paper's order, bfloat16 (the first {FEW} texts)", halved, texts[:FEW]),
            *(ours(f"sfumato, --set block={block}, float32", variant(block=block), texts) for block in BLOCKS[1:]),
        ]
        content = build_contextual(
            "dp-mlm", EPSILON, model=first.others.mechanism.model, detect="content-words", clip=clip
        )
        some = [
            other.timed(f"{theirs}, stop words left (its default)", False, False),
            ours("sfumato, the paper's order, float32, `--detect content-words`", content, texts),
        ]
        in_turns([*every, *some], repeats)
        other.end()
    rows: list[list[object]] = []
    for group in (every, some):
        base = group[0]
        rows += [
            [
                one.name,
                f"{one.draws[0]:,}",
                f"{one.drawn:,.1f}",
                f"{one.drawn / base.drawn:.1f}",
                f"{one.read:,.1f}",
                f"{one.read / base.read:.1f}",
            ]
            for one in group
        ]
    header = ["", "words rewritten", "rewritten a second", "times", "words of text a second", "times"]
    told = (
        f"{number} texts of SST-2, epsilon {EPSILON:g}, the same model folder (BERT, MiniLM size), clip range and "
        f"number of threads; {passes(repeats)} in turns. dpmlm splits words like the Penn Treebank, so it "
        "rewrites a few more tokens (`n't`, `--`). Its NLTK sentence data is not available here: it calls NLTK's "
        "Treebank tokenizer instead, with the stop word list of the shared data."
    )
    return f"{table(header, rows)}\n\n{told}"


def passes(repeats: int) -> str:
    """How often each thing was timed, in words."""
    return "one pass each" if repeats == 1 else f"medians of {repeats} passes"


def kept(documents: Sequence[Document], releases: Sequence[Release], rewriter: Engine) -> float:
    """The share of marked words that came out as they went in, capitals aside."""
    same = count = 0
    for document, release, spans in zip(documents, releases, rewriter.detector.detect(documents), strict=True):
        for (start, end), output in zip(spans.bounds, release.parts[1::2], strict=True):
            same += document.text[start:end].casefold() == output.casefold()
            count += 1
    return same / max(1, count)


def similarity(texts: Sequence[str], others: Sequence[str]) -> float:
    """Mean cosine of the vectors of all-MiniLM-L6-v2."""
    encoder = SentenceEncoder()
    return float((encoder.encode(texts) * encoder.encode(others)).sum(axis=1).mean())


def blocks(number: int, repeats: int) -> str:
    """Speed and quality by block, as table and plot."""
    texts = sentences(number)
    documents = [Document(text, str(at)) for at, text in enumerate(texts)]
    first = build_contextual("dp-mlm", 2 * EPSILON, number_format="float32")
    rewriters = [Engine(first.detector, Contextual(replace(first.others.mechanism, block=block))) for block in BLOCKS]
    timed = [ours(str(block), one, texts) for block, one in zip(BLOCKS, rewriters, strict=True)]
    in_turns(timed, repeats)
    close, same = [], []
    for rewriter in rewriters:
        runs = [rewriter.sanitize_batch(documents, SeededRandomness(seed)) for seed in range(repeats)]
        close.append(statistics.mean(similarity(texts, [one.text for one in releases]) for releases in runs))
        same.append(statistics.mean(kept(documents, releases, rewriter) for releases in runs))
    faster = [one.drawn / timed[0].drawn for one in timed]
    plot_blocks(faster, close, same)
    rows: list[list[object]] = [
        [block, f"{one.drawn:,.0f}", f"{times:.2f}", f"{cosine:.3f}", f"{share:.3f}"]
        for block, one, times, cosine, share in zip(BLOCKS, timed, faster, close, same, strict=True)
    ]
    header = ["block", "words a second", "times block 1", "cosine similarity", "words kept"]
    told = f"{number} texts of SST-2, epsilon {2 * EPSILON:g} a word, exact calibration, {repeats} passes."
    picture = "![Speed, similarity and words kept by block](images/rewriting-blocks.svg)"
    return f"{table(header, rows)}\n\n{told}\n\n{picture}"


def sizes(number: int, repeats: int) -> str:
    """Speed and memory by batch and by length, as tables and a plot."""
    first = build_contextual("dp-mlm", EPSILON, number_format="float32")
    texts = sentences(number)
    by_batch = [
        ours(str(batch), Engine(first.detector, Contextual(replace(first.others.mechanism, batch=batch))), texts)
        for batch in BATCHES
    ]
    lengths = [words for words in LENGTHS if number > 20 or words <= 2 * number]
    eight = Engine(first.detector, Contextual(replace(first.others.mechanism, batch=8)))
    by_length = [ours(str(words), eight, of_length(words, 8 * max(1, 40 // words))) for words in lengths]
    in_turns([*by_batch, *by_length], repeats)
    memory = {at: run(sys.executable, __file__, "--memory", *map(str, at)).peak_mb for at in ((0, 0), *IN_MEMORY)}
    plot_sizes([one.drawn for one in by_batch], lengths, [one.drawn for one in by_length])
    tables = [
        table(
            ["documents at once", *map(str, BATCHES)],
            [["words a second", *(f"{one.drawn:,.0f}" for one in by_batch)]],
        ),
        table(
            ["words in a text", *map(str, lengths)], [["words a second", *(f"{one.drawn:,.0f}" for one in by_length)]]
        ),
        table(
            ["peak memory, MB", "model loaded", *(f"{batch} at once of {words} words" for batch, words in IN_MEMORY)],
            [["", *(f"{peak:,.0f}" for peak in memory.values())]],
        ),
    ]
    told = (
        f"SST-2, epsilon {EPSILON:g}, float32, the paper's order, {passes(repeats)} in turns. The first table "
        f"uses {number} texts, the second 8 documents at once. Memory is that of separate processes that take 4 "
        "steps. A text longer than the model's window of 128 pieces is read through a window around the word."
    )
    picture = "![Words a second by documents at once and by length of a text](images/rewriting-sizes.svg)"
    return "\n\n".join([*tables, told, picture])


def in_memory(batch: int, words: int) -> None:
    """What a process of its own does whose peak memory is wanted: load, and take a few steps with one batch."""
    rewriter = build_contextual("dp-mlm", EPSILON, batch=max(1, batch), number_format="float32")
    rewriter.prepare()
    steps = iter(range(3))

    def enough(_: int) -> None:
        if next(steps, None) is None:
            raise SystemExit(0)

    if batch:
        rewriter.reporting(enough).sanitize_batch([Document(text) for text in of_length(words, batch)])


def plot_blocks(faster: Sequence[float], close: Sequence[float], same: Sequence[float]) -> None:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained")
    left.plot(BLOCKS, faster, marker="o")
    left.set(ylabel="times as fast as block 1", ylim=(0, None))
    right.plot(BLOCKS, close, marker="o", label="cosine similarity")
    right.plot(BLOCKS, same, marker="s", label="share of words kept")
    right.set(ylim=(0, 1))
    right.legend(frameon=False)
    for axes in (left, right):
        axes.set(xscale="log", xticks=BLOCKS, xticklabels=BLOCKS, xlabel="block: words in a window drawn in one pass")
        axes.minorticks_off()
        axes.spines[["top", "right"]].set_visible(False)
    saved(figure, "rewriting-blocks")


def plot_sizes(by_batch: Sequence[float], lengths: Sequence[int], by_length: Sequence[float]) -> None:
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained", sharey=True)
    marks = ((BATCHES, by_batch, "documents at once"), (lengths, by_length, "words in a text"))
    for axes, (places, speeds, label) in zip(panels, marks, strict=True):
        axes.plot(places, speeds, marker="o")
        axes.set(xscale="log", xticks=places, xticklabels=places, xlabel=label)
        axes.minorticks_off()
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set(ylabel="words rewritten a second", ylim=(0, 1.05 * max(*by_batch, *by_length)))
    saved(figure, "rewriting-sizes")


def saved(figure: Any, name: str) -> None:
    """The figure in docs/images, or in a temporary folder where nothing is to be recorded."""
    folder = DOCS / "images" if "--record" in sys.argv else Path(tempfile.gettempdir())
    folder.mkdir(exist_ok=True)
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    print(f"plotted {folder / name}.svg")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--beside", metavar="PYTHON", help="interpreter of the environment that has dpmlm 1.3.0")
    parser.add_argument("--texts", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", choices=("beside", "blocks", "sizes"), help="one section")
    parser.add_argument("--smoke", action="store_true", help="20 texts, one pass")
    parser.add_argument("--record", action="store_true", help="write into docs/benchmarks.md")
    parser.add_argument("--memory", nargs=2, type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.memory:
        in_memory(*given.memory)
        return
    number, repeats = (20, 1) if given.smoke else (given.texts, given.repeats)
    sections: dict[str, Callable[[], str]] = {
        "blocks": lambda: blocks(number, repeats),
        "sizes": lambda: sizes(number, repeats),
    }
    if given.beside:
        sections = {"beside": lambda: beside_dpmlm(given.beside, number, repeats), **sections}
    for name, make in sections.items():
        if given.only in (None, name):
            text = make()
            written(f"rewriting-{name}", text, given.record)


if __name__ == "__main__":
    main()
