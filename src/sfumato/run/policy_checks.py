"""Whether a policy can be built, found out in seconds: everything but the vectors of names and words is made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.treatment import Treatment
from sfumato.building.policies import randomness_of_policy, read_by, sanitizer_of
from sfumato.engines.engine import Engine
from sfumato.engines.languages import Multilingual
from sfumato.engines.routes import prepare
from sfumato.engines.values import mostly_unchanged
from sfumato.errors import GuaranteeError
from sfumato.ledger.ledger import kept_ledger
from sfumato.mechanisms.geometric import Geometric
from sfumato.policy.policy import Policy
from sfumato.release.plans import check_caps, check_synthesis_caps
from sfumato.run.checks import check_apart, check_method
from sfumato.run.synthesize_file import planned_by
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


def check_policy(
    policy: Policy, ledger: str | None = None, ledger_key: Path | None = None, subject_field: str | None = None
) -> list[str]:
    """Raise what a run by ``policy`` would raise before it reads a record, without embeddings; return warnings.

    ``ledger``, ``ledger_key`` and ``subject_field`` are those of the run; otherwise the policy's hold. Files, the
    ledger and its caps are looked at as a run does. Laws over public positions are certified if that takes
    no time, because an ε may be beyond what can be drawn. The other laws are certified before a run. A warning names
    a kind of which such a law returns some values in more than half of draws.
    """
    if policy.synthesize:
        policy, _ = read_by(policy, {"subject_field": subject_field})
        planned_by(policy)
        url, key = ledger or policy.ledger, ledger_key or policy.ledger_key
        with kept_ledger(url, key, policy.budget.budget) as synthesis_ledger:
            if synthesis_ledger is not None:
                check_synthesis_caps(synthesis_ledger.budget, policy.fields.subject)
        return []
    return checked(policy, ledger, ledger_key, subject_field)[1]


def checked(
    policy: Policy, ledger: str | None = None, ledger_key: Path | None = None, subject_field: str | None = None
) -> tuple[Engine | Multilingual, list[str]]:
    """Return the sanitizer of ``policy``, whose open kinds have stand-ins for vectors, and the warnings.

    It says how marks are read, and must not draw. Raise as :func:`check_policy`.
    """
    policy, _ = read_by(policy, {"subject_field": subject_field})
    check_method(policy)
    check_apart([policy.pin], policy.files)
    randomness_of_policy(policy)
    with kept_ledger(ledger or policy.ledger, ledger_key or policy.ledger_key, policy.budget.budget) as ledger_kept:
        stand_in = _StandIn()
        made = sanitizer_of(policy, stand_in.encode, stand_in)
        if ledger_kept is not None:
            check_caps(ledger_kept.budget, made, policy.fields.subject)
    return made, [warning for treatment in made.treatments for warning in _certified(treatment)]


def _certified(treatment: Treatment) -> list[str]:
    """Return the warnings of laws whose positions need no encoder, and which are checked at once.

    Raise GuaranteeError if one does not hold.
    """
    checked: dict[str, Mechanism] = {}
    for grain, law in treatment.mechanisms.items():
        if isinstance(law, Geometric) or (law.vocabulary.encoder is None and len(law.vocabulary) <= _AT_ONCE):
            try:
                prepare(law)
            except GuaranteeError as error:
                raise GuaranteeError(f"{treatment.kinds[0]}: {error}") from None
            checked[grain] = law
    kind = treatment.kinds[0] if treatment.kinds else "every other kind"
    return [
        f"Warning: {kind}, {grain}: {often['values']:,} of {often['of']:,} values stay the same in more than half of "
        f"draws, in at most {100 * often['at_most']:.3g} %."
        for grain, often in mostly_unchanged(checked).items()
    ]
