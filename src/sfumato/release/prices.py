"""What a draw costs, by treatment: its currency, its ε as the statement prints it, and its ρ."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.errors import ConfigurationError
from sfumato.ledger import Budget, Currency, Level, nano
from sfumato.ledger.amounts import MICRO, stated
from sfumato.privacy.guarantee import Guarantee


@dataclass(frozen=True, slots=True)
class Price:
    """The price of one draw."""

    currency: Currency
    epsilon: Fraction
    rho: Fraction

    @classmethod
    def of(cls, guarantee: Guarantee, kind: str, domain: str) -> Price:
        """Return the price of a draw with this ``guarantee``."""
        epsilon, rho = stated(guarantee.epsilon), Fraction(0)
        if guarantee.definition == "LDP":
            rho = epsilon**2 / 2 if guarantee.rho is None else min(epsilon**2 / 2, stated(guarantee.rho))
        return cls(Currency.of(guarantee, kind, domain), epsilon, rho)

    def amount(self, times: int) -> int:
        """Return the ε of so many draws, in nano-nats, rounded up."""
        return nano(self.epsilon, times)

    def lost(self, times: int) -> int:
        """Return the ρ of so many draws in millionths, rounded up."""
        return math.ceil(self.rho * times * MICRO)


def guarantees_of(sanitizer: Sanitizer) -> dict[str, Guarantee]:
    """Return the guarantee of a draw of each treatment; of a single method under the empty name.

    Raise ConfigurationError for a method without any guarantee, whose cost no ledger could hold.
    """
    guarantees = {
        treatment.kinds[0]: treatment.guarantee
        for treatment in sanitizer.treatments
        if treatment.guarantee is not None
    }
    if sanitizer.guarantee is not None:
        guarantees[""] = sanitizer.guarantee
    if not guarantees:
        raise ConfigurationError(
            "A method without a guarantee has no cost that a ledger could hold; leave out the ledger, or choose a "
            "method with a guarantee."
        )
    return guarantees


def prices_of(sanitizer: Sanitizer) -> dict[str, Price]:
    """Return the price of a draw by each guarantee. Raise ConfigurationError as :func:`guarantees_of` does."""
    guarantees = guarantees_of(sanitizer)
    described: dict[str, Callable[[], Mapping[str, Any]]] = {"": sanitizer.statement_fields}
    described |= {kind: treatment.described for treatment in sanitizer.treatments for kind in treatment.kinds[:1]}
    return {name: Price.of(guarantee, name, _domain(described[name]())) for name, guarantee in guarantees.items()}


def check_caps(budget: Budget, sanitizer: Sanitizer, subject_field: str | None) -> None:
    """Raise ConfigurationError if no run of ``sanitizer`` keeps ``budget``.

    It needs a cap for everything that is charged; caps over people need the field that names them.
    """
    if subject_field is None:
        _refuse_caps_over_people(budget)
    for kind, guarantee in guarantees_of(sanitizer).items():
        if guarantee.epsilon:
            budget.limits(Currency.of(guarantee, kind).name)


def _refuse_caps_over_people(budget: Budget) -> None:
    """Raise ConfigurationError if ``budget`` has a cap that a run without people cannot keep."""
    for level, whom in ((Level.SUBJECT, "subjects"), (Level.DATASET, "the data set")):
        if any(cap is not None for cap in budget.caps.get(level, {}).values()):
            raise ConfigurationError(
                f"The budget has caps for {whom}; name the field that says whose record it is (--subject-field, or "
                "subject in [fields]), which is the id field where each record is a person of its own."
            )


def _domain(described: Mapping[str, Any]) -> str:
    """Return one hash over the hashes of all domains that a statement describes."""
    hashes = sorted(_hashes(described))
    return hashlib.sha256(json.dumps(hashes).encode()).hexdigest()[:32] if hashes else ""


def _hashes(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, item in value.items():
            if name == "hash" and isinstance(item, str):
                yield item
            else:
                yield from _hashes(item)
