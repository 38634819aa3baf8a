"""Whether a policy can be built, found out in seconds: everything but the vectors of names and words is made."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.building.policies import randomness_of_policy, sanitizer_of
from sfumato.engines.values import DrawnValues, prepare
from sfumato.errors import GuaranteeError
from sfumato.kinds.table import kinds_of
from sfumato.ledger.opening import kept_ledger
from sfumato.mechanisms.geometric import Geometric
from sfumato.policy.policy import Policy
from sfumato.release.prices import check_caps
from sfumato.run.checks import check_apart, check_method
from sfumato.types import FloatArray, Progress

_DIMENSIONS = 8
_AT_ONCE = 2_000
"""The most values of a domain whose law over all pairs is certified in less than a second."""


class _StandIn:
    """Gives every phrase a vector without reading it, so that nothing has to be embedded."""

    id = "stand-in for an encoder"
    dimensions = _DIMENSIONS

    def encode(self, phrases: Sequence[str], progress: Progress | None = None) -> FloatArray:
        """Return as many vectors as there are ``phrases``."""
        return np.random.default_rng(0).normal(size=(len(phrases), _DIMENSIONS))


def check_policy(policy: Policy) -> None:
    """Raise what a run by ``policy`` alone would raise before it reads a record, without embeddings.

    Files, the ledger and its caps are looked at as a run does. Laws over public positions are certified if that takes
    no time, because an ε may be beyond what can be drawn. The other laws are certified before a run.
    """
    check_method(policy)
    check_apart([policy.pin], policy.files)
    randomness_of_policy(policy)
    budget = policy.budget.budget
    with kept_ledger(policy.ledger, policy.ledger_key, budget) as ledger:
        stand_in = _StandIn()
        made = sanitizer_of(policy, kinds_of(stand_in.encode, policy.kinds), stand_in)
        if ledger is not None:
            check_caps(ledger.budget, made, policy.fields.subject)
    for treatment in made.treatments:
        if isinstance(treatment, DrawnValues):
            _certify(treatment)


def _certify(treatment: DrawnValues) -> None:
    """Raise GuaranteeError if a law whose positions need no encoder, and which is checked at once, does not hold."""
    for route in treatment.routes.values():
        law = route.mechanism
        if isinstance(law, Geometric) or (not treatment.kind.is_open and len(law.vocabulary) <= _AT_ONCE):
            try:
                prepare(law)
            except GuaranteeError as error:
                raise GuaranteeError(f"{treatment.kind.name}: {error}") from None
