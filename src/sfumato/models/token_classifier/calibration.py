"""What an answer of the network is worth: how often words with such a probability were identifiers.

``training/detector/calibrating.py`` measures it on text that the network did not learn from, and writes it into the
card. The tables are monotone, so calibration changes no order within a group of kinds. No mark and no label depends
on it, because findings that overlap are united by a rank that it does not touch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.models.token_classifier.labels import KINDS

NAMES = frozenset({"PERSON", "ORGANIZATION", "LOCATION", "GROUP", "OCCUPATION"})
GROUPS = tuple("names" if kind in NAMES else "figures" for kind in KINDS)
"""The group of each kind; a group has a table of its own."""
ALL_RULES = "all"
_LEAST = 1e-6
FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Calibration:
    """Tables of each group of kinds: log-odds of the network, ascending, and shares of identifiers, ascending too.

    ``rules`` says how often the marks of each rule were right, and of all. An empty calibration changes nothing.
    """

    tables: Mapping[str, tuple[FloatArray, FloatArray]] = field(default_factory=dict)
    rules: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Calibration:
        """Return the calibration that a card holds. Raise ValueError, KeyError or TypeError for anything else."""
        tables = {}
        for name, table in dict(told["tables"]).items():
            odds, shares = (np.asarray(table[part], dtype=np.float64) for part in ("odds", "shares"))
            rises = odds.shape == shares.shape and (np.diff(odds) > 0).all() and (np.diff(shares) >= 0).all()
            if not len(odds) or not rises or shares[0] < 0 or shares[-1] > 1:
                raise ValueError(name)
            tables[str(name)] = odds, shares
        return cls(tables, {str(name): float(share) for name, share in dict(told.get("rules", {})).items()})

    def chance(self, kind: int, probability: float) -> float:
        """Return the chance that a mark of ``kind`` is right."""
        table = self.tables.get(GROUPS[kind])
        return probability if table is None else float(np.interp(log_odds(probability), *table))

    def chance_of_rule(self, rule: str) -> float | None:
        """Return how often marks of ``rule`` were right; of all rules if it made few; None if nothing is known."""
        return self.rules.get(rule, self.rules.get(ALL_RULES))

    def chances(self, kinds: NDArray[np.intp], probabilities: NDArray[Any]) -> FloatArray:
        """Return the chance that words are identifiers, from their most likely kind and the network's probability."""
        chances = np.array(probabilities, dtype=np.float64)
        groups = np.array(GROUPS)[kinds]
        for name, (odds, shares) in self.tables.items():
            own = groups == name
            chances[own] = np.interp(log_odds(chances[own]), odds, shares)
        return chances


def log_odds(probabilities: NDArray[Any] | float) -> FloatArray:
    """Return log (p / (1 - p)), finite for 0 and 1 too."""
    inside = np.clip(np.asarray(probabilities, dtype=np.float64), _LEAST, 1 - _LEAST)
    return np.asarray(np.log(inside / (1 - inside)))
