"""Which currencies a cap can be in: a cap for a name that no draw is ever charged in would limit nothing."""

from __future__ import annotations

from collections.abc import Iterable

from sfumato.errors import ConfigurationError
from sfumato.ledger.amounts import LDP
from sfumato.ledger.budget import EVERY
from sfumato.policy.suitability import KINDS

_OF_METHODS = "metric-LDP"
"""What stands for the kind in the currency of a run with one method."""


def check_currencies(names: Iterable[str]) -> None:
    """Raise ConfigurationError if one of the ``names`` of caps is no currency. It repeats no name."""
    for name in names:
        if name not in (EVERY, LDP) and not _is_of_a_distance(name):
            raise ConfigurationError(
                f'A cap is for a currency that does not exist; caps are for {LDP}, for a kind as in "DATE per day" '
                f'or "PERSON by Euclidean" (`sfumato ledger show` lists them), or for "{EVERY}", all others.'
            )


def _is_of_a_distance(name: str) -> bool:
    """Return whether ``name`` is of a kind, per its unit or by the name of a distance."""
    kind, by, distance = name.partition(" by ")
    if by:
        return bool(distance.strip()) and kind in (*KINDS, _OF_METHODS)
    kind, _, unit = name.partition(" per ")
    return bool(unit) and unit in {traits.unit for known, traits in KINDS.items() if kind in (known, _OF_METHODS)}
