"""The result of an audit: the claim, a verdict on each pair, and what can be inferred from one draw."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.attacks.distinguishing import Distinguishing
from sfumato.evaluation.audit.token_inference import Inference
from sfumato.text import notebook

PROVES = (
    "A lower bound within the claim proves nothing: it is what these draws showed for these pairs. A bound above the "
    "claim refutes it."
)
CONSISTENT, REFUTED, UNCOVERED = "consistent with the claim", "REFUTES the claim", "not covered by the claim"
_ROUNDING = 1e-6


@dataclass(frozen=True)
class PairVerdict:
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

    @property
    def row(self) -> list[str]:
        """Return the pair, the reason, the distance, the claim, the loss, the bound and the verdict for a table."""
        numbers = (self.distance, self.claim, self.exact, self.bound)
        shown = ["–" if number is None else f"{number:.4g}" for number in numbers]
        return [", ".join(self.names), self.why, *shown, self.says]

    def as_dict(self) -> dict[str, Any]:
        """Return the verdict as JSON types; an infinite number becomes the string "infinity"."""
        numbers = {"claim": self.claim, "distance": self.distance, "exact": self.exact, "lower_bound": self.bound}
        return {
            "pair": list(self.names),
            "why": self.why,
            **{name: "infinity" if number == float("inf") else number for name, number in numbers.items()},
            "verdict": self.says,
        }


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """The result of an audit. `sfumato.audit` returns one; a notebook shows it as tables.

    Attributes:
        name: The mechanism, or `command` or `function` for a black box.
        auditor: How many samples were drawn, and at which confidence no bound is too large.
        verdicts: For each pair of inputs: distance, claim, exact loss (if the law is known), lower bound from draws.
        guarantee: The claim in words; None for a black box.
        certificate: The certificate as JSON types; None for a black box.
        randomness: Where the draws came from; None for a black box.
        label: The label whose vocabulary was audited, if one was named.
        vocabulary: Where the vocabulary comes from, for a mechanism over tokens.
        inferred: What an attacker infers from one draw, for a mechanism over tokens.
        queries: For each token, after how many draws it leads with 95 % confidence; infinity: never.
        outcomes: How many different outputs a black box gave.
    """

    name: str
    auditor: Distinguishing
    verdicts: Sequence[PairVerdict]
    guarantee: str | None = None
    certificate: Mapping[str, Any] | None = None
    randomness: str | None = None
    label: str | None = None
    vocabulary: str | None = None
    inferred: Inference | None = None
    queries: Mapping[str, float] = field(default_factory=dict)
    outcomes: int | None = None

    @property
    def refuted(self) -> bool:
        """Return whether a pair refutes the claim."""
        return any(verdict.refuted for verdict in self.verdicts)

    @property
    def weak(self) -> bool:
        """Return whether outputs hardly ever repeat, so that their frequencies say little."""
        return self.outcomes is not None and self.outcomes > self.auditor.samples // 10

    @property
    def remarks(self) -> list[str]:
        """Return the claim, the certificate, and how far the bounds can be trusted, a sentence each."""
        remarks = []
        if self.guarantee is not None and self.certificate is not None:
            remarks += [f"Claim: {self.guarantee}."]
            remarks += [f"Certificate: {self.certificate['certified']:.6g} ({self.certificate['kind']})."]
        draws, confidence = (
            f"{self.auditor.samples:,} draws of each input",
            f"{self.auditor.confidence:.4g} confidence",
        )
        remarks.append(f"{draws}; with {confidence} no bound is too large.")
        if self.weak:
            remarks.append(f"{self.outcomes:,} different outcomes: they hardly repeat, so the bound is weak.")
        if self.outcomes == 1:
            remarks.append("Every answer was the same, to either input: is it the tool that was meant?")
        return remarks

    def as_dict(self) -> dict[str, Any]:
        """Return the audit as JSON types; an infinite number becomes the string "infinity"."""
        content: dict[str, Any] = {
            "audited": self.name,
            "label": self.label,
            "guarantee": self.guarantee,
            "vocabulary": self.vocabulary,
            "certificate": self.certificate,
            "samples": self.auditor.samples,
            "confidence": self.auditor.confidence,
            "randomness": self.randomness,
            "outcomes": self.outcomes,
            "pairs": [verdict.as_dict() for verdict in self.verdicts],
            "refuted": self.refuted,
        }
        if self.inferred is not None:
            content["inference"] = self.inferred.as_dict()
            content["queries"] = {
                token: "infinity" if math.isinf(count) else int(count) for token, count in self.queries.items()
            }
        return {name: value for name, value in content.items() if value is not None}

    def __repr__(self) -> str:
        refuted = sum(verdict.refuted for verdict in self.verdicts)
        said = f"{refuted} of {len(self.verdicts)} pairs refute the claim" if refuted else "consistent with the claim"
        return f"Audit({self.name}, {self.auditor.samples:,} samples: {said})"

    def _repr_html_(self) -> str:
        header = ("pair", "why", "distance", "claim", "exact loss", "lower bound", "verdict")
        rows = [verdict.row for verdict in self.verdicts]
        parts = [notebook.caption(self.name), notebook.table(rows, header)]
        if self.inferred is not None:
            parts.append(notebook.table(self.inferred.rows, ("naming the token behind one draw", "right")))
        return "".join([*parts, *(f"<p>{notebook.escaped(remark)}</p>" for remark in (*self.remarks, PROVES))])
