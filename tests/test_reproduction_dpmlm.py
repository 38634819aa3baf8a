"""Utility of rewritten text: what the scripts of the DP-MLM paper compute from records, guesses and figures."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARKS = str(Path(__file__).parents[1] / "benchmarks")
sys.path.append(BENCHMARKS)
try:
    import dpmlm_page
    import dpmlm_tasks
    import reproduction_dpmlm
finally:
    sys.path.remove(BENCHMARKS)

EPSILONS = (10.0, 25.0, 50.0, 100.0, 250.0)


def cola(folder: Path, lines: str) -> Path:
    (folder / "cola").mkdir()
    (folder / "cola" / "train.tsv").write_text(lines, encoding="utf-8")
    return folder


def test_records_are_drawn_with_their_labels(tmp_path: Path) -> None:
    root = cola(tmp_path, "".join(f"gj04\t{number % 2}\t\tSentence {number}.\n" for number in range(20)))
    some = dpmlm_tasks.records("CoLA", 8, root)
    assert len({record.texts for record in some}) == 8
    assert all(int(record.texts[0][9:-1]) % 2 == int(record.label) for record in some)
    assert dpmlm_tasks.numbers("CoLA", some).tolist() == [int(record.label) for record in some]


def test_a_line_without_its_sentence_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="lacks a sentence or its label"):
        dpmlm_tasks.records("CoLA", 8, cola(tmp_path, "gj04\t1\t\tWhole.\ngj04\t0\n"))


def test_a_score_is_the_accuracy_over_foldings_and_a_loss_pairs_records() -> None:
    truth = np.array([0, 1, 1, 1])
    before = dpmlm_tasks.score("CoLA", [[0, 1, 1, 0], [0, 1, 1, 1]], truth, 0)
    after = dpmlm_tasks.score("CoLA", [[0, 1, 1, 0], [0, 1, 1, 0]], truth, 0)
    assert (before.value, after.value) == (87.5, 75.0)
    lost = dpmlm_tasks.less(before, after).estimate()
    assert lost.value == 12.5
    assert lost.low >= 0.0  # no resample of the same records gains anything
    assert dpmlm_tasks.most_common(truth) == 0.75


def test_a_correlation_is_the_mean_of_both_kinds() -> None:
    truth = np.array([0.0, 1.0, 2.0, 5.0])
    measured = dpmlm_tasks.score("STSB", [[0.0, 1.0, 2.0, 3.0]], truth, 0)
    pearson = np.corrcoef([0, 1, 2, 3], truth)[0, 1]
    assert measured.value == pytest.approx(50.0 * (pearson + 1.0))


def found(shift: float) -> dict[Any, Any]:
    truth = np.array([0, 1] * 10)
    made: dict[Any, Any] = {}
    for task in dpmlm_tasks.SOURCES:
        labels = truth.astype(float) if task == dpmlm_tasks.NUMBERS else truth
        made["truth", task] = labels
        made["original", task] = {"guesses": [labels.tolist()]}
        for number, epsilon in enumerate(EPSILONS):
            pair = dpmlm_page.ALIKE.get(task, [(0.5, 0.5)] * 5)[number]
            alike = {name: [own + shift, own + shift - 0.01, own + shift + 0.01]
                     for name, own in zip(("BLEU", "cosine"), pair, strict=True)}  # fmt: skip
            made["softmax", epsilon, task] = {"draws": 7, "guesses": [(1 - labels).tolist()], **alike}
    return made


def test_the_verdict_counts_the_cells_that_hold_the_papers_figure() -> None:
    lines = [("softmax", epsilon) for epsilon in EPSILONS]
    assert "20 of 20 (BLEU) and 20 of 20 (cosine)" in dpmlm_page.verdict(found(0.0), lines)
    assert "0 of 20 (BLEU) and 0 of 20 (cosine)" in dpmlm_page.verdict(found(0.3), lines)
    assert "0 of 25 (score)" in dpmlm_page.verdict(found(0.0), lines)


def test_figure_2_is_the_mean_loss_over_four_tasks() -> None:
    text = dpmlm_page.figure_2(found(0.0), [("softmax", 10.0), ("softmax", 250.0)])
    assert "| 10 | 14.8 | 100.0 (100.0 to 100.0) |" in text
    assert "0.0 (0.0 to 0.0), in the paper 5.9" in text


def test_what_the_tables_lack_is_said() -> None:
    rows = [(law, epsilon) for law in reproduction_dpmlm.LAWS for epsilon in EPSILONS]
    tried = [(cause, epsilon) for cause in reproduction_dpmlm.CAUSES for epsilon in reproduction_dpmlm.CAUSE_EPSILONS]
    assert reproduction_dpmlm.not_run(rows, EPSILONS, tried) == []
    assert reproduction_dpmlm.not_run(rows[:3], EPSILONS, tried[1:]) == [
        "softmax at ε 100, 250", "rank at ε 10, 25, 50, 100, 250", "the causes",
    ]  # fmt: skip
