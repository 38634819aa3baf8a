"""What exact calibration buys: the expected distance of the replacement at equal epsilon.

Usage: calibration.py GLOVE.txt

SanText on the 33,860 GloVe words: the mean over every 34th word x of E[d(x, y)], y drawn from the law of x.
"""

from __future__ import annotations

import sys

import matplotlib
import numpy as np
from recording import DOCS, record, table

from sfumato import Vocabulary, load_vocabulary
from sfumato.mechanisms.santext import SanText
from sfumato.privacy.distances import Distance

matplotlib.use("svg")
EPSILONS = (1.0, 2.0, 4.0, 8.0)
STRIDE = 34


def expected(vocabulary: Vocabulary, scale: float) -> tuple[float, float]:
    """Mean over words of the expected distance of the replacement, and of the probability of staying the same."""
    chosen = np.arange(0, len(vocabulary), STRIDE)
    found = Distance().block(vocabulary.vectors[chosen], vocabulary.vectors)
    weights = np.exp(-scale * found)
    law = weights / weights.sum(axis=1, keepdims=True)
    return float((law * found).sum(axis=1).mean()), float(law[np.arange(len(chosen)), chosen].mean())


def main() -> None:
    vocabulary = load_vocabulary(sys.argv[1])
    rows: list[list[object]] = []
    curves: dict[str, list[float]] = {"paper": [], "exact": []}
    for epsilon in EPSILONS:
        row: list[object] = [f"{epsilon:g}"]
        for calibration in ("paper", "exact"):
            certificate = SanText(vocabulary, epsilon, calibration).certify()  # type: ignore[arg-type]
            distance, same = expected(vocabulary, certificate.scale)
            curves[calibration].append(distance)
            row += [f"{certificate.scale:.4g}", f"{certificate.certified:.4g}", f"{distance:.3f}", f"{same:.3f}"]
        rows.append(row)
    header = ["epsilon"]
    for calibration in ("paper", "exact"):
        header += [f"{calibration}: scale", "certified", "expected distance", "word kept"]
    plot(curves)
    picture = (
        "![Expected distance of the replacement by epsilon, paper and exact calibration](images/calibration.svg)"
    )
    record("calibration", f"{table(header, rows)}\n\n{picture}")


def plot(curves: dict[str, list[float]]) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
    for name, marker in (("paper", "o"), ("exact", "s")):
        axes.plot(EPSILONS, curves[name], marker=marker, label=f"{name} calibration")
    axes.set(xscale="log", xticks=EPSILONS, xlabel="epsilon per unit of distance (certified for both)")
    axes.set_xticklabels([f"{epsilon:g}" for epsilon in EPSILONS])
    axes.minorticks_off()
    axes.set(ylabel="expected distance of the replacement", ylim=(0, None))
    axes.set_title("SanText, 33,860 GloVe words: lower is closer to the original", fontsize=10)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    (DOCS / "images").mkdir(exist_ok=True)
    figure.savefig(DOCS / "images" / "calibration.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
