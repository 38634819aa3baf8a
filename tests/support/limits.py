"""A policy that asks for limits, and what it asks of attackers and of all else."""

from __future__ import annotations

from dataclasses import replace

from sfumato.policy import Policy
from sfumato.policy.limits import ATTACKERS, Accept, Against

POLICY = """
[[treat]]
kinds = ["AGE", "MONEY"]
mechanism = "geometric"
epsilon = 1.0

[[treat]]
kinds = ["DATE"]
method = "label"
"""


def asking(**limits: float) -> Policy:
    """Return a policy that asks for ``limits``, of attackers and of all else."""
    against = {name: limit for name, limit in limits.items() if name in ATTACKERS}
    accept = {name: limit for name, limit in limits.items() if name not in ATTACKERS}
    return replace(Policy.parse(POLICY), against=Against(**against), accept=Accept(**accept))  # type: ignore[arg-type]
