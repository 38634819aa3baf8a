"""The tables of `synthesis_memory.py`: canaries by their repeats, and members beside people held out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import log, log2
from pathlib import Path
from typing import Any

from recording import record, table
from synthesis_memory_canaries import REPEATS, SAMPLED, SEED, kinds

from sfumato.attacks.canaries import Exposure, by_chance
from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies.copies import COPIED, NEAREST, RUN
from sfumato.evaluation.studies.membership import AREA, DIFFERENCE, HELD_OUT, HITS, MEMBERS, PEOPLE
from sfumato.metrics.estimates import mean

RUNS = ("8", "none")
TITLES = {"8": "ε = 8", "none": "no guarantee"}
BY_CHANCE = sum(log2(101) - log2(rank) for rank in range(1, 102)) / 101
"""The mean exposure in bits if every rank among 101 is equally likely."""


def loaded(path: Path) -> Any:
    """Return the content of a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def exposures_of(rows: Sequence[dict[str, Any]], kind: Any, where: str) -> list[Exposure]:
    """Return what was kept of each canary as exposures."""
    return [Exposure(canary, row[where], row["among"]) for canary, row in zip(kind.canaries, rows, strict=True)]


def canary_rows(folder: Path) -> list[list[object]]:
    """Return a row for each kind of canary and number of repeats."""
    runs = {name: loaded(folder / f"canaries-{name}.json") for name in RUNS}
    rows = []
    for kind in kinds():
        for repeats in sorted(set(REPEATS)):
            row: list[object] = [kind.name, repeats]
            for number, name in enumerate(RUNS):
                own = [each for each in runs[name][kind.name] if each["repeats"] == repeats]
                if not number:
                    row.append(len(own))
                row += _told(own, exposures_of(runs[name][kind.name], kind, "model"), repeats)
            rows.append(row)
    return rows


def _told(own: Sequence[dict[str, Any]], exposed: Sequence[Exposure], repeats: int) -> list[object]:
    """Return bits with their interval and probability by chance, canaries of rank 1, and those written whole."""
    mine = [each for each in exposed if each.canary.repeats == repeats]
    bits = mean([each.bits for each in mine], SEED)
    first, written = sum(each.rank == 1 for each in mine), sum(row["written whole"] for row in own)
    chance = by_chance(mine)
    return [f"{bits.value:.1f} ({bits.low:.1f} to {bits.high:.1f})", f"{chance:.1g}" if chance < 0.01 else
            f"{chance:.2f}", f"{first}; {written}"]  # fmt: skip


def figures(folder: Path, name: str) -> list[Study]:
    """Return the studies of one run."""
    return [Study.from_json(each) for each in loaded(folder / f"report-{name}" / "results.json")["studies"]]


def found(studies: Sequence[Study], name: str, **setting: Any) -> Figure | None:
    """Return a figure of any study."""
    return next((figure for study in studies if (figure := study.figure(name, **setting)) is not None), None)


def cell(figure: Figure | None, digits: int, with_interval: bool = True) -> str:
    """Return a figure, with its interval."""
    if figure is None:
        return "–"
    e = figure.estimate
    value = f"{e.value:.{digits}f}"
    return f"{value} ({e.low:.{digits}f} to {e.high:.{digits}f})" if with_interval else value


def people_rows(folder: Path) -> list[list[object]]:
    """Return a row for each figure of copies and membership."""
    runs = {name: figures(folder, name) for name in RUNS}
    asked: list[tuple[str, str, dict[str, Any], int]] = [
        ("longest copied run, words", RUN, {}, 2),
        ("records with a copied run of 8 words", COPIED, {"words": 8}, 3),
        ("nearest record, cosine", NEAREST, {}, 3),
    ]
    rows: list[list[object]] = []
    for told, name, setting, digits in asked:
        row: list[object] = [told]
        for studies in runs.values():
            sides = [cell(found(studies, name, **setting, **{PEOPLE: who}), digits, False) for who in
                     (MEMBERS, HELD_OUT)]  # fmt: skip
            row += [" / ".join(sides), cell(found(studies, name, **setting, **{PEOPLE: DIFFERENCE}), digits)]
        rows.append(row)
    scores = ("copied run", "word pairs", "nearest record", "loss", "loss beside a public model")
    for name, told in ((AREA, "membership by {}: area"), (HITS, "membership by {}: hits at 1 % false alarms")):
        for score in scores:
            row = [told.format(score)]
            for studies in runs.values():
                row += ["", cell(found(studies, name, score=score), 3)]
            rows.append(row)
    return rows


def training(folder: Path) -> str:
    """Return a sentence on each training."""
    parts = []
    for name in RUNS:
        schedule = loaded(folder / f"model-{name}" / "adapter.json")["schedule"]
        seconds = loaded(folder / f"train-{name}.json")["cpu_seconds"]
        noise = f"noise multiplier {schedule['sigma']:.3f}" if schedule["sigma"] else "no clipping and no noise"
        recipe = f"{schedule['steps']} steps of {schedule['batch']} records on average"
        epochs = schedule["steps"] * schedule["rate"]
        parts.append(
            f"{TITLES[name]}: {recipe} ({epochs:.0f} epochs), {noise}, at least {seconds / 60:.0f} CPU minutes"
        )
    return "; ".join(parts)


def recorded(folder: Path) -> None:
    """Write the tables into the page."""
    from synthesis_memory import LEAST, MOST, RECORDS

    facts = loaded(folder / "facts.json")
    header = ["canaries", "repeats", "canaries of it"]
    for name in RUNS:
        header += [f"{TITLES[name]}: exposure, bits", "p by chance", "least surprising of 101; written whole"]
    first = table(header, canary_rows(folder))
    header = ["members without a canary against people held out"]
    for name in RUNS:
        header += [f"{TITLES[name]}: members / held-out", "difference or figure"]
    second = table(header, people_rows(folder))
    bits = 8 / log(2)
    count = sum(len(kind.canaries) for kind in kinds())
    text = (
        f"{first}\n\nExposure is log2 101 minus log2 of the canary's rank, by the tuned model's surprise, among "
        f"itself and {SAMPLED} secrets drawn alike: {log2(SAMPLED + 1):.2f} bits at most, {BY_CHANCE:.2f} by chance. "
        'Intervals are bootstraps over the canaries. "Written whole" counts canaries whose whole secret is in a '
        f"synthetic record. Each of the {count} canaries has an opening of its own, and {facts['hosts']} of "
        f"{facts['members']} members bear one.\n\n"
        "The guarantee is for one record. A canary that is repeated k times is k records, which together have ε = 8k."
        " So at k = 1 the probability of an exposure of b bits or more is at most e^8·2^-b + δ, which says something "
        f"only of more than {bits:.1f} bits; of canaries planted more often it promises nothing. The guarantee does "
        "not promise that these canaries are at chance. The table shows whether they are."
        f"\n\n{second}\n\n"
        f"{facts['members'] - facts['hosts']} members without a canary, {facts['held out']} people held out, "
        f"{RECORDS:,} synthetic records in each run. Reviews have {LEAST} to {MOST} words. SmolLM2-135M, bfloat16. "
        f"{training(folder)}. A difference of 0 and an area of 0.5 mean that training tells nothing."
    )
    record("synthesis-memory", text)
