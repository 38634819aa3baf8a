"""Asks a chat model for phrases of the same kind as seeds, in rounds, until there are enough or no more come.

After CluSanT, Appendix E, where each phrase is asked about alone; here a question shows several seeds of a label,
other ones each time, and some of what was found, which is not wanted again. The prompt is our own. Answers are read
strictly: a JSON object with a list of phrases, or missing.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.chat import ChatModel, Question, ScriptedChat, Spent, asked
from sfumato.abstract.models import Encoder
from sfumato.errors import ConfigurationError
from sfumato.types import Progress
from sfumato.vocabularies.growing.cleaning import LONGEST, fault, folded, tidied
from sfumato.vocabularies.growing.known import Known, same_vectors
from sfumato.vocabularies.growing.questions import EACH, EXAMPLES, KNOWN, letters, phrases_of, prompt_digest, question
from sfumato.vocabularies.growing.seeds import Seeds

PATIENCE, AT_ONCE = 3, 8
"""Rounds in a row without a new phrase after which a label ends; questions of a label in a round at most."""

REPEAT = "found before"
SEED = "a seed"
COPY = "the vector of another phrase"
FAR = "far from all seeds"
MORE = "more than wanted"

ENOUGH = "as many as wanted"
DRY = f"{PATIENCE} rounds in a row brought nothing new"
ROUNDS = "as many rounds as allowed"


@dataclass(frozen=True)
class Plan:
    """``wanted`` new phrases for each label in at most ``rounds`` rounds; ``seed`` of the choice of examples.

    ``least_similarity``: the cosine to the nearest seed that a phrase must have (None: any). Raises
    ConfigurationError.
    """

    wanted: int = 100
    rounds: int = 50
    least_similarity: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.wanted < 1 or self.rounds < 1:
            raise ConfigurationError("The numbers of phrases and of rounds are at least 1.")
        if self.least_similarity is not None and not -1.0 <= self.least_similarity <= 1.0:
            raise ConfigurationError("The least similarity is a cosine, from -1 to 1.")


@dataclass(frozen=True)
class Grown:
    """What was found for a label: ``received`` phrases came, ``refused`` of them by reason; why it ended there."""

    phrases: tuple[str, ...]
    wanted: int
    received: int
    refused: Mapping[str, int]
    rounds: int
    ended: str

    def as_json(self) -> dict[str, Any]:
        """Without the phrases, for the provenance."""
        facts = {name: value for name, value in vars(self).items() if name != "phrases"}
        return {"new": len(self.phrases), **facts, "refused": dict(sorted(self.refused.items()))}


@dataclass(frozen=True)
class Growth:
    """What was found by label, what it took, and the SHA-256 of the prompt and of all questions."""

    labels: Mapping[str, Grown]
    spent: Spent
    prompt: str
    questions: str


def grow(
    model: ChatModel, seeds: Seeds, plan: Plan, encoder: Encoder | None = None, progress: Progress | None = None
) -> Growth:
    """New phrases for every label of ``seeds`` by ``model``.

    With ``encoder`` a phrase is refused whose vector another one has already, as two clusters may not share one, or
    that is far from all seeds. ``progress`` is told the share found. Raises ConfigurationError for a model that is
    down.
    """
    if encoder is None and plan.least_similarity is not None:
        raise ConfigurationError("The similarity to the seeds needs an encoder.")
    before, digest = model.spent.copy(), hashlib.sha256()
    known = Known({folded(one) for given in seeds.phrases.values() for one in given})
    kinds = [_Kind(label, pool, plan, known) for label, pool in seeds.pools.items()]
    if encoder is not None:
        known.place(seeds, encoder, plan.least_similarity is not None)
    while open_kinds := [kind for kind in kinds if kind.ended is None]:
        things = [(kind, posed) for kind in open_kinds for posed in kind.questions()]
        for _, posed in things:
            digest.update(json.dumps([posed.system, posed.user, posed.vote]).encode())
        answers = asked(model, things, lambda thing: thing[1], phrases_of)
        for kind in open_kinds:
            kind.take([found or [] for (of, _), found in zip(things, answers, strict=True) if of is kind], encoder)
        if progress is not None:
            done = sum(plan.wanted if kind.ended else len(kind.found) for kind in kinds)
            progress(done / (plan.wanted * len(kinds)))
    labels = {kind.label: kind.grown() for kind in kinds}
    return Growth(labels, model.spent.since(before), prompt_digest(), digest.hexdigest())


def estimated(seeds: Seeds, plan: Plan) -> Spent:
    """What ``plan`` asks at least: of a model that pretends, whose every phrase is new. Nothing is asked."""
    numbers = count()

    def script(posed: Question) -> str:
        shown = [line[2:] for line in posed.user.splitlines() if line.startswith("- ")]
        names = (letters(next(numbers)).ljust(len(one), "x")[:LONGEST] for one in (shown * EACH)[:EACH])
        return json.dumps({"phrases": list(names)})

    pretender = ScriptedChat(script, "dry run", tokens=lambda text: -(-len(text) // 4))
    return grow(pretender, seeds, Plan(plan.wanted, plan.rounds, seed=plan.seed)).spent


@dataclass(eq=False)
class _Kind:
    """A label under way."""

    label: str
    pool: tuple[str, ...]
    plan: Plan
    known: Known
    found: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    received: int = 0
    rounds: int = 0
    asked: int = 0
    quiet: int = 0
    ended: str | None = None

    def questions(self) -> list[Question]:
        """Those of the next round: enough for what is missing if every phrase of an answer is new."""
        self.rounds += 1
        return [self._question() for _ in range(min(AT_ONCE, -(-(self.plan.wanted - len(self.found)) // EACH)))]

    def _question(self) -> Question:
        drawn = random.Random(f"{self.plan.seed} {self.label} {self.asked}")
        examples = drawn.sample(self.pool, min(EXAMPLES, len(self.pool)))
        known = drawn.sample(self.found, min(KNOWN, len(self.found)))
        self.asked += 1
        return question(self.label, examples, known, self.asked)

    def take(self, answers: Sequence[Sequence[str]], encoder: Encoder | None) -> None:
        """Keep what is new in the answers of a round, and see whether to end."""
        before = len(self.found)
        for phrase in self._embedded([one for answer in answers for one in answer], encoder):
            self.found.append(phrase)
        self.quiet = 0 if len(self.found) > before else self.quiet + 1
        if len(self.found) >= self.plan.wanted:
            self.ended = ENOUGH
        elif self.quiet >= PATIENCE:
            self.ended = DRY
        elif self.rounds >= self.plan.rounds:
            self.ended = ROUNDS

    def _embedded(self, given: Sequence[str], encoder: Encoder | None) -> list[str]:
        """Those of ``given`` that pass, as many as are missing; the others are counted by reason."""
        self.received += len(given)
        fine = [phrase for phrase in map(self._fit, given) if phrase is not None]
        vectors = np.zeros((len(fine), 0)) if encoder is None or not fine else encoder.encode(fine)
        wrong = self._misplaced(vectors) if vectors.size else [None] * len(fine)
        kept: list[int] = []
        for at, phrase in enumerate(fine):
            why = wrong[at]
            if why is None and vectors.size and same_vectors(vectors[at : at + 1], vectors[kept]).any():
                why = COPY
            if why is None and len(self.found) + len(kept) >= self.plan.wanted:
                why = MORE
            if why is None:
                kept.append(at)
            else:
                self.refused[why] += 1
                self.known.found.discard(folded(phrase))  # another label may have a place for it
        if vectors.size and kept:
            self.known.vectors.append(vectors[kept])
        return [fine[at] for at in kept]

    def _fit(self, text: str) -> str | None:
        """``text`` tidied, or None where it may not stand in the vocabulary or stands there."""
        phrase = tidied(text)
        key = folded(phrase)
        wrong = fault(phrase) or (SEED if key in self.known.seeds else REPEAT if key in self.known.found else None)
        if wrong is not None:
            self.refused[wrong] += 1
            return None
        self.known.found.add(key)
        return phrase

    def _misplaced(self, vectors: NDArray[np.float64]) -> list[str | None]:
        """Why each of ``vectors`` may not stand in the vocabulary, or None."""
        found: list[str | None] = [COPY if copy else None for copy in self.known.copies(vectors)]
        if self.plan.least_similarity is not None:
            nearest = self.known.nearest(self.label, vectors)
            found = [why or (FAR if near < self.plan.least_similarity else None)
                     for why, near in zip(found, nearest, strict=True)]  # fmt: skip
        return found

    def grown(self) -> Grown:
        ended = self.ended or DRY
        return Grown(tuple(self.found), self.plan.wanted, self.received, self.refused, self.rounds, ended)
