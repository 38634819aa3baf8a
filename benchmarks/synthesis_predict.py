"""Private prediction, teacher-forced: how much of what a group of records tells a model survives the clip.

Usage: synthesis_predict.py [--reviews N] [--minutes M] [--texts N] [--group-size G] [--record]

Held-out Trustpilot reviews are read token by token with SmolLM2-135M, each beside a random group of training reviews
of another draw. Nats a token: without records, with clipped contributions, and with contributions that are not
clipped. The group size, the clip and the temperature are those that epsilon 8 allows for 5,000 records, with secret
groups and without the secret. Contributions are clipped around their upper quartile, and around their median, as they
were before. A second table asks what tokens free of charge would bring (synthesis_predict_free.py). Intervals are
bootstraps over reviews.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from recording import DATA, table, written
from synthesis_predict_free import Tokens, free_table, token

from sfumato.abstract.synthesizer import Order
from sfumato.models.causal.gguf import SMOLLM2, smollm2
from sfumato.privacy.composition import delta_for
from sfumato.synthesis.predict.law import TokenLaw
from sfumato.synthesis.predict.predict import Predict
from sfumato.synthesis.predict.schedule import largest_rho
from sfumato.types import FloatArray

UNITS, EPSILON, SEED = 5000, 8.0, 11
CLIPS = (1.0, 1.3, 1.75, 1.9, 2.2, 2.7, 3.5, 4.5)
"""Clips that the second table tries, beside the one that the budget pays for."""


@dataclass(frozen=True)
class AroundTheMedian(TokenLaw):
    """The law as it was: as much is clipped above as below."""

    def shift(self, public: FloatArray, members: FloatArray) -> FloatArray:
        moved = members - public
        moved -= np.median(moved, axis=1, keepdims=True)
        assert self.clip is not None
        total: FloatArray = np.clip(moved, -self.clip, self.clip).sum(axis=0) / self.group_size
        return total


class Reading(NamedTuple):
    """One review: nats of each token by law (tokens, laws), over all outcomes and over those that can be drawn."""

    whole: FloatArray
    able: FloatArray
    free: Tokens


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


def compared(law: TokenLaw, before: float) -> dict[str, TokenLaw]:
    """The laws of the table: ``law`` as the budget pays for it, and with the clip that was paid for ``before``."""
    around, least = AroundTheMedian(law.group_size, law.clip, law.temperature, law.top_k), replace(law, clip=before)
    return {
        f"C = {before:g} around the median, as before": replace(around, clip=before),
        f"C = {before:g} around the upper quartile": least,
        f"C = {law.clip:g} around the median": around,
        f"C = {law.clip:g} around the upper quartile": law,
        "not clipped": replace(law, clip=None),
    }


def read(
    method: Predict, laws: Sequence[TokenLaw], law: TokenLaw, network: Any, review: str, records: Sequence[str]
) -> Reading:
    model = method.model
    columns, end = torch.from_numpy(model.outcomes), model.end
    place = {int(piece): index for index, piece in enumerate(model.outcomes)}
    pieces = model.pieces(review)[: method.length]
    public = logits(network, columns, method.public_prompt(""), pieces)
    members = np.stack([
        logits(network, columns, method.private_prompt("", method.read(record)), pieces) for record in records
    ])  # fmt: skip
    whole, able, free = list[list[float]](), list[list[float]](), list[list[float]]()
    for step, piece in enumerate(pieces):
        common, own, target = public[step], members[:, step], place[piece]
        for kept, top in ((whole, len(model.outcomes)), (able, law.top_k)):
            nats = [surprise(replace(law, top_k=top), common, own[:0], end, target)]
            if np.isfinite(nats[0]):
                kept.append([*nats, *(surprise(replace(each, top_k=top), common, own, end, target) for each in laws)])
                if kept is able:
                    free.append(token(law, (law.clip or 0.0, *CLIPS), common, own, end, target))
    laws_and_public = len(laws) + 1
    return Reading(
        np.array(whole).reshape(-1, laws_and_public), np.array(able).reshape(-1, laws_and_public), np.array(free)
    )


def shares(parts: Sequence[FloatArray]) -> FloatArray:
    """How much of the gain without a clip, the last law, each law keeps over all tokens, shape (laws,)."""
    nats = np.concatenate(parts).mean(axis=0)
    kept: FloatArray = (nats[0] - nats) / (nats[0] - nats[-1])
    return kept


def intervals(parts: Sequence[FloatArray]) -> list[str]:
    generator = np.random.default_rng(SEED)
    drawn = [shares([parts[i] for i in generator.integers(0, len(parts), len(parts))]) for _ in range(2000)]
    low, high = np.quantile(drawn, (0.025, 0.975), axis=0)
    told = [f"{kept:.0%} ({least:.0%} to {most:.0%})" for kept, least, most in zip(
        shares(parts), low, high, strict=True
    )]  # fmt: skip
    return ["0%", *told[1:-1], "100%"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reviews", type=int, default=80)
    parser.add_argument("--minutes", type=float, default=20.0, help="read no further review after so long")
    parser.add_argument("--texts", type=int, default=900)
    parser.add_argument(
        "--group-size", type=int, help="none: the smallest that fits; one asked for has its own table"
    )
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    method = Predict(smollm2(), group_size=given.group_size)
    order = Order(("",), UNITS, 1, given.texts, EPSILON, delta_for(UNITS))
    schedule = method.schedule(order)
    law, (network, _) = schedule.law, SMOLLM2.load()
    tokens = schedule.texts_per_group * method.length
    alone, secret = (largest_rho(order, among) for among in (1, schedule.choices))
    before = round(law.group_size * law.temperature * float(np.sqrt(2.0 * alone / tokens)), 2)
    laws = compared(law, before)
    generator, train, held = np.random.default_rng(SEED), texts("english_train.csv"), texts("english_test.csv")
    readings, started = list[Reading](), time.monotonic()
    for index in generator.permutation(len(held))[: given.reviews]:
        if readings and time.monotonic() - started > 60.0 * given.minutes:
            break
        group = [train[i] for i in generator.choice(len(train), law.group_size, replace=False)]
        readings.append(read(method, list(laws.values()), law, network, held[index], group))
        print(len(readings), "reviews", flush=True)
    whole, able = [reading.whole for reading in readings], [reading.able for reading in readings]
    columns = [
        [f"{nats:.3f}", kept]
        for parts in (whole, able)
        for nats, kept in zip(np.concatenate(parts).mean(axis=0), intervals(parts), strict=True)
    ]
    names = ["without records", *laws]
    rows: list[list[object]] = [
        [name, *columns[number], *columns[number + len(names)]] for number, name in enumerate(names)
    ]
    count = sum(map(len, whole))
    rows.append(["tokens read", f"{count:,}", "", f"{sum(map(len, able)):,} ({sum(map(len, able)) / count:.0%})", ""])
    text = (
        f"{len(readings)} held-out reviews, nats a token. {UNITS:,} records, epsilon {EPSILON:g} at delta "
        f"{order.delta:.0e}, {given.texts:,} texts of {method.length} tokens, groups of {law.group_size}, T = "
        f"{law.temperature:g}. A group may cost rho {secret:.2f} if it is one of {schedule.choices} in secret, and "
        f"{alone:.2f} otherwise: {secret / alone:.1f} times the tokens at one clip. The target is 80 % of the gain "
        "without a clip.\n\n"
    )
    header = ["", "all tokens", "of the gain", f"the {law.top_k} that can be drawn", "of the gain"]
    if given.group_size is not None:
        written(f"synthesis-predict-{given.group_size}", text + table(header, rows), given.record)
        return
    written("synthesis-predict", text + table(header, rows), given.record)
    free = free_table([reading.free for reading in readings], law, (law.clip or 0.0, *CLIPS), SEED)
    written("synthesis-predict-free", free, given.record)


if __name__ == "__main__":
    main()
