"""What an answer of the network that labels words is worth: monotone tables in its card."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sfumato.models.token_classifier.calibration import GROUPS, Calibration, log_odds
from sfumato.models.token_classifier.card import Card
from sfumato.models.token_classifier.labels import KINDS

PERSON, DATE = KINDS.index("PERSON"), KINDS.index("DATE")
TABLE = {"odds": [-2.0, 0.0, 2.0], "shares": [0.0, 0.25, 1.0]}


def test_a_chance_is_read_between_the_points_of_a_table() -> None:
    own = Calibration.of({"tables": {"names": TABLE}})
    assert own.chance(PERSON, 0.5) == pytest.approx(0.25)
    assert own.chance(PERSON, float(1 / (1 + np.exp(-1)))) == pytest.approx(0.625)
    assert (own.chance(PERSON, 0.0), own.chance(PERSON, 1.0)) == (0, 1)
    assert own.chance(DATE, 0.3) == 0.3  # without a table nothing changes
    assert Calibration().chance(PERSON, 0.3) == 0.3
    kinds, probabilities = np.array([PERSON, DATE, PERSON]), np.array([0.2, 0.3, 0.9], dtype=np.float32)
    every = [own.chance(kind, share) for kind, share in zip(kinds.tolist(), probabilities.tolist(), strict=True)]
    assert own.chances(kinds, probabilities) == pytest.approx(every)


@pytest.mark.parametrize(
    "table",
    [
        {"odds": [0.0, 1.0], "shares": [0.9, 0.1]},
        {"odds": [1.0, 0.0], "shares": [0.1, 0.9]},
        {"odds": [0.0, 1.0], "shares": [0.1, 1.2]},
        {"odds": [0.0, 1.0], "shares": [-0.1, 0.2]},
        {"odds": [0.0, 1.0], "shares": [0.5]},
        {"odds": [], "shares": []},
    ],
)
def test_a_table_that_falls_or_leaves_the_unit_interval_is_refused(table: Any) -> None:
    with pytest.raises(ValueError):
        Calibration.of({"tables": {"names": table}})


def test_log_odds_are_finite() -> None:
    assert np.isfinite(log_odds(np.array([0.0, 1.0], dtype=np.float32))).all()
    assert log_odds(0.5) == 0


def test_the_card_of_the_package_has_a_table_for_each_group_and_figures_for_each_language() -> None:
    card = Card.of(None)
    assert set(card.calibration.tables) == set(GROUPS)
    sure, unsure = ([card.calibration.chance(kind, share) for kind in (PERSON, DATE)] for share in (0.999, 0.01))
    assert min(sure) > 0.95
    assert max(unsure) < 0.06
    assert set(card.languages) == {"da", "de", "en", "es", "fi", "fr", "nl", "no", "pt", "ro", "sv", "tr"}
    assert all(0.5 < figures["recall"] <= 1 for figures in card.languages.values())
