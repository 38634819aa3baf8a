"""The table of `reproduction_synthesis.py`: the paper's Table 2 (MedQA) and ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from recording import models, named, table, written

from sfumato.evaluation.results import Study
from sfumato.evaluation.studies._claim_distances import EMBEDDING_DISTANCE, ROUGE_DISTANCE, SEMANTIC
from sfumato.evaluation.studies.answers import BEYOND, NOTHING, ORIGINALS, RELEASE, RIGHT
from sfumato.evaluation.studies.linkage import RATE
from sfumato.evaluation.studies.utility import COSINE, KEPT
from sfumato.privacy.accounting import GaussianNoise, smallest_sigma


class Budget(NamedTuple):
    """A row of the paper's Table 2 and the name of our run."""

    name: str
    run: str
    lexical: str
    semantic: str
    task: str
    coherence: str


PAPER = (
    Budget("∞", "none", "0.41", "0.45", "0.61", "3.48"),
    Budget("1024", "1024", "0.82", "0.90", "0.42", "2.23"),
    Budget("64", "64", "0.83", "0.91", "0.42", "2.14"),
    Budget("3", "3", "0.84", "0.91", "0.41", "2.04"),
)
COMMANDS = """```text
sfumato evaluate asked.jsonl synthetic-3.jsonl --attacks linkage --metrics quality --chat-model NAME -o report
```"""

WHY = """Why they differ:

- **Little is learned.** The paper tunes GPT-2 on 11,450 records. We tune low-rank factors of SmolLM2-135M on {units},
  once, because a training has about ten minutes of one core. At ε = 3 and 64 the noise is larger than what so few
  records could teach (`--dry-run` warns).
- **Records are cut** at {length} tokens, read and written. Many profiles are longer.
- **Search.** {people} people are searched for, among as many synthetic records. The paper searches among more.
- **Claims and judge.** The paper's claims are sentences of a language model, and its judge reads whole records. Ours
  are clauses of a parse, which the judge compares by sentence embeddings.
- **ε.** Ours holds at δ = {delta:g}, for Poisson sampling and exact clipping, by privacy loss distributions. The
  accountant refused no budget. At ε = 1024 the noise multiplier is {loose:.3f}. Such an ε promises next to nothing.
- **Task utility.** The paper's reader, LLaMA 3.1 8B, answers 0.44 right without any record and 0.69 beside the
  originals. Ours is SmolLM2-135M: {none} without any record and {whole} beside the originals, of {answered}
  questions.
- **Coherence** is a language model's mark. Cosine and words kept compare a synthetic record with its original; they
  are no substitute.

**For the paper's figures to come out**, a model of GPT-2's size has to be tuned on the whole training set until it
writes profiles (the paper's row without privacy discloses half of the claims, ours next to nothing), and a reader
that knows medicine has to answer."""


def loaded(path: Path) -> Any:
    """Return the content of a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))


def studies(folder: Path, name: str) -> list[Study]:
    """Return the studies of one run; none if it was not attacked."""
    paths = [folder / f"{kind}-{name}" / "results.json" for kind in ("report", "answers")]
    return [Study.from_json(each) for path in paths if path.exists() for each in loaded(path)["studies"]]


def cell(own: list[Study], name: str, **setting: Any) -> str:
    """Return a figure with its interval."""
    for study in own:
        figure = study.figure(name, **setting)
        if figure is not None:
            e = figure.estimate
            return f"{e.value:.3f} ({e.low:.3f} to {e.high:.3f})"
    return "–"


def trained(folder: Path, name: str) -> str:
    """Return the steps, noise and time of a run, as its statement and its process gave them."""
    path = folder / f"train-{name}.json"
    if not path.exists():
        return "–"
    facts = schedule(folder, name)
    noise = f"σ = {facts['sigma']:.3f}" if facts["sigma"] else "no clipping, no noise"
    minutes = loaded(path)["cpu_seconds"] / 60  # since the latest --resume
    return f"{facts['steps']} steps of {facts['batch']}, {noise}; at least {minutes:.0f} CPU minutes"


def schedule(folder: Path, name: str) -> dict[str, Any]:
    """Return the schedule in the statement of a run."""
    found: dict[str, Any] = loaded(folder / f"synthetic-{name}.jsonl.privacy.json")["schedule"]
    return found


def row(folder: Path, budget: Budget) -> list[object]:
    """Return the paper's figures / ours."""
    own = studies(folder, budget.run)
    return [
        budget.name,
        f"{budget.lexical} / {cell(own, ROUGE_DISTANCE)}",
        f"{budget.semantic} / {cell(own, SEMANTIC)}",
        cell(own, EMBEDDING_DISTANCE),
        cell(own, RATE, linker="bm25", query="merged", knowledge="random", k=3),
        f"{budget.task} / {cell(own, RIGHT, of=RELEASE)}",
        cell(own, BEYOND, of=RELEASE),
        budget.coherence,
        cell(own, COSINE),
        cell(own, KEPT),
        trained(folder, budget.run),
    ]


def loosest(folder: Path, delta: float) -> float:
    """Return the noise multiplier at the largest budget of the paper, for the steps of the run at ε = 3."""
    facts = schedule(folder, "3")
    steps, rate = int(facts["steps"]), float(facts["rate"])
    return smallest_sigma(lambda multiplier: (GaussianNoise(multiplier, steps, rate),), 1024.0, delta)


def tabled(folder: Path, recorded: bool) -> None:
    """Show the table; where ``recorded``, write it into the page."""
    from reproduction_synthesis import ANSWERED, LENGTH

    rows = [row(folder, budget) for budget in PAPER]
    header = ["ε", "lexical distance", "semantic distance", "embedding distance", "re-identified"]
    header += [
        "task utility",
        "ours: right beyond nothing",
        "paper: coherence",
        "ours: cosine",
        "ours: words kept",
        "ours: training, writing",
    ]
    statement = loaded(folder / "synthetic-3.jsonl.privacy.json")
    facts = next(study.facts for study in studies(folder, "none") if study.name == "linkage")
    whole = studies(folder, "none")
    why = WHY.format(
        units=len((folder / "medqa.jsonl").read_text(encoding="utf-8").splitlines()), length=LENGTH,
        none=cell(whole, RIGHT, of=NOTHING), whole=cell(whole, RIGHT, of=ORIGINALS), answered=ANSWERED,
        people=facts["people"], delta=statement["delta"], loose=loosest(folder, statement["delta"]),
    )  # fmt: skip
    text = (
        f"{table(header, rows)}\n\nThe paper's figure / ours with its 95 % interval; 1 is private. The attacker "
        "knows three random claims of a person. Distances are those of the other claims to the "
        f"record found. For coherence, and for a language model as judge, with an endpoint:\n\n{COMMANDS}\n\n{why}"
    )
    spent = sum(json.loads(path.read_text())["cpu_seconds"] for path in folder.glob("train-*.json"))
    told = f"{text}\n\n{named(models('encoder', 'causal'))} {spent / 60:.0f} CPU minutes."
    written("synthesis-budgets", told, recorded, page="reproduction.md")
