"""Currencies: what an amount is an amount of. Amounts of two currencies are never added."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from sfumato.errors import ConfigurationError
from sfumato.privacy.compared import compared, marked_alike
from sfumato.privacy.guarantee import Guarantee

LDP = "LDP"
_ANY_TWO = compared(
    marked_alike("two versions of what the account is about", "with the same labels, as the same kinds,"),
    "any two tokens that every charged draw compares",
    drawn_for="document, record or subject that shares draws",
    sharing=("of the same domain", "of the same written form where forms are kept"),
)


@dataclass(frozen=True, slots=True)
class Currency:
    """A definition with everything that gives its ε a meaning.

    Attributes:
        name: What people call it in caps and tables: "LDP", "DATE per day".
        definition: LDP or metric-LDP.
        distance: The distance that ε is per unit of, with its unit; empty for LDP.
        unit: What one draw is for.
        adjacency: What the draws make hard to distinguish.
        domain: A hash of the domain, if the distance comes from its vectors; else empty.
    """

    name: str
    definition: str
    distance: str
    unit: str
    adjacency: str
    domain: str = ""

    @classmethod
    def of(cls, guarantee: Guarantee, kind: str = "", domain: str = "") -> Currency:
        """Return the currency of a ``guarantee`` for values of ``kind``. Raise ConfigurationError for DP.

        All of LDP is one currency: the sum of its ε bounds the loss over all draws. Amounts per unit of a distance
        are in the currency of their kind, distance and adjacency.
        """
        if guarantee.definition == "LDP":
            return cls(LDP, LDP, "", "all draws of an account", _ANY_TWO)
        if guarantee.definition != "metric-LDP":
            raise ConfigurationError(f"The ledger holds no charges of {guarantee.definition}; only of LDP.")
        distance = f"{guarantee.distance} in {guarantee.per}" if guarantee.per else str(guarantee.distance)
        per = f"per {guarantee.per}" if guarantee.per else f"by {guarantee.distance}"
        name = f"{kind or 'metric-LDP'} {per}"
        return cls(name, "metric-LDP", distance, guarantee.unit, guarantee.adjacency, "" if guarantee.per else domain)

    @property
    def text(self) -> str:
        """Return the canonical text, of which :attr:`digest` is a hash."""
        return json.dumps(
            ["sfumato currency 1", self.name, self.definition, self.distance, self.unit, self.adjacency, self.domain]
        )

    @property
    def digest(self) -> str:
        """Return what two currencies share exactly if they are one."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:32]
