"""Utility of rewritten text: Tables 1 and 2 and Figure 2 of the DP-MLM paper, on the tasks of GLUE that are here.

Usage: reproduction_dpmlm.py FOLDER [--size N] [--prompted N] [--without rank,causes,prompt] [--record]

dp-mlm rewrites the sentences of some records (stop words are kept, as in the paper), by the paper's softmax with its
scale and its rule for the clip range, and by rank at the same epsilon. A light classifier learns from rewritten
records and reads rewritten records, by cross-validation. dp-prompt with SmolLM2 rewrites a few sentences. FOLDER
keeps figures, so that a stopped run resumes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from dpmlm_page import figure_2, kept_of_text, other_causes, prompted, utility, why
from dpmlm_tasks import SOURCES, guesses, numbers, records, rows
from recording import Cells, models, written

from sfumato import build
from sfumato.building.models import measured
from sfumato.evaluation.studies.files import Memory, RememberingEncoder
from sfumato.metrics.estimates import Estimate, mean
from sfumato.metrics.similarity import bleu
from sfumato.models.clip_ranges import PAPER
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.privacy.randomness import SeededRandomness
from sfumato.text.document import Document

EPSILONS = (10.0, 25.0, 50.0, 100.0, 250.0)
BLOCK = 4
LAWS = ("softmax", "rank")
CAUSES: Mapping[str, Mapping[str, Any]] = {
    "one word a pass": {"block": 1},
    "exact scale": {"calibration": "exact"},
    "our rule for the clip range": {"clip": None},
    "similarity=0.003": {"similarity": 0.003},
}
"""What is changed, one thing at a time, on the records of CAUSE_TASK at CAUSE_EPSILONS."""
CAUSE_TASK, CAUSE_EPSILONS = "SST2", (25.0, 100.0)
PROMPT_TASKS = ("CoLA", "SST2")


Key = tuple[str, float, str]
"""Law, cause or mechanism; ε; task."""


class NotYetError(Exception):
    """A figure was not computed yet."""


def missing() -> None:
    """Raise NotYetError."""
    raise NotYetError


@cache
def paper_options(mechanism: str) -> dict[str, Any]:
    """The paper's law: a softmax of scores clipped by its rule, over public sentences, with its scale."""
    return {"law": "softmax", "calibration": "paper", "clip": measured(mechanism, "softmax", rule=PAPER)[1]}


class Measuring:
    """Rewrites records and measures what is left, with one encoder that remembers texts."""

    def __init__(self, size: int | None) -> None:
        self.encoder = RememberingEncoder(SentenceEncoder(), Memory(20_000))
        self.records = {task: records(task, size) for task in SOURCES}

    def original(self, task: str) -> dict[str, Any]:
        """The guesses of a classifier that learns from originals and reads originals."""
        own = self.records[task]
        read = rows(self.encoder, [record.texts for record in own])
        return {"guesses": guesses(self.encoder, read, read, numbers(task, own))}

    def rewritten(
        self, task: str, mechanism: str, epsilon: float, paper: bool, options: Mapping[str, Any],
        most: int | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """How alike records and their rewritings are, and a classifier's guesses on the latter.

        With ``paper`` the law is the paper's, but for what ``options`` change.
        """
        own = self.records[task][:most]
        texts = [text for record in own for text in record.texts]
        documents = [Document(text, str(number)) for number, text in enumerate(texts)]
        taken: Any = {**(paper_options(mechanism) if paper else {}), **options}
        made = build(mechanism, epsilon, **taken)
        releases = made.sanitize_batch(documents, SeededRandomness(1))
        outputs = [release.text for release in releases]
        alike = (self.encoder.encode(texts) * self.encoder.encode(outputs)).sum(axis=1)
        found: dict[str, Any] = {
            "draws": sum(release.draws for release in releases),
            "BLEU": _listed(bleu(texts, outputs, 0)),
            "cosine": _listed(mean(np.asarray(alike, dtype=np.float64), 0)),
        }
        if most is None:
            width = len(own[0].texts)
            after = rows(self.encoder, [tuple(outputs[at : at + width]) for at in range(0, len(outputs), width)])
            before = rows(self.encoder, [record.texts for record in own])
            found["guesses"] = guesses(self.encoder, before, after, numbers(task, own))
        return found


def _listed(estimate: Estimate) -> list[float]:
    return [estimate.value, estimate.low, estimate.high]


def wanted(without: Sequence[str]) -> Iterator[tuple[Key, str, dict[str, Any]]]:
    """Yield what each figure is of, its mechanism, and its options; the most important ones first."""
    for epsilon in EPSILONS:
        yield from (((LAWS[0], epsilon, task), "dp-mlm", {}) for task in SOURCES)
    for cause, options in CAUSES.items() if "causes" not in without else ():
        for epsilon in CAUSE_EPSILONS:
            yield (cause, epsilon, CAUSE_TASK), "dp-mlm", dict(options)
    for epsilon in EPSILONS if "rank" not in without else ():
        yield from (((LAWS[1], epsilon, task), "dp-mlm", {}) for task in SOURCES)
    for epsilon in EPSILONS if "prompt" not in without else ():
        for task in PROMPT_TASKS:
            yield ("dp-prompt", epsilon, task), "dp-prompt", {}


def measured_cells(given: argparse.Namespace, cells: Cells, prompts: Cells) -> dict[tuple[Any, ...], Any]:
    """Return every figure by its key, and the truth of each task; with ``so_far`` those that are there."""
    measuring, found = Measuring(given.size), dict[tuple[Any, ...], Any]()

    def get(key: tuple[Any, ...], kept: Cells, compute: Callable[[], Any], **cell: Any) -> None:
        with suppress(NotYetError):
            found[key] = kept.get(missing if given.so_far else compute, **cell)

    for task, own in measuring.records.items():
        found["truth", task] = numbers(task, own)
        get(("original", task), cells, partial(measuring.original, task), task=task, size=len(own))
    for key, mechanism, options in wanted(given.without.split(",")):
        name, epsilon, task = key
        if mechanism == "dp-prompt":
            run = partial(measuring.rewritten, task, mechanism, epsilon, True, {}, given.prompted)
            get(key, prompts, run, task=task, size=given.prompted, epsilon=epsilon)
        else:
            law, own_options = name if name in LAWS else "softmax", {"block": BLOCK, **options}
            how = {"detect": "content-words", **own_options}
            run = partial(measuring.rewritten, task, mechanism, epsilon, law == "softmax", how)
            size = len(measuring.records[task])
            get(key, cells, run, task=task, size=size, law=law, epsilon=epsilon, **own_options)
    return found


def not_run(
    rows: Sequence[tuple[str, float]], asked: Sequence[float], tried: Sequence[tuple[str, float]]
) -> list[str]:
    """Return in words what the tables lack."""
    lacking = []
    for law in LAWS:
        if missed := [f"{epsilon:g}" for epsilon in EPSILONS if (law, epsilon) not in rows]:
            lacking.append(f"{law} at ε {', '.join(missed)}")
    if len(asked) < len(EPSILONS):
        lacking.append("DP-Prompt")
    return lacking if len(tried) == len(CAUSES) * len(CAUSE_EPSILONS) else [*lacking, "the causes"]


def page(found: Mapping[tuple[Any, ...], Any], given: argparse.Namespace, told: Sequence[str]) -> str:
    """The section of docs/reproduction.md."""
    rows = [
        (law, epsilon)
        for law in LAWS
        for epsilon in EPSILONS
        if all((law, epsilon, task) in found for task in SOURCES)
    ]
    parts = [utility(found, rows), figure_2(found, rows), kept_of_text(found, rows)]
    asked = [epsilon for epsilon in EPSILONS if all(("dp-prompt", epsilon, task) in found for task in PROMPT_TASKS)]
    if asked:
        parts.append(prompted(found, asked, PROMPT_TASKS, given.prompted))
    tried = [
        (cause, epsilon) for epsilon in CAUSE_EPSILONS for cause in CAUSES if (cause, epsilon, CAUSE_TASK) in found
    ]
    if tried:
        parts.append(other_causes(found, tried, CAUSE_TASK))
    if lacking := not_run(rows, asked, tried):
        parts.append(f"Not run yet: {', '.join(lacking)}.")
    return "\n\n".join([*parts, why(found, rows, BLOCK, bool(tried)), " ".join(told)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where figures are kept, so that a stopped run resumes")
    parser.add_argument("--size", type=int, default=None, help="records of each task, in place of the usual numbers")
    parser.add_argument("--prompted", type=int, default=25, help="records of two tasks for dp-prompt")
    parser.add_argument("--without", default="", help="parts that are left out, of rank, causes, prompt")
    parser.add_argument("--so-far", action="store_true", help="compute nothing: the figures that are there")
    parser.add_argument("--record", action="store_true", help="write into docs/reproduction.md")
    given = parser.parse_args()
    used, causal = models("masked", "encoder"), models("causal", "encoder")
    cells, prompts = Cells(given.folder, "dpmlm", used), Cells(given.folder, "dpmlm-prompt", causal)
    found = measured_cells(given, cells, prompts)
    asked = any(key[0] == "dp-prompt" for key in found)
    text = page(found, given, [cells.described, *([prompts.described] if asked else [])])
    written("dpmlm", text, given.record, page="reproduction.md")


if __name__ == "__main__":
    main()
