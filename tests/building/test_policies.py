"""From a policy to a sanitizer: what is built goes to other processes, and is the same whenever it is built."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from sfumato.building.policies import build_policy
from sfumato.errors import ConfigurationError
from sfumato.policy import Policy
from sfumato.types import FloatArray, Progress

JOBS = """
[find]
detect = ["given"]
[[treat]]
kinds = ["OCCUPATION"]
mechanism = "independent"
consistency = "{}"
[treat_others]
method = "label"
[fields]
subject = "who"
"""


@dataclass(frozen=True)
class Lengths:
    """Embeds a phrase as its length and its first letter."""

    id: str = "lengths"

    def encode(self, phrases: Sequence[str], progress: Progress | None = None) -> FloatArray:
        return np.array([[len(phrase), ord(phrase[0])] for phrase in phrases], dtype=np.float64)


def test_two_builds_have_one_setting() -> None:
    """Keyed draws depend on the setting: one that held an address would never repeat a pinned release."""
    policy = Policy.parse(JOBS.format("document"))
    first, second = (build_policy(policy, encoder=Lengths()) for _ in range(2))
    assert first.setting == second.setting
    assert first.fingerprint() == second.fingerprint()
    assert first.run_digest == second.run_digest == ""
    assert build_policy(policy, encoder=Lengths("others")).setting != first.setting


def test_what_is_built_goes_to_other_processes() -> None:
    made = build_policy(Policy.parse(JOBS.format("subject")), encoder=Lengths())
    sent = pickle.loads(pickle.dumps(made))
    assert sent.setting == made.setting
    assert sent.run_digest == made.run_digest  # all processes of a run draw by one key


def test_runs_have_keys_of_their_own() -> None:
    policy = Policy.parse(JOBS.format("subject"))
    digests = {build_policy(policy, encoder=Lengths()).run_digest for _ in range(3)}
    assert len(digests) == 3
    assert "" not in digests


def test_a_mechanism_for_a_label_is_refused() -> None:
    labelled = JOBS.format("document").replace('kinds = ["OCCUPATION"]', 'labels = ["JOB"]')
    with pytest.raises(ConfigurationError, match="A label has no values"):
        build_policy(Policy.parse(labelled), encoder=Lengths())
