"""What is asked of a release: [against] says whom it protects against, and [accept] what else it has to keep."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from sfumato.errors import ConfigurationError
from sfumato.options.option import Option
from sfumato.policy.sections import SHIPPED

ATTACKERS = {
    "outsiders": "who know names and dates",
    "acquaintances": "who know every replaced value",
    "insiders": "who know facts of the story",
}
"""Who looks for people in a release, and what they know."""


@dataclass(frozen=True)
class Against:
    """Whom a release protects against: the most people that each attacker may find again.

    Each limit is a share of all people, for the end of a 95 % interval. An attacker without a limit is measured all
    the same. Raises ConfigurationError for a limit that is no share, or facts that are no number from 1 to 5.
    """

    outsiders: Annotated[
        float | None, Option("most people that someone may find who knows their names and dates, as a register does")
    ] = None
    acquaintances: Annotated[
        float | None, Option("most people that someone may find who knows every value that was replaced")
    ] = None
    insiders: Annotated[float | None, Option("most people that someone may find who knows facts of their story")] = (
        None
    )
    facts: Annotated[int, Option("how many facts insiders know, 1 to 5")] = 3
    unlimited: Annotated[str, Option("why the other attackers have no limit")] = ""

    def __post_init__(self) -> None:
        _check_shares(self.limits)
        if not 1 <= self.facts <= 5:
            raise ConfigurationError("facts is a number from 1 to 5.")

    @property
    def limits(self) -> dict[str, float]:
        """Return the limits that are set, by attacker."""
        return {name: limit for name in ATTACKERS if (limit := getattr(self, name)) is not None}


_OF_TREATED = ("token_guess_upper", "identifiers_left_upper", "population_unique_upper", "missed_upper")
_OF_SYNTHETIC = ("membership_upper", "copied_upper", "canaries_upper")


@dataclass(frozen=True)
class Accept:
    """What else `sfumato protect` asks of a release. Each limit is for the end of a 95 % interval.

    Raises ConfigurationError for a limit that is no share, or a table of a population that no limit needs.
    """

    token_guess_upper: Annotated[
        float | None, Option("most replaced words that a masked model may guess from the words around them")
    ] = None
    identifiers_left_upper: Annotated[
        float | None,
        Option("most people of whom a name, code or number may stay that the detector marked"),
    ] = None
    population_unique_upper: Annotated[
        float | None, Option("most people whom nobody else in a public table shares what the release shows with")
    ] = None
    population: Annotated[
        str | None, Option("that table, .csv or .parquet; else the listed places alone", file=True)
    ] = None
    missed_upper: Annotated[
        float | None, Option("most records in which a person's review of a random sample may find a miss")
    ] = None
    membership_upper: Annotated[
        float | None,
        Option("synthetic records: most area under the curve by which members are told from people held out"),
    ] = None
    copied_upper: Annotated[
        float | None,
        Option("synthetic records: most people of whom 20 words in a row are copied, beyond people held out"),
    ] = None
    canaries_upper: Annotated[
        float | None, Option("synthetic records: most planted secrets that may come out again whole")
    ] = None
    utility_lower: Annotated[
        float | None,
        Option("least cosine similarity, on average, of a record and its release, or the nearest synthetic record"),
    ] = None

    def __post_init__(self) -> None:
        _check_shares(self.limits)
        if self.population is not None and self.population_unique_upper is None:
            raise ConfigurationError("A table of a population needs its limit; set population_unique_upper.")

    def table(self, folder: Path) -> Path | None:
        """Return the table of a population, relative to ``folder``; None for the places that come with sfumato."""
        return None if self.population in (None, f"{SHIPPED}places") else folder / str(self.population)

    @property
    def limits(self) -> dict[str, float]:
        """Return the limits that are set, by name."""
        named = (*_OF_TREATED, *_OF_SYNTHETIC, "utility_lower")
        return {name: limit for name in named if (limit := getattr(self, name)) is not None}

    @property
    def only_of_treated(self) -> list[str]:
        """Return the limits that are set and that only a release of treated values has."""
        return [name for name in self.limits if name in _OF_TREATED]

    @property
    def only_of_synthetic(self) -> list[str]:
        """Return the limits that are set and that only synthetic records have."""
        return [name for name in self.limits if name in _OF_SYNTHETIC]


def _check_shares(limits: Mapping[str, float]) -> None:
    for name, limit in limits.items():
        if not (math.isfinite(limit) and 0 <= limit <= 1):
            raise ConfigurationError(f"{name} is a share from 0 to 1.")
