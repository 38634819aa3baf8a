"""The audit of a mechanism: its own draws, tested against its own claim, pair by pair.

For every pair the exact loss is reported with the bound from draws. If a mechanism draws from its law, and its
certificate is right, then lower bound <= exact loss <= claim. All bounds of one audit hold together with the given
confidence (Bonferroni over the pairs).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sfumato.abstract.contextual import ContextualMechanism
from sfumato.abstract.mechanism import Mechanism
from sfumato.attacks.distinguishing import Distinguishing, Sampler, draws_of
from sfumato.engines.contextual import ContextualSanitizer
from sfumato.errors import ConfigurationError
from sfumato.privacy.adjacency import Pair
from sfumato.privacy.randomness import RandomDraws, Randomness, SystemRandomness, numbered
from sfumato.text.document import Document
from sfumato.text.layout import Layout
from sfumato.types import FloatArray, IntArray, Progress

CONSISTENT, REFUTED, UNCOVERED = "consistent with the claim", "REFUTES the claim", "not covered by the claim"
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Verdict:
    """The verdict on one pair: ``bound`` on the loss from draws, ``exact`` from the law (None: not known).

    Both are in nats per unit of ``distance``, and so is ``claim``. ``names`` are tokens of the public vocabulary, or
    words for the two inputs. ``why`` is the reason why the pair was tested.
    """

    names: tuple[str, str]
    why: str
    claim: float
    distance: float
    exact: float | None
    bound: float | None

    @property
    def refuted(self) -> bool:
        """Return whether draws, or the law itself, show a larger loss than was claimed."""
        most = max(loss for loss in (self.bound, self.exact, 0.0) if loss is not None)
        return self.bound is not None and most > self.claim * (1.0 + _ROUNDING)

    @property
    def says(self) -> str:
        """Return the verdict in words."""
        return UNCOVERED if self.bound is None else REFUTED if self.refuted else CONSISTENT

    def as_dict(self) -> dict[str, Any]:
        """Return the verdict as JSON types; an infinite number becomes the string "infinity"."""
        numbers = {"claim": self.claim, "distance": self.distance, "exact": self.exact, "lower_bound": self.bound}
        return {
            "pair": list(self.names),
            "why": self.why,
            **{name: "infinity" if number == float("inf") else number for name, number in numbers.items()},
            "verdict": self.says,
        }


def audited(
    mechanism: Mechanism,
    pairs: Sequence[tuple[Pair, str]],
    auditor: Distinguishing,
    randomness: Randomness | None = None,
    progress: Progress | None = None,
    audits: int = 1,
) -> list[Verdict]:
    """Return a verdict on each of ``pairs`` of tokens, each with the reason why it is tested.

    All bounds hold together with the auditor's confidence, those of so many ``audits`` that belong together.
    """
    adjacency, claim, tokens = mechanism.adjacency(), mechanism.guarantee.epsilon, mechanism.vocabulary.tokens
    apart = [float(adjacency.distances(np.array([i]), np.array([j]))[0, 0]) for (i, j), _ in pairs]
    careful = _together(auditor, audits * max(1, sum(map(np.isfinite, apart))))
    verdicts = []
    for number, (((first, second), why), distance) in enumerate(zip(pairs, apart, strict=True)):
        names = tokens[first], tokens[second]
        if not np.isfinite(distance):
            verdicts.append(Verdict(names, why, claim, distance, None, None))
            continue
        samplers = draws_of(mechanism, first, randomness), draws_of(mechanism, second, randomness)
        bound = careful.audit(*samplers, distance).epsilon
        exact = (
            None
            if mechanism.certify().kind == "analytic"
            else _exact(mechanism.law(first), mechanism.law(second), distance)
        )
        verdicts.append(Verdict(names, why, claim, distance, exact, bound))
        if progress is not None:
            progress((number + 1) / len(pairs))
    return verdicts


def audited_black_box(
    samplers: tuple[Sampler, Sampler], claim: float, auditor: Distinguishing, distance: float = 1.0
) -> Verdict:
    """Return the verdict on two samplers of any tool, which the claim says are ``distance`` apart."""
    bound = auditor.audit(*samplers, distance).epsilon
    return Verdict(("first", "second"), "given", claim, distance, None, bound)


def audited_in_context(
    rewriter: ContextualSanitizer,
    texts: tuple[str, str],
    position: int,
    auditor: Distinguishing,
    randomness: Randomness | None = None,
) -> Verdict:
    """Return the verdict on one draw of a rewriting: word (piece) ``position`` of two documents, with their own words
    before.

    Raise ConfigurationError if the guarantee does not cover the two documents, or they have no such position.
    """
    layouts = [_layout(rewriter, text) for text in texts]
    mechanism = rewriter.spending_on(texts[0])
    if not _alike(mechanism, *layouts):
        raise ConfigurationError(
            f"The claim does not cover these two texts; it is about {rewriter.guarantee.adjacency}."
        )
    laws = [mechanism.law(layout, position)[1] for layout in layouts]
    source = randomness or SystemRandomness()
    first, second = (_engine(mechanism, law, source, number) for number, law in enumerate(laws))
    bound = auditor.audit(first, second).epsilon
    return Verdict(("first", "second"), "given", mechanism.epsilon, 1.0, _exact(laws[0], laws[1], 1.0), bound)


def _engine(mechanism: ContextualMechanism, law: FloatArray, source: Randomness, number: int) -> Sampler:
    """Return a sampler that draws by the engine's own sampler, from scores that give ``law``."""
    drawn_by = mechanism.score_law
    scores = drawn_by.scores_with(law, mechanism.epsilon)

    def sampler(n: int) -> IntArray:
        contexts = numbered(range(n), "audit", number) if source.keyed else None
        uniforms = RandomDraws(source, n, contexts)
        return drawn_by.draw(np.broadcast_to(scores, (n, len(scores))), [mechanism.epsilon] * n, uniforms)

    return sampler


def _layout(rewriter: ContextualSanitizer, text: str) -> Layout:
    spans = rewriter.detector.detect([Document(text)])[0]
    return Layout(text, list(spans.bounds), [str(label) for label in spans.each_label()])


def _alike(mechanism: ContextualMechanism, first: Layout, second: Layout) -> bool:
    """Return whether the guarantee covers both: equal draws; and, if text is left unchanged, equal text."""
    if mechanism.draws(first) != mechanism.draws(second):
        return False
    return mechanism.rewrites_whole_text or (
        _between(first) == _between(second) and list(first.labels) == list(second.labels)
    )


def _between(layout: Layout) -> list[str]:
    ends = [0, *(end for _, end in layout.spans)]
    starts = [*(start for start, _ in layout.spans), len(layout.text)]
    return [layout.text[end:start] for end, start in zip(ends, starts, strict=True)]


def _exact(law: FloatArray, other: FloatArray, distance: float) -> float:
    """Return the largest log ratio of two laws per unit of ``distance``; infinite if only one gives an output."""
    possible = (law > 0.0) | (other > 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = float(np.abs(np.log(law[possible]) - np.log(other[possible])).max())
        return float(np.float64(loss) / distance) if loss > 0.0 else 0.0


def _together(auditor: Distinguishing, pairs: int) -> Distinguishing:
    """Return an auditor so careful with each of ``pairs`` that all bounds hold together with its confidence."""
    return replace(auditor, confidence=1.0 - (1.0 - auditor.confidence) / pairs)
