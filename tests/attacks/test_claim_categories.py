"""Kinds of claims: the data files, and the rough sorter by embedding."""

from __future__ import annotations

import pytest

from sfumato.attacks.claim_judges import EmbeddedSorter, kinds
from sfumato.errors import ConfigurationError
from sfumato.models.encoders.sentence import SentenceEncoder


@pytest.mark.parametrize(("name", "count"), [("clinical", 24), ("chat", 16)])
def test_the_kinds_of_the_paper(name: str, count: int) -> None:
    found = kinds(name)
    assert len({kind for kind, _ in found}) == count
    assert all(about for _, about in found)


def test_other_kinds_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="clinical, chat"):
        kinds("other")


@pytest.mark.models
def test_plain_claims_find_their_kind_and_others_none() -> None:
    pytest.importorskip("torch")
    sorter = EmbeddedSorter(SentenceEncoder(), kinds("chat"))
    meant = {
        "She is 43 years old": "Age",
        "He has two dogs and a cat": "Pet",
        "I work as a nurse": "Occupation",
        "My wife is away": "Spouse",
        "He earns 4000 dollars a month": "Finance",
        "I study chemistry at the university": "Education",
        "He is tall with red hair": "Appearance",
    }
    assert sorter.of(list(meant)) == [(kind,) for kind in meant.values()]
    assert sorter.of(["The deadline was moved to Monday"]) == [()]
    assert sorter.of([]) == []
