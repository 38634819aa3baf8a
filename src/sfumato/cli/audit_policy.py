"""``sfumato audit --policy``: one kind's treatment, audited on values of the kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import typer

from sfumato.attacks.distinguishing import Distinguishing
from sfumato.building.policies import treatment_of_kind
from sfumato.cli.policy_flags import PolicyFlags
from sfumato.errors import ConfigurationError
from sfumato.evaluation.audit.findings import Audit
from sfumato.evaluation.audit.values import audit_treatment
from sfumato.privacy.randomness import Randomness
from sfumato.types import Stages


@dataclass(frozen=True)
class AuditedPolicy(PolicyFlags):
    """One kind of a policy, or none: then something else is audited."""

    kind: Annotated[str | None, typer.Option("--kind", help="--policy: the kind of value, e.g. DATE.")] = None

    @property
    def given(self) -> bool:
        """Return whether any of its flags is there."""
        return self.policy is not None or bool(self.set) or self.kind is not None


def audit_policy(
    chosen: AuditedPolicy, others: Mapping[str, Any], values: list[str], auditor: Distinguishing, prior_values: int,
    randomness: Randomness | None, stages: Stages,
) -> Audit:  # fmt: skip
    """Return the audit of the treatment of one kind. Raise ConfigurationError for flags of something else."""
    if chosen.policy is None or chosen.kind is None:
        raise ConfigurationError("A policy treats kinds differently: give --policy and the --kind that is audited.")
    if taken := [name for name, value in others.items() if value]:
        raise ConfigurationError(f"The policy says how a kind is treated; leave out --{taken[0]}, or use --set.")
    treatment = treatment_of_kind(chosen.loaded(), chosen.kind)
    stages("Preparing", 0.0)
    treatment.prepare(partial(stages, "Certifying"))
    return audit_treatment(treatment, values, auditor, prior_values, randomness, stages)
