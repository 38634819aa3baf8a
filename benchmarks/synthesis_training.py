"""Fine-tuning SmolLM2-135M: speed, and what ε = 8 keeps of the gain in held-out loss on Trustpilot.

`python benchmarks/synthesis_training.py speed FOLDER`, then `... loss FOLDER --epsilon 8`, `... loss FOLDER` (without
a guarantee), and at last `... record FOLDER`. Each writes what it measured into FOLDER; a training
that is stopped resumes at its last step. Nothing of the corpus is written there but in private checkpoints.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
from recording import DATA, DOCS, record, table

from sfumato.abstract.synthesizer import Order, Unit, Workspace
from sfumato.models.causal.gguf import smollm2
from sfumato.privacy.randomness import SeededRandomness
from sfumato.synthesis.finetune.finetune import Finetune
from sfumato.synthesis.finetune.lora import Adapter, clipped_sum
from sfumato.synthesis.finetune.rows import rows_of, tensors
from sfumato.synthesis.finetune.tuned import Decoding, TunedModel

DELTA = 1e-5
LONGEST = 128  # pieces of a held-out review that are scored
ROWS, WIDTH = 16, 64


def reviews(part: str) -> list[str]:
    with (DATA / "trustpilot" / f"english_{part}.csv").open(encoding="utf-8", newline="") as file:
        return [row["text"] for row in csv.DictReader(file)]


def held_out(model: Any, adapter: Adapter) -> float:
    """Nats a piece of the held-out reviews, their ends included."""
    units = [Unit((text,), (0,)) for text in reviews("test")]
    rows = [row for unit in rows_of(model, ("",), units, LONGEST) for row in unit]
    with adapter.attached():
        nats = model.nats([(row.before, row.learned) for row in rows])
    return float(sum(nats) / sum(len(row.learned) for row in rows))


def kept(folder: Path, name: str, facts: dict[str, Any]) -> None:
    (folder / f"{name}.json").write_text(json.dumps(facts, indent=1))
    print(name, facts, flush=True)


def loss(folder: Path, epsilon: float | None, options: dict[str, Any]) -> None:
    """Train on the reviews with a budget, and keep the held-out loss."""
    name = f"loss-{'none' if epsilon is None else f'{epsilon:g}'}"
    model = smollm2("bfloat16", "cpu")
    method = Finetune(model, **options)
    units = [Unit((text,), (0,)) for text in reviews("train")]
    order = Order(("",), len(units), 1, 0, epsilon, DELTA)
    schedule = method.schedule(order)
    print(schedule.as_dict(), schedule.warnings, f"{schedule.seconds:.0f} s at most", flush=True)
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    started = time.process_time()

    def told(share: float) -> None:
        print(f"{share:.2f} of the steps, {time.process_time() - started:.0f} CPU seconds", flush=True)

    if not (folder / "base.json").exists():
        adapter = Adapter(model.network, 1, 1.0)
        kept(folder, "base", {"held_out": held_out(model, adapter)})
    tuned = method.trained(order, schedule, units, Workspace(place, SeededRandomness(1), name), told)
    facts = {"schedule": schedule.as_dict(), "options": options, "held_out": held_out(model, tuned.adapter)}
    kept(folder, name, {**facts, "cpu_seconds": time.process_time() - started})


def timed(work: Callable[[], object], pieces: int, times: int = 3) -> tuple[float, float]:
    """Pieces a second on the clock and a CPU second, the best of some times."""
    best = (0.0, 0.0)
    for _ in range(times + 1):
        clock, cpu = time.perf_counter(), time.process_time()
        work()
        best = max(best, (pieces / (time.perf_counter() - clock), pieces / (time.process_time() - cpu)))
    return best


def speed(folder: Path) -> None:
    """Measure training with and without clipping, and writing."""
    for number_format in ("float32", "bfloat16"):
        model: Any = smollm2(number_format, "cpu")  # type: ignore[arg-type]
        rows = [row for unit in rows_of(model, ("",), [Unit((text,), (0,)) for text in reviews("train")[:600]], WIDTH)
                for row in unit if len(row.learned) == WIDTH][:ROWS]  # fmt: skip
        ids, targets = tensors(rows, WIDTH, "cpu")
        facts: dict[str, Any] = {"threads": torch.get_num_threads(), "load": os.getloadavg()[0]}
        for trains_down in (False, True):
            adapter = Adapter(model.network, 8, 16.0, trains_down)
            adapter.initialise(1)
            told = f"own clipping, {'A and B' if trains_down else 'B'}"
            facts[told] = timed(partial(_clipped, adapter, ids, targets), ROWS * WIDTH)
        facts |= writing_speed(model)
        facts |= oracles(model, ids, targets)
        kept(folder, f"speed-{number_format}", facts)


def _clipped(adapter: Adapter, ids: Any, targets: Any) -> Any:
    return clipped_sum(adapter.gradients(ids, targets, torch.full((ROWS,), 1.0 / WIDTH)), 1.0)


def writing_speed(model: Any) -> dict[str, Any]:
    adapter = Adapter(model.network, 8, 16.0)
    adapter.initialise(1)
    decoding = Decoding(32, 1.0, 0.95)
    tuned = TunedModel(model, adapter, ("",), decoding)
    clock, cpu = time.perf_counter(), time.process_time()
    texts = list(tuned.write([0] * 64))
    pieces = sum(len(model.pieces(text)) + 1 for text in texts)
    return {"writing, 64 rows": (pieces / (time.perf_counter() - clock), pieces / (time.process_time() - cpu))}


def oracles(model: Any, ids: Any, targets: Any) -> dict[str, Any]:
    """The same rows through peft, plainly and with Opacus' hooks for the gradient of each row (A and B)."""
    import warnings

    from opacus import GradSampleModule
    from peft import LoraConfig, get_peft_model

    def nats(network: Any) -> Any:
        logits = network(input_ids=ids, use_cache=False).logits
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1).float(), targets.flatten())

    network = get_peft_model(
        model.network, LoraConfig(r=8, lora_alpha=16, target_modules="all-linear", task_type="CAUSAL_LM")
    )
    facts = {"plain (peft), A and B": timed(lambda: nats(network).backward(), ids.numel())}
    network.zero_grad()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hooked = GradSampleModule(network.train())  # it looks at training modules only; there is no dropout

        def step() -> None:
            nats(hooked).backward()
            hooked.zero_grad()

        facts["Opacus' hooks, A and B"] = timed(step, ids.numel())
    hooked.remove_hooks()
    return facts


def recorded(folder: Path) -> None:
    """Write what FOLDER holds into the page: the speed, the losses, or both."""
    if (folder / "speed-float32.json").exists():
        rates = [json.loads((folder / f"speed-{form}.json").read_text()) for form in ("float32", "bfloat16")]
        names = [name for name in rates[0] if name not in ("threads", "load")]
        header = ["tokens a second (a CPU second)", "float32", "bfloat16"]
        rows: list[list[object]] = [
            [name, *(f"{rate[name][0]:.0f} ({rate[name][1]:.0f})" for rate in rates)] for name in names
        ]
        rows.append(["threads; other load when begun", *(f"{rate['threads']}; {rate['load']:.1f}" for rate in rates)])
        record("synthesis-training", table(header, rows))
    losses = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("loss-*.json"))}
    if losses:
        record("synthesis-training-loss", table_of(losses, json.loads((folder / "base.json").read_text())))


def table_of(losses: dict[str, Any], base: dict[str, Any]) -> str:
    """Return the table of held-out losses. The training without a guarantee is on the page if FOLDER lacks it."""
    kept = re.search(
        r"\| without a guarantee \| ([\d.]+) \| 100% \| ([^|]+) \|", (DOCS / "benchmarks.md").read_text()
    )
    rows = {name.removeprefix("loss-"): (facts["held_out"], told_of(facts)) for name, facts in losses.items()}
    if "none" not in rows and kept is not None:
        earlier = kept[2] if "an earlier" in kept[2] else f"{kept[2]}; of an earlier day"
        rows["none"] = (float(kept[1]), earlier)
    start, best = base["held_out"], base["held_out"] - rows["none"][0]
    shown: list[list[object]] = [["base model", f"{start:.3f}", "", ""]]
    for name, (nats, told) in rows.items():
        label = "without a guarantee" if name == "none" else f"ε = {name}"
        shown.append([label, f"{nats:.3f}", f"{(start - nats) / best:.0%}", told])
    return table(["Trustpilot, 5,004 reviews", "held-out nats a token", "of the gain", "training"], shown)


def told_of(facts: dict[str, Any]) -> str:
    """Return a training in words."""
    recipe = facts["schedule"]
    return (
        f"{recipe['steps']} steps of {recipe['batch']}, noise multiplier {recipe['sigma']:.3f}, momentum "
        f"{recipe['momentum']:g}, rate {recipe['learning_rate']:g}; {facts['cpu_seconds']:.0f} CPU s"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["speed", "loss", "record"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--epsilon", type=float)
    parser.add_argument("--option", action="append", default=[], metavar="NAME=NUMBER")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    options = {name: json.loads(value) for name, value in (entry.split("=") for entry in given.option)}
    if given.what == "speed":
        speed(given.folder)
    elif given.what == "loss":
        loss(given.folder, given.epsilon, options)
    else:
        recorded(given.folder)


if __name__ == "__main__":
    main()
