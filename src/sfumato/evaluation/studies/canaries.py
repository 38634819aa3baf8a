"""The study of canaries: are planted secrets or names in synthetic records, or known to the model that wrote them?

Carlini et al.: The Secret Sharer (USENIX Security 2019), and for names the distortion paper (§7, Table 14). Threat
model: the attacker knows how canaries begin and look, and has the synthetic records; with a model, what it thinks of
a text too. If nothing was learned, the mean exposure is that of :func:`nothing_learned`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log2
from pathlib import Path
from typing import ClassVar

from sfumato.attacks.canaries import Canary, Exposure, MadeUp, Surprise, by_chance, exposures, found_in, named, whole
from sfumato.attacks.canary_planting import CanaryKey
from sfumato.errors import ConfigurationError
from sfumato.evaluation.bench import Bench, Measure
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Figure, Skipped, Study
from sfumato.evaluation.studies.membership import INTERVAL, Loss, against, trained_loss
from sfumato.metrics.estimates import mean, share
from sfumato.types import Progress

EXPOSURE, RECOVERED = "exposure of canaries", "canaries recovered whole"
NAMES, CONDITIONS = "planted names among the most frequent", "texts with a planted name that state the condition"
CHANCE = "chance"


def nothing_learned(among: int) -> float:
    """Return the mean exposure in bits ``among`` so many secrets if every rank is equally likely (at most log2 e)."""
    return log2(among) - sum(map(log2, range(1, among + 1))) / among


_OF_TEXTS, _OF_A_MODEL = 1000, 100  # secrets that a canary is ranked among; a model takes its time for each


@dataclass(frozen=True, eq=False)
class CanariesStudy(Measure):
    """Looks for the canaries of ``key`` in synthetic records and, if there is one, in the ``trained`` model."""

    key: CanaryKey
    trained: Loss | None = None
    seed: int = 0

    needs: ClassVar[tuple[str, ...]] = ("synthetic", "canaries")

    @classmethod
    def of(cls, bench: Bench) -> CanariesStudy:
        """Return the study with what is on the ``bench``."""
        plan = bench.plan
        if plan.canaries is None:
            raise ConfigurationError("Which canaries were planted? Name their key with --canaries.")
        trained = None if plan.trained is None else trained_loss(plan.trained, plan.causal)
        return cls(CanaryKey.from_saved(Path(plan.canaries)), trained, plan.seed)

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return exposures and what was recovered. Nothing private is in them: canaries are made up."""
        texts, _ = pairs.candidates
        if not texts:
            return Study("canaries", skipped=[Skipped("canaries", "the release holds no records")])
        report = progress or (lambda _: None)
        facts = {"kind": self.key.kind, "canaries": len(self.key.canaries), "texts": len(texts)}
        if self.key.people is not None:
            skipped = (
                [] if self.trained is None else [Skipped("names by the loss of the model", "there is no such rank")]
            )
            return Study("canaries", list(_names(texts, self.key.people)), skipped, facts=facts)
        assert self.key.secrets is not None
        surprise = found_in(texts, self.key.secrets)
        # an opening is public, whatever digits are in it: the secret alone is looked for
        bare = [replace(canary, opening="") for canary in self.key.canaries]
        figures = list(self._exposed({"score": "synthetic records"}, surprise, bare, _OF_TEXTS))
        hits = sum(whole(canary, self.key.secrets, surprise) for canary in self.key.canaries)
        figures.append(Figure(RECOVERED, share(hits, len(self.key.canaries), "canaries"), {}, "low"))
        report(0.1)
        if self.trained is None:
            why = "no model was given; name the trained one with --trained"
            return Study("canaries", figures, [Skipped("exposure by loss", why)], facts=facts)
        setting = {"score": "loss", "model": self.trained.id}
        figures += self._exposed(setting, self.trained.nats, self.key.canaries, _OF_A_MODEL)
        report(1.0)
        return Study("canaries", figures, facts=facts)

    def _exposed(
        self, setting: dict[str, str], surprise: Surprise, planted: Sequence[Canary], sampled: int
    ) -> Iterator[Figure]:
        """Yield the mean exposure of all canaries, and of those planted equally often where that differs."""
        assert self.key.secrets is not None
        exposed = exposures(planted, self.key.secrets, surprise, sampled, self.seed)
        yield self._figure(exposed, {**setting, "among": sampled + 1})
        repeats = sorted({each.canary.repeats for each in exposed})
        for count in repeats if len(repeats) > 1 else ():
            own = [each for each in exposed if each.canary.repeats == count]
            yield self._figure(own, {**setting, "among": sampled + 1, "planted": count})

    def _figure(self, exposed: Sequence[Exposure], setting: dict[str, str | int]) -> Figure:
        how = {**setting, CHANCE: float(f"{by_chance(exposed):.3g}")}
        return Figure(EXPOSURE, mean([each.bits for each in exposed], self.seed, "canaries"), how, "low")


def _names(texts: Sequence[str], people: MadeUp) -> Iterator[Figure]:
    """Yield how many of the most frequent names were planted, and how often the condition is beside the name."""
    attack = named(texts, people, min(100, len(people.planted)))  # no more than were planted, or all would be hits
    ranked = share(attack.hits, attack.ranked, "names")
    chance = round(attack.chance, 4)
    yield Figure(NAMES, ranked, {CHANCE: chance, INTERVAL: against(ranked, chance)}, "low")
    yield Figure(CONDITIONS, share(attack.exact, attack.told, "texts"), {}, "low")
