"""The laws of a shipped policy hold on the domains of each language that has lists of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from sfumato.building.policies import treatment_of_kind
from sfumato.language.languages import LANGUAGES
from sfumato.language.lists import has_lists
from sfumato.policy.policy import Policy
from short_lists import short_lists

LISTED = [code for code in LANGUAGES if code != "en" and has_lists(code, "names")]


@pytest.fixture(scope="module", autouse=True)
def shorter() -> Iterator[None]:
    """Fifty institutions of each sector, for each of which a network makes a vector."""
    with short_lists(values=50):
        yield


@pytest.mark.parametrize("code", LISTED)
@pytest.mark.parametrize("kind", ["PERSON", "PLACE", "ORGANIZATION", "OCCUPATION", "GROUP"])
def test_the_laws_of_a_shipped_policy_are_certified(code: str, kind: str) -> None:
    policy = Policy.load("clinical")
    treatment = treatment_of_kind(replace(policy, find=replace(policy.find, language=code)), kind)
    english = treatment_of_kind(policy, kind)
    said = [(own.guarantee.epsilon, own.guarantee.unit) for own in (treatment, english) if own.guarantee]
    assert said[0] == said[1]  # one law, whatever language a record is in
    assert treatment.certificate is not None
    assert treatment.certificate.certified <= treatment.certificate.claimed * (1 + 1e-9)
