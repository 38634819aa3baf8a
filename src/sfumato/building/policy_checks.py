"""Whether a policy can be built, found out in seconds: everything but the vectors of names and words is made."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sfumato.building.policies import sanitizer_of
from sfumato.engines.values import DrawnValues
from sfumato.errors import GuaranteeError
from sfumato.kinds.table import kinds_of
from sfumato.mechanisms.geometric import Geometric
from sfumato.policy.policy import Policy
from sfumato.types import FloatArray, Progress

_DIMENSIONS = 8


class _StandIn:
    """Gives every phrase a vector without reading it, so that nothing has to be embedded."""

    id = "stand-in for an encoder"
    dimensions = _DIMENSIONS

    def encode(self, phrases: Sequence[str], progress: Progress | None = None) -> FloatArray:
        """Return as many vectors as there are ``phrases``."""
        return np.random.default_rng(0).normal(size=(len(phrases), _DIMENSIONS))


def check_policy(policy: Policy) -> None:
    """Raise what :func:`~sfumato.building.policies.build_policy` would raise for ``policy``, without embeddings.

    The laws of values on a line are certified as well, because that takes no time: an ε may be beyond what can be
    drawn. The other laws are certified before a run.
    """
    policy.check_files()
    stand_in = _StandIn()
    made = sanitizer_of(policy, kinds_of(stand_in.encode, policy.kinds), stand_in)
    for treatment in made.treatments:
        routes = treatment.routes.values() if isinstance(treatment, DrawnValues) else ()
        for route in routes:
            if isinstance(route.mechanism, Geometric):
                _certify(treatment.kinds[0], route.mechanism)


def _certify(kind: str, mechanism: Geometric) -> None:
    try:
        mechanism.certify()
    except GuaranteeError as error:
        raise GuaranteeError(f"{kind}: {error}") from None
