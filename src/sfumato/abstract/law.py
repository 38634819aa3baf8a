"""The law of one draw as a value: the outcomes of a token and their probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.options.typed import typed
from sfumato.privacy.guarantee import Guarantee
from sfumato.text import notebook
from sfumato.types import FloatArray

SHOWN = 20
"""How many outcomes are shown by default."""

_NEARLY_ALWAYS, _HALF = 0.9, 0.5


@dataclass(frozen=True, eq=False)
class Law:
    """The law of one draw, with the most likely outcome first. `Sanitizer.explain` returns one.

    A notebook shows the most likely outcomes as bars. The plain representation shows no outcome, because a law in
    context depends on the document.

    Attributes:
        subject: The token whose law it is, or the position of the word in its document.
        outcomes: The n outcomes with a positive probability.
        probabilities: Their probabilities, shape (n,), descending, with the sum 1.
        kind: How the probabilities are known: exactly, or estimated from draws.
        mechanism: The name of the mechanism.
        epsilon: The ε of the draw, in nats (per unit of the guarantee's distance).
        scale: The scale that the law uses.
        guarantee: What one draw guarantees.
        unknown: How the given word became `subject`, if the vocabulary does not hold it.
        source: Where the outcomes come from: vocabulary or model.
    """

    subject: str | int
    outcomes: Sequence[str] = field(repr=False)
    probabilities: FloatArray = field(repr=False)
    kind: str
    mechanism: str
    epsilon: float
    scale: float
    guarantee: Guarantee
    unknown: str | None = None
    source: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.outcomes)

    @typed
    def probability(self, outcome: str) -> float:
        """Return the probability of `outcome`; 0 for one that never occurs."""
        return float(self.probabilities[self.outcomes.index(outcome)]) if outcome in self.outcomes else 0.0

    @property
    def unchanged(self) -> str:
        """Return how often a token stays the same, as a sentence; nothing for a position, or an unknown word."""
        if isinstance(self.subject, int) or self.unknown is not None:
            return ""
        probability = self.probability(self.subject)
        often = " nearly always" if probability >= _NEARLY_ALWAYS else ""
        share = "more than 99.9" if 0.999 < probability < 1 else f"{100 * probability:.3g}"
        return f"{self.subject}{often} stays the same: in {share} % of draws."

    @property
    def warning(self) -> str:
        """Return a warning if a token stays the same in more than half of draws; nothing otherwise."""
        if not self.unchanged or self.probability(str(self.subject)) <= _HALF:
            return ""
        return "Warning: it is released as it is in more than half of draws; a smaller epsilon hides it better."

    @typed
    def top(self, count: int | None = SHOWN) -> list[tuple[str, float]]:
        """Return the `count` most likely outcomes (None: all) with their probabilities."""
        return list(zip(self.outcomes[:count], self.probabilities[:count].tolist(), strict=True))

    @property
    def title(self) -> str:
        """Return subject, mechanism and ε in a line."""
        subject = self.subject if isinstance(self.subject, str) else f"Word {self.subject}"
        return f"{subject} under {self.mechanism}, epsilon {self.epsilon:g}"

    @typed
    def rest(self, count: int | None = SHOWN) -> str:
        """Return in words how many outcomes `top(count)` leaves out, what they share, and how the law is known."""
        shown = self.top(count)
        share = max(0.0, 1 - sum(probability for _, probability in shown))
        others = len(self) - len(shown)
        left = f"{others:,} other outcome{'s share' if others > 1 else ' has'} {share:.3g}. " if others else ""
        return f"{left}Law: {self.kind}."

    @typed
    def as_dict(self, count: int | None = SHOWN) -> dict[str, Any]:
        """Return the law as JSON types, with the `count` most likely outcomes (None: all)."""
        name = "token" if isinstance(self.subject, str) else "position"
        return {
            name: self.subject,
            "law": [{"token": outcome, "probability": probability} for outcome, probability in self.top(count)],
            "law_kind": self.kind,
            "support": len(self),
            **({"warning": self.warning} if self.warning else {}),
            "mechanism": self.mechanism,
            "epsilon": self.epsilon,
            "scale": self.scale,
            "guarantee": str(self.guarantee),
            **self.source,
        }

    def __repr__(self) -> str:
        return f"Law({self.mechanism}, epsilon {self.epsilon:g}, {len(self):,} outcomes, {self.kind})"

    def _repr_html_(self) -> str:
        unknown = "" if self.unknown is None else f"<p>Not in the vocabulary: {notebook.escaped(self.unknown)}.</p>"
        facts = notebook.escaped(f"{self.rest()} {self.guarantee}.")
        return f"{unknown}{notebook.caption(self.title)}{notebook.bars(self.top())}<p>{facts}</p>"
