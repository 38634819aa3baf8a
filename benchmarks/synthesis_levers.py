"""What lowers the cost of noise in a fine-tuning, chosen on public text.

`python benchmarks/synthesis_levers.py run FOLDER`, then `... record FOLDER`. Comments of synthetic authors (SynthPAI)
are public, so that choosing by them costs nothing and says nothing about the corpora that other pages report. One run
takes about a minute of one core: 600 comments of at most 40 pieces stand for 2,500 records, because the noise on the
mean is that of 2,500 records at ε = 8, whatever the comments add to it. FOLDER keeps what was measured.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from recording import DATA, record, table

from sfumato.abstract.synthesizer import Unit, Workspace
from sfumato.models.causal.gguf import smollm2
from sfumato.privacy.randomness import SeededRandomness
from sfumato.synthesis.finetune import lora
from sfumato.synthesis.finetune.dp_sgd import Recipe, Training
from sfumato.synthesis.finetune.lora import Adapter
from sfumato.synthesis.finetune.rows import rows_of

COMMENTS, HELD_OUT, PIECES = 600, 80, 40
NOISE = 2 * 0.612 / 500
"""Standard deviation of the noise on the mean, over the clip: that of 10 steps of 500 records at ε = 8, doubled."""
NOISE_OF_MORE = 2 * 0.787 / 500
"""The same of 30 steps."""
FEW = ("v_proj", "up_proj", "down_proj")


@dataclass(frozen=True)
class Lever:
    """A way to train: how many ``steps`` of how many comments, and which ``layers`` (none: all)."""

    name: str
    rate: float
    momentum: float = 0.0
    steps: int = 10
    batch: int = 60
    noise: float | None = NOISE
    layers: tuple[str, ...] = ()

    def recipe(self) -> Recipe:
        sampled, clip = self.batch / COMMENTS, None if self.noise is None else 1.0
        return Recipe(
            self.steps, self.batch, sampled, clip, (self.noise or 0.0) * self.batch, self.rate, self.momentum
        )


LEVERS = (
    Lever("no clipping, no noise", 0.005, 0.9, noise=None),
    Lever("no clipping, no noise", 0.01, 0.9, noise=None),
    Lever("momentum 0.9", 0.015, 0.9),
    Lever("momentum 0.9", 0.025, 0.9),
    Lever("no momentum", 0.015),
    Lever("no momentum", 0.025),
    Lever("no momentum", 0.04),
    Lever("no momentum, v, up and down layers alone", 0.025, layers=FEW),
    Lever("no momentum, 30 steps", 0.015, steps=30, batch=30, noise=NOISE_OF_MORE),
    Lever("no momentum, 30 steps", 0.025, steps=30, batch=30, noise=NOISE_OF_MORE),
)


def comments() -> list[str]:
    """Comments of more than 40 characters, shuffled once."""
    lines = (DATA / "synthpai" / "synthpai_merged.jsonl").read_text(encoding="utf-8").splitlines()
    texts = [comment for line in lines for comment in json.loads(line)["comments"]]
    long = [text for text in texts if len(text) > 40]
    np.random.default_rng(0).shuffle(long)
    return long


@contextmanager
def trained(layers: tuple[str, ...]) -> Iterator[None]:
    """Let factors be beside these layers alone for the length of the block."""
    every = lora._linear_layers

    def chosen(network: Any) -> Any:
        return (layer for layer in every(network) if not layers or layer[0].rpartition(".")[2] in layers)

    with patch.object(lora, "_linear_layers", chosen):
        yield


def measured(model: Any, lever: Lever | None, folder: Path) -> float:
    """Nats a piece of held-out comments after a training; before one without a ``lever``."""
    texts = comments()
    rows = [row for unit in rows_of(model, ("",), [Unit((text,), (0,)) for text in texts], PIECES) for row in unit]
    with trained(() if lever is None else lever.layers):
        adapter = Adapter(model.network, 8, 16.0)
        adapter.initialise(1)
        if lever is not None:
            workspace = Workspace(folder, SeededRandomness(3), "x")
            training = Training(adapter, lever.recipe(), [[row] for row in rows[:COMMENTS]], workspace)
            for _ in range(lever.steps):
                training.step()
        held_out = rows[COMMENTS:][:HELD_OUT]
        with adapter.attached():
            nats = model.nats([(row.before, row.learned) for row in held_out])
    return float(sum(nats) / sum(len(row.learned) for row in held_out))


def run(folder: Path, named: str) -> None:
    """Measure every lever that FOLDER lacks and whose name holds ``named``."""
    model: Any = smollm2("bfloat16", "cpu")
    path = folder / "levers.json"
    facts = json.loads(path.read_text()) if path.exists() else {}
    for lever in (None, *(lever for lever in LEVERS if named in lever.name)):
        if (name := repr(lever)) not in facts:
            facts[name] = measured(model, lever, folder)
            path.write_text(json.dumps(facts, indent=1))
            print(name, facts[name], flush=True)


def recorded(folder: Path) -> None:
    """Write what was measured into the page."""
    facts = json.loads((folder / "levers.json").read_text())
    base, best = facts["None"], facts[repr(LEVERS[0])]
    rows: list[list[object]] = [["base model", "", f"{base:.3f}", ""]]
    for lever in LEVERS:
        if repr(lever) in facts:
            nats = facts[repr(lever)]
            rows.append([lever.name, f"{lever.rate:g}", f"{nats:.3f}", f"{(base - nats) / (base - best):.0%}"])
    text = table(["training", "learning rate", "held-out nats a token", "of the unclipped gain"], rows)
    record("synthesis-levers", text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["run", "record"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--name", default="", help="only levers whose names hold this")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    if asked.what == "run":
        run(asked.folder, asked.name)
    else:
        recorded(asked.folder)


if __name__ == "__main__":
    main()
