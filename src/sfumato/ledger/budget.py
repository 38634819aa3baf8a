"""A budget: the data set that a ledger belongs to, and the caps of its accounts by currency."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sfumato.errors import ConfigurationError
from sfumato.ledger.accounts import LEVELS, Level
from sfumato.ledger.amounts import NANO, nano, stated

EVERY = "*"
"""The name under which a cap stands for each currency that has no cap of its own at its level."""
UNLIMITED = "unlimited"


@dataclass(frozen=True)
class Budget:
    """The caps of a data set.

    Attributes:
        dataset: The name of the data set.
        caps: For each level the cap of each currency by name, in nano-nats; None is unlimited.
    """

    dataset: str
    caps: Mapping[Level, Mapping[str, int | None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.dataset.strip():
            raise ConfigurationError("A budget needs the name of its data set.")
        if not any(self.caps.values()):
            raise ConfigurationError("A budget needs a cap, such as LDP = 20 for each subject.")

    @classmethod
    def of(cls, dataset: str, caps: Mapping[str, Mapping[str, Any]]) -> Budget:
        """Return the budget of ``caps`` in nats, or "unlimited", by level and currency. Raise ConfigurationError."""
        levels: dict[Level, dict[str, int | None]] = {}
        for word, named in caps.items():
            if word not in LEVELS:
                raise ConfigurationError(f"Caps are for {', '.join(LEVELS)}; there is no other account.")
            levels[LEVELS[word]] = {name: cap_of(value) for name, value in named.items()}
        return cls(dataset, levels)

    @classmethod
    def from_dict(cls, facts: Mapping[str, Any]) -> Budget:
        """Return the budget that :meth:`as_dict` gave."""
        return cls(facts["dataset"], {LEVELS[word]: dict(caps) for word, caps in facts["caps"].items()})

    def as_dict(self) -> dict[str, Any]:
        """Return the budget as JSON types, in one form."""
        caps = {level.word: dict(sorted(named.items())) for level, named in sorted(self.caps.items()) if named}
        return {"dataset": self.dataset, "caps": caps}

    def limits(self, name: str) -> dict[Level, int | None]:
        """Return the cap of the currency ``name`` at each level; None is unlimited.

        Raise ConfigurationError if no level has one: what nobody limited must not be spent.
        """
        limits: dict[Level, int | None] = {}
        for level in Level:
            named = self.caps.get(level, {})
            if name in named or EVERY in named:
                limits[level] = named.get(name, named.get(EVERY))
        if not limits:
            raise ConfigurationError(
                f"The budget has no cap for the currency {name!r}; name one for a record, a subject or the data set "
                f'("{UNLIMITED}" is one too).'
            )
        return {level: limits.get(level) for level in Level}


def cap_of(value: Any) -> int | None:
    """Return a cap in nano-nats, rounded down; None for "unlimited". Raise ConfigurationError."""
    if value == UNLIMITED:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ConfigurationError(f'A cap is a number of nats, such as 8 or 0.5, or "{UNLIMITED}".')
    exact = stated(value)
    nano(exact)  # refuses what no ledger holds
    return int(exact * NANO)
