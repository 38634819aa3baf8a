"""What tokens free of charge would bring to private prediction, for the tables of synthesis_predict.py.

The sparse vector technique, as Amin et al. (2024) have it: a noisy question asks whether the private law of a token
differs enough from the public one. If not, the token is drawn from the public law and costs nothing. If so, the token
and the answers since the last such token are paid for, and the threshold is drawn anew.

The question here is the total variation between the two laws. One member more or less moves it by at most
tanh(C/(2GT)), because the private law is 2C/(GT)-bounded-range. Threshold and answers get the Laplace noise of
AboveThreshold (Lyu, Su and Li 2017), with its budget split to give the least noise. A stretch that is epsilon-DP is
charged with epsilon^2/8, a quarter of what pure DP costs as zero-concentrated DP. No proof gives so little, so the
charge cannot be what decides. What a group spends is the mean over all tokens, not the most that it could spend.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from recording import table

from sfumato.synthesis.predict.law import TokenLaw
from sfumato.types import FloatArray

Tokens = FloatArray
"""For each token (n, 3 + 2·clips): nats by the public law, not clipped, the best public probability; by clip nats and
the total variation between the private and the public law."""
Paid = NDArray[np.bool_]

STRETCHES = (0.1, 0.2, 0.4, 0.8, 1.6)
THRESHOLDS = (0.02, 0.05, 0.08, 0.12, 0.16, 0.2, 0.3)
CERTAIN = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
_TURNS = 5


def token(
    law: TokenLaw, clips: Sequence[float], public: FloatArray, members: FloatArray, end: int | None, target: int
) -> list[float]:
    """Return a row of :data:`Tokens`, for clips of their own."""

    def of(clip: float | None, beside: FloatArray) -> tuple[FloatArray, float]:
        able, weights = replace(law, clip=clip).choices(public, beside, end, False)
        weights = weights / weights.sum()
        return weights, float(-np.log(weights[able == target].sum()))

    common, nats = of(1.0, members[:0])
    row = [nats, of(None, members)[1], float(common.max())]
    for clip in clips:
        own, nats = of(clip, members)
        row += [nats, 0.5 * float(np.abs(own - common).sum())]
    return row


def sparse(
    gaps: Sequence[FloatArray], clip: float, stretch: float, threshold: float, law: TokenLaw, seed: int
) -> Paid:
    """Return which tokens are paid for, by noisy questions; ``gaps`` are those of each text."""
    generator = np.random.default_rng(seed)
    moves = np.tanh(0.5 * clip / (law.group_size * law.temperature))
    first = stretch / (1.0 + 2.0 ** (2.0 / 3.0))
    paid: list[bool] = []
    for own in gaps:
        limit = threshold + generator.laplace(scale=moves / first)
        for gap in own:
            above = bool(gap + generator.laplace(scale=2.0 * moves / (stretch - first)) >= limit)
            if above:
                limit = threshold + generator.laplace(scale=moves / first)
            paid.append(above)
    return np.array(paid)


def free_table(texts: Sequence[Tokens], law: TokenLaw, clips: Sequence[float], seed: int) -> str:
    """Return the best setting of each rule at no more than what every token of ``law`` costs on the average."""
    all_tokens = np.concatenate(texts)
    public, free = all_tokens[:, 0], all_tokens[:, 1]
    gain = float((public - free).mean())
    budget = replace(law, clip=clips[0]).rho
    best: dict[str, tuple[float, list[object]]] = {}

    def tried(name: str, number: int, paid: Sequence[Paid], bits: float, setting: str) -> None:
        """Keep the setting of the rule ``name`` that keeps most, if it fits."""
        rho = replace(law, clip=clips[number]).rho + bits
        share = float(np.mean([each.mean() for each in paid]))
        nats = all_tokens[:, 3 + 2 * number]
        kept = float(np.mean([np.where(each, public - nats, 0.0).mean() for each in paid])) / gain
        if share * rho <= budget * 1.0001 and kept > best.get(name, (-9.0, []))[0]:
            cells = [name, f"{kept:.0%}", f"{share:.0%}", f"{clips[number]:g}", f"{bits / rho:.0%}", setting]
            best[name] = (kept, cells)

    rules: dict[str, Callable[[int, float], Paid]] = {
        "questions answered exactly and for nothing": lambda number, limit: all_tokens[:, 4 + 2 * number] >= limit,
        "the public law alone decides": lambda _, limit: all_tokens[:, 2] < limit,
    }
    tried("every token is paid for", 0, [np.ones(len(public), dtype=bool)], 0.0, "")
    for number, clip in enumerate(clips):
        for (name, rule), limits in zip(rules.items(), (THRESHOLDS, CERTAIN), strict=True):
            for limit in limits:
                tried(name, number, [rule(number, limit)], 0.0, f"at {limit:g}")
        for stretch, limit in itertools.product(STRETCHES, THRESHOLDS):
            gaps = [own[:, 4 + 2 * number] for own in texts]
            paid = [sparse(gaps, clip, stretch, limit, law, seed + turn) for turn in range(_TURNS)]
            tried("sparse vector", number, paid, stretch**2 / 8.0, f"at {limit:g}, {stretch:g} a stretch")
    header = ["rule", "of the gain without a clip", "tokens paid for", "C", "of it for answers", "best setting"]
    text = (
        f"{len(public):,} tokens that can be drawn, in groups of {law.group_size}. Every rule spends at most what "
        "the first one does, on the average over tokens, with the best of its settings on these tokens.\n\n"
    )
    return text + table(header, [cells for _, cells in best.values()])
