"""Evolve on reviews: how near its records come to private texts it never saw, beside selection by noise alone.

Usage: synthesis_evolve.py FOLDER [--private N] [--rounds R] [--candidates C] [--records N] [--epsilon E] [--topics T]
       [--record]

The first two arms share the model, the seeds and every step; in the second nobody votes, so that noise alone selects.
The third reads topics off the private texts first, with as many candidates in all and the same ε for everything.
FOLDER keeps the model's answers and both runs, so that a stopped benchmark resumes. The figure is the energy distance
2·E|X - Y| - E|X - X'| - E|Y - Y'| between embeddings of the records X and of held-out private texts Y, with unbiased
means, and a 95 % bootstrap interval over both samples, centred. docs/benchmarks.md holds figures only, no text.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from recording import DATA, table, written

from sfumato.abstract.chat_use import ChatUse
from sfumato.abstract.synthesizer import Order, Unit, Workspace
from sfumato.models.causal.gguf import smollm2
from sfumato.models.chat.local import LocalChat
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.privacy.randomness import SystemRandomness
from sfumato.synthesis.codes import CodeField, CodeTable, codes_wanted, noisy_shares
from sfumato.synthesis.evolve.method import Evolve
from sfumato.synthesis.request import Request, planned
from sfumato.synthesis.topics import TOPIC, TextVectors

HELD_OUT = 1000
DRAWS = 2000


def reviews() -> list[str]:
    """All reviews, shuffled once."""
    with (DATA / "trustpilot" / "english_train.csv").open(encoding="utf-8", newline="") as file:
        texts = [row["text"] for row in csv.DictReader(file)]
    return [texts[index] for index in np.random.default_rng(15).permutation(len(texts))]


class Energy:
    """The energy distance between two samples of vectors, and its bootstrap."""

    def __init__(self, records: Any, others: Any) -> None:
        def apart(a: Any, b: Any) -> Any:
            return np.sqrt(np.maximum((a**2).sum(1)[:, None] + (b**2).sum(1)[None] - 2 * a @ b.T, 0.0))

        self.between, self.within = apart(records, others), (apart(records, records), apart(others, others))

    def of(self, first: Any, second: Any) -> float:
        """The distance where each text counts as often as these two lists of weights say."""
        n, m = first.sum(), second.sum()
        between = first @ self.between @ second / (n * m)
        inner, outer = (
            w @ d @ w / (w.sum() * (w.sum() - 1)) for w, d in zip((first, second), self.within, strict=True)
        )
        return float(2 * between - inner - outer)

    def interval(self) -> tuple[float, float, float]:
        """The distance, and the ends of its interval."""
        n, m = self.between.shape
        rng = np.random.default_rng(0)
        plain = self.of(np.ones(n), np.ones(m))
        drawn = np.array(
            [
                self.of(rng.multinomial(n, np.full(n, 1 / n)), rng.multinomial(m, np.full(m, 1 / m)))
                for _ in range(DRAWS)
            ]
        )
        low, high = np.quantile(drawn - drawn.mean(), [0.025, 0.975])
        return plain, plain + low, plain + high


def shown(energy: Energy) -> str:
    """The distance with its interval."""
    return "{:.3f} [{:.3f}, {:.3f}]".format(*energy.interval())


def by_topic(method: Evolve, texts: list[str], folder: Path, records: int, epsilon: float, topics: int) -> list[str]:
    """Records by evolve within topics, as a run of `sfumato synthesize --topics` draws them."""
    plan = planned(method, Request(records, len(texts), epsilon, 1e-5, topics=topics))
    workspace = Workspace(folder, SystemRandomness())
    vectors = TextVectors.of(plan.topics, [[text] for text in texts])
    kept = workspace.paid("topics", lambda: vectors.chosen(plan.noise, workspace))
    table = CodeTable.of([CodeField(TOPIC, tuple(plan.topics.phrases[index] for index in kept))], {})
    units = [
        Unit((text,), (table.index({TOPIC: topic}),))
        for text, (topic,) in zip(texts, vectors.named(kept), strict=True)
    ]
    shares = workspace.paid("shares", lambda: noisy_shares(units, len(table), plan.noise, workspace).tolist())
    wanted = codes_wanted(len(table), shares, records)
    order = replace(plan.order, codes=table.texts(), wanted=len(wanted))
    return list(method.synthesize(order, plan.schedule, units, wanted, workspace))


def main() -> None:
    """Run all arms, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--private", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--candidates", type=int, default=100)
    parser.add_argument("--records", type=int, default=100)
    parser.add_argument("--length", type=int, default=60)
    parser.add_argument("--epsilon", type=float, default=4.0)
    parser.add_argument("--topics", type=int, default=4)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    texts, encoder = reviews(), SentenceEncoder()
    private, held_out = texts[: asked.private], texts[asked.private :][:HELD_OUT]
    chat = LocalChat(smollm2(), asked.folder / "answers")
    method = Evolve(
        ChatUse(chat, "this machine"), encoder, asked.rounds, asked.candidates,
        length=asked.length, about="a customer's review of a shop or a web site",
    )  # fmt: skip
    order = Order(("",), asked.private, 1, asked.records, asked.epsilon, 1e-5)
    schedule = method.schedule(order)
    target, rows, started = encoder.encode(held_out), [], time.perf_counter()
    arms = {"votes of private texts": [Unit((text,), (0,)) for text in private], "noise alone (nobody votes)": []}
    rows.append(["private texts themselves", f"{asked.private:,}", shown(Energy(encoder.encode(private), target))])
    for number, (name, units) in enumerate(arms.items()):
        folder = asked.folder / f"arm-{number}"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        workspace = Workspace(folder, SystemRandomness())
        made = list(method.synthesize(order, schedule, units, (0,) * asked.records, workspace))
        if not number:
            seeds = (folder / "evolve-candidates-0.json", "seeds, before any vote")
            first = json.loads(seeds[0].read_text())["content"]["texts"]
            rows.append([seeds[1], f"{len(first):,}", shown(Energy(encoder.encode(first), target))])
        rows.append([name, f"{len(made):,}", shown(Energy(encoder.encode(made), target))])
        print(*rows[-1], flush=True)
    folder = asked.folder / "arm-topics"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    within = replace(method, candidates=max(2, asked.candidates // (asked.topics + 1)))
    made = by_topic(within, private, folder, asked.records, asked.epsilon, asked.topics)
    rows.append(
        [f"votes within {asked.topics} topics", f"{len(made):,}", shown(Energy(encoder.encode(made), target))]
    )
    print(*rows[-1], flush=True)
    minutes = (time.perf_counter() - started) / 60
    text = table(["texts", "number", "energy distance to held-out private texts [95 %]"], rows)
    text += (
        f"\n\nTrustpilot, {asked.private:,} private reviews and {len(held_out):,} held out; ε {asked.epsilon:g} at δ "
        f"1e-5, {asked.rounds} rounds, {asked.candidates} candidates, σ {schedule.sigma:.2f} votes; SmolLM2-135M-"
        f"Instruct, at most {asked.length} words, {chat.spent.questions:,} questions; {minutes:.0f} minutes in one "
        "thread of a busy machine. The intervals hold the sampling of texts, not another run's draws."
    )
    written("synthesis-evolve", text, asked.record)


if __name__ == "__main__":
    main()
