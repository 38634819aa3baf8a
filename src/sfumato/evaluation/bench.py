"""What a study is, and studies run one after the other, each kept as soon as it is done, so that a run resumes.

The cost of a language model is recorded in the studies that ask it, or estimated before.
"""

from __future__ import annotations

import hashlib
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Protocol, Self

from sfumato import registry, version
from sfumato.abstract.chat import ChatModel, Price, Question, ScriptedChat, Spent, costs, shortfall, unfinished
from sfumato.abstract.method import Answering
from sfumato.abstract.models import Encoder
from sfumato.attacks.claims import Splitter
from sfumato.attacks.mask_inference import Guesser
from sfumato.errors import ConfigurationError, OutputError, SfumatoError
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.results import Skipped, Study, as_text
from sfumato.storage import whole
from sfumato.types import FloatArray, Progress

Named = Callable[[str], Progress | None]
"""Takes the name of a study, and returns the callback for its progress."""
_AT_HAND: Mapping[str, Callable[[Bench], bool]] = {
    "labels": lambda bench: bool(bench.plan.labels or bench.plan.tasks),
    "chat": lambda bench: bench.chat is not None,
    "release": lambda bench: bench.release is not None,
    "rounds": lambda bench: bench.plan.rounds is not None,
    "synthetic": lambda bench: not bench.plan.one_to_one,
    "canaries": lambda bench: bench.plan.canaries is not None,
    "population": lambda bench: bench.plan.counts_a_population,
}
"""What a study may need; a study is left out if something that it needs is not at hand."""


class Measured(Protocol):
    """A study that can be run on pairs."""

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return the study of these pairs."""


@dataclass(frozen=True)
class Results:
    """The results of all ``studies``, and the ``facts``: the files and everything else that decides a figure."""

    facts: Mapping[str, Any]
    studies: Sequence[Study]

    def as_text(self) -> str:
        """Return the content of ``results.json``."""
        return as_text({**self.facts, "studies": [study.as_json() for study in self.studies]})


def evaluate(
    pairs: Pairs, studies: Mapping[str, Measured], folder: Path, setting: Mapping[str, Any],
    progress: Named | None = None, made_with: Sequence[str] = (),
) -> Results:  # fmt: skip
    """Run ``studies`` on ``pairs`` and keep each in ``folder``; take those that are there already.

    ``setting`` and ``made_with`` are everything except the files that decides a study; only the first appears in the
    results. A study that fails with an error of sfumato is left out, and the results give the reason. A measurement
    that failed for a reason that can be mended is not kept, so that the next run tries it again. Raise OutputError if
    ``folder`` cannot be written.
    """
    facts: list[Any] = [version.VERSION, dict(setting), list(made_with), dict(pairs.sources)]
    made_by = json.dumps(facts, sort_keys=True, default=repr)
    key = hashlib.sha256(made_by.encode()).hexdigest()[:16]
    results = []
    for name, study in studies.items():
        path = folder / "studies" / f"{name}-{key}.json"
        done = _kept(path)
        if done is None:
            started = time.perf_counter()
            try:
                done = study.run(pairs, progress(name) if progress else None)
            except SfumatoError as error:
                results.append(Study(name, skipped=[Skipped(name, str(error), again=True)]))
                continue
            done = replace(done, seconds=time.perf_counter() - started)
            if not unfinished(done.facts) and not any(left.again for left in done.skipped):
                write(path, as_text(done.as_json()))
        results.append(done)
    public = {
        **_forwardable(pairs.sources),
        "version": version.VERSION, "missing": pairs.missing, "strays": len(pairs.strays), **setting,
    }  # fmt: skip
    return Results(public, results)


def _forwardable(sources: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return facts about the files without the hashes of private ones, which would confirm a guess of content."""
    private = {sources.get(name, {}).get("sha256") for name in ("original", "held-out")}
    return {
        name: {key: value for key, value in facts.items() if key != "sha256" or value not in private}
        for name, facts in sources.items()
    }


def _kept(path: Path) -> Study | None:
    try:
        return Study.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write(path: Path, text: str, private: bool = False) -> None:
    """Write ``text`` at ``path``, whole or not at all; only its owner may read it if it is ``private``.

    Raise OutputError if that fails.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole(path, private) as file:
            file.write(text.encode("utf-8", "backslashreplace"))  # the name of a file may hold broken characters
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(f"{path} cannot be written ({reason}); choose another folder for -o.") from None


@dataclass(frozen=True, eq=False)
class Bench:
    """What an evaluation has at hand: its plan, an encoder, and what the plan or the caller names beside.

    ``chat`` is the model of ``plan.chat``. ``release`` is the released file, beside which a statement may stand:
    without it there is no study of its guarantee.
    ``splitter`` and ``guesser`` take the places of the usual ones. ``answered`` keeps what a causal model answered to
    questions about the records, in memory only. With ``limits_alone``, studies may leave out the
    figures that no policy limits.
    """

    plan: Plan
    encoder: Encoder
    chat: ChatModel | None = None
    release: Path | None = None
    splitter: Splitter | None = None
    guesser: Guesser | None = None
    answered: dict[tuple[str, ...], FloatArray] = field(default_factory=dict, repr=False)
    limits_alone: bool = False

    def has(self, needs: tuple[str, ...]) -> bool:
        """Return whether everything that a study ``needs`` is at hand."""
        return all(_AT_HAND[need](self) for need in needs)

    @property
    def judge(self) -> ChatModel:
        """Return the language model. Raise ConfigurationError if there is none."""
        if self.chat is None:
            raise ConfigurationError("A language model is asked; name one with --chat-model.")
        return self.chat


class Measure(Answering, ABC):
    """A study: an attack on a release, or a measure of it.

    The :class:`~sfumato.evaluation.results.Study` that :meth:`run` returns bears the name by which it was asked for.
    """

    may_ask: ClassVar[bool] = False
    """Whether it asks a language model where there is one."""
    compared: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    """Figures of synthetic records that are measured of people held out too, with what their settings hold."""

    @classmethod
    def of(cls, bench: Bench) -> Self:  # noqa: ARG003 (a plain study takes nothing)
        """Return the study with what is on the ``bench``."""
        return cls()

    @abstractmethod
    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return figures of these pairs with intervals, and what was left out and why."""


_TOKEN = 4  # characters, roughly, of English


@dataclass(frozen=True, eq=False)
class ChatStudy:
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
