"""The table [match] of a comparison's plan: at which success of the attacker methods are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.errors import ConfigurationError
from sfumato.evaluation.comparison.keys import only, optional
from sfumato.evaluation.comparison.measures import privacy_names
from sfumato.evaluation.plan import Plan

_MOST = 20


@dataclass(frozen=True)
class Matching:
    """The rates of ``success`` at which methods are matched, and the ``measure`` of privacy that the attacker lowers.

    Up to ``tries`` further epsilons of each method are run, each where the match is expected.
    """

    success: tuple[float, ...]
    measure: str
    tries: int = 0


def matching(given: Mapping[str, Any], plans: Sequence[Plan]) -> Matching | None:
    """Return the table [match]; None if there is none. ``plans`` are those of the inputs.

    Raise ConfigurationError for an unknown key, a value that cannot work, or a measure that no input will have.
    """
    if not given:
        return None
    only(given, ("success", "measure", "tries"), "[match]")
    known = list(dict.fromkeys(name for plan in plans for name in privacy_names(plan)))
    if not known:
        raise ConfigurationError("[match] needs an attack whose success is known; add one to attacks in [evaluate].")
    measure = optional(given, "measure", "[match]") or known[0]
    if measure not in known:
        raise ConfigurationError(f"measure in [match] is {measure!r}; choose from {', '.join(known)}.")
    tries = given.get("tries", 0)
    if isinstance(tries, bool) or not isinstance(tries, int) or not 0 <= tries <= _MOST:
        raise ConfigurationError(f"tries in [match] is a whole number up to {_MOST}: runs of each method and seed.")
    return Matching(_rates(given.get("success")), measure, tries)


def _rates(given: Any) -> tuple[float, ...]:
    rates = given if isinstance(given, list) else [given]
    if not rates or not all(isinstance(rate, int | float) and 0.0 < rate < 1.0 for rate in rates):
        raise ConfigurationError("success in [match] is a rate between 0 and 1, or a list of them: success = 0.1.")
    return tuple(dict.fromkeys(map(float, rates)))
