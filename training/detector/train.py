"""Trains the detector of identifiers that ships with sfumato.

    python training/detector/train.py --corpora ../shared/data/detection --made trained/made.jsonl \\
        --minutes 100 --state trained/detector --export src/sfumato/data/identifiers.safetensors

A run can be stopped and continued from ``--state``; the same seed reads the same batches. The learning rate falls to
zero over the last part of the time given. Every measurement is one line of ``curve.jsonl`` beside the state. Choices
are made by ``--choose``, the first half of each dev part; the other half is only measured at the end. After an export
run ``calibrating.py``: the package refuses a card that it did not pin.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import corpora
import exporting
import measuring
import numpy as np
import torch
from batching import Window, batch_of, round_of
from network import Network, loss_of
from safetensors.torch import load_file, save_file

from sfumato.models.token_classifier.network import load_tokenizer

WEAK = 0.85
"""A corpus of whose wanted words a smaller share is marked is named as weak."""
_OF_ADAM = ("step", "exp_avg", "exp_avg_sq")


@dataclass
class Training:
    """A network on its way, and how far it has come."""

    asked: argparse.Namespace
    network: Network
    adam: torch.optim.Optimizer
    records: dict[str, list[corpora.Record]]
    half: bool
    steps: int = 0
    pieces: int = 0
    round: int = 0
    batch: int = 0
    losses: list[float] = field(default_factory=lambda: [0.0, 0.0])

    def batches(self) -> Iterator[list[Window]]:
        """Yield batches from where the run stopped, without an end. :meth:`step` counts those that were read."""
        while True:
            every = round_of(self.records, self.round, self.asked)
            while self.batch < len(every):
                yield every[self.batch]
            self.round, self.batch = self.round + 1, 0

    def step(self, rows: list[Window], rate: float) -> None:
        """Learn from one batch. What is drawn depends on the seed and the number of the step alone."""
        draw = np.random.default_rng((self.asked.seed, 1, self.steps))
        batch = batch_of(rows, draw)
        torch.manual_seed(int(draw.integers(2**62)))
        for group in self.adam.param_groups:
            group["lr"] = rate
        with torch.autocast("cpu", torch.bfloat16, enabled=self.half):
            logits, told = self.network(batch.ids, batch.shapes, batch.gaps, batch.mask)
        loss, telling = loss_of(logits, told, batch.classes, batch.telling, batch.allowed)
        (loss + self.asked.telling * telling).backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.adam.step()
        self.adam.zero_grad()
        self.steps, self.pieces = self.steps + 1, self.pieces + int(batch.mask.sum())
        self.batch += 1
        for index, value in enumerate((loss.item(), telling.item())):
            self.losses[index] += (0.02 if self.steps > 50 else 0.2) * (value - self.losses[index])

    def spent(self, elapsed: float) -> float:
        """Return which share of the time is over, or of the pieces that may be read."""
        budget = self.asked.budget
        return elapsed / float(self.asked.minutes) if budget is None else self.pieces / (1e6 * float(budget))

    def rate(self, elapsed: float, first: int) -> float:
        """Return the rate: it rises over 100 steps and falls to zero at the end."""
        falls = min(1.0, (1 - self.spent(elapsed)) / self.asked.falling)
        return float(self.asked.rate * max(falls, 0.0) * min(1.0, (self.steps - first + 1) / 100))

    def keep(self) -> None:
        """Write weights and optimizer, whole or not at all."""
        named = dict(self.network.named_parameters())
        state = {name: tensor.detach() for name, tensor in named.items()}
        for name, tensor in named.items():
            state |= {f"{name}:{key}": value for key, value in self.adam.state[tensor].items()}
        folder = self.asked.state
        save_file(state, folder / "state.new")
        (folder / "state.new").replace(folder / "state.safetensors")
        done = {"steps": self.steps, "pieces": self.pieces, "round": self.round, "batch": self.batch}
        (folder / "done.json").write_text(json.dumps(done))

    def resume(self) -> None:
        """Go on where :meth:`keep` left off, if it did."""
        path = self.asked.state / "state.safetensors"
        if not path.exists():
            return
        state = load_file(path)
        for name, tensor in self.network.named_parameters():
            tensor.data.copy_(state[name])
            self.adam.state[tensor] = {key: state[f"{name}:{key}"] for key in _OF_ADAM}
        for name, value in json.loads((self.asked.state / "done.json").read_text()).items():
            setattr(self, name, value)


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True, help="folder of corpora, each with about.json")
    parser.add_argument("--made", type=Path, help="made text, of made.py")
    parser.add_argument("--made-held", type=Path, help="its held part, which is only measured")
    parser.add_argument("--leave-out", nargs="*", default=[], help="names of corpora that are only measured")
    parser.add_argument("--only", nargs="*", default=[], help="languages that are read; all if none is named")
    parser.add_argument("--share-of-others", type=float, default=1.0, help="of a corpus not in English, in a round")
    parser.add_argument("--limit", type=int, help="records of a corpus, for a trial")
    parser.add_argument("--state", type=Path, required=True, help="folder to stop in and to continue from")
    parser.add_argument("--start", type=Path, help="weights exported before")
    parser.add_argument("--export", type=Path, help="where the shipped weights go, and their card")
    parser.add_argument("--minutes", type=float, default=100)
    parser.add_argument(
        "--budget", type=float, help="millions of pieces, in place of minutes: the same on any machine"
    )
    parser.add_argument("--falling", type=float, default=0.4, help="last share of the time, in which the rate falls")
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--telling", type=float, default=0.3, help="weight of the second head's loss")
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--length", type=int, default=192, help="of a window, in pieces")
    parser.add_argument("--pieces", type=int, default=3072, help="in a batch, with padding")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--every", type=float, default=10, help="minutes between measurements")
    return parser.parse_args(words)


def prepared(asked: argparse.Namespace) -> Training:
    """Return the untrained network with its optimizer and its text."""
    tokenizer = load_tokenizer()
    every = corpora.corpora(asked.corpora, "train", asked.leave_out)
    every = [corpus for corpus in every if not asked.only or corpus.language in asked.only]
    if asked.made:
        every.append(corpora.made(asked.made))
    records = {corpus.name: corpus.records(tokenizer, asked.limit) for corpus in every}
    torch.manual_seed(asked.seed)
    network = Network(asked.layers)
    if asked.start:
        exporting.begin_with(network, asked.start)
    plain = [tensor for tensor in network.parameters() if tensor.ndim == 1]
    matrices = [tensor for tensor in network.parameters() if tensor.ndim > 1]
    adam = torch.optim.AdamW(
        [{"params": matrices, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}],
        betas=(0.9, 0.98),
        fused=True,
    )
    half = torch.cpu._is_avx512_bf16_supported()
    return Training(asked, network, adam, records, half)


def main(words: Sequence[str] | None = None) -> None:
    """Train, measure, save."""
    asked = arguments(words)
    torch.set_num_threads(asked.threads)
    asked.state.mkdir(parents=True, exist_ok=True)
    training = prepared(asked)
    training.resume()
    tests = measuring.tests(asked.corpora, asked.made_held, asked.limit)
    first, begin, measured = training.steps, time.monotonic(), time.monotonic()
    print(json.dumps({name: sum(len(r.pieces) for r in own) for name, own in training.records.items()}), flush=True)
    training.network.train()
    for rows in training.batches():
        elapsed = (time.monotonic() - begin) / 60
        if training.spent(elapsed) >= 1:
            break
        training.step(rows, training.rate(elapsed, first))
        if training.steps % 200 == 0:
            training.keep()
        if training.steps % 50 == 0:
            line = f"{elapsed:6.1f} min, round {training.round}, {training.steps} steps, {training.pieces:,} pieces"
            print(f"{line}, loss {training.losses[0]:.4f}, telling {training.losses[1]:.4f}", flush=True)
        if time.monotonic() - measured > 60 * asked.every:
            report(training, tests, elapsed)
            measured = time.monotonic()
    report(training, tests, asked.minutes)
    if asked.export:
        exporting.export(training.network, asked.export, card(training, tests))


def report(training: Training, tests: Sequence[measuring.Test], elapsed: float) -> None:
    """Keep the state, and add a line to the curve."""
    training.keep()
    training.network.eval()
    with torch.inference_mode():
        figures = {test.name: test.figures(training.network, "choose") for test in tests}
    training.network.train()
    line = {"steps": training.steps, "pieces": training.pieces, "minutes": round(elapsed, 1), **figures}
    with (training.asked.state / "curve.jsonl").open("a") as curve:
        curve.write(json.dumps(line) + "\n")
    print(measuring.table(figures), flush=True)


def card(training: Training, tests: Sequence[measuring.Test]) -> dict[str, object]:
    """Return how the weights were made, what they find of the kept halves, and where they are weak.

    Of every file that was read it has the digest and the licence.
    """
    asked = training.asked
    read = corpora.corpora(asked.corpora, "train", asked.leave_out)
    read = [corpus for corpus in read if corpus.name in training.records]
    if asked.made:
        read.append(corpora.made(asked.made))
    settings = {name: value for name, value in vars(asked).items() if isinstance(value, int | float)}
    data = {corpus.name: {"sha256": corpus.digest, "licence": corpus.licence} for corpus in read}
    training.network.eval()
    with torch.inference_mode():
        figures = {test.name: test.figures(training.network, "kept") for test in tests}
    weak = sorted(name for name, own in figures.items() if own["recall"] < WEAK)
    return {
        "steps": training.steps,
        "pieces": training.pieces,
        "settings": settings,
        "data": data,
        "figures": figures,
        "weak": weak,
    }


if __name__ == "__main__":
    main()
