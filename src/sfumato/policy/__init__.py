"""Policies: one file says what is looked for, how every kind of value is treated, and at what ε."""

from __future__ import annotations

from sfumato.policy.policy import Policy
from sfumato.policy.rule import Rule

__all__ = ["Policy", "Rule"]
