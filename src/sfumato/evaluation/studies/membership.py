"""The study of membership: can members be told from people held out of training, by what was released?

Shokri et al. (S&P 2017); Carlini et al.: Membership Inference Attacks From First Principles (S&P 2022), who ask for
the hits at few false alarms beside the area under the curve. Threat model: the attacker holds whole records and the
synthetic ones; with a model, what it thinks of each record too, which is its surprise. An area of 0.5 tells nothing.

:class:`MemberGap` runs any other study of synthetic records on both, and tells them apart by its figures.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from sfumato.abstract.models import CausalModel, Encoder
from sfumato.attacks.membership import by_pairs, longest_runs
from sfumato.building.chat import causal_model
from sfumato.building.models import SMOLLM2
from sfumato.evaluation.bench import Bench, Measure, Measured
from sfumato.evaluation.pairs import IN_BOTH, Pairs, drawn
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.evaluation.studies.copies import nearest
from sfumato.metrics.estimates import Estimate, difference
from sfumato.metrics.guesses import auc, hits_at
from sfumato.metrics.perplexity import surprises
from sfumato.storage.digests import digest_of_everything
from sfumato.types import FloatArray, Progress, part_of

if TYPE_CHECKING:
    from sfumato.synthesis.finetune.tuned import TunedModel

AREA, HITS = "membership, area under the curve", "membership, hits"
FALSE_ALARMS = 0.01
PEOPLE = "people"
MEMBERS, HELD_OUT, DIFFERENCE = "members", "held-out", "members minus held-out"
INTERVAL = "interval"
_ADAPTER = "adapter.json"


@dataclass(frozen=True, eq=False)
class MembershipStudy(Measure):
    """Scores ``sampled`` members and as many people held out, drawn at random.

    ``trained`` is the loss of the model that wrote the records; where that of a ``public`` model is given too, it is
    taken off, so that what is hard to read for any model does not count.
    """

    encoder: Encoder
    sampled: int = 500
    seed: int = 0
    trained: Loss | None = None
    public: Loss | None = None

    needs: ClassVar[tuple[str, ...]] = ("synthetic",)

    @classmethod
    def of(cls, bench: Bench) -> MembershipStudy:
        """Return the study with what is on the ``bench``."""
        plan = bench.plan
        public = None if plan.causal is None else PublicLoss(causal_model(plan.causal))
        trained = None if plan.trained is None else trained_loss(plan.trained, plan.causal)
        return cls(bench.encoder, plan.sample, plan.seed, trained, public)

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return area and hits by every score."""
        texts, _ = pairs.candidates
        if not pairs.held_out or not texts:
            left = nobody("membership") if texts else Skipped("membership", "the release holds no records")
            return Study("membership", skipped=[left])
        members = [pairs.originals[index] for index in drawn(len(pairs), self.sampled, self.seed, 19)]
        outside = pairs.of_held_out.originals
        others = [outside[index] for index in drawn(len(outside), self.sampled, self.seed, 23)]
        figures, skipped = list[Figure](), list[Skipped]()
        for how, score in self._scores(texts, progress):
            given = score([*members, *others])
            scores = np.where(np.isnan(given), -np.inf, given)  # what no model could score is told by none
            mine, theirs = scores[: len(members)], scores[len(members) :]
            area = auc(mine, theirs)
            figures.append(Figure(AREA, area, {**how, INTERVAL: against(area, 0.5)}, "low"))
            hits = hits_at(mine, theirs, FALSE_ALARMS, self.seed)
            if hits is not None:
                setting = {**how, "false alarms": FALSE_ALARMS, INTERVAL: against(hits, FALSE_ALARMS)}
                figures.append(Figure(HITS, hits, setting, "low"))
        if len(others) * FALSE_ALARMS < 1:
            fewest = round(1 / FALSE_ALARMS)
            skipped.append(Skipped(HITS, f"{len(others)} people held out are too few for 1 % of them; take {fewest}"))
        if self.trained is None:
            skipped.append(Skipped("membership by loss", "no model was given; name the trained one with --trained"))
        return Study("membership", figures, skipped, facts={"members": len(members), "held-out": len(others)})

    def _scores(
        self, released: list[str], progress: Progress | None
    ) -> Iterator[tuple[Setting, Callable[[list[str]], FloatArray]]]:
        """Yield how each score is made, and what makes it: higher for members, if anything was learned."""
        yield {"score": "copied run"}, lambda texts: longest_runs(texts, released).astype(np.float64)
        yield {"score": "word pairs"}, lambda texts: by_pairs(texts, released)
        yield (
            {"score": "nearest record"},
            lambda texts: nearest(self.encoder, texts, released, self.seed, progress)[0],
        )
        trained, public = self.trained, self.public
        if trained is not None:
            yield {"score": "loss", "model": trained.id}, lambda texts: -trained(texts)
            if public is not None:
                setting: Any = {"score": "loss beside a public model", "model": trained.id, "public": public.id}
                yield setting, lambda texts: public(texts) - trained(texts)


@dataclass(frozen=True, eq=False)
class MemberGap:
    """``study`` run twice; the figures ``compared`` (name to what their settings hold) have a difference."""

    study: Measured
    compared: Mapping[str, Mapping[str, str]]

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return the study of the members, with figures of people held out and differences where there are some."""
        if not pairs.held_out:
            study = self.study.run(pairs, progress)
            return replace(study, skipped=[*study.skipped, nobody(study.name)])
        members = self.study.run(pairs, part_of(progress, 0.0, 0.5))
        others = self.study.run(pairs.of_held_out, part_of(progress, 0.5, 0.5))
        figures = [_of(figure, MEMBERS) if self._compares(figure) else figure for figure in members.figures]
        skipped = [*members.skipped, *_left_out(pairs)]
        skipped += [Skipped(f"{left.what}, of people held out", left.why, left.again) for left in others.skipped]
        for figure in filter(self._compares, members.figures):
            other = others.figure(figure.name, **figure.setting)
            if other is None or any(math.isnan(each.estimate.value) for each in (figure, other)):
                skipped.append(Skipped(f"{figure.name}: {DIFFERENCE}", "it could not be measured of both"))
                continue
            figures += [_of(other, HELD_OUT), _of(told(figure, other), DIFFERENCE)]
        return replace(members, figures=figures, skipped=list(dict.fromkeys(skipped)))

    def _compares(self, figure: Figure) -> bool:
        wanted = self.compared.get(figure.name)
        return wanted is not None and all(figure.setting.get(key) == value for key, value in wanted.items())


def nobody(what: str) -> Skipped:
    """Return what is said where nobody was held out: then nothing is known about what training tells."""
    return Skipped(
        f"what training tells, by {what}", "nobody is held out of training; name their file with --held-out"
    )


def _left_out(pairs: Pairs) -> Iterator[Skipped]:
    count = int(pairs.sources.get("held-out", {}).get(IN_BOTH, 0))
    if count:
        yield Skipped(f"{count:,} records", "their texts are among members and people held out, so they tell nothing")


def told(members: Figure, others: Figure) -> Figure:
    """Return the difference of both, and where its interval lies."""
    apart = difference(members.estimate, others.estimate)
    return replace(members, estimate=apart, setting={**members.setting, INTERVAL: against(apart, 0.0)})


def against(estimate: Estimate, chance: float) -> str:
    """Return where the interval lies: "contains", "above" or "below", and the number that means nothing is told."""
    where = "above" if estimate.low > chance else "below" if estimate.high < chance else "contains"
    return f"{where} {chance:g}"


def _of(figure: Figure, people: str) -> Figure:
    return replace(figure, setting={**figure.setting, PEOPLE: people})


class Loss(ABC):
    """How much texts surprise a model."""

    @property
    @abstractmethod
    def id(self) -> str:
        """Return the identity of the model."""

    @abstractmethod
    def read(self, texts: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Return the surprise of each text in nats, and how many of its pieces are scored, shape (n,) each."""

    def __call__(self, texts: Sequence[str]) -> FloatArray:
        """Return the mean surprise of a piece of each text in nats, shape (n,); infinity where none is scored."""
        nats, pieces = self.read(texts)
        mean: FloatArray = np.divide(nats, pieces, out=np.full(len(texts), np.inf), where=pieces > 0)
        return mean

    def nats(self, texts: Sequence[str]) -> list[float]:
        """Return the surprise of each whole text in nats."""
        return [float(value) for value in self.read(texts)[0]]


@dataclass(frozen=True, eq=False)
class PublicLoss(Loss):
    """The surprise of a causal model, as perplexity counts it."""

    model: CausalModel

    @property
    def id(self) -> str:
        """Return the identity of the model."""
        return self.model.id

    def read(self, texts: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Return nats and pieces of each text."""
        read = surprises(self.model, texts)
        return np.array([each.nats for each in read], float), np.array([each.pieces for each in read], float)


@dataclass(frozen=True, eq=False)
class TunedLoss(Loss):
    """The surprise of a model that `finetune` tuned: each text is read as in training, behind every control code.

    The least surprise counts, because the attacker does not know the code. A text is read as far as the window goes.
    """

    tuned: TunedModel
    id: str = "tuned"

    def read(self, texts: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Return nats and pieces of each text and its end, behind the code at which a piece surprises least."""
        from sfumato.synthesis.finetune.rows import end_piece, prompts

        model: Any = self.tuned.model
        end = end_piece(model)
        least, pieces = np.full(len(texts), np.inf), np.ones(len(texts))
        for before in prompts(model, self.tuned.codes):
            read = [[*model.pieces(text), end][: model.window - len(before)] for text in texts]
            with self.tuned.adapter.attached():
                nats = model.nats([(before, row) for row in read])
            counts = np.array([len(row) for row in read], dtype=np.float64)
            better = np.array(nats) / counts < least / pieces
            least, pieces = np.where(better, nats, least), np.where(better, counts, pieces)
        return least, pieces


def trained_loss(name: str, base: str | None) -> Loss:
    """Return the loss of the model ``name``: a causal model, or a folder that `finetune` wrote, tuned from ``base``.

    The base is SmolLM2 unless it is named. Raise InputError for files that do not belong together, ConfigurationError
    for another base.
    """
    folder = Path(name)
    if not (folder / _ADAPTER).is_file():
        return PublicLoss(causal_model(name))
    from sfumato.synthesis.finetune.tuned import Trainable, TunedModel

    model = cast("Trainable", causal_model(base or SMOLLM2))
    return TunedLoss(TunedModel.from_saved(folder, model), trained_id(name))


def trained_id(name: str) -> str:
    """Return the identity of the model ``name``, which no other model shares."""
    folder = Path(name)
    if (folder / _ADAPTER).is_file():
        return f"{folder.name}@{digest_of_everything(folder)[:16]}"
    return causal_model(name).id
