"""The audit of a mechanism: its own draws, played against its own claim, pair by pair.

Of every pair the exact loss stands beside what the draws showed. A mechanism that draws what its law says, and a
certificate that is right, give lower bound <= exact loss <= claim. All bounds of one audit hold together with the
confidence that was asked for (Bonferroni over the pairs).
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
from sfumato.privacy.randomness import Randomness, SystemRandomness, context
from sfumato.text.document import Document
from sfumato.text.layout import Layout
from sfumato.types import FloatArray, IntArray, Progress

CONSISTENT, REFUTED, UNCOVERED = "consistent with the claim", "REFUTES the claim", "not covered by the claim"
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Verdict:
    """What an audit says of one pair: ``bound`` on the loss from draws, ``exact`` from the law (None: not known).

    Both are per unit of ``distance``. ``names`` are tokens of the public vocabulary, or words for the two inputs.
    """

    names: tuple[str, str]
    why: str
    claim: float
    distance: float
    exact: float | None
    bound: float | None

    @property
    def refuted(self) -> bool:
        """Whether draws, or the law itself, show a larger loss than was claimed."""
        most = max(one for one in (self.bound, self.exact, 0.0) if one is not None)
        return self.bound is not None and most > self.claim * (1.0 + _ROUNDING)

    @property
    def says(self) -> str:
        """The verdict in words."""
        return UNCOVERED if self.bound is None else REFUTED if self.refuted else CONSISTENT

    def as_dict(self) -> dict[str, Any]:
        """As JSON types; an infinite number becomes the string "infinity"."""
        numbers = {"claim": self.claim, "distance": self.distance, "exact": self.exact, "lower_bound": self.bound}
        return {
            "pair": list(self.names),
            "why": self.why,
            **{name: "infinity" if one == float("inf") else one for name, one in numbers.items()},
            "verdict": self.says,
        }


def audited(
    made: Mechanism,
    pairs: Sequence[tuple[Pair, str]],
    auditor: Distinguishing,
    randomness: Randomness | None = None,
    progress: Progress | None = None,
    audits: int = 1,
) -> list[Verdict]:
    """Return a verdict on each of ``pairs`` of tokens, each with the reason why it is looked at.

    All bounds hold together with the auditor's confidence, those of so many ``audits`` that belong together.
    """
    found, claim, tokens = made.adjacency(), made.guarantee.epsilon, made.vocabulary.tokens
    apart = [float(found.distances(np.array([i]), np.array([j]))[0, 0]) for (i, j), _ in pairs]
    careful = _together(auditor, audits * max(1, sum(map(np.isfinite, apart))))
    verdicts = []
    for number, (((first, second), why), distance) in enumerate(zip(pairs, apart, strict=True)):
        names = tokens[first], tokens[second]
        if not np.isfinite(distance):
            verdicts.append(Verdict(names, why, claim, distance, None, None))
            continue
        samplers = draws_of(made, first, randomness), draws_of(made, second, randomness)
        bound = careful.audit(*samplers, distance).epsilon
        exact = None if made.certify().kind == "analytic" else _exact(made.law(first), made.law(second), distance)
        verdicts.append(Verdict(names, why, claim, distance, exact, bound))
        if progress is not None:
            progress((number + 1) / len(pairs))
    return verdicts


def audited_black_box(
    samplers: tuple[Sampler, Sampler], claim: float, auditor: Distinguishing, distance: float = 1.0
) -> Verdict:
    """The verdict on two samplers of anybody's, which the claim says are ``distance`` apart."""
    bound = auditor.audit(*samplers, distance).epsilon
    return Verdict(("first", "second"), "given", claim, distance, None, bound)


def audited_in_context(
    rewriter: ContextualSanitizer,
    texts: tuple[str, str],
    position: int,
    auditor: Distinguishing,
    randomness: Randomness | None = None,
) -> Verdict:
    """The verdict on one draw of a rewriting: word (piece) ``position`` of two documents, all before it as it stands.

    Raises ConfigurationError where the guarantee does not cover the two documents, or they have no such position.
    """
    layouts = [_layout(rewriter, text) for text in texts]
    made = rewriter.spending_on(texts[0])
    if not _alike(made, *layouts):
        raise ConfigurationError(
            f"The claim does not cover these two texts; it is about {rewriter.guarantee.adjacency}."
        )
    laws = [made.law(layout, position)[1] for layout in layouts]
    source = randomness or SystemRandomness()
    first, second = (_engine(made, law, source, number) for number, law in enumerate(laws))
    bound = auditor.audit(first, second).epsilon
    return Verdict(("first", "second"), "given", made.epsilon, 1.0, _exact(laws[0], laws[1], 1.0), bound)


def _engine(made: ContextualMechanism, law: FloatArray, source: Randomness, number: int) -> Sampler:
    """Draws by the engine's own sampler, from scores that give ``law``."""
    softmax = made.softmax
    span = (softmax.clip.upper - softmax.clip.lower) / softmax.scale(made.epsilon)
    scores = softmax.clip.upper + span * (np.log(law) - np.log(law.max()))

    def sampler(n: int) -> IntArray:
        contexts = [context("audit", number, place) for place in range(n)] if source.keyed else None
        uniforms = source.uniforms(n, 1, contexts)[:, 0]
        return softmax.draw(np.broadcast_to(scores, (n, len(scores))), [made.epsilon] * n, uniforms)

    return sampler


def _layout(rewriter: ContextualSanitizer, text: str) -> Layout:
    spans = rewriter.detector.detect([Document(text)])[0]
    return Layout(text, list(spans.bounds), [str(label) for label in spans.each_label()])


def _alike(made: ContextualMechanism, first: Layout, second: Layout) -> bool:
    """Whether the guarantee is about these two: equal draws; and, where text is left as it stands, equal text."""
    if made.draws(first) != made.draws(second):
        return False
    return made.rewrites_whole_text or (
        _between(first) == _between(second) and list(first.labels) == list(second.labels)
    )


def _between(layout: Layout) -> list[str]:
    ends = [0, *(end for _, end in layout.spans)]
    starts = [*(start for start, _ in layout.spans), len(layout.text)]
    return [layout.text[end:start] for end, start in zip(ends, starts, strict=True)]


def _exact(law: FloatArray, other: FloatArray, distance: float) -> float:
    """The largest log ratio of two laws per unit of ``distance``; infinite where one gives what the other cannot."""
    there = (law > 0.0) | (other > 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = float(np.abs(np.log(law[there]) - np.log(other[there])).max())
        return float(np.float64(loss) / distance) if loss > 0.0 else 0.0


def _together(auditor: Distinguishing, pairs: int) -> Distinguishing:
    """So careful with each of ``pairs`` that all bounds hold together with the confidence asked for."""
    return replace(auditor, confidence=1.0 - (1.0 - auditor.confidence) / pairs)
