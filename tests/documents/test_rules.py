"""What becomes of the parts of a document."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.documents.rules import _CHOICES, _OF_TEXT, Refused, Rules, Visit
from sfumato.errors import ConfigurationError
from sfumato.options.option import options_of
from sfumato.policy import Policy


def test_the_page_has_a_row_for_each_part() -> None:
    page = (Path(__file__).parents[2] / "docs/documents.md").read_text()
    for option in options_of(Rules):
        others = ", ".join(word for word in _CHOICES.get(option.name, _OF_TEXT) if word != option.default)
        assert f"| `{option.name}` | {option.option.help} | {option.default} | {others} |" in page


def test_a_part_takes_the_words_that_make_sense_for_it() -> None:
    for wrong in ({"images": "treat"}, {"comments": "hide"}, {"unknown": "treat"}):
        with pytest.raises(ConfigurationError, match=next(iter(wrong))):
            Rules(**wrong)


def test_a_policy_says_it_in_a_section_and_a_command_may_change_it() -> None:
    policy = Policy.parse('[documents]\ncomments = "drop"\n[[treat]]\nkinds = ["PERSON"]\nmethod = "label"\n')
    assert policy.documents == Rules(comments="drop")
    assert policy.with_changes({"documents.images": "refuse"}).documents == Rules(comments="drop", images="refuse")
    assert Policy.parse(policy.as_toml()) == policy
    with pytest.raises(ConfigurationError, match=r"\[documents\]"):
        Policy.parse('[documents]\ncoments = "drop"\n[[treat]]\nkinds = ["PERSON"]\nmethod = "label"\n')


def test_what_is_refused_names_the_part_and_the_place() -> None:
    visit = Visit(Rules(comments="refuse"))
    with pytest.raises(Refused, match=r"refuses \(comments\) at page 3"):
        visit.rule("comments", "page 3")
    assert visit.rule("images") == "drop"
    assert visit.notes == {("images", "drop"): 1}
    assert visit.inside("attachment 2").inside("file 1").within == "attachment 2, file 1"
