"""Limits that a policy has loosened: what the shipped policy asks that it was made from, and what it asks itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sfumato.policy import Policy, shipped
from sfumato.policy.sections import ATTACKERS
from sfumato.protection.judging import KNOWS, percent


@dataclass(frozen=True)
class Loosened:
    """A limit that is looser than that of the shipped policy ``base``. Values are None where there is no limit."""

    name: str
    base: str
    shipped: float
    asked: float | None
    without: str = ""
    """The attacker whom the limit no longer counts; empty if it is the value that differs."""

    @property
    def sentence(self) -> str:
        """Return the difference in a sentence."""
        own = "there is no such limit" if self.asked is None else f"it is {percent(self.asked)}"
        if self.without:
            own = f"it leaves out the attacker {KNOWS[self.without]}"
        return f"The limit {self.name} was loosened: {own}; the policy {self.base} asks {percent(self.shipped)}."

    def as_json(self) -> dict[str, object]:
        """Return the difference for files."""
        return {
            "limit": self.name, "policy": self.base, "shipped": self.shipped, "asked": self.asked,
            "sentence": self.sentence,
        }  # fmt: skip


def loosened(policy: Policy) -> tuple[Loosened, ...]:
    """Return the limits of ``policy`` that are looser than those of the shipped policy that it was made from.

    That is the one whose name it has, or the one that treats all kinds alike. A policy that neither describes was
    written by its owner, and is compared with none.
    """
    base = next((known for name in shipped.names() if _made_from(policy, known := Policy.load(name))), None)
    return () if base is None else tuple(_loosened(policy, base))


def _made_from(policy: Policy, known: Policy) -> bool:
    return policy.name == known.name or (policy.treat, policy.treat_others) == (known.treat, known.treat_others)


def _loosened(policy: Policy, base: Policy) -> Iterator[Loosened]:
    for name, limit in base.accept.limits.items():
        asked = policy.accept.limits.get(name)
        if asked is None or (asked < limit if name.endswith("_lower") else asked > limit):
            yield Loosened(name, base.name, limit, asked)
        if name == "found_again_upper" and asked is not None:
            for attacker in ATTACKERS:
                if attacker in base.accept.found_again_by and attacker not in policy.accept.found_again_by:
                    yield Loosened(name, base.name, limit, asked, attacker)
