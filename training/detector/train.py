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
from network import Network, exits, loss_of
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from torch import Tensor

from sfumato.models.token_classifier.network import load_tokenizer
from sfumato.models.token_classifier.pieces import GAPS, SHAPES

_CLS, _SEP, _PAD = 101, 102, 0
_LOWER = np.array([SHAPES.index("lower") if "case" in name or name in ("title", "capital", "capitals") else number
                   for number, name in enumerate(SHAPES)], dtype=np.int8)  # fmt: skip
_UPPER = np.array([SHAPES.index("capitals") if "case" in name or name in ("title", "lower") else number
                   for number, name in enumerate(SHAPES)], dtype=np.int8)  # fmt: skip
_FLAT = np.array([GAPS.index("blank") if name in ("wide", "line", "paragraph") else number
                  for number, name in enumerate(GAPS)], dtype=np.int8)  # fmt: skip
_OF_ADAM = ("step", "exp_avg", "exp_avg_sq")
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
            answers = self.network(batch.ids, batch.shapes, batch.gaps, batch.mask)
        total = torch.zeros(())
        for logits, told in answers.values():  # the last is reported
            loss, telling = loss_of(logits, told, batch.classes, batch.telling, batch.allowed)
            total = total + loss + self.asked.telling * telling
        total.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.adam.step()
        self.adam.zero_grad()
        self.steps, self.pieces = self.steps + 1, self.pieces + int(batch.mask.sum())
        self.batch += 1
        for index, value in enumerate((loss.item(), telling.item())):
            self.losses[index] += (0.02 if self.steps > 50 else 0.2) * (value - self.losses[index])

    def rate(self, elapsed: float, first: int) -> float:
        """Return the rate: it rises over 100 steps and falls to zero at the end."""
        falls = min(1.0, (1 - elapsed / self.asked.minutes) / self.asked.falling)
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
    parser.add_argument("--falling", type=float, default=0.4, help="last share of the time, in which the rate falls")
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--telling", type=float, default=0.3, help="weight of the second head's loss")
    parser.add_argument("--layers", type=int, default=6)
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
        if elapsed >= asked.minutes:
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
        exporting.export(training.network, asked.export, card(training))


def report(training: Training, tests: Sequence[measuring.Test], elapsed: float) -> None:
    """Keep the state, and add a line to the curve."""
    training.keep()
    training.network.eval()
    with torch.inference_mode():
        figures = {test.name: test.figures(training.network, "choose") for test in tests}
        early = exits(training.network.layers)[0]
        figures |= {
            f"{test.name} at {early}": test.figures(training.network, "choose", early)
            for test in tests
            if test.name in ("en_tab", "en_presidio_synth", "made")
        }
    training.network.train()
    line = {"steps": training.steps, "pieces": training.pieces, "minutes": round(elapsed, 1), **figures}
    with (training.asked.state / "curve.jsonl").open("a") as curve:
        curve.write(json.dumps(line) + "\n")
    print(measuring.table(figures), flush=True)


def card(training: Training) -> dict[str, object]:
    """Return how the weights were made: settings, and the digest of every file that was read."""
    asked = training.asked
    read = corpora.corpora(asked.corpora, "train", asked.leave_out)
    read = [corpus for corpus in read if corpus.name in training.records]
    if asked.made:
        read.append(corpora.made(asked.made))
    settings = {name: value for name, value in vars(asked).items() if isinstance(value, int | float)}
    data = {corpus.name: corpus.digest for corpus in read}
    return {"steps": training.steps, "pieces": training.pieces, "settings": settings, "data": data}


if __name__ == "__main__":
    main()
