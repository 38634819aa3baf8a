"""What examples/compare.toml found, as tables, and beside it Table 1 of A False Sense of Privacy.

Usage: comparison_results.py FOLDER [--plan PLAN] [--record]

FOLDER is where `sfumato compare` put its results. Of Table 1 the rows of MedQA are shown: those that need no language
model with our figure, the others with the commands for anyone who has an endpoint. Nothing is computed anew.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, NamedTuple

from recording import table, written

from sfumato.evaluation.comparison.plan import Comparison, read_comparisons
from sfumato.evaluation.comparison.runs import Runs
from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies._claim_distances import EMBEDDING_DISTANCE, ROUGE_DISTANCE, SEMANTIC
from sfumato.evaluation.studies.utility import COSINE, KEPT

PLAN = Path(__file__).parents[1] / "examples" / "compare.toml"


class Played(NamedTuple):
    """A row of the paper's Table 1 (MedQA) and the method of the plan that plays it, or None."""

    name: str
    lexical: str
    semantic: str
    task: str
    coherence: str
    method: str | None = None


PAPER = (
    Played("No Sanitization", "0.10", "0.09", "0.69", "3.79", "identity"),
    Played("Remove All Info", "", "", "0.44", "", "full-redaction"),
    Played("Azure AI PII tool", "0.16", "0.11", "0.67", "3.27", "redaction"),
    Played("Sanitize & Paraphrase", "0.72", "0.31", "0.67", "3.67"),
    Played("Span Sanitization", "0.61", "0.43", "0.62", "2.84"),
    Played("Iterative Anonymization", "0.49", "0.39", "0.62", "3.05"),
    Played("Data Synthesis", "0.41", "0.45", "0.61", "3.48"),
)
COMMANDS = """```text
sfumato sanitize medqa.jsonl -o paraphrased.jsonl --id-field id -m paraphrase --chat-model NAME
sfumato sanitize medqa.jsonl -o abstracted.jsonl --id-field id -m abstraction --chat-model NAME
sfumato sanitize medqa.jsonl -o rewritten.jsonl --id-field id -m iterative --chat-model NAME
sfumato evaluate medqa.jsonl paraphrased.jsonl --id id --metrics utility,quality --chat-model NAME -o report
```"""


def studies(asked: Comparison, folder: Path) -> dict[str, list[Study]]:
    """The studies of every method with its epsilon, of those that have results."""
    runs, found = Runs(asked, folder), {}
    for run in runs:
        if runs.state(run) == "there":
            content = json.loads(runs.results(run).read_text(encoding="utf-8"))
            named = run.source.name + ("" if run.budget is None else f", ε {run.budget:g}")
            found.setdefault(named, [Study.from_json(one) for one in content["studies"]])
    return found


def figure(own: list[Study], name: str, **setting: Any) -> str:
    """A figure with its interval."""
    for study in own:
        one: Figure | None = study.figure(name, **setting)
        if one is not None:
            e = one.estimate
            return f"{e.value:.3f} ({e.low:.3f} to {e.high:.3f})"
    return ""


def compared(part: dict[str, Any]) -> str:
    """The points of one input."""
    names = [one["name"] for one in part["measures"]]
    best = {(method, budget) for method, budget in part["plots"][0]["best"]} if part["plots"] else set()
    rows: list[list[object]] = []
    for point in part["points"]:
        spent = "–" if point["kind"] != "method" else "no formal guarantee"
        cells = [_cell(point["measures"].get(name)) for name in names]
        ringed = "yes" if (point["method"], point["budget"]) in best else ""
        rows.append([point["method"], f"{point['budget']:g}" if point["budget"] else spent, *cells, ringed])
    x, y = (part["plots"][0][axis] for axis in "xy") if part["plots"] else ("", "")
    header = ["method", "ε", *(f"{one['name']} ({one['side']})" for one in part["measures"]), f"best in {x} and {y}"]
    failed = "".join(f"\n\nFailed: {one['method']}: {one['failed']}" for one in part["runs"] if one.get("failed"))
    return f"{part['original']['records']} records of {part['input']}:\n\n{table(header, rows)}{failed}"


def _cell(measure: dict[str, Any] | None) -> str:
    return "–" if measure is None else f"{measure['value']:.2f} ({measure['low']:.2f} to {measure['high']:.2f})"


def tradeoff(own: dict[str, list[Study]]) -> str:
    """Table 1: the paper's figure / ours."""
    setting = {"judge": "ROUGE-L"}
    rows: list[list[object]] = []
    for one in PAPER:
        ours = own.get(one.method or "", [])
        pairs = [(one.lexical, figure(ours, ROUGE_DISTANCE, **setting)), (one.semantic, figure(ours, SEMANTIC))]
        cells = [f"{theirs or '–'} / {mine or '–'}" for theirs, mine in pairs]
        rows.append([one.name, one.method or "–", *cells, one.task, one.coherence or "–", *_useful(ours)])
    played = {one.method for one in PAPER}
    for name, ours in own.items():
        if name not in played:
            cells = [f"– / {figure(ours, ROUGE_DISTANCE, **setting) or '–'}", f"– / {figure(ours, SEMANTIC) or '–'}"]
            rows.append(["–", name, *cells, "–", "–", *_useful(ours)])
    header = ["the paper's method", "ours", "lexical distance", "semantic distance", "paper: task utility"]
    header += ["paper: coherence", "ours: cosine", "ours: words kept", "ours: embedding distance"]
    return table(header, rows)


def _useful(own: list[Study]) -> list[object]:
    return [figure(own, name) or "–" for name in (COSINE, KEPT, EMBEDDING_DISTANCE)]


WHY = """Why they differ:

- **Search.** Fewer profiles are searched here, so a person is re-identified more easily.
- **Claims and judge.** The paper's claims are sentences of a language model, and its judge reads whole records.
  Ours are the clauses of a parse, judged by sentence embeddings, so unchanged text is found word by word.
- **Redaction.** The paper's commercial tool inserts asterisks. Our redaction finds more (ages and amounts, for
  example) and inserts labels.
- **Utility.** The paper's task utility is a language model's share of correct answers to the questions. Its
  coherence is a language model's rating. Our cosine and words kept measure something else, so they have their own
  columns.
- **Data Synthesis** is in a table of its own, because its records belong to nobody."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="of sfumato compare")
    parser.add_argument("--plan", type=Path, default=PLAN)
    parser.add_argument("--record", action="store_true", help="write into docs/reproduction.md")
    given = parser.parse_args()
    content = json.loads((given.folder / "frontier.json").read_text(encoding="utf-8"))
    text = "\n\n".join(compared(part) for part in content["inputs"])
    text += (
        "\n\nEach figure with its 95 % interval, from 0 to 1, and 1 is best. One release a method, drawn with seed "
        "1; the attacker knows three facts. An epsilon means something different for every mechanism: compare "
        "positions, not epsilons. For methods without a formal guarantee, these figures describe only the attacks "
        "tried here."
    )
    written("comparison", text, given.record, page="reproduction.md")
    asked = next(one for one in read_comparisons(given.plan) if one.name == "medqa")
    own = studies(asked, given.folder / asked.name)
    text = (
        f"{tradeoff(own)}\n\nThe paper's figure / ours with its 95 % interval; 1 is private. Lexical: ROUGE-L "
        "distance between the claims unknown to the attacker and the record found. Semantic: the judge's. The rows "
        "of language models are empty here. With an endpoint (or local:FOLDER) these commands measure our methods of "
        "the same idea. They are not the paper's as published: a detector marks identifiers before the model "
        "reads.\n\n"
        f"{COMMANDS}\n\n{WHY}"
    )
    written("tradeoff", text, given.record, page="reproduction.md")


if __name__ == "__main__":
    main()
