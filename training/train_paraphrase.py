"""Fine-tunes a causal model on entailment pairs, which makes a paraphrase model for DP-Paraphrase.

    python training/train_paraphrase.py --model gpt2-folder --pairs snli_1.0_train.jsonl --out trained/paraphrase

Pairs are read in the format of SNLI (jsonl with gold_label, sentence1, sentence2 and annotator_labels); those are
kept that all annotators call an entailment. A pair becomes one row, "original, separator, paraphrase, end", cut into
pieces as the mechanism does it, and the loss is taken over the paraphrase and the end. Use public pairs only: the
model that comes out is a public part of the mechanism.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from sfumato.mechanisms.dp_paraphrase import SEPARATOR
from sfumato.models.causal.networks import loaded_causal
from sfumato.models.causal.transformers import TransformersCausal
from sfumato.models.local_files import local_folder

IGNORED = -100
"""What torch leaves out of the loss."""


@dataclass(frozen=True)
class Row:
    """The pieces of a pair, and how many of them come before the paraphrase."""

    pieces: list[int]
    given: int


def lines(path: Path) -> Iterator[str]:
    """The lines of a file."""
    with path.open(encoding="utf-8") as file:
        yield from file


def entailments(records: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The pairs of sentences that every annotator calls an entailment."""
    for line in records:
        record = json.loads(line)
        labels = [label for label in record.get("annotator_labels", []) if label]
        if record["gold_label"] == "entailment" and set(labels) <= {"entailment"}:
            first, second = record["sentence1"].strip(), record["sentence2"].strip()
            if first and second and first != second:
                yield first, second


def row(model: TransformersCausal, pair: tuple[str, str], longest: int) -> Row | None:
    """A pair as the mechanism prompts for it; None for one of more than ``longest`` pieces."""
    end = [] if model.end is None else [int(model.outcomes[model.end])]
    given = [*model.opening, *model.pieces(pair[0]), *model.pieces(SEPARATOR)]
    pieces = [*given, *model.pieces(f" {pair[1]}"), *end]
    return Row(pieces, len(given)) if len(pieces) <= longest else None


def batch(rows: Sequence[Row], device: str) -> dict[str, torch.Tensor]:
    """Rows side by side, padded behind; the loss sees neither the padding nor what was given."""
    longest = max(len(one.pieces) for one in rows)
    ids, seen = np.zeros((len(rows), longest), dtype=np.int64), np.zeros((len(rows), longest), dtype=np.int64)
    wanted = np.full((len(rows), longest), IGNORED, dtype=np.int64)
    for at, one in enumerate(rows):
        ids[at, : len(one.pieces)], seen[at, : len(one.pieces)] = one.pieces, 1
        wanted[at, one.given : len(one.pieces)] = one.pieces[one.given :]
    found = {"input_ids": ids, "attention_mask": seen, "labels": wanted}
    return {name: torch.from_numpy(one).to(device) for name, one in found.items()}


def batches(rows: Sequence[Row], size: int, draw: np.random.Generator) -> Iterator[list[Row]]:
    """All rows once, in a new order, rows of like length together."""
    order = draw.permutation(len(rows))
    for start in range(0, len(order), 50 * size):
        block = sorted(order[start : start + 50 * size], key=lambda at: len(rows[at].pieces))
        parts = [block[first : first + size] for first in range(0, len(block), size)]
        for at in draw.permutation(len(parts)):
            yield [rows[number] for number in parts[at]]


def train(network: Any, rows: Sequence[Row], a: argparse.Namespace) -> Iterator[tuple[int, float]]:
    """Trains in place; yields the number of the step and its loss. The rate rises for 3 %, then falls to zero."""
    draw = np.random.default_rng(a.seed)
    torch.manual_seed(a.seed)
    steps = a.epochs * -(-len(rows) // a.batch)
    rising = max(1, int(0.03 * steps))
    adam = torch.optim.AdamW(network.parameters(), lr=a.rate, weight_decay=0.01)
    rates = torch.optim.lr_scheduler.LambdaLR(
        adam, lambda step: min((step + 1) / rising, max(0.0, (steps - step) / max(1, steps - rising)))
    )
    network.requires_grad_(True).train().to(a.device)
    every = (some for _ in range(a.epochs) for some in batches(rows, a.batch, draw))
    for step, some in enumerate(every, start=1):
        given = batch(some, a.device)
        wanted = given.pop("labels")[:, 1:]
        logits = network(**given).logits[:, :-1]
        loss = cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=IGNORED)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        adam.step()
        rates.step()
        adam.zero_grad(set_to_none=True)
        yield step, loss.item()
    network.eval().cpu()


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="folder or fetched Hugging Face name of a causal model")
    parser.add_argument("--pairs", type=Path, nargs="+", required=True, help="jsonl files in the format of SNLI")
    parser.add_argument("--out", type=Path, required=True, help="new folder for the tuned model")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--longest", type=int, default=160, help="pairs of more pieces are left out")
    parser.add_argument("--most", type=int, help="most pairs to train on (default: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Reads, trains, saves as safetensors."""
    a = arguments(given)
    if a.out.exists() and any(a.out.iterdir()):
        sys.exit(f"{a.out} is not empty; name a new folder.")
    reader = TransformersCausal(a.model, device="cpu")
    pairs = entailments(line for path in a.pairs for line in lines(path))
    rows = [one for one in (row(reader, pair, a.longest) for pair in pairs) if one is not None][: a.most]
    if not rows:
        sys.exit("The files hold no pair that all annotators call an entailment.")
    network, tokenizer = loaded_causal(local_folder(a.model, "causal model"))
    sys.stdout.write(f"{len(rows):,} pairs\n")
    total = 0.0
    for step, loss in train(network, rows, a):
        total += loss
        if step % 100 == 0:
            sys.stdout.write(json.dumps({"step": step, "loss": round(total / 100, 4)}) + "\n")
            sys.stdout.flush()
            total = 0.0
    network.save_pretrained(a.out, safe_serialization=True)
    tokenizer.save_pretrained(a.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
