"""Private prediction, teacher-forced: are groups of records on one topic worth what they cost?

Usage: synthesis_predict_topics.py [--reviews N] [--minutes M] [--topics K] [--record]

Topics are the centres of texts that the model itself writes without a record, by the built-in sentence encoder: these
are public things alone. A review's topic is the nearest centre. Held-out reviews are read as by synthesis_predict.py,
beside a random group and beside a group of reviews on their own topic; the label is "Customer review". Each has the
clip that epsilon 8 pays for. Topics are control codes, so they pay for a histogram, and a unit is hidden among fewer
groups. A text's topic tells something of it before it is read, so the entropy of the topics, spread over the tokens
of a text, is taken off their gain.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from recording import table, written
from sklearn.cluster import KMeans
from synthesis_predict import EPSILON, SEED, UNITS, read, texts

from sfumato.models.causal.gguf import SMOLLM2, smollm2
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.synthesis.codes import CodeField
from sfumato.synthesis.predict.law import Prompts, TokenLaw, write_texts
from sfumato.synthesis.predict.predict import Predict
from sfumato.synthesis.request import Request, planned
from sfumato.types import FloatArray, IntArray

TEXTS, POOL, BATCH, PUBLIC, LABEL = 900, 3000, 24, 240, "Customer review"


def public_texts(method: Predict, count: int) -> list[str]:
    """Texts that the model writes without a record."""
    law, uniforms = TokenLaw(8, 1.0, 1.0, 100), 1.0 - np.random.default_rng(SEED).random((count, 40))
    made: list[str] = []
    for first in range(0, count, BATCH):
        rows = uniforms[first : first + BATCH]
        made += write_texts(method.model, law, [Prompts(method.public_prompt(""), [])] * len(rows), rows)
    return [text for text in made if text]


def law_for(method: Predict, topics: int) -> tuple[TokenLaw, int]:
    """The law that the budget pays for with so many topics (0: none), and how many groups a unit draws among."""
    codes = (CodeField("topic", tuple(f"topic {n}" for n in range(topics))),) if topics else ()
    schedule = planned(method, Request(TEXTS, UNITS, EPSILON, codes=codes)).schedule
    return schedule.law, schedule.choices  # type: ignore[attr-defined]


def gains(parts: Sequence[FloatArray]) -> FloatArray:
    """Nats a token that are gained with the clip and without it, shape (2,)."""
    nats = np.concatenate(parts).mean(axis=0)
    gained: FloatArray = nats[0] - nats[1:]
    return gained


def told(parts: Sequence[FloatArray], known: float) -> list[str]:
    generator = np.random.default_rng(SEED)
    drawn = [gains([parts[i] for i in generator.integers(0, len(parts), len(parts))]) for _ in range(2000)]
    low, high = np.quantile(drawn, (0.025, 0.975), axis=0) - known
    return [f"{gain - known:.3f} ({least:.3f} to {most:.3f})" for gain, least, most in zip(
        gains(parts), low, high, strict=True
    )]  # fmt: skip


def nearest(vectors: FloatArray, centres: FloatArray) -> IntArray:
    distances = ((vectors[:, None] - centres[None]) ** 2).sum(axis=2)
    closest: IntArray = distances.argmin(axis=1)
    return closest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reviews", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=20.0, help="read no further review after so long")
    parser.add_argument("--topics", type=int, default=8)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    method, encoder, (network, _) = Predict(smollm2(), label=LABEL), SentenceEncoder(), SMOLLM2.load()
    written_alone = public_texts(method, PUBLIC)
    means = KMeans(given.topics, n_init=10, random_state=SEED).fit(encoder.encode(written_alone))
    centres = np.asarray(means.cluster_centers_, dtype=np.float64)
    generator, train, held = np.random.default_rng(SEED), texts("english_train.csv"), texts("english_test.csv")
    pool = [train[i] for i in generator.choice(len(train), POOL, replace=False)]
    topics = nearest(encoder.encode(pool), centres)
    shares = np.bincount(topics, minlength=given.topics) / len(pool)
    entropy = float(-(shares[shares > 0.0] * np.log(shares[shares > 0.0])).sum())
    laws = {0: law_for(method, 0), given.topics: law_for(method, given.topics)}
    of: dict[int, list[FloatArray]] = {number: [] for number in laws}
    started = time.monotonic()
    for index in generator.permutation(len(held))[: given.reviews]:
        if of[0] and time.monotonic() - started > 60.0 * given.minutes:
            break
        own = int(nearest(encoder.encode([held[index]]), centres)[0])
        for number, (law, _) in laws.items():
            among = np.flatnonzero(topics == own) if number else np.arange(len(pool))
            chosen = generator.choice(among, min(law.group_size, len(among)), replace=False)
            records = [pool[i] for i in chosen]
            of[number].append(read(method, [law, replace(law, clip=None)], law, network, held[index], records).whole)
        print(len(of[0]), "reviews", flush=True)
    length = float(np.mean([len(part) for part in of[0]]))
    rows: list[list[object]] = [
        [
            f"of {number} topics" if number else "of random records", choices, f"{law.clip:g}",
            *told(of[number], 0.0), told(of[number], entropy / length if number else 0.0)[0],
        ]
        for number, (law, choices) in laws.items()
    ]  # fmt: skip
    header = ["groups", "a unit draws among", "C", "gain, nats a token", "not clipped", "gain less the topic's own"]
    text = (
        f"{len(of[0])} held-out reviews of {length:.0f} tokens on the average; {len(written_alone)} public texts; "
        f"shares of topics {', '.join(f'{share:.0%}' for share in sorted(shares, reverse=True))}, entropy "
        f"{entropy:.2f} nats a text.\n\n"
    )
    written("synthesis-predict-topics", text + table(header, rows), given.record)


if __name__ == "__main__":
    main()
