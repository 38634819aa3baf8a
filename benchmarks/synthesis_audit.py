"""One-run audits of the training steps of ``finetune``: sound, and with mistakes put into the code that is audited.

    python benchmarks/synthesis_audit.py [--seeds 20] [--record]

Every audit claims ε = 3 at δ = 1e-5, with 1,000 canaries and the noise that the accountant asks for. A mistake takes
the place of a function that the steps call; nothing else differs.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
from recording import table, written

from sfumato.evaluation.audit.training import OneRun, TrainingAudit
from sfumato.privacy.sampling import gaussian
from sfumato.synthesis.finetune import dp_sgd
from sfumato.synthesis.finetune.lora import clipped_sum

Mistake = tuple[str, Callable[..., Any]]
MISTAKES: dict[str, Mistake | None] = {
    "sound": None,
    "no noise": ("gaussian", lambda uniforms: np.zeros(len(uniforms))),
    "noise / 8": ("gaussian", lambda uniforms: gaussian(uniforms) / 8.0),
    "no clipping, gradients of 5 C": ("clipped_sum", lambda gradients, _: clipped_sum(gradients, None)),
    "everybody in every step": ("bernoulli", lambda coins, _: np.ones(len(coins), dtype=bool)),
}


@contextmanager
def mistaken(mistake: Mistake | None) -> Iterator[None]:
    """Let the steps make this mistake for the length of the block."""
    if mistake is None:
        yield
        return
    with patch.object(dp_sgd, *mistake):
        yield


def main() -> None:
    """Run all audits and show, or record, how many refute the claim."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    audit, rows, started = TrainingAudit(), list[list[object]](), time.perf_counter()
    for name, mistake in MISTAKES.items():
        with mistaken(mistake):
            results: list[OneRun] = [audit.run(seed) for seed in range(asked.seeds)]
        bounds = np.array([result.bound for result in results])
        refuted = sum(result.refuted for result in results)
        rows.append([name, f"{np.median(bounds):.2f}", f"{bounds.min():.2f} to {bounds.max():.2f}",
                     f"{refuted} of {asked.seeds}"])  # fmt: skip
    seconds = (time.perf_counter() - started) / (len(MISTAKES) * asked.seeds)
    recipe = audit.recipe
    text = table(["training", "median bound on ε", "bounds", "claim refuted"], rows) + (
        f"\n\nClaim: ε = {audit.epsilon:g} at δ = {audit.delta:g}, {audit.canaries:,} canaries, {recipe.steps} "
        f"steps, rate {recipe.rate:g}, σ = {recipe.sigma:.3f}; 95 % confidence, at which so many canaries show at "
        f"most {results[0].most:.2f}. {seconds:.1f} seconds an audit, one thread, with other work on the machine."
    )
    written("synthesis-audit", text, asked.record)


if __name__ == "__main__":
    main()
