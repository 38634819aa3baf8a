"""Which layers of SmolLM2-135M learn most for the noise they need: `python benchmarks/synthesis_layers.py --record`.

Noise has the same size in every number that is trained. Over public comments of synthetic authors (SynthPAI), each
comment's gradient by the factors B is clipped to norm 1 as in a training. The table shows how the square of the mean
of these gradients is distributed over the kinds of layer, beside how many of the trained numbers each kind has.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import numpy as np
import torch
from recording import DATA, record, table

from sfumato.abstract.synthesizer import Unit
from sfumato.models.causal.gguf import smollm2
from sfumato.synthesis.finetune.lora import FEW, Adapter, clipped_sum
from sfumato.synthesis.finetune.rows import Row, rows_of, tensors

PIECES, AT_ONCE = 48, 16


def comments(count: int) -> list[str]:
    """Return random comments of synthetic authors."""
    lines = (DATA / "synthpai" / "synthpai_merged.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [comment["text"] for line in lines for comment in json.loads(line)["comments"]]
    chosen = np.random.default_rng(0).permutation(len(texts))[:count]
    return [texts[index] for index in chosen]


def mean_gradient(adapter: Adapter, rows: list[Row]) -> Any:
    """Return the mean of the clipped gradients, float64."""
    total = torch.zeros(len(adapter.trained), dtype=torch.float64)
    ordered = sorted(rows, key=lambda row: row.width)
    for start in range(0, len(ordered), AT_ONCE):
        part = ordered[start : start + AT_ONCE]
        weights = torch.tensor([1.0 / len(row.learned) for row in part])
        ids, targets = tensors(part, max(row.width for row in part), "cpu")
        total += clipped_sum(adapter.gradients(ids, targets, weights), 1.0)
    return total / len(rows)


def shares(adapter: Adapter, mean: Any) -> dict[str, tuple[float, int]]:
    """Return the square of the mean gradient, and the count of numbers, of each kind of layer."""
    kinds: dict[str, tuple[float, int]] = {}
    start = 0
    for layer in adapter.layers:
        size = layer.up[0] * layer.up[1]
        part = mean[start : start + size]
        square, count = kinds.get(kind := layer.name.rpartition(".")[2], (0.0, 0))
        kinds[kind] = square + float(part @ part), count + size
        start += size
    return kinds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--comments", type=int, default=160)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    model: Any = smollm2("bfloat16", "cpu")
    adapter = Adapter(model.network, 8, 16.0)
    adapter.initialise(1)
    units = [Unit((text,), (0,)) for text in comments(asked.comments)]
    rows = [row for unit in rows_of(model, ("",), units, PIECES) for row in unit]
    kinds = shares(adapter, mean_gradient(adapter, rows))
    squares, numbers = (sum(part[index] for part in kinds.values()) for index in (0, 1))
    shown = [
        [kind, "yes" if kind in FEW else "", f"{square / squares:.1%}", f"{count / numbers:.1%}",
         f"{square / squares / (count / numbers):.2f}"]
        for kind, (square, count) in sorted(kinds.items(), key=lambda entry: -entry[1][0] / entry[1][1])
    ]  # fmt: skip
    header = ["layers", "among the few", "of the squared mean gradient", "of the numbers", "ratio"]
    text = table(header, shown) + f"\n\nSmolLM2-135M, rank 8, {asked.comments} comments of SynthPAI."
    print(text)
    if asked.record:
        record("synthesis-layers", text)


if __name__ == "__main__":
    main()
