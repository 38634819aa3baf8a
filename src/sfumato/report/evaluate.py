"""An evaluation from two files to results and a page: what `sfumato evaluate` and Python both call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sfumato.building.chat import ChatChoice
from sfumato.errors import ConfigurationError
from sfumato.evaluation.comparison.measures import Measure, measured
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.results import Study
from sfumato.evaluation.run import Results, write
from sfumato.evaluation.studies.files import check_folder, evaluate_pairs, read_files, remembering
from sfumato.metrics.estimates import Estimate
from sfumato.options.typed import typed
from sfumato.report.page import headline, page
from sfumato.report.section import by_reason
from sfumato.storage.locations import temporary_folder
from sfumato.text import notebook
from sfumato.types import Progress, Stages


@dataclass(frozen=True, repr=False)
class Evaluation(Results):
    """The result of an evaluation. `sfumato.evaluate` returns one; a notebook shows its main figures.

    It holds no text of a record.

    Attributes:
        facts: The files (names, sizes, counts) and everything else that decides a figure.
        studies: The studies, each with its figures, their 95 % intervals and what was not measured.
        plan: What was measured, and how.
        folder: Where results.json and report.html are; None if nothing was kept.
    """

    plan: Plan = field(default_factory=Plan)
    folder: Path | None = None

    @property
    def headline(self) -> list[str]:
        """Return what to know first, in whole sentences."""
        return headline(self.studies)

    @property
    def measures(self) -> dict[Measure, Estimate]:
        """Return the main figures on one scale from 0 to 1, where 1 is most private or most useful."""
        return measured(self.studies, self.plan)

    @property
    def skipped(self) -> list[tuple[str, str]]:
        """Return what was not measured, with the reason, each once."""
        skipped = [(left.what, left.why.rstrip(".")) for study in self.studies for left in study.skipped]
        return list(dict.fromkeys(skipped))  # several attackers may miss the same

    @property
    def skipped_lines(self) -> list[str]:
        """Return a sentence for each reason: all that was not measured for it."""
        return [f"Not measured: {what}: {why}." for what, why in by_reason(self.skipped)]

    @typed
    def study(self, name: str) -> Study:
        """Return the study called `name`. Raise KeyError if there is none."""
        return {study.name: study for study in self.studies}[name]

    def __repr__(self) -> str:
        figures = sum(len(study.figures) for study in self.studies)
        return f"Evaluation({len(self.studies)} studies, {figures} figures, {len(self.skipped)} not measured)"

    def _repr_html_(self) -> str:
        rows = [
            (measure.side, measure.name, f"{value.value:.2f}", f"{value.low:.2f} to {value.high:.2f}", measure.how)
            for measure, value in sorted(self.measures.items(), key=lambda row: row[0].side)
        ]
        names = [dict(self.facts.get(side, {})).get("name", side) for side in ("original", "release")]
        skipped = "".join(f"<p>{notebook.escaped(line)}</p>" for line in self.skipped_lines)
        header = ("", "1 is best", "value", "95 % interval", "what it is")
        return f"{notebook.caption(' → '.join(map(str, names)))}{notebook.table(rows, header)}{skipped}"


@typed
def evaluate(
    original: Path | str,
    release: Path | str,
    output: Path | str | None = None,
    *,
    chat_model: str | ChatChoice | None = None,
    show_text: bool = False,
    progress: Stages | None = None,
    **options: Any,
) -> Evaluation:
    """Attack a release and measure its utility: who is re-identified, what is inferred, what the text is good for.

    The release may come from any tool.

    Args:
        original: What was sanitized: .jsonl, .csv, .tsv, .parquet, .txt, or a folder of .txt.
        release: The release, of the same kind.
        output: A folder for results.json and report.html, in which a stopped evaluation resumes; None keeps nothing.
        chat_model: The language model that judges claims. Questions hold text of the records: see `ChatChoice`.
        show_text: Show the records that disclose most in report.html, which is then private.
        progress: Called with the name of the study and the share of it that is done, from 0 to 1.
        options: Fields of `Plan`: `attacks`, `metrics`, `id_field`, `labels`, `tasks`, `sample`, `seed`, ...

    Raises:
        ConfigurationError: An option does not exist or cannot work, or a chat model does not answer.
        InputError: A file cannot be read. The error names the place, never content.
        OutputError: The folder cannot be written.
        MissingExtraError: A package that a study needs is not installed.
    """
    if chat_model is not None:
        options["chat"] = ChatChoice(chat_model) if isinstance(chat_model, str) else chat_model
    folder = None if output is None else Path(output)
    return evaluate_plan(_plan(options), Path(original), Path(release), folder, show_text, progress)


def _plan(options: Mapping[str, Any]) -> Plan:
    """Return the plan with these fields; one name takes the place of a list of one."""
    usual, values = vars(Plan()), dict[str, Any]()
    for name, value in options.items():
        if name not in usual:
            raise ConfigurationError(f"An evaluation has no option {name!r}; it has {', '.join(usual)}.")
        if isinstance(usual[name], tuple):
            value = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Sequence) else value
        values[name] = value
    return Plan(**values)


def evaluate_plan(
    plan: Plan, original: Path, release: Path, folder: Path | None, show_text: bool = False,
    stages: Stages | None = None,
) -> Evaluation:  # fmt: skip
    """Return the evaluation of ``release`` by ``plan``; ``folder`` gets results.json and report.html."""
    if folder is None:
        with TemporaryDirectory(dir=temporary_folder()) as kept:  # chat answers, which may be private, go with it
            return _evaluated(plan, read_files(original, release, plan), release, Path(kept), stages)
    check_folder(folder)
    pairs = read_files(original, release, plan)
    evaluation = _evaluated(plan, pairs, release, folder, stages)
    rows = zip(pairs.ids, pairs.originals, pairs.texts, strict=True)
    texts = {name: (before, after) for name, before, after in rows} if show_text else None
    write(folder / "report.html", page(evaluation.studies, evaluation.facts, texts), private=show_text)
    return replace(evaluation, folder=folder)


def _evaluated(plan: Plan, pairs: Pairs, release: Path, work: Path, stages: Stages | None) -> Evaluation:
    def report(name: str) -> Progress | None:
        if stages is None:
            return None
        stages(name, 0.0)
        return partial(stages, name)

    results = evaluate_pairs(pairs, work, remembering(plan, release), report)
    return Evaluation(results.facts, results.studies, plan)
