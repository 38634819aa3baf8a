"""Whether a date is marked, where and as what, does not depend on which date it is."""

from __future__ import annotations

import pytest

from sfumato import build
from sfumato.kinds.months import MONTHS, WEEKDAYS
from sfumato.text.document import Document

pytestmark = pytest.mark.models

SHORT = [name[:3].capitalize() for name in WEEKDAYS]
FULL = [name.capitalize() for name in WEEKDAYS]
MONTH_NAMES = [name.capitalize() for name in MONTHS]
DAYS = [f"{day:02d}" for day in range(1, 29)]
CARRIERS = [
    *((before, SHORT, "") for before in ("Seen ", "Due back ")),
    *(("She came ", SHORT, " with pain."), ("Seen ", SHORT, " by the nurse."), ("Back ", SHORT, ". Wants a letter.")),
    *(("Seen on ", FULL, "."), ("She will come back on ", FULL, " with her son."), ("See you ", FULL, "!")),
    *(
        ("Seen in ", MONTH_NAMES, " 2019."),
        ("Born on 3 ", MONTH_NAMES, " 1980."),
        ("Due 4 ", MONTH_NAMES, ", thanks."),
    ),
    *(("Admitted ", DAYS, " March 2019."), ("Born 2001-03-", DAYS, "."), ("Seen on the ", DAYS, "/03/2019.")),
]


def marks(texts: list[str]) -> list[list[tuple[int, int, str]]]:
    """Return what is marked in each text: where it starts and ends, and its label."""
    found = build("redaction", detect="identifiers").detector.detect([Document(text) for text in texts])
    return [
        [(*bounds, label) for bounds, label in zip(spans.bounds, spans.each_label(), strict=True)] for spans in found
    ]


@pytest.mark.parametrize(("before", "values", "behind"), CARRIERS, ids=[f"{row[0]}|{row[2]}" for row in CARRIERS])
def test_every_date_of_a_form_is_marked_alike(before: str, values: list[str], behind: str) -> None:
    found = marks([f"{before}{value}{behind}" for value in values])
    beside = {
        value: [(start, end - len(value), label) for start, end, label in row]  # as if all were of one length
        for value, row in zip(values, found, strict=True)
    }
    [alike] = {tuple(row) for row in beside.values()}
    assert [label for *_, label in alike] == ["DATE"], beside


def test_the_months_that_open_a_sentence_and_are_words_are_known() -> None:
    """docs/promise.md says so: "May again" may ask for a permission."""
    found = marks([f"{month} again" for month in MONTH_NAMES])
    assert {month for month, row in zip(MONTH_NAMES, found, strict=True) if not row} == {"May"}


@pytest.mark.parametrize(
    "text",
    [
        "Password reset", "My IBAN is lost.", "The MAC of the printer is wrong.", "80% stenosis of the LAD, stented.",
        "LAD lesion stented.", "The VPN drops.", "It dropped off the VLAN.",
    ],
)  # fmt: skip
def test_terms_of_tickets_and_notes_are_no_firms_and_no_people(text: str) -> None:
    [found] = marks([text])
    assert not {label for *_, label in found} & {"PERSON", "ORGANIZATION", "LOCATION", "NAME", "GROUP"}, found


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Password Games Ltd sued.", "Password Games Ltd"),
        ("Cap Anderson called.", "Cap Anderson"),
        ("I met Li Sun today.", "Li Sun"),
        ("Thu called.", "Thu"),
        ("Anna Thu came.", "Anna Thu"),
        ("Spoke to Thu Nguyen on Thu.", "Thu Nguyen"),
    ],
)
def test_names_that_hold_such_a_word_stay_marked(text: str, name: str) -> None:
    [found] = marks([text])
    start = text.index(name)
    assert (start, start + len(name)) in {(first, last) for first, last, _ in found}, found


@pytest.mark.parametrize(
    "text", ["Sat down with Thu.", "Saw Thu's mother.", "of Thu again", "the Thu clinic", "Thu, again"]
)
def test_a_weekday_that_may_be_a_name_is_marked_as_one_or_the_other(text: str) -> None:
    [found] = marks([text])
    start = text.index("Thu")
    assert any(first <= start and start + 3 <= last for first, last, _ in found), found
