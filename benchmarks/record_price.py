"""What a record of 80 draws costs, in three ways, and how long the exact accounting takes on one core.

Built-in vocabularies, CusText, δ = 1e-6. Vectors are read from the usual cache. Certificates and curves are computed
in an empty one, and read back from it.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import numpy as np
from recording import table, written

from sfumato.mechanisms.custext import CusText
from sfumato.privacy.composition import ORDERS, Composed, compose
from sfumato.vocabularies.builtin import builtin_vocabularies

DRAWS, DELTA = 80, 1e-6
TARGETS = {0.5: 12.0, 1.0: 30.0, 3.0: 176.0}
DEFAULT = "WORDS"


def priced(mechanisms: list[CusText]) -> Composed:
    """The cost of a record whose draws may be of any of these mechanisms."""
    curve = np.max([one.renyi(ORDERS) for one in mechanisms], axis=0)
    return compose(mechanisms[0].guarantee, DRAWS, DELTA, lambda _: curve)


def row(epsilon: float, name: str, cost: Composed, target: str) -> list[object]:
    return [f"{epsilon:g}", name, f"{cost.pure:g}", f"{cost.approximate:.1f}", f"{cost.renyi:.1f}", target]


def timed(mechanism: CusText) -> list[float]:
    """Seconds of the processor for sets and certificate, and for the curve."""
    begun = time.process_time()
    mechanism.certify()
    certified = time.process_time()
    mechanism.renyi(ORDERS)
    return [certified - begun, time.process_time() - certified]


def main() -> None:
    vocabularies = builtin_vocabularies(None, None)
    prices: list[list[object]] = []
    times: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SFUMATO_CACHE"] = folder
        for epsilon, target in TARGETS.items():
            made = {name: CusText(vocabulary, epsilon, "exact") for name, vocabulary in vocabularies.items()}
            first = np.sum([timed(one) for one in made.values()], axis=0)
            again = np.sum([timed(CusText(one.vocabulary, epsilon, "exact")) for one in made.values()], axis=0)
            times.append([f"{epsilon:g}", *(f"{part:.1f} s" for part in (*first, again[1]))])
            prices.append(row(epsilon, f"{DEFAULT} (default)", priced([made[DEFAULT]]), f"at most {target:g}"))
            for name, one in made.items():
                if name != DEFAULT:
                    prices.append(row(epsilon, name, priced([one]), ""))
            prices.append(row(epsilon, "all seven", priced(list(made.values())), ""))
    tokens = sum(map(len, vocabularies.values()))
    header = ["epsilon a draw", "vocabulary", "pure", "by zCDP", "exact", "asked"]
    text = (
        table(header, prices) + f"\n\nProcessor time for all {tokens:,} tokens on one core, with an empty cache:\n\n"
    )
    text += table(["epsilon", "sets and certificates", "curves", "curves read from the cache"], times)
    written("record-price", text, "--record" in sys.argv)


if __name__ == "__main__":
    main()
