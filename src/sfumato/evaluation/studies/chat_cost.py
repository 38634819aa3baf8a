"""The cost of a language model in an evaluation: recorded in its studies, or estimated before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sfumato import registry
from sfumato.abstract.chat import ChatModel, Price, Question, ScriptedChat, Spent, costs, shortfall
from sfumato.evaluation.bench import Measured
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Skipped, Study
from sfumato.types import Progress

_TOKEN = 4  # characters, roughly, of English


@dataclass(frozen=True, eq=False)
class Asking:
    """``study``, which asks ``model``: the cost goes into its facts, and too many missing answers are reported."""

    study: Measured
    model: ChatModel

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return the study of these pairs, with the cost of ``model``."""
        before = self.model.spent.copy()
        result = self.study.run(pairs, progress)
        why = shortfall(self.model.spent.since(before))
        unsure = [] if why is None else [Skipped("everything that depends on missing answers", why)]
        facts = {**result.facts, "chat": costs(self.model, before)}
        return replace(result, skipped=[*result.skipped, *unsure], facts=facts)


@dataclass(frozen=True)
class Estimated:
    """How much a model would be asked: the exact number of questions, and tokens at four characters each."""

    spent: Spent = field(default_factory=Spent)

    def sentence(self, price: Price | None = None) -> str:
        """Return the estimate as a sentence for the console."""
        spent = self.spent
        cost = "" if price is None else f", a cost of about {price.of(spent):,.2f}"
        return (
            f"The language model would be asked about {spent.questions:,} questions: "
            f"about {spent.tokens_in:,} tokens in, {spent.tokens_out:,} out{cost}."
        )


def estimate(studies: Callable[[ChatModel], Mapping[str, Measured]], pairs: Pairs) -> Estimated:
    """Return what ``studies`` would ask: they run on ``pairs`` with made-up answers, and no model is asked.

    Questions are counted exactly, unless a model splits the records: it may find more or fewer facts than there are
    sentences, and each fact is a question. The estimate takes as long as the evaluation without the model.
    """
    model = ScriptedChat(_answer, "dry run", tokens=lambda text: -(-len(text) // _TOKEN))
    for study in studies(model).values():
        study.run(pairs)
    return Estimated(model.spent)


def _answer(question: Question) -> str | None:
    """Return a readable answer of the study that asks ``question``."""
    kinds = map(registry.study_class, {**registry.STUDIES, **registry.METRICS})
    return next((answer for kind in kinds if (answer := kind.dry_run_answer(question)) is not None), None)
