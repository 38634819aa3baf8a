"""examples/compare.toml on patient profiles and court cases, and beside it Table 1 of A False Sense of Privacy.

    python benchmarks/reproduction_comparison.py FOLDER [--record]

Of Table 1 the rows of MedQA are shown: those that need no large language model with our figure, the others with the
commands for anyone who has an endpoint. Task utility is the share of questions that SmolLM2 answers beside the
release. FOLDER keeps inputs, releases and results, so that a stopped run resumes; the releases are seeded.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from comparison_control import control
from comparison_inputs import prepare
from recording import DATA, Cells, models, table, written

import sfumato
from sfumato.evaluation.comparison.plan import read_comparisons
from sfumato.evaluation.comparison.runs import Runs
from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies._claim_distances import EMBEDDING_DISTANCE, ROUGE_DISTANCE, SEMANTIC
from sfumato.evaluation.studies.answers import BEYOND, NOTHING, RELEASE, RIGHT, WEIGHT_BEYOND
from sfumato.evaluation.studies.utility import COSINE, KEPT

INPUTS = ("medqa", "tab")
ANSWERED = ("identity", "full-redaction", "redaction", "pseudonyms")
"""Methods whose releases SmolLM2 is asked about, two to three minutes each."""
PLAN = Path(__file__).parents[1] / "examples" / "compare.toml"


REMOVED = "Remove All Info"


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
    Played(REMOVED, "", "", "0.44", "", "full-redaction"),
    Played("Azure AI PII tool", "0.16", "0.11", "0.67", "3.27", "redaction"),
    Played("Sanitize & Paraphrase", "0.72", "0.31", "0.67", "3.67"),
    Played("Span Sanitization", "0.61", "0.43", "0.62", "2.84"),
    Played("Iterative Anonymization", "0.49", "0.39", "0.62", "3.05"),
    Played("Data Synthesis", "0.41", "0.45", "0.61", "3.48"),
)
COMMANDS = """```text
sfumato sanitize medqa.jsonl -o paraphrased.jsonl --id-field id --chat-model NAME -m paraphrase --detect none \\
  --set first=sanitize
sfumato sanitize medqa.jsonl -o abstracted.jsonl --id-field id --chat-model NAME -m abstraction
sfumato sanitize medqa.jsonl -o rewritten.jsonl --id-field id --chat-model NAME -m iterative --detect none
sfumato evaluate medqa.jsonl paraphrased.jsonl --id-field id --chat-model NAME --metrics utility,answers,quality \\
  -o report
```"""


def studies(made: Runs) -> dict[str, list[Study]]:
    """The studies of every method with its epsilon, of those that have results."""
    found = {}
    for run in made:
        if made.state(run) == "there":
            content = json.loads(made.results(run).read_text(encoding="utf-8"))
            named = run.source.name + ("" if run.budget is None else f", ε {run.budget:g}")
            found[named] = [Study.from_json(one) for one in content["studies"]]
    return found


def figure(own: list[Study], name: str, signed: bool = False, **setting: Any) -> str:
    """A figure with its interval; with their signs, for a difference."""
    for study in own:
        one: Figure | None = study.figure(name, **setting)
        if one is not None:
            e, form = one.estimate, "+.3f" if signed else ".3f"
            return f"{e.value:{form}} ({e.low:{form}} to {e.high:{form}})"
    return ""


def compared(part: dict[str, Any], name: str) -> str:
    """The points of one input."""
    measured = [one["name"] for one in part["measures"]]
    best = {(method, budget) for method, budget in part["plots"][0]["best"]} if part["plots"] else set()
    rows: list[list[object]] = []
    for point in part["points"]:
        spent = "–" if point["kind"] != "method" else "no formal guarantee"
        cells = [_cell(point["measures"].get(measure)) for measure in measured]
        ringed = "yes" if (point["method"], point["budget"]) in best else ""
        rows.append([point["method"], f"{point['budget']:g}" if point["budget"] else spent, *cells, ringed])
    x, y = (part["plots"][0][axis] for axis in "xy") if part["plots"] else ("", "")
    header = ["method", "ε", *(f"{one['name']} ({one['side']})" for one in part["measures"]), f"best in {x} and {y}"]
    failed = "".join(f"\n\nFailed: {one['method']}: {one['failed']}" for one in part["runs"] if one.get("failed"))
    return f"{part['original']['records']} records of {name}:\n\n{table(header, rows)}{failed}"


def _cell(measure: dict[str, Any] | None) -> str:
    return "–" if measure is None else f"{measure['value']:.2f} ({measure['low']:.2f} to {measure['high']:.2f})"


def tradeoff(own: dict[str, list[Study]]) -> str:
    """Table 1: the paper's figure / ours."""
    played = {one.method for one in PAPER}
    others = [Played("–", "", "", "", "", name) for name in own if name not in played]
    rows: list[list[object]] = []
    for one in (*PAPER, *others):
        ours = own.get(one.method or "", [])
        of = NOTHING if one.name == REMOVED else RELEASE
        pairs = [
            (one.lexical, figure(ours, ROUGE_DISTANCE, judge="ROUGE-L")),
            (one.semantic, figure(ours, SEMANTIC)),
            (one.task, figure(ours, RIGHT, of=of)),
        ]
        cells = [f"{theirs or '–'} / {mine or '–'}" for theirs, mine in pairs]
        more = [figure(ours, name, signed=True, of=of) or "–" for name in (BEYOND, WEIGHT_BEYOND)]
        plain = [figure(ours, name) or "–" for name in (COSINE, KEPT, EMBEDDING_DISTANCE)]
        rows.append([one.name, one.method or "–", *cells, *more, one.coherence or "–", *plain])
    header = ["the paper's method", "ours", "lexical distance", "semantic distance", "task utility"]
    header += ["ours: right beyond nothing", "ours: probability beyond nothing", "paper: coherence", "ours: cosine"]
    return table([*header, "ours: words kept", "ours: embedding distance"], rows)


UNTESTED = "Whether the reader is the cause was not tested beside these releases."
WHY = """Why they differ:

- **Search.** Fewer profiles are searched here, so a person is re-identified more easily.
- **Claims and judge.** The paper's claims are sentences of a language model, and its judge reads whole records.
  Ours are the clauses of a parse, judged by sentence embeddings, so unchanged text is found word by word.
- **Redaction.** The paper's commercial tool inserts asterisks. Our redaction finds more (ages and amounts, for
  example) and inserts labels.
- **Task utility.** The paper's question is ours, and so is the row without any record. Its reader is LLaMA 3.1 8B,
  and ours SmolLM2-135M, which reads each option and takes the least surprising. {told} {verdict}
- **Coherence** is the mark of GPT-4o in the paper. Our cosine and words kept measure something else, so they have
  columns of their own.
- **Data Synthesis** is in [a table of its own](#synthesis-at-several-budgets), because its records belong to nobody.

{ages}

**For the paper's figures to come out**, the reader must know medicine: without a record the paper's answers 0.44 of
four options right. Then the rows of identifier removal have to lie between that and the untouched profiles, as in the
paper. The rows of rewriting need a model that follows an instruction over a whole profile; the commands above ask it
in the paper's order, without a detector before it. Untouched profiles have a lexical distance of 0.10 there and of 0
here; the paper's claims are sentences of a model and ours the record's own clauses. Whether that is the whole
difference was not tested."""


def told(own: dict[str, list[Study]]) -> str:
    """What the answers beside the originals, and beside nothing, say of the reader."""
    study = next((study for study in own.get("identity", []) if study.name == "answers"), Study("answers"))
    right, none, beyond, weight = (
        study.figure(name, of=of)
        for name, of in ((RIGHT, RELEASE), (RIGHT, NOTHING), (BEYOND, RELEASE), (WEIGHT_BEYOND, RELEASE))
    )
    if right is None or none is None or beyond is None or weight is None:
        return "It did not answer."
    e, weights = beyond.estimate, weight.estimate
    lines = [
        f"It answers {right.estimate.value:.2f} right beside the untouched profile and {none.estimate.value:.2f} "
        f"beside nothing, a difference of {e.value:+.2f} ({e.low:+.2f} to {e.high:+.2f}); chance is 0.25. The "
        f"probability that it gives the right option changes by {weights.value:+.3f} ({weights.low:+.3f} to "
        f"{weights.high:+.3f})."
    ]
    if e.low <= 0.0:
        lines.append(
            "So this column ranks no method: where the whole profile adds nothing, no release loses anything."
        )
    return " ".join(lines)


def comparison(place: Path, inputs: Sequence[str]) -> str:
    """The points of all inputs, which were compared whole."""
    text = "\n\n".join(compared(play(PLAN, place, name), name) for name in inputs)
    taken = minutes([own for name in inputs for own in finished(PLAN, place, name).values()])
    return (
        f"{text}\n\nEach figure with its 95 % interval, from 0 to 1, and 1 is best. One release a method, drawn with "
        "seed 1; the attacker knows three facts. An epsilon means something different for every mechanism: compare "
        "positions, not epsilons. For methods without a formal guarantee, these figures describe only the attacks "
        f"tried here. {taken}"
    )


def utilities(place: Path, records: int, cells: Cells) -> str:
    """Table 1, of the releases of the profiles, and the question that any reader can answer."""
    asked = answering(place)
    own = finished(PLAN, place, "medqa") | finished(asked, place, "medqa")
    ages, verdict = kept if (kept := questioned(place, cells, make=False)) is not None else ("", UNTESTED)
    return (
        f"{tradeoff(own)}\n\nThe paper's figure / ours with its 95 % interval; 1 is private. Lexical: ROUGE-L "
        "distance between the claims unknown to the attacker and the record found. Semantic: the judge's. Task "
        "utility: the share of questions answered right; beyond nothing: the difference, record by record, to the "
        f"answers without any text. {records} records, one release a method, drawn with seed 1; questions are put "
        f"beside {len(ANSWERED)} of them. {minutes(list(own.values()))} The rows of large language models are empty "
        f"here; with an endpoint (or local:FOLDER) these commands fill them:\n\n{COMMANDS}\n\n"
        f"{WHY.format(told=told(own), ages=ages, verdict=verdict)}"
    )


def questioned(place: Path, cells: Cells, make: bool = True) -> tuple[str, str] | None:
    """The question that any reader can answer, beside the same releases; None if it was not put and is not to be."""
    made = runs(answering(place), place, "medqa")
    paths = {run.source.name: made.release(run) for run in made}
    return control(place, {name: path for name, path in paths.items() if path and path.exists()}, cells, make)


def answering(place: Path) -> Path:
    """The plan with the metric `answers` and the methods whose releases are asked about alone, as a file."""
    head, *methods = PLAN.read_text(encoding="utf-8").split("[[method]]")
    kept = [method for method in methods if called(method) in ANSWERED]
    text = "[[method]]".join([head.replace('metrics = ["utility"]', 'metrics = ["utility", "answers"]'), *kept])
    path = place / "answers.toml"
    path.write_text(text, encoding="utf-8")
    return path


def called(method: str) -> str:
    """The name of a method of the plan, from the lines of its table."""
    given = tomllib.loads(method)
    return str(given.get("name", given["mechanism"]))


def minutes(own: Sequence[Sequence[Study]]) -> str:
    """How long attacks and measures took, as their results say."""
    taken = sum(study.seconds for studies in own for study in studies)
    return f"Attacks and measures took {taken / 60:.0f} minutes on the clock, on cores shared with other work."


def runs(plan: Path, place: Path, name: str) -> Runs:
    """The runs of a plan on one input."""
    [asked] = read_comparisons(plan, place / f"{name}.jsonl")
    return Runs(asked, place / name)


def finished(plan: Path, place: Path, name: str) -> dict[str, list[Study]]:
    """The studies of the runs on one input that are finished."""
    return studies(runs(plan, place, name))


def play(plan: Path, place: Path, name: str) -> dict[str, Any]:
    """Compare the methods of a plan on one input; the points and runs of its page. Finished runs are kept."""
    done = sfumato.compare(plan, place / name, input=place / f"{name}.jsonl")
    content: dict[str, Any] = json.loads(done.as_text())
    return content


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where inputs, releases and results are kept")
    parser.add_argument("--records", type=int, default=50, help="of each input")
    parser.add_argument("--so-far", action="store_true", help="make nothing: Table 1 of the releases that are there")
    parser.add_argument("--record", action="store_true", help="write into docs/reproduction.md")
    given = parser.parse_args()
    place = given.folder / "comparison"
    prepare(place, given.records, DATA / "medqa" / "test.jsonl", DATA / "tab" / "annotated.jsonl")
    parts = ("encoder", "detector", "causal") if given.so_far else ("encoder", "masked", "detector", "causal")
    used, cells = models(*parts), Cells(given.folder, "ages", models("causal"))
    if not given.so_far:
        play(answering(place), place, "medqa")
        questioned(place, cells)
        play(PLAN, place, "medqa")
    written("tradeoff", utilities(place, given.records, cells), given.record, page="reproduction.md", used=used)
    if not given.so_far:
        written("comparison", comparison(place, INPUTS), given.record, page="reproduction.md", used=used)


if __name__ == "__main__":
    main()
