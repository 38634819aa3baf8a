"""The answers study: questions about records are answered from the records, from their release, and from nothing.

Paper: A False Sense of Privacy (§3.1.1, Table 1, "task utility"): a language model answers the multiple-choice
question about a patient beside the sanitized profile; "remove all info" is the row without one. The prompts are our
own. Differences: any chat model or causal model answers; a causal model, which may be too small to name a letter,
reads each option instead, and takes the one whose pieces surprise it least on average. Every figure has its interval
over the records, and what a text is worth beyond nothing is a difference record by record.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.abstract.chat import Question
from sfumato.building.chat import causal_model
from sfumato.building.models import SMOLLM2
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs, drawn
from sfumato.evaluation.plan import QUESTION_FIELDS, Plan
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.evaluation.studies._exam import ASK, LETTERS, CausalRespondent, ChatRespondent, Respondent, Task
from sfumato.metrics.estimates import mean, share
from sfumato.types import FloatArray, Progress, part_of

RIGHT, BEYOND, CHANCE = "questions answered right", "right beyond nothing", "right by chance"
WEIGHT, WEIGHT_BEYOND = "probability of the right option", "probability beyond nothing"
ORIGINALS, RELEASE, NOTHING = "originals", "release", "nothing"
_MOST = 200


@dataclass(frozen=True, eq=False)
class AnswersStudy(Measure):
    """``respondents`` answer the questions of ``sampled`` records, drawn at random.

    A record has the fields ``question``, ``options`` (by letter, or a list) and ``answer`` (an option, or its
    letter). Records without them are left out and counted. A released record that is missing is nothing.
    """

    respondents: Sequence[Respondent]
    sampled: int = _MOST
    seed: int = 0

    may_ask: ClassVar[bool] = True

    @classmethod
    def of(cls, bench: Bench) -> AnswersStudy:
        """Return the study with the chat model and the causal model of the plan; SmolLM2 if it names neither."""
        local = answering(bench.plan)
        respondents: list[Respondent] = [] if bench.chat is None else [ChatRespondent(bench.chat)]
        respondents += [] if local is None else [CausalRespondent(causal_model(local), bench.answered)]
        return cls(respondents, min(bench.plan.sample, _MOST), bench.plan.seed)

    @staticmethod
    def dry_run_answer(question: Question) -> str | None:
        """Return a readable answer to a question of this study, without a model; None to any other."""
        return LETTERS[0] if question.system == ASK else None

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return the share of right answers beside originals, release and nothing, by each respondent."""
        if not pairs.linkable:
            return Study(
                "answers", skipped=[Skipped("answers", "no released record is known to belong to an original")]
            )
        sample = drawn(len(pairs), self.sampled, self.seed, 23)
        tasks, skipped = tasks_of([pairs.fields[index] for index in sample])
        able = [index for index, task in zip(sample, tasks, strict=True) if task is not None]
        known = [task for task in tasks if task is not None]
        texts = {
            NOTHING: [""] * len(able),
            ORIGINALS: [pairs.originals[index] for index in able],
            RELEASE: [pairs.texts[index] for index in able],
        }
        figures: list[Figure] = []
        for place, respondent in enumerate(self.respondents if known else ()):
            part = part_of(progress, place / len(self.respondents), 1 / len(self.respondents))
            rows = {}
            for step, (of, own) in enumerate(texts.items()):
                rows[of] = respondent.weights(own, known, part_of(part, step / len(texts), 1 / len(texts)))
            more, why = self._figures(respondent, known, rows)
            figures, skipped = [*figures, *more], [*skipped, *why]
        if known:
            chance = mean([1 / len(task.options) for task in known], self.seed)
            figures.append(Figure(CHANCE, chance))
        return Study("answers", figures, skipped, facts={"records": len(known)})

    def _figures(
        self, respondent: Respondent, tasks: Sequence[Task], rows: Mapping[str, Sequence[FloatArray | None]]
    ) -> tuple[list[Figure], list[Skipped]]:
        """Return the figures of one respondent, over the records with all three answers."""
        columns = list(zip(tasks, *rows.values(), strict=True))
        whole = [(task, own) for task, *own in columns if all(weights is not None for weights in own)]
        missing = len(tasks) - len(whole)
        why = f"an answer of {respondent.id} to {missing:,} of {len(tasks):,} is missing or names no option"
        if 2 * missing > len(tasks):
            return [], [Skipped(f"answers by {respondent.id}", f"{why}, more than half")]
        right = {of: [_is_right(own[place], task) for task, own in whole] for place, of in enumerate(rows)}
        weight = {of: [_weight(own[place], task) for task, own in whole] for place, of in enumerate(rows)}
        figures = list[Figure]()
        for of in rows:
            setting: Setting = {"of": of, "by": respondent.id}
            figures.append(Figure(RIGHT, share(sum(right[of]), len(whole)), setting))
            if isinstance(respondent, CausalRespondent):
                figures.append(Figure(WEIGHT, mean(weight[of], self.seed), setting))
            for name, values in ((BEYOND, right), (WEIGHT_BEYOND, weight)):
                if of != NOTHING and (name == BEYOND or isinstance(respondent, CausalRespondent)):
                    more = [float(own - none) for own, none in zip(values[of], values[NOTHING], strict=True)]
                    figures.append(Figure(name, mean(more, self.seed), setting))
        return figures, [Skipped("answers of some records", why)] if missing else []


def answering(plan: Plan) -> str | None:
    """Return the causal model that answers questions by ``plan``: SmolLM2 if no model is named at all."""
    return SMOLLM2 if plan.causal is None and plan.chat is None else plan.causal


def tasks_of(records: Sequence[Mapping[str, Any]]) -> tuple[list[Task | None], list[Skipped]]:
    """Return the task of each record, None for a record without one, and what is left out for which reason."""
    tasks, reasons = list[Task | None](), list[str]()
    for record in records:
        try:
            tasks.append(_task(record))
        except ValueError as error:
            tasks.append(None)
            reasons.append(str(error))
    skipped = []
    for reason, count in Counter(reasons).items():
        what = "answers" if count == len(records) else f"answers of {count:,} of {len(records):,} records"
        skipped.append(Skipped(what, reason))
    return tasks, skipped


def _task(record: Mapping[str, Any]) -> Task:
    """Return the task of a record. Raise ValueError, with a sentence without text of the record, if it has none."""
    given = {name: record.get(name) for name in QUESTION_FIELDS}
    lacking = [
        name for name, value in given.items() if value is None or (isinstance(value, str) and not value.strip())
    ]
    if lacking:
        raise ValueError(
            f"no field {' and no field '.join(map(repr, lacking))}; a question needs {', '.join(QUESTION_FIELDS)}"
        )
    question, listed, answer = given.values()
    options = _options(listed)
    texts = [str(option).strip() for option in options.values()]
    if not isinstance(question, str) or len(texts) < 2 or len(texts) > len(LETTERS) or not all(texts):
        raise ValueError("the question is no text, or it has no options: a list of them, or an object of letters")
    wanted = str(answer).strip()
    right = {index for index, pair in enumerate(zip(options, texts, strict=True)) if wanted in pair}
    if len(right) != 1:
        raise ValueError("no option is the answer, or several are")
    return Task(question, tuple(texts), right.pop())


def _options(given: Any) -> Mapping[str, Any]:
    """Return options by their letters; a table without objects holds them as JSON."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return {}
    if isinstance(given, Mapping):
        return {str(letter).strip(): option for letter, option in given.items() if option is not None}
    return dict(zip(LETTERS, given, strict=False)) if isinstance(given, list | tuple | np.ndarray) else {}


def _is_right(weights: FloatArray | None, task: Task) -> bool:
    return weights is not None and int(weights.argmax()) == task.right


def _weight(weights: FloatArray | None, task: Task) -> float:
    return 0.0 if weights is None else float(weights[task.right])
