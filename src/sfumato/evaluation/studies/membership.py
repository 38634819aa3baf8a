"""The study of membership: can members be told from people held out of training, by what was released?

Shokri et al. (S&P 2017); Carlini et al.: Membership Inference Attacks From First Principles (S&P 2022), who ask for
the hits at few false alarms beside the area under the curve. Threat model: the attacker holds whole records and the
synthetic ones; with a model, what it thinks of each record too. An area of 0.5 tells nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from sfumato.abstract.models import Encoder
from sfumato.attacks.membership import by_pairs, longest_runs
from sfumato.building.chat import causal_model
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs, drawn
from sfumato.evaluation.results import Figure, Setting, Skipped, Study
from sfumato.evaluation.studies._losses import Loss, PublicLoss, trained_loss
from sfumato.evaluation.studies.copies import nearest
from sfumato.evaluation.studies.member_gap import INTERVAL, against, nobody
from sfumato.metrics.guesses import auc, hits_at
from sfumato.types import FloatArray, Progress

AREA, HITS = "membership, area under the curve", "membership, hits"
FALSE_ALARMS = 0.01


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
        others = [pairs.held_out[index] for index in drawn(len(pairs.held_out), self.sampled, self.seed, 23)]
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
        report = progress or (lambda _: None)
        yield {"score": "copied run"}, lambda texts: longest_runs(texts, released).astype(np.float64)
        yield {"score": "word pairs"}, lambda texts: by_pairs(texts, released)
        yield {"score": "nearest record"}, lambda texts: nearest(self.encoder, texts, released, self.seed, report)[0]
        trained, public = self.trained, self.public
        if trained is not None:
            yield {"score": "loss", "model": trained.id}, lambda texts: -trained(texts)
            if public is not None:
                setting: Any = {"score": "loss beside a public model", "model": trained.id, "public": public.id}
                yield setting, lambda texts: public(texts) - trained(texts)
