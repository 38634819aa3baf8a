"""Relatives get one last name by the text between marks, whatever their true names are."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from sfumato.building.policies import build_policy
from sfumato.engines.engine import Engine
from sfumato.engines.families import Families
from sfumato.kinds.people.layouts import split_name
from sfumato.kinds.people.person import Person
from sfumato.policy import Policy
from sfumato.privacy.randomness import SeededRandomness
from sfumato.text.document import Document, Release
from short_lists import short_lists

FAMILIES = Families(Person())
POLICY = """
[find]
detect = ["given"]
[[treat]]
kinds = ["PERSON"]
mechanism = "independent"
consistency = "document"
[treat_others]
method = "label"
"""


def held(text: str) -> str:
    """Return a release, in which names stand between stars, after relatives have one last name."""
    parts = text.split("*")
    made = Release.joined("1", parts, ["PERSON"] * (len(parts) // 2), 0)
    [release] = FAMILIES.held([made])
    return release.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*Toby Price* and his wife *Elena Lowe* came.", "Toby Price and his wife Elena Price came."),
        ("*Toby Price* came with *Elena Lowe*, his wife.", "Toby Price came with Elena Price, his wife."),
        ("*Toby Price*'s wife, *Elena Lowe*, left.", "Toby Price's wife, Elena Price, left."),
        ("*Toby Price* met *Elena Lowe* (wife of *Dean Best*).", "Toby Price met Elena Best (wife of Dean Best)."),
        ("*Mr Price* came. His daughter *Amy Lowe* too.", "Mr Price came. His daughter Amy Price too."),
        (
            "*Mr Toby Price*, his wife *Elena Lowe* and their son *Tom Best*. *Mrs Lowe* is well, *T. Best* too.",
            "Mr Toby Price, his wife Elena Price and their son Tom Price. Mrs Price is well, T. Price too.",
        ),
        ("My wife *Elena Lowe* and our sons *Tom Best* and *Ben Hanson*.",
         "My wife Elena Lowe and our sons Tom Lowe and Ben Lowe."),
        ("*Ms Ann Price* saw *Dr Dean Hanson*. Her son *Tom Best* came.",
         "Ms Ann Price saw Dr Dean Hanson. Her son Tom Price came."),
        ("*Toby Price* was seen by *Ann Hanson*. His wife *Elena Lowe* came.",
         "Toby Price was seen by Ann Hanson. His wife Elena Price came."),
        ("*Ms Ann Price* met *Mr Dean Hanson*. Her son *Tom Best* came.",
         "Ms Ann Price met Mr Dean Hanson. Her son Tom Price came."),
        ("*BEST, TOBY*: his wife *LOWE, ELENA*.", "BEST, TOBY: his wife BEST, ELENA."),
    ],
)  # fmt: skip
def test_relatives_share_a_last_name(text: str, expected: str) -> None:
    assert held(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "*Toby Price* met *Elena Lowe*.",
        "*Toby Price* and his friend *Elena Lowe* came.",
        "*Toby Price* and his partner *Elena Lowe* came.",
        "*Toby Price* and his mother-in-law *Elena Lowe* came.",
        "*Toby Price* and his wife *Elena* came.",
        "His wife *Elena Lowe* came with *Toby Price*.",
        "*Mr Toby Price* came. Her son *Tom Best* came.",
        "*Toby Price* and his son *Toby Lowe* came.",
        "*Price* Hospital and his wife *Elena Lowe*.",
        "They met the *Price* family. His wife *Elena Lowe* came.",
        "They met *the Prices*. His wife *Elena Lowe* came.",
        "*[PERSON]* and his wife *Elena Lowe*.",
        "his wife *Elena Lowe*",
        "*Toby*, *Elena*, *Tom*",
        "",
    ],
)
def test_other_names_stay_as_drawn(text: str) -> None:
    assert held(text) == text.replace("*", "")


def test_two_people_never_become_one() -> None:
    """Both wives drew one first name: were both given the last name of the family, a reader would see one woman."""
    text = "*Toby Price*, his wife *Elena Lowe*. His sister *Elena Hanson* came."
    assert held(text) == "Toby Price, his wife Elena Price. His sister Elena Hanson came."


def test_a_name_is_equal_in_all_texts_of_a_record_and_other_records_are_free() -> None:
    first = Release.joined("1", ["", "Toby Price", " and his wife ", "Elena Lowe", "."], ["PERSON"] * 2, 0)
    second = Release.joined("1", ["For ", "Elena Lowe", " on ", "3 May", "."], ["PERSON", "DATE"], 0)
    assert [release.text for release in FAMILIES.held([first, second])] == [
        "Toby Price and his wife Elena Price.", "For Elena Price on 3 May.",
    ]  # fmt: skip
    assert FAMILIES.held([second]) == [second]


def test_a_record_of_ten_thousand_names_is_quick() -> None:
    parts = ["He "]
    for number in range(10_000):
        word = "".join(chr(97 + number // 26**place % 26) for place in range(4))
        parts += [f"Tom X{word}", (" and his wife ", " met ", ". ")[number % 3]]
    start = time.perf_counter()
    FAMILIES.held([Release.joined("1", parts, ["PERSON"] * 10_000, 0)])
    assert time.perf_counter() - start < 20


@pytest.fixture(scope="module")
def made() -> Iterator[Engine]:
    with short_lists():
        yield build_policy(Policy.parse(POLICY))


def document(*names: str) -> Document:
    text, spans = "", []
    for name, after in zip(names, (" came with his wife ", ". ", " is well."), strict=True):
        spans.append({"start": len(text), "end": len(text) + len(name), "label": "PERSON"})
        text += name + after
    return Document(text, "1", {"spans": spans})


def last_name(text: str) -> tuple[str, ...]:
    return split_name(text)[1]


def test_releases_do_not_depend_on_whether_the_true_names_are_equal(made: Engine) -> None:
    """A rule that asked the originals would link the first pair alone, and a release would show which it was."""
    texts = document("John Moss", "Elena Moss", "Ann Stone"), document("John Moss", "Elena Price", "Ann Moss")
    shared = 0
    for seed in range(20):
        for own in texts:
            [release] = made.sanitize_batch([own], SeededRandomness(seed))
            husband, wife, other = (last_name(span.output) for span in release.replacements)
            shared += husband == wife != other
    assert shared == 40
    free = replace(made, families=None)
    apart = [free.sanitize_batch([texts[0]], SeededRandomness(seed))[0].replacements for seed in range(20)]
    assert sum(last_name(one.output) != last_name(two.output) for one, two, _ in apart) > 15


@pytest.mark.parametrize(
    ("before", "after", "there"),
    [
        ('consistency = "document"', 'consistency = "document"', True),
        ('consistency = "document"', 'consistency = "mention"', False),
        ('consistency = "document"', 'consistency = "subject"\n[fields]\nsubject = "who"', False),
        ('mechanism = "independent"\nconsistency = "document"', 'method = "label"', False),
        ("[treat_others]", "[release]\nrepair = false\n[treat_others]", False),
    ],
)
def test_names_that_are_not_drawn_once_for_a_record_stay(before: str, after: str, there: bool) -> None:
    with short_lists():
        assert (build_policy(Policy.parse(POLICY.replace(before, after))).families is not None) is there
