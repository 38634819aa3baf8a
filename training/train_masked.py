"""Trains the masked model that ships with sfumato: low-rank adapters and a prediction head for all-MiniLM-L6-v2.

    python training/train_masked.py --text ../shared/data/wikipedia/*.txt.gz \\
        --held-out ../shared/data/wikitext2/test.txt ../shared/data/wikitext2/valid.txt \\
        --minutes 150 --state trained/state --export src/sfumato/data/masked.safetensors

One part of the batches is running text with masked pieces; the other is the pair form "original [SEP] masked" in
which the second half has lost pieces to the mask and, up to a cut, to random words, as it has in a rewriting that is
under way. A run can be stopped and continued from ``--state``; the learning rate falls to zero over the last part of
the time given. Every held-out measurement is one line of ``curve.jsonl`` beside the state.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import time
from dataclasses import dataclass
from pathlib import Path

import adapters
import corpus
import numpy as np
import torch
from held_out import CLS, MASK, SEP, Batch, Pieces, batches, words_of
from network import Network, start
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

from sfumato.models.encoders.files import default_folder

_OF_ADAM = ("step", "exp_avg", "exp_avg_sq")


class Examples:
    """Draws batches from the pieces: windows at random places, masks and corruption at random positions."""

    def __init__(self, pieces: corpus.Pieces, length: int, share: float, seed: int) -> None:
        self.pieces, self.length, self.share = pieces, length, share
        self.draw = np.random.default_rng(seed)

    def running(self, documents: int) -> Batch:
        """Running text: [CLS] window [SEP]."""
        ids = np.full((documents, self.length), SEP, dtype=np.int64)
        ids[:, 0] = CLS
        ids[:, 1:-1] = self._windows(documents, self.length - 2)
        hit = self._hit(ids.shape)
        hit[:, [0, -1]] = False
        return self._batch(ids, np.zeros_like(ids), hit)

    def pairs(self, documents: int) -> Batch:
        """[CLS] original [SEP] masked [SEP], the masked half partly rewritten up to a random cut."""
        half = (self.length - 3) // 2
        ids = np.full((documents, 2 * half + 3), SEP, dtype=np.int64)
        original = self._windows(documents, half)
        ids[:, 0], ids[:, 1 : half + 1], ids[:, half + 2 : -1] = CLS, original, original
        kinds = np.zeros_like(ids)
        kinds[:, half + 2 :] = 1
        hit = self._hit(ids.shape)
        hit[:, : half + 2] = hit[:, -1] = False
        cut = self.draw.integers(0, half + 1, (documents, 1)) * (self.draw.random((documents, 1)) < 0.7)
        rewritten = (np.arange(half) < cut) & (self.draw.random((documents, half)) < self.draw.random((documents, 1)))
        random_words = self.pieces[self.draw.integers(0, len(self.pieces), (documents, half))]
        answers = ids.copy()
        ids[:, half + 2 : -1] = np.where(rewritten, random_words, original)
        return self._batch(ids, kinds, hit, answers)

    def _windows(self, documents: int, length: int) -> NDArray[np.int64]:
        starts = self.draw.integers(0, len(self.pieces) - length, documents)
        return np.stack([self.pieces[at : at + length] for at in starts]).astype(np.int64)

    def _hit(self, shape: tuple[int, ...]) -> NDArray[np.bool_]:
        return np.asarray(self.draw.random(shape) < self.share)

    def _batch(
        self,
        ids: NDArray[np.int64],
        kinds: NDArray[np.int64],
        hit: NDArray[np.bool_],
        answers: NDArray[np.int64] | None = None,
    ) -> Batch:
        where = np.flatnonzero(hit)
        stood = (ids if answers is None else answers).reshape(-1)[where]
        masked = np.where(hit, MASK, ids)
        return Batch(*(torch.from_numpy(np.ascontiguousarray(one)) for one in (masked, kinds, where, stood)))


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--text", type=Path, nargs="+", help=".txt or .txt.gz; read once, kept as pieces in --state")
    source.add_argument("--pieces", type=Path, help="pieces-….npy of an earlier run, for a machine without the text")
    parser.add_argument("--encoder", type=Path, help="folder of all-MiniLM-L6-v2, if not that of the package")
    parser.add_argument("--held-out", type=Path, nargs="+", required=True, help="measured: the first; left out: all")
    parser.add_argument("--state", type=Path, required=True, help="folder to stop in and to continue from")
    parser.add_argument("--start", type=Path, help="weights exported before, of this rank or a lower one")
    parser.add_argument("--export", type=Path, help="where the shipped weights go, and their card")
    parser.add_argument("--minutes", type=float, default=150)
    parser.add_argument("--falling", type=float, default=0.3, help="last share of the time, in which the rate falls")
    parser.add_argument("--rate", type=float, default=8e-4)
    parser.add_argument("--documents", type=int, default=16, help="in one batch")
    parser.add_argument("--length", type=int, default=128, help="of one document, in pieces")
    parser.add_argument("--share", type=float, default=0.3, help="of pieces masked")
    parser.add_argument("--pairs", type=float, default=0.1, help="share of batches in the pair form")
    parser.add_argument("--rank", type=int, default=152)
    parser.add_argument("--word-rank", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--every", type=int, default=500, help="steps between measurements")
    return parser.parse_args()


@dataclass
class Training:
    """A network on its way: its optimizer, its held-out questions, and how far it has come."""

    asked: argparse.Namespace
    network: Network
    adam: torch.optim.Optimizer
    tests: tuple[list[Batch], list[Batch]]
    device: str
    half: bool
    steps: int = 0
    pieces: int = 0
    first: int = 0
    loss: float = 0.0

    def step(self, batch: Batch, rate: float) -> None:
        """Learn from one batch."""
        for group in self.adam.param_groups:
            group["lr"] = rate
        with torch.autocast(self.device, torch.bfloat16, enabled=self.half):
            scores = self._scores(batch)
        loss = functional.cross_entropy(scores.float(), batch.answers.to(self.device))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(self.network.trained.values()), 1.0)
        self.adam.step()
        self.adam.zero_grad()
        self.steps, self.pieces = self.steps + 1, self.pieces + batch.ids.numel()
        self.loss += 0.02 * (loss.item() - self.loss) if self.loss else loss.item()

    def rate(self, elapsed: float) -> float:
        """The rate after ``elapsed`` minutes: it rises over 100 steps and falls to zero at the end."""
        falls = min(1.0, (1 - elapsed / self.asked.minutes) / self.asked.falling)
        return float(self.asked.rate * falls * min(1.0, (self.steps - self.first + 1) / 100))

    def report(self, elapsed: float, **also: object) -> None:
        """One line of the curve: held-out accuracy and pseudo-perplexity in running text and in the pair form."""
        (single, perplexity), (pair, pair_perplexity) = (self._measured(one) for one in self.tests)
        line = {"steps": self.steps, "pieces": self.pieces, "minutes": elapsed, "loss": self.loss}
        line |= {"top1": single, "perplexity": perplexity, "pair top1": pair, "pair perplexity": pair_perplexity}
        short = {key: float(f"{value:.4g}") if isinstance(value, float) else value for key, value in line.items()}
        with (self.asked.state / "curve.jsonl").open("a") as curve:
            curve.write(json.dumps({**short, **also}) + "\n")
        print(json.dumps(short), flush=True)

    def _scores(self, batch: Batch) -> Tensor:
        return self.network.logits(*(one.to(self.device) for one in (batch.ids, batch.kinds, batch.where)))

    def _measured(self, batches: list[Batch]) -> tuple[float, float]:
        """Share of right first guesses and pseudo-perplexity."""
        right, loss, count = 0, 0.0, 0
        with torch.no_grad():
            for one in batches:
                scores = self._scores(one).float().cpu()
                right += int((scores.argmax(1) == one.answers).sum())
                loss += float(functional.cross_entropy(scores, one.answers, reduction="sum"))
                count += len(one.answers)
        return right / count, math.exp(loss / count)

    def keep(self) -> None:
        """Weights and optimizer, written whole or not at all."""
        state = {name: tensor.detach().cpu() for name, tensor in self.network.trained.items()}
        for name, tensor in self.network.trained.items():
            state |= {f"{name}:{key}": value.cpu() for key, value in self.adam.state[tensor].items()}
        folder = self.asked.state
        save_file(state, folder / "state.new")
        (folder / "state.new").replace(folder / "state.safetensors")
        (folder / "done.json").write_text(json.dumps({"steps": self.steps, "pieces": self.pieces}))

    def resume(self) -> None:
        """Go on where :meth:`keep` left off, if it did."""
        place = self.asked.state / "state.safetensors"
        if not place.exists():
            return
        state = load_file(place)
        for name, tensor in self.network.trained.items():
            tensor.data.copy_(state[name])
            kept = {key: state[f"{name}:{key}"] for key in _OF_ADAM}
            self.adam.state[tensor] = {key: kept[key].to("cpu" if key == "step" else self.device) for key in _OF_ADAM}
        done = json.loads((self.asked.state / "done.json").read_text())
        self.steps, self.pieces, self.first = done["steps"], done["pieces"], done["steps"]


def prepared(asked: argparse.Namespace, pieces: corpus.Pieces, folder: Path, tokenizer: Tokenizer) -> Training:
    """The untrained network on the best device, with its optimizer and its held-out questions."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    counts = np.bincount(pieces[:10_000_000], minlength=tokenizer.get_vocab_size())
    frequencies = torch.from_numpy(np.log(counts + 1.0) - np.log(counts.sum())).float()
    every = load_file(folder / "model.safetensors")
    published = {name: one for name, one in every.items() if name.startswith(("embeddings.", "encoder."))}
    published.pop("embeddings.position_ids", None)
    network = start(published, frequencies, asked.rank, asked.word_rank, asked.seed)
    if asked.start:
        adapters.begin_with(network.trained, adapters.whole(load_file(asked.start)))
    for group in (network.frozen, network.trained):
        group.update({name: one.to(device) for name, one in group.items()})
    for tensor in network.trained.values():
        tensor.requires_grad_(True)
    adam = torch.optim.AdamW(network.trained.values(), betas=(0.9, 0.98), weight_decay=0.0, fused=True)
    test = tokenizer.encode(corpus.wikitext(asked.held_out[0]), add_special_tokens=False).ids
    questions = batches(Pieces(np.array(test, dtype=np.int64), *words_of(tokenizer)), asked.length, 384)
    half = device == "cuda" or torch.cpu._is_avx512_bf16_supported()
    return Training(asked, network, adam, questions, device, half)


def export(training: Training, place: Path, also: dict[str, object]) -> None:
    """The shipped weights, and the card that holds their hash and how they were made."""
    save_file(adapters.packed({name: one.detach().cpu() for name, one in training.network.trained.items()}), place)
    content = place.read_bytes()
    settings = {name: value for name, value in vars(training.asked).items() if isinstance(value, int | float)}
    card = {"sha256": hashlib.sha256(content).hexdigest(), "steps": training.steps, "pieces": training.pieces}
    place.with_suffix(".json").write_text(json.dumps({**card, **also, "settings": settings}, indent=2) + "\n")
    print(f"{place}: {len(content):,} bytes")


def main() -> None:
    """Trains, measures, saves."""
    asked = arguments()
    torch.set_num_threads(asked.threads)
    folder = asked.encoder or default_folder()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    asked.state.mkdir(parents=True, exist_ok=True)
    if asked.pieces:
        pieces, digest = np.load(asked.pieces, mmap_mode="r"), asked.pieces.stem
    else:
        pieces, digest = corpus.load(asked.text, asked.held_out, tokenizer, asked.state)
    training = prepared(asked, pieces, folder, tokenizer)
    training.resume()
    examples = Examples(pieces, asked.length, asked.share, asked.seed + 1000 * training.steps)
    begin = time.monotonic()
    while (elapsed := (time.monotonic() - begin) / 60) < asked.minutes:
        form = examples.pairs if examples.draw.random() < asked.pairs else examples.running
        training.step(form(asked.documents), training.rate(elapsed))
        if training.steps % asked.every == 0:
            training.report(elapsed)
            training.keep()
    training.report(elapsed, data=digest)
    training.keep()
    if asked.export:
        export(training, asked.export, {"data": digest})


if __name__ == "__main__":
    main()
