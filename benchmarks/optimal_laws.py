"""What an optimal law buys inside CusText's sets, and what it costs: paper, exact and optimal at one epsilon a draw.

The built-in vocabulary, sets of 20. Expected distance: the mean over words x of E[u(x, y)], u the distance over the
largest of the set. Words kept: how often y is x. Bayes-optimal success: of an attacker who knows the law and to whom
all words of a set are equally likely. 80 draws: their ε at δ = 1e-6, by the Rényi divergence of the actual laws, the
largest over all pairs of all sets at each order, converted by dp-accounting; at most the sum.
`--record` writes the tables and the plot.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from typing import Any, Literal

import matplotlib
import numpy as np
from dp_accounting.rdp import compute_epsilon
from recording import DOCS, table, written

from sfumato import Vocabulary, build
from sfumato.mechanisms.custext import CusText
from sfumato.privacy.integer_law import TOTAL
from sfumato.privacy.randomness import RandomDraws, SystemRandomness
from sfumato.privacy.sampling import LawTable
from sfumato.privacy.set_law import SetLaw

matplotlib.use("svg")
Rule = Literal["paper", "exact", "optimal"]
RULES: tuple[Rule, ...] = ("paper", "exact", "optimal")
EPSILONS = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
_LOW = [1.01, 1.05, 1.1, 1.2, 1.3, 1.4, 1.5, 1.75]
ORDERS = [*_LOW, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0, 24.0, 32.0, 64.0]
DRAWS, DELTA = 80, 1e-6
AT_ONCE, PAIRS = 1 << 19, 15


def vocabulary() -> Vocabulary:
    routes: dict[str, Any] = build("custext", epsilon=1.0, detect="words").others.routes
    return routes["WORDS"].mechanism.vocabulary


def measured(mechanism: CusText) -> tuple[float, float, float, float]:
    """Expected distance, words kept, Bayes-optimal success, and the ε of 80 draws."""
    distances, kept, success, words = 0.0, 0.0, 0.0, 0
    for weights, penalties in zip(mechanism.set_law.weights, mechanism.penalties, strict=True):
        law = weights / TOTAL
        distances += float((law * penalties).sum())
        kept += float(np.trace(law))
        success += float(law.max(axis=0).sum())
        words += len(law)
    divergence = DRAWS * divergences(mechanism.set_law)
    return distances / words, kept / words, success / words, compute_epsilon(ORDERS, divergence, DELTA)[0]


def divergences(law: SetLaw) -> np.ndarray[Any, Any]:
    """The largest Rényi divergence between two tokens of a set, at each order."""
    largest = np.zeros(len(ORDERS))
    for weights in law.weights:
        logs = np.log(weights[:, weights.max(axis=0) > 0] / TOTAL)
        for number, order in enumerate(ORDERS):
            sums = np.exp(order * logs) @ np.exp((1.0 - order) * logs).T
            largest[number] = max(largest[number], float(np.log(sums).max()) / (order - 1.0))
    return largest


def seconds(words: Vocabulary, rule: Rule) -> tuple[float, float]:
    """Seconds on the clock and of the processor until a certificate is there, without those of the sets."""
    mechanism = CusText(words, 3.0, rule)
    _ = mechanism.penalties
    clock, processor = time.perf_counter(), time.process_time()
    mechanism.certify()
    return time.perf_counter() - clock, time.process_time() - processor


def times(words: Vocabulary) -> list[list[object]]:
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        kept = os.environ.get("SFUMATO_CACHE")
        os.environ["SFUMATO_CACHE"] = folder
        seconds(words, "exact")  # the first call of a process loads and compiles
        cases: tuple[tuple[str, Rule], ...] = (
            ("exact", "exact"), ("optimal, empty cache", "optimal"), ("optimal, again", "optimal"),
        )  # fmt: skip
        for name, rule in cases:
            clock, processor = seconds(words, rule)
            rows.append([f"certificate, {name}", f"{processor:.2f} s of one core ({clock:.2f} s on the clock)"])
        os.environ.pop("SFUMATO_CACHE")
        if kept is not None:
            os.environ["SFUMATO_CACHE"] = kept
    return rows


def speeds(words: Vocabulary) -> list[list[object]]:
    """Draws a second by real numbers and by whole numbers, in turns, with the system's random bits."""
    mechanism = CusText(words, 3.0)
    tokens = np.random.default_rng(0).integers(0, len(words), size=AT_ONCE)
    starts, set_of = mechanism.set_law.starts, mechanism.set_law.set_of
    weights = np.zeros((len(words), int(np.diff(starts).max())))
    for number, penalties in enumerate(mechanism.penalties):
        group = mechanism.set_law.group(number)
        weights[group, : len(group)] = np.exp(-mechanism.scales[number] * penalties)
    real = LawTable.from_weights(weights)

    def by_real_numbers() -> None:
        drawn = real.draw(tokens, RandomDraws(SystemRandomness(), AT_ONCE)(1)[:, 0])
        _ = mechanism.set_law.members[starts[set_of[tokens]] + drawn]

    def by_whole_numbers() -> None:
        mechanism.draw(tokens, RandomDraws(SystemRandomness(), AT_ONCE))

    taken: list[tuple[float, float]] = []
    for turn in range(PAIRS + 1):
        pair = []
        for way in (by_real_numbers, by_whole_numbers):
            started = time.perf_counter()
            way()
            pair.append(time.perf_counter() - started)
        if turn:  # the first pair compiles
            taken.append((pair[0], pair[1]))
    before, after = (AT_ONCE / statistics.median(each) for each in zip(*taken, strict=True))
    ratio = statistics.median(first / second for first, second in taken)
    return [
        ["draws a second from real numbers (as before)", f"{before:,.0f}"],
        ["draws a second from whole numbers", f"{after:,.0f}"],
        [f"whole against real numbers, median of {PAIRS} pairs", f"{ratio:.2f} times (target: at least 0.9)"],
    ]


def main() -> None:
    words = vocabulary()
    rows: list[list[object]] = []
    found: dict[Rule, list[tuple[float, ...]]] = {rule: [] for rule in RULES}
    for epsilon in EPSILONS:
        for rule in RULES:
            mechanism = CusText(words, epsilon, rule)
            certificate = mechanism.certify()
            distance, kept, success, price = measured(mechanism)
            found[rule].append((distance, success))
            figures = f"{distance:.3f}", f"{kept:.3f}", f"{success:.3f}", f"{min(price, DRAWS * epsilon):.1f}"
            rows.append([f"{epsilon:g}", rule, f"{certificate.certified:.6g}", *figures])
    header = ["epsilon", "law", "certified", "expected distance", "words kept", "Bayes-optimal success", "80 draws"]
    picture = "![Expected distance by epsilon, and by Bayes-optimal success](images/optimal-laws.svg)"
    recorded = "--record" in sys.argv
    if recorded:
        plot(found)
    written("optimal-laws", f"{table(header, rows)}\n\n{picture}", recorded)
    about = [f"CusText, {len(words):,} built-in words in sets of 20, epsilon 3", ""]
    written("optimal-times", table(about, times(words) + speeds(words)), recorded)


def plot(found: dict[Rule, list[tuple[float, ...]]]) -> None:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
    for rule, marker in zip(RULES, "os^", strict=True):
        distances, successes = zip(*found[rule], strict=True)
        left.plot(EPSILONS, distances, marker=marker, label=rule)
        right.plot(successes, distances, marker=marker, label=rule)
    left.set(xlabel="epsilon of one draw", ylabel="expected distance of the replacement", ylim=(0, None))
    left.set_title("at equal epsilon", fontsize=10)
    right.set(xlabel="Bayes-optimal success of an attacker")
    right.set_title("at equal success of the strongest attacker", fontsize=10)
    left.legend(frameon=False, title="calibration")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    (DOCS / "images").mkdir(exist_ok=True)
    figure.savefig(DOCS / "images" / "optimal-laws.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
