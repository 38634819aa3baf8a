"""Evolve: a language model writes texts, and private texts vote for the nearest ones, round after round.

After private evolution for text (Xie et al., *Differentially Private Synthetic Data via Foundation Model APIs 2:
Text*, ICML 2024, Algorithm 1). A round: each private unit votes for the candidates nearest to its texts; discrete
Gaussian noise is added to every count; candidates are resampled by their noisy counts, and the language model varies
those that were chosen. Private texts are read by the encoder on this machine and by nothing else.

Claim. A round releases its noisy votes, and everything after it reads them alone: R rounds are R·1/(2σ²)-zero-
concentrated DP for one unit more or less, also though the candidates of a round depend on the votes before
(composition of zero-concentrated DP is adaptive: Bun and Steinke 2016, Lemma 1.7; σ and R are fixed beforehand). The
proof for one round is in :mod:`~sfumato.synthesis.evolve.votes` and :mod:`sfumato.privacy.discrete_noise`.

Differences from the paper: noise on integers, drawn exactly, where theirs is continuous and rounded; a person with
several texts shares one vote of Euclidean norm 1; votes stay within a control code; systematic resampling by a power
of the counts, because resampling in proportion lost variety in our measurements; counts are cut at 0 alone;
near-duplicates leave the pool; prompts are our own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from sfumato.abstract.chat import Question
from sfumato.abstract.chat_use import ChatUse
from sfumato.abstract.models import Encoder
from sfumato.abstract.synthesizer import Order, Synthesizer, Unit, Workspace
from sfumato.errors import ConfigurationError
from sfumato.options.option import Option, Part
from sfumato.synthesis.evolve import writing
from sfumato.synthesis.evolve.rounds import KeptRounds, Rounds, Votes
from sfumato.synthesis.evolve.votes import EvolveSchedule, Pool, scheduled
from sfumato.synthesis.evolve.writing import Writer
from sfumato.types import IntArray, Progress, part_of


@dataclass(frozen=True)
class Evolve(Synthesizer):
    """Private evolution with the language model ``chat``; ``encoder`` decides what is near."""

    chat: Annotated[ChatUse, Part("the language model that writes")] = field(repr=False, compare=False)
    encoder: Annotated[Encoder, Part("the sentence encoder that decides what is near")] = field(
        repr=False, compare=False
    )
    rounds: Annotated[int, Option("rounds of votes; each costs")] = 5
    candidates: Annotated[int, Option("texts of each control code that are voted on")] = 100
    sharpness: Annotated[
        float, Option("power of its noisy votes by which a candidate is chosen, from 0 to 1; less keeps more variety")
    ] = 0.5
    variation: Annotated[
        float, Option("share of variations that tell something else, and not the same in other words, from 0 to 1")
    ] = 0.5
    temperature: Annotated[float, Option("how freely the language model writes, above 0 to 2")] = 0.8
    length: Annotated[int, Option("words of a text at most")] = 80
    about: Annotated[str, Option("what a text is, in a few public words, such as 'a customer's review'")] = "a text"

    name: ClassVar[str] = "evolve"
    needs: ClassVar[tuple[str, ...]] = ("chat", "encoder")
    visible: ClassVar[tuple[str, ...]] = ()
    proof: ClassVar[str] = (
        "Xie et al. 2024, Algorithm 1, with the noise of Canonne, Kamath and Steinke 2020, Proposition 5 and Theorem "
        "14; docs/synthesis.md#evolve"
    )
    resolution: ClassVar[str] = "votes and noise are integers, and the noise is drawn exactly"

    def __post_init__(self) -> None:
        for name, least, most in (("rounds", 1, 100), ("candidates", 2, 100_000), ("length", 1, 10_000)):
            if not least <= getattr(self, name) <= most:
                raise ConfigurationError(f"{name} is from {least} to {most:,}, not {getattr(self, name)!r}.")
        for name in ("sharpness", "variation"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ConfigurationError(f"{name} is from 0 to 1, not {getattr(self, name)!r}.")
        if not 0.0 < self.temperature <= 2.0:
            raise ConfigurationError(
                f"temperature is above 0 and at most 2, not {self.temperature!r}: at 0 all variations are alike."
            )
        if not self.about.strip():
            raise ConfigurationError("about says in a few public words what the texts are; it cannot be empty.")

    def schedule(self, order: Order) -> EvolveSchedule:
        """Return the rounds of a run for ``order``, with the least noise that it allows."""
        return scheduled(order, self.rounds, self.candidates)

    def prepare(self, progress: Progress | None = None) -> None:
        """Load the encoder, and ask the language model whether it is there."""
        self.encoder.encode([writing.PROMPTS[0]], progress)
        self.chat.model.ready()

    def synthesize(
        self,
        order: Order,
        schedule: EvolveSchedule,
        units: Sequence[Unit],
        wanted: Sequence[int],
        workspace: Workspace,
        progress: Progress | None = None,
    ) -> Iterator[str]:
        """Yield a text for each of ``wanted``; each round is spent when its votes are drawn.

        A stopped run resumes with the candidates and noisy votes that ``workspace`` keeps
        (:mod:`~sfumato.synthesis.evolve.rounds`).
        """
        writer = Writer(self.chat, self.about, self.length, self.temperature, self.variation)
        kept = KeptRounds(workspace, self._mark(order, schedule, workspace))
        run = Rounds(writer, self.encoder, order, schedule, workspace, kept, self.sharpness)
        voting = Votes(run, units)
        latest: tuple[Pool, IntArray] | None = None
        part = 1 / (schedule.rounds + 1)
        for number in range(schedule.rounds):
            pool = run.pool(number, latest, part_of(progress, number * part, part))
            latest = pool, voting.noisy(number, pool)
        assert latest is not None
        made = run.texts(wanted, *latest, part_of(progress, schedule.rounds * part, part))
        queues = [iter(texts) for texts in made]
        for code in wanted:
            yield next(queues[code])

    def _mark(self, order: Order, schedule: EvolveSchedule, workspace: Workspace) -> str:
        """Return a hash of everything that decides a round, which a resumed run must share."""
        public = [workspace.setting, schedule.as_dict(), order.codes, order.texts_per_unit, dict(self.parameters)]
        return hashlib.sha256(json.dumps(public, sort_keys=True).encode()).hexdigest()

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Return the options and both models."""
        return {
            "chat_model": self.chat.name,
            "encoder": self.encoder.id,
            "rounds": self.rounds,
            "candidates": self.candidates,
            "sharpness": self.sharpness,
            "variation": self.variation,
            "temperature": self.temperature,
            "length": self.length,
            "about": self.about,
        }

    @staticmethod
    def dry_run_answer(question: Question) -> str | None:
        """Return a readable answer to a question of its own, without a model; None to any other."""
        return writing.dry_run_answer(question)
