"""The page names kinds and treatments as the policy does, and as the sanitizer decides them."""

from __future__ import annotations

import pytest

from sfumato.building.policies import kind_of
from sfumato.kinds.registry import kinds_of
from sfumato.policy import Policy
from sfumato.review.treated import ByPolicy, Treated
from sfumato.text.document import Document
from sfumato.text.marks import Finding

TREATED = {
    ("LOCATION", "Oslo"): Treated("PLACE", "santext"),
    ("PHONE_NUMBER", "555-0114"): Treated("PHONE", "independent"),
    ("DATE", "62-year-old"): Treated("AGE", "geometric"),
    ("DATE", "12 May"): Treated("DATE", "shift"),
    ("FAMILY", "sister"): Treated("WORD", "label"),
    ("HEALTH", "asthma"): Treated("HEALTH", "keep"),
    ("GIVEN", "Mr Cancer"): Treated("PERSON", "independent"),  # what is kept needs a label that says so
    ("NOBODY_KNOWS", "x"): Treated("WORD", "label"),
}


@pytest.mark.parametrize("mark", TREATED)
def test_a_mark_has_the_kind_and_the_treatment_of_the_policy(mark: tuple[str, str]) -> None:
    treated = ByPolicy(Policy.load("clinical"))(*mark)
    assert treated == TREATED[mark]
    assert treated.stays == (treated.treatment == "keep")


def test_a_label_that_the_policy_treats_is_a_name_of_its_own() -> None:
    own = '[[treat]]\nlabels = ["WARD"]\nmethod = "keep"\n[treat_others]\nmethod = "mask"\n'
    treatments = ByPolicy(Policy.parse(f'[find]\ndetect = ["identifiers"]\n{own}'))
    assert treatments("WARD", "7") == Treated("WARD", "keep")
    assert treatments("PERSON", "Ann") == Treated("PERSON", "mask")
    assert [facts["kind"] for facts in treatments.as_facts() if facts["stays"]] == ["WARD"]
    assert treatments.names[-1] == "WARD"


def test_nothing_that_is_marked_stays_in_a_record_of_none_of_several_languages() -> None:
    kept = '[find]\nlanguage = "en de"\n[treat_others]\nmethod = "keep"\n'
    treatments = ByPolicy(Policy.parse(kept))
    texts = ["Die Frau war in der Klinik und sie ist 62.", "Ona nie wie 62."]
    stay = [treatments.staying([Document(text, "1")], [[Finding(len(text) - 3, len(text) - 1, "AGE", None, "")]])
            for text in texts]  # fmt: skip
    assert stay == [[[True]], [[False]]]


def test_the_sanitizer_asks_the_same_function() -> None:
    policy = Policy.load("clinical")
    decided = kind_of(policy, kinds_of())
    assert {mark: decided(*mark) for mark in TREATED} == {mark: treated.kind for mark, treated in TREATED.items()}
