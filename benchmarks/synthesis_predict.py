"""Private prediction, teacher-forced: how much of what a group of records tells a model survives the clip.

Usage: synthesis_predict.py [--reviews N] [--minutes M] [--texts N] [--record]

Held-out Trustpilot reviews are read token by token with SmolLM2-135M, each beside a random group of training reviews
of another draw. Nats a token: without records, with clipped contributions, and with contributions that are not
clipped. The group size, the clip and the temperature are those that epsilon 8 allows for 5,000 records. The interval
is a bootstrap over reviews.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import torch
from recording import DATA, table, written

from sfumato.abstract.synthesizer import Order
from sfumato.models.causal.gguf import SMOLLM2, smollm2
from sfumato.privacy.composition import delta_for
from sfumato.synthesis.predict.law import TokenLaw
from sfumato.synthesis.predict.predict import Predict
from sfumato.synthesis.predict.schedule import largest_rho
from sfumato.types import FloatArray

UNITS, EPSILON, SEED = 5000, 8.0, 7
LAWS = ("without records", "clipped", "not clipped")


class Reading(NamedTuple):
    """One review: its nats under each law over all tokens (tokens, 3), and over those that can be drawn."""

    whole: FloatArray
    able: FloatArray


def texts(file: str) -> list[str]:
    with open(DATA / "trustpilot" / file, encoding="utf-8", newline="") as rows:
        return [row["text"].strip() for row in csv.DictReader(rows) if row["text"].strip()]


def logits(network: Any, columns: Any, prompt: Sequence[int], review: Sequence[int]) -> FloatArray:
    """Scores of the outcomes before each piece of ``review``, shape (pieces, V)."""
    with torch.inference_mode():
        answer = network(input_ids=torch.tensor([[*prompt, *review]]), logits_to_keep=len(review) + 1)
    scores: FloatArray = answer.logits[0, :-1].index_select(1, columns).double().numpy()
    return scores


def surprise(law: TokenLaw, public: FloatArray, members: FloatArray, end: int | None, target: int) -> float:
    """Nats of ``target``; infinity where it cannot be drawn."""
    able, weights = law.choices(public, members, end, False)
    weight = weights[able == target].sum() / weights.sum()
    return float(-np.log(weight)) if weight > 0.0 else float("inf")


def read(method: Predict, law: TokenLaw, network: Any, review: str, records: Sequence[str]) -> Reading:
    model = method.model
    columns, end = torch.from_numpy(model.outcomes), model.end
    place = {int(piece): index for index, piece in enumerate(model.outcomes)}
    pieces = model.pieces(review)[: method.length]
    public = logits(network, columns, method.public_prompt(""), pieces)
    members = np.stack([
        logits(network, columns, method.private_prompt("", method.read(record)), pieces) for record in records
    ])  # fmt: skip
    whole, able = [], []
    for step, piece in enumerate(pieces):
        for kept, top in ((whole, len(model.outcomes)), (able, law.top_k)):
            laws = [(law, members[:0]), (law, members), (replace(law, clip=None), members)]
            nats = [
                surprise(replace(each, top_k=top), public[step], beside[:, step], end, place[piece])
                for each, beside in laws
            ]
            if np.isfinite(nats[0]):
                kept.append(nats)
    return Reading(np.array(whole).reshape(-1, 3), np.array(able).reshape(-1, 3))


def share(parts: Sequence[FloatArray]) -> float:
    """How much of the gain without a clip is kept with it, over all tokens."""
    public, clipped, free = np.concatenate(parts).mean(axis=0)
    return float((public - clipped) / (public - free))


def interval(parts: Sequence[FloatArray]) -> str:
    generator = np.random.default_rng(SEED)
    shares = [share([parts[i] for i in generator.integers(0, len(parts), len(parts))]) for _ in range(2000)]
    low, high = np.quantile(shares, (0.025, 0.975))
    return f"{share(parts):.0%} ({low:.0%} to {high:.0%})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reviews", type=int, default=80)
    parser.add_argument("--minutes", type=float, default=20.0, help="read no further review after so long")
    parser.add_argument("--texts", type=int, default=900)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    method = Predict(smollm2(), clip=1.0)
    order = Order(("",), UNITS, 1, given.texts, EPSILON, delta_for(UNITS))
    schedule = method.schedule(order)
    law, (network, _) = schedule.law, SMOLLM2.load()
    generator, train, held = np.random.default_rng(SEED), texts("english_train.csv"), texts("english_test.csv")
    readings, started = list[Reading](), time.monotonic()
    for index in generator.permutation(len(held))[: given.reviews]:
        if readings and time.monotonic() - started > 60.0 * given.minutes:
            break
        group = [train[i] for i in generator.choice(len(train), law.group_size, replace=False)]
        readings.append(read(method, law, network, held[index], group))
        print(len(readings), "reviews", flush=True)
    whole, able = [reading.whole for reading in readings], [reading.able for reading in readings]
    count = sum(map(len, whole))
    rows: list[list[object]] = [
        [name, *(f"{np.concatenate(parts).mean(axis=0)[number]:.3f}" for parts in (whole, able))]
        for number, name in enumerate(LAWS)
    ]
    rows.append(["share of the unclipped gain (target: 65 %)", interval(whole), interval(able)])
    rows.append(["tokens read", f"{count:,}", f"{sum(map(len, able)):,} ({sum(map(len, able)) / count:.0%})"])
    budget = int(largest_rho(order) / law.rho) * schedule.groups
    text = (
        f"{len(readings)} held-out reviews, nats a token. Groups of {law.group_size}, C = {law.clip:g}, "
        f"T = {law.temperature:g}: epsilon {EPSILON:g} at delta {order.delta:.0e} pays for {budget:,} tokens of "
        f"{UNITS:,} records; {given.texts:,} texts of {method.length} tokens were planned.\n\n"
    )
    header = ["", "all tokens", f"the {law.top_k} that can be drawn"]
    written("synthesis-predict", text + table(header, rows), given.record)


if __name__ == "__main__":
    main()
