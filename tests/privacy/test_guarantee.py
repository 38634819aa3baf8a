"""One bound for ε, wherever a user names one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from command_line import call
from sfumato.building.build import build
from sfumato.errors import ConfigurationError
from sfumato.evaluation.comparison.methods import _epsilons
from sfumato.ledger.accounts import cap_of
from sfumato.policy import Policy
from sfumato.privacy.guarantee import MOST_EPSILON, checked_epsilon
from sfumato.run.synthesize_file import synthesize_file

BOUND = "epsilon must be at most 1,000,000, because more promises nothing; try 8.0."
BEYOND = [1e308, 1.1 * MOST_EPSILON]
RULE = '[[treat]]\nkinds = ["{}"]\nmechanism = "{}"\nepsilon = {}\n'


def _of_a_policy(epsilon: float) -> None:
    for kind, mechanism in (("PLACE", "santext"), ("DATE", "shift"), ("AGE", "geometric"), ("PERSON", "clusant")):
        with pytest.raises(ConfigurationError, match=BOUND):
            Policy.parse(RULE.format(kind, mechanism, epsilon))
    Policy.parse(RULE.format("PLACE", "santext", epsilon))


def _of_a_change(epsilon: float) -> None:
    Policy.load("clinical").with_changes({"treat.AGE.epsilon": str(epsilon)})


ENTRANCES: dict[str, Callable[[float], Any]] = {
    "tokens": lambda epsilon: build("custext", epsilon),
    "in context": lambda epsilon: build("dp-mlm", epsilon),
    "of a document": lambda epsilon: build("dp-mlm", document_epsilon=epsilon),
    "policy": _of_a_policy,
    "--set": _of_a_change,
    "a plan of compare": lambda epsilon: _epsilons([8, epsilon], "[[method]]"),
    "synthesis": lambda epsilon: synthesize_file(
        "finetune", "no.jsonl", "o.jsonl", units=9, records=9, epsilon=epsilon
    ),
}


@pytest.mark.parametrize("epsilon", BEYOND)
@pytest.mark.parametrize("entrance", ENTRANCES)
def test_an_epsilon_beyond_the_bound_is_refused_at_every_entrance(entrance: str, epsilon: float) -> None:
    """A law for it would take minutes, overflow, or be no law; and every entrance says the same sentence."""
    with pytest.raises(ConfigurationError) as told:
        ENTRANCES[entrance](epsilon)
    assert BOUND in str(told.value)


@pytest.mark.parametrize("command", [("explain", "-m", "custext", "--token", "x"), ("certify", "-m", "santext")])
def test_a_command_says_the_bound(command: tuple[str, ...]) -> None:
    ran = call(*command, "-e", "1e308")
    assert (ran.code, BOUND in ran.err) == (2, True)


def test_an_epsilon_that_is_beyond_the_bound_per_unit_is_refused() -> None:
    policy = RULE.format("AGE", "geometric", 1) + 'within = "0.0000001 years"\n'
    with pytest.raises(ConfigurationError, match=f"Per year: {BOUND}"):
        Policy.parse(policy)


@pytest.mark.parametrize("epsilon", [10**400, -(10**400), math.nan, 0, -1.0, True, "much", None, [1.0], object()])
def test_what_is_no_epsilon_is_refused_in_a_sentence(epsilon: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"^epsilon must be "):
        checked_epsilon(epsilon)


def test_the_bound_itself_is_allowed() -> None:
    assert checked_epsilon(MOST_EPSILON) == 1e6
    assert cap_of(MOST_EPSILON) == 10**15  # the most that a ledger holds
    with pytest.raises(ConfigurationError, match="million nats"):
        cap_of(1.1 * MOST_EPSILON)
