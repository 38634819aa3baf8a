"""Whether a date is marked, where and as what, does not depend on which date it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import pytest

from sfumato import build
from sfumato.abstract.detector import Detector
from sfumato.detectors import any_date
from sfumato.detectors.any_date import PublicDates
from sfumato.detectors.identifier_finder import IdentifierFinder
from sfumato.errors import InputError
from sfumato.language.dates import DatesInText
from sfumato.language.en.calendar import MONTHS, WEEKDAYS
from sfumato.language.languages import ENGLISH
from sfumato.text.document import Document
from sfumato.text.marks import Finding

pytestmark = pytest.mark.models

SHORT = [name[:3].capitalize() for name in WEEKDAYS.full]
FULL = [name.capitalize() for name in WEEKDAYS.full]
MONTH_NAMES = [name.capitalize() for name in MONTHS.full]
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
SHORT_MONTHS = [name[:3] for name in MONTH_NAMES]
EVERY_NAME = [*MONTH_NAMES, *SHORT_MONTHS, "Sept"]
SOME = (3, 12, 28)
PAIRS = [(day, month) for month in range(1, 13) for day in (1, 5, 9, 10, 12, 13, 17, 18, 28)]
FORMS = {
    "day month": [f"{day} {name}" for name in EVERY_NAME for day in SOME],
    "day of month": [f"{day}th of {name}" for name in EVERY_NAME for day in (4, 12, 28)],
    "month day": [f"{name} {day}" for name in EVERY_NAME for day in SOME],
    "day month year": [f"{day} {name} {year}" for name in EVERY_NAME for day in SOME for year in (1987, 2019)],
    "month day, year": [f"{name} {day}, {year}" for name in EVERY_NAME for day in SOME for year in (1987, 2019)],
    "month year": [f"{name} {year}" for name in EVERY_NAME for year in (1987, 2003, 2019)],
    "weekday day month": [f"{day} 3 {name}" for name in EVERY_NAME for day in FULL],
    "short weekday day month": [f"{day} 3 {name}" for name in EVERY_NAME for day in SHORT],
    "weekday, month day": [f"{day}, {name} 3" for name in EVERY_NAME for day in FULL],
    "day-month-year": [f"{day:02d}-{name}-2019" for name in SHORT_MONTHS for day in SOME],
    "day-month-two": [f"{day:02d}-{name}-19" for name in SHORT_MONTHS for day in SOME],
    "fraction": [text for day, month in PAIRS
                 for text in (f"{day}/{month}", f"{day:02d}/{month:02d}", f"{month:02d}/{day}")],
    "day small month": [f"{day} {name.lower()}" for name in EVERY_NAME for day in SOME],
    "small month year": [f"{name.lower()} {year}" for name in EVERY_NAME for year in (1987, 2019)],
    "day/month/year": [f"{day:02d}/{month:02d}/2019" for day, month in PAIRS],
    "month/day/two": [f"{month}/{day}/19" for day, month in PAIRS],
    "day.month.year": [f"{day}.{month}.2019" for day, month in PAIRS],
    "year-month-day": [f"2019-{month:02d}-{day:02d}" for day, month in PAIRS],
    "month/year": [f"{month:02d}/{year}" for month in range(1, 13) for year in (1987, 2019)],
    "weekday": FULL,
}  # fmt: skip
CONTEXTS = [
    ("Seen ", ""), ("Seen on ", "."), ("Seen in ", ". Again seen by Anna."), ("", " again. She asked for her son."),
    ("She came ", " with pain."), ("Due back ", ", thanks."), ("Born ", ", lives in Oslo."), ("Review (", ")"),
    ("Spoke to Anna on ", " about it."), ("- ", ": seen by the nurse"), ("Sats fell. ", " 120/80, pulse 70"),
]  # fmt: skip


@cache
def _detector() -> Detector:
    return build("redaction", detect="identifiers").detector


@pytest.fixture
def read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read equal texts with public dates once: they differ in hundreds only where a date is not made public."""
    read = IdentifierFinder._findings

    def each_once(finder: IdentifierFinder, documents: Sequence[Document], code: str) -> list[list[Finding]]:
        texts = list(dict.fromkeys(document.text for document in documents))
        found = dict(zip(texts, read(finder, [Document(text) for text in texts], code), strict=True))
        return [found[document.text] for document in documents]

    monkeypatch.setattr(IdentifierFinder, "_findings", each_once)


def marks(texts: list[str]) -> list[list[tuple[int, int, str]]]:
    """Return what is marked in each text: where it starts and ends, and its label."""
    found = _detector().detect([Document(text) for text in texts])
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
    if values not in (SHORT, FULL):  # a weekday alone has no format: the network decides
        assert any(start <= len(before) <= end and label == "DATE" for start, end, label in alike), beside


def around(value: str, before: str, behind: str, found: list[tuple[int, int, str]]) -> tuple[object, ...]:
    """Return the marks with their places as if every value were one character."""
    start, end = len(before), len(before) + len(value)

    def place(bound: int) -> tuple[int, bool]:
        if start < bound < end:
            return start, True  # within the value, which no mark may cut
        return (bound, False) if bound <= start else (bound - len(value) + 1, False)

    return tuple((place(first), place(last), label) for first, last, label in found)


@pytest.mark.parametrize("form", FORMS)
def test_every_value_of_a_form_is_marked_alike_and_so_are_the_words_beside_it(form: str, read_once: None) -> None:
    """17/5 was a CODE and 18/5 a PERSON; "Born Mar 17" was one mark and "Born Feb 17" another."""
    values = FORMS[form]
    rows = [(value, *context) for context in CONTEXTS for value in values]
    found = marks([f"{before}{value}{behind}" for value, before, behind in rows])
    for number, context in enumerate(CONTEXTS):
        own = slice(number * len(values), (number + 1) * len(values))
        alike: dict[tuple[object, ...], list[str]] = {}
        for (value, before, behind), marked in zip(rows[own], found[own], strict=True):
            alike.setdefault(around(value, before, behind, marked), []).append(value)
        assert len(alike) == 1, (context, {str(key): each[:4] for key, each in alike.items()})
        assert "True" not in str(next(iter(alike))), context


@pytest.mark.parametrize("names", [MONTH_NAMES, SHORT_MONTHS], ids=["full", "short"])
@pytest.mark.parametrize("before", ["Seen in ", "Away since ", "She was well until ", "Born at the end of "])
def test_a_month_that_is_a_date_once_is_one_in_its_whole_text(names: list[str], before: str) -> None:
    """ "Seen in May. May again it hurt" was marked once, and every other month twice."""
    behind = ". {} again it hurt."
    found = marks([f"{before}{name}{behind.format(name)}" for name in names])
    places = {
        tuple((start - number * len(name), end - (number + 1) * len(name), label)
              for number, (start, end, label) in enumerate(row))
        for name, row in zip(names, found, strict=True)
    }  # fmt: skip
    assert len(places) == 1, list(zip(names, found, strict=True))
    [alike] = places
    dates = [bounds for *bounds, label in alike if label == "DATE"]
    assert len(before) in {end for _, end in dates}  # the network may take "the end of" along


def test_marks_are_carried_back_to_the_dates_of_the_text() -> None:
    text = "Anna came on 3 May, and 7/11; Bo left."
    public = PublicDates.of(text)
    assert public.text == "Anna came on 17 October, and 17/10; Bo left."

    def carried(*words: str) -> list[str]:
        found = [Finding(public.text.index(word), public.text.index(word) + len(word)) for word in words]
        return [text[each.start : each.end] for each in public.original(found)]

    assert carried("Anna", "17 October", "17/10", "Bo") == ["Anna", "3 May", "7/11", "Bo"]
    assert carried("came on 17", "October, and", "/10") == ["came on 3 May", ", and", "7/11"]
    assert PublicDates.of("Back on Sat. Imogen came.").text == "Back on Wed. Imogen came."  # two sentences
    untouched = PublicDates.of("Anna came.")
    assert untouched.text == "Anna came."
    assert untouched.original([Finding(0, 4)]) == [Finding(0, 4)]


def test_dates_that_take_too_long_refuse_the_document_by_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(_: object, text: str) -> Iterator[Iterator[object]]:
        if "slow" in text:
            raise TimeoutError(text)
        yield from ()

    monkeypatch.setattr(ENGLISH, "dates_in_text", DatesInText())
    monkeypatch.setattr(any_date, "anchored_matches", slow)
    with pytest.raises(InputError, match="took too long") as raised:
        any_date.with_public_dates([Document("quick"), Document("slow")], [ENGLISH] * 2)
    assert raised.value.document == 1
    assert "slow" not in str(raised.value)


@pytest.mark.parametrize("text", ["120/80", "10.10.10.5", "v2.3.19", "May I ask", "50/60", "Good Friday"])
def test_what_is_no_date_is_read_as_it_is(text: str) -> None:
    assert not PublicDates.of(f"Her {text} x").bounds


def test_most_months_that_open_a_sentence_are_marked() -> None:
    """They are read as they are, as docs/promise.md says: "May again" may ask for a permission."""
    found = marks([f"{month} again" for month in MONTH_NAMES])
    assert sum(bool(row) for row in found) >= 10


NAMES = {
    "Password Games Ltd sued.": "Password Games Ltd", "Cap Anderson called.": "Cap Anderson",
    "I met Li Sun today.": "Li Sun", "Thu called.": "Thu", "Anna Thu came.": "Anna Thu",
    "Spoke to Thu Nguyen on Thu.": "Thu Nguyen", "Ms April Summers left.": "April Summers",
    "Signed by June Winter.": "June Winter", "Dr Jan Sunday came.": "Jan Sunday",
    "Mr August Friday sat.": "August Friday",
}  # fmt: skip


def test_names_that_hold_words_of_a_calendar_are_marked() -> None:
    covered = 0
    for (text, name), row in zip(NAMES.items(), marks(list(NAMES)), strict=True):
        places = range(text.index(name), text.index(name) + len(name))
        covered += all(any(first <= at < last for first, last, _ in row) for at in places if text[at].isalpha())
    assert covered >= 8


@pytest.mark.parametrize(
    "text", ["Sat down with Thu.", "Saw Thu's mother.", "of Thu again", "the Thu clinic", "Thu, again"]
)
def test_a_weekday_that_may_be_a_name_is_marked_as_one_or_the_other(text: str) -> None:
    [found] = marks([text])
    start = text.index("Thu")
    assert any(first <= start and start + 3 <= last for first, last, _ in found), found
