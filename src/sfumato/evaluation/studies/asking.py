"""What it costs an evaluation to ask a language model: counted into its studies, or estimated before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sfumato import registry
from sfumato.abstract.chat import ChatModel, Price, Question, ScriptedChat, Spent, costs, shortfall
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Skipped, Study
from sfumato.evaluation.run import Measured
from sfumato.types import Progress

_TOKEN = 4  # characters, roughly, of English


@dataclass(frozen=True, eq=False)
class Asking:
    """``study``, which asks ``model``: what that cost goes into its facts, and too many missing answers are told."""

    study: Measured
    model: ChatModel

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """The study of these pairs."""
        before = self.model.spent.copy()
        found = self.study.run(pairs, progress)
        why = shortfall(self.model.spent.since(before))
        told = [] if why is None else [Skipped("what rests on missing answers", why)]
        facts = {**found.facts, "chat": costs(self.model, before)}
        return replace(found, skipped=[*found.skipped, *told], facts=facts)


@dataclass(frozen=True)
class Estimated:
    """How much a model would be asked: questions exactly, tokens at four characters each."""

    spent: Spent = field(default_factory=Spent)

    def sentence(self, price: Price | None = None) -> str:
        """For the console."""
        one = self.spent
        cost = "" if price is None else f", a cost of about {price.of(one):,.2f}"
        return (
            f"The language model would be asked about {one.questions:,} questions: some {one.tokens_in:,} tokens in, "
            f"{one.tokens_out:,} out{cost}."
        )


def estimate(studies: Callable[[ChatModel], Mapping[str, Measured]], pairs: Pairs) -> Estimated:
    """What ``studies`` would ask: they are run on ``pairs`` with a model that is none, and nothing is asked.

    Questions are counted exactly, unless a model splits the records: it may find more or fewer facts than there are
    sentences, and each is asked about. Takes as long as the evaluation without the model.
    """
    model = ScriptedChat(_answer, "dry run", tokens=lambda text: -(-len(text) // _TOKEN))
    for study in studies(model).values():
        study.run(pairs)
    return Estimated(model.spent)


def _answer(question: Question) -> str | None:
    """A readable answer by the study whose question it is."""
    kinds = map(registry.study_class, {**registry.STUDIES, **registry.METRICS})
    return next((answer for kind in kinds if (answer := kind.dry_run_answer(question)) is not None), None)
