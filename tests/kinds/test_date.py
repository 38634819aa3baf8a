"""DATE reads what a text says, keeps its form, and lies in days."""

from __future__ import annotations

from datetime import date

import pytest

from kind_contract import distance, domains, forms_of
from sfumato.errors import ConfigurationError
from sfumato.kinds.dates.date import Date
from sfumato.language.en.calendar import HOLIDAYS
from sfumato.language.en.calendar import RELATIVE as RELATIVE_DAYS
from sfumato.language.en.dates import _SHAPES
from sfumato.language.en.time_beside_date import _AFTER, _BEFORE

DATE = Date(both_orders=True)
RELATIVE = RELATIVE_DAYS.grains
AMERICAN = Date(day_first=False, both_orders=True)
KEPT = [
    ("11 January 2019", "day", "2019-01-11"),
    ("5 January 2019", "day", "2019-01-05"),
    ("11 JANUARY 2019", "day", "2019-01-11"),
    ("11 january 2019", "day", "2019-01-11"),
    ("11th January 2019", "day", "2019-01-11"),
    ("the 3rd of May 2019", "day", "2019-05-03"),
    ("on the 22nd of May, 2019", "day", "2019-05-22"),
    ("the third of May 2019", "day", "2019-05-03"),
    ("January 11, 2019", "day", "2019-01-11"),
    ("May 3 2019", "day", "2019-05-03"),
    ("January 1st, 2019", "day", "2019-01-01"),
    ("JANUARY 1ST, 2019", "day", "2019-01-01"),
    ("Friday, 11 January 2019", "day", "2019-01-11"),
    ("Friday January 11, 2019", "day", "2019-01-11"),
    ("11/01/2019", "day", "2019-01-11"),
    ("01/02/2020", "day", "2020-02-01"),
    ("11.01.2019", "day", "2019-01-11"),
    ("Fri 11/01/2019", "day", "2019-01-11"),
    ("2019-01-11", "day", "2019-01-11"),
    ("2019-01-11 12:00:00", "day", "2019-01-11"),
    ("2019/01/11", "day", "2019-01-11"),
    ("11-Jan-2019", "day", "2019-01-11"),
    ("11-MAY-2019", "day", "2019-05-11"),
    ("11\u00a0January\n2019", "day", "2019-01-11"),
    ("29 February 2020", "day", "2020-02-29"),
    ("11/01/19", "day-yy", "2019-01-11"),
    ("25/12/99", "day-yy", "1999-12-25"),
    ("01/01/50", "day-yy", "1950-01-01"),
    ("11-Jan-19", "day-yy", "2019-01-11"),
    ("11 January '19", "day-yy", "2019-01-11"),
    ("11 to 19 February", "day-of-year", "02-19"),
    ("29 February to 2 March", "day-of-year", "03-02"),
    ("14-17 March", "day-of-year", "03-17"),
    ("5 and 19 February 2020", "day", "2020-02-19"),
    ("28 April and 4 May 1993", "day", "1993-05-04"),
    ("28 December 2019 to 3 January 2020", "day", "2020-01-03"),
    ("from the 3rd to the 7th of May", "day-of-year", "05-07"),
    ("night", "part of a day", "night"),
    ("the following morning", "part of a day", "morning"),
    ("12 March", "day-of-year", "03-12"),
    ("29 February", "day-of-year", "02-29"),
    ("the third of May", "day-of-year", "05-03"),
    ("May 3rd", "day-of-year", "05-03"),
    ("THE THIRD OF MAY", "day-of-year", "05-03"),
    ("the twenty-first of May", "day-of-year", "05-21"),
    ("January 2019", "month", "2019-01"),
    ("May 2019", "month", "2019-05"),
    ("early January 2019", "month", "2019-01"),
    ("mid-January 2019", "month", "2019-01"),
    ("January of 2019", "month", "2019-01"),
    ("01/2019", "month", "2019-01"),
    ("2019-01", "month", "2019-01"),
    ("Jan-2019", "month", "2019-01"),
    ("2019", "year", "2019"),
    ("in 2019", "year", "2019"),
    ("the year 2019", "year", "2019"),
    ("late 2019", "year", "2019"),
    ("the 1980s", "decade", "1980s"),
    ("mid-1980s", "decade", "1980s"),
    ("1980's", "decade", "1980s"),
    ("in March", "month-of-year", "03"),
    ("last May", "month-of-year", "05"),
    ("JANUARY", "month-of-year", "01"),
    ("Monday", "weekday", "Monday"),
    ("last Tuesday", "weekday", "Tuesday"),
    ("Sunday morning", "weekday", "Sunday"),
    ("Wed", "weekday", "Wednesday"),
    ("Sundays", "weekday", "Sunday"),
    ("on Thursdays", "weekday", "Thursday"),
    ("Monday mornings", "weekday", "Monday"),
    ("Sunday week", "weekday", "Sunday"),
    ("Tuesday 12:00", "weekday", "Tuesday"),
    ("12:00 on Saturday", "weekday", "Saturday"),
    ("30/06", "day-of-year", "06-30"),
    ("on 13/02", "day-of-year", "02-13"),
    ("Wednesday 5 April", "day-of-year", "04-05"),
    ("2 August at 12 pm", "day-of-year", "08-02"),
    ("12.00 p.m. on 13 June 2023", "day", "2023-06-13"),
    ("the 17th", "day-of-month", "17"),
    ("17th", "day-of-month", "17"),
    ("Sunday 2nd", "day-of-month", "02"),
    ("the 6th of this month", "day-of-month", "06"),
    ("end of summer", "season-of-year", "summer"),
    ("late autumn", "season-of-year", "autumn"),
    ("LAST WINTER", "season-of-year", "winter"),
    ("spring 2025", "season", "spring 2025"),
    ("the winter of 2018", "season", "winter 2018"),
    ("tonight", "present day", "tonight"),
    ("since last night", "past day", "last night"),
    ("Yesterday", "past day", "yesterday"),
    ("the day after tomorrow", "coming day", "the day after tomorrow"),
    ("tomorrow at 12:00", "coming day", "tomorrow"),
    ("NEXT WEEK", "coming period", "next week"),
    ("last year", "past period", "last year"),
    ("Good Friday", "holiday", "Good Friday"),
    ("over Christmas Eve", "holiday", "Christmas Eve"),
    ("NEW YEAR'S DAY", "holiday", "New Year's Day"),
    ("12 pm, Good Friday", "holiday", "Good Friday"),
]
CHANGED = {
    "05 January 2019": "5 January 2019",
    "5/1/2019": "05/01/2019",
    "2019-1-5": "2019-01-05",
    "1/2019": "01/2019",
    "11 Jan 2019": "11 January 2019",
    "11 Jan. 2019": "11 January 2019",
    "11 Sept. 2019": "11 September 2019",
    "Fri. 11 JAN. 2019": "Fri. 11 JANUARY 2019",
    "in Jan. 2019": "in January 2019",
    "Feb": "February",
    "11-January-2019": "11-Jan-2019",
    "01/25/2020": "25/01/2020",
    "1/25/20": "25/01/20",
    "the twenty first of May": "the twenty-first of May",
    "2019-01-11 04:30:15": "2019-01-11 12:00:00",
    "2019-01-11T04:30:15.123Z": "2019-01-11T12:00:00Z",
    "2019-01-11T04:30+05:30": "2019-01-11T12:00+00:00",
    "11 January 2019 at 04:30": "11 January 2019 at 12:00",
    "Jan. 11, 2019, 4:30 AM": "January 11, 2019, 12:00 PM",
    "12/01/19 4:30 a.m.": "12/01/19 12:00 p.m.",
    "Tues. 7 May 2019": "Tue. 7 May 2019",
    "Friday 5 April": "Wednesday 5 April",
    "Thu 18 Jan": "Tue 18 January",
    "Sat 9th": "Sun 9th",
    "30/6": "30/06",
    "06/30": "30/06",
    "5/5": "05/05",
    "1/2": "01/02",
    "9/13": "13/09",
    "fall 2025": "autumn 2025",
    "yesterday teatime": "yesterday afternoon",
    "Last Night": "Last night",
    "Tuesday 22:10": "Tuesday 12:00",
    "Friday 5 April at 10.20": "Wednesday 5 April at 12.00",
    "tomorrow at 9": "tomorrow at 12",
    "03h40 on 14 July 2011": "12h00 on 14 July 2011",
    "7 a.m. on 26 January 2020": "12 p.m. on 26 January 2020",
    "Sunday midnight": "Sunday 12 p.m.",
    "Sunday noon": "Sunday 12 p.m.",
    "noon on 30 April": "12 p.m. on 30 April",
    "noon today": "12 p.m. today",
    "6:14 this morning": "12:00 this morning",
    "christmas": "Christmas Day",
    "since Hogmanay": "since New Year's Eve",
    "New Year’s Day": "New Year's Day",
    "7 pm, Good Friday": "12 pm, Good Friday",
}
UNREADABLE = [
    *("30 February 2019", "29 February 2019", "31/04/2019", "32/01/2019", "2019-13-01", "00/01/2019", "13/13/2020"),
    *("Saturday, 11 January 2019", "11st January 2019", "22th May", "0 May", "40 May"),
    *("1899", "2050", "31/12/1899", "1 January 2050", "0000", "0000-01-01", "the 1890s", "the 1985s", "the 80s"),
    *("may", "march", "sun", "sat", "MaY 2019", "3rD May", "Janvier 2019"),
    *(
        "31/02",
        "13/13",
        "32/01",
        "the 32nd",
        "the 17",
        "11st",
        "Mons",
        "suns",
        "springs",
        "spring 2050",
        "Halloween 2019",
        "Christmas tree",
        "Ramadan",
    ),
    *(
        "yesterDay",
        "last",
        "nights",
        "next",
        "three days ago",
        "yesterday 24:10",
        "next week at 9",
        "spring at 10:00",
    ),
    *("Tuesday 22", "Tuesday 22.10", "tomorrow 9", "10:15", "noon", "25:00 on Monday", "17-14 March", "2008 to 2011"),
    *(
        "2019-01-11T24:30",
        "2019-01-11 04:60",
        "January 2019 at 04:30",
        "2019-01-11 04:30 12:00",
        "11 January 19",
        "2019-20",
        "11/01-2019",
        "11 January 2019.",
        " 2019",
        "2019 ",
        "20190111",
    ),
    *("11  \n\n  January 2019", "eleven January", "the fortieth of May", "٢٠١٩", "ﾠ2019"),
]
FORMS = forms_of(DATE, [text for text, _, _ in KEPT] + list(CHANGED))
SHAPES = (*_SHAPES, _AFTER, _BEFORE, RELATIVE_DAYS.shape, HOLIDAYS.shape)


@pytest.mark.parametrize(("text", "grain", "value"), KEPT)
def test_a_text_is_read_and_written_again(text: str, grain: str, value: str) -> None:
    reading = DATE.read(text)
    assert reading is not None
    assert (reading.form.grain, reading.value) == (grain, value)
    assert DATE.write(reading.value, reading.form) == text


@pytest.mark.parametrize(("text", "written"), CHANGED.items())
def test_what_only_some_dates_show_is_not_kept(text: str, written: str) -> None:
    reading = DATE.read(text)
    assert reading is not None
    assert DATE.write(reading.value, reading.form) == written
    assert DATE.read(written) == reading


@pytest.mark.parametrize("text", UNREADABLE)
def test_other_texts_are_not_readable(text: str) -> None:
    assert DATE.read(text) is None


def test_the_order_of_day_and_month_is_public() -> None:
    assert [DATE.read("01/02/2020").value, AMERICAN.read("01/02/2020").value] == ["2020-02-01", "2020-01-02"]  # type: ignore[union-attr]
    for kind in (DATE, AMERICAN):  # a form that showed the other order would show that the day is above 12
        assert len({kind.read(text).form for text in ("01/02/2020", "01/25/2020", "25/01/2020")}) == 1  # type: ignore[union-attr]
    reading = AMERICAN.read("25/01/2020")
    assert reading is not None
    assert AMERICAN.write(reading.value, reading.form) == "01/25/2020"
    assert AMERICAN.write("2019-01-11", AMERICAN.public_form("day-yy")) == "01/11/19"
    assert Date().read("01/25/2020") is Date(day_first=False).read("25/01/2020") is None


def test_the_domains() -> None:
    sizes = dict(domains(DATE))
    assert sizes["day"] == (date(2050, 1, 1) - date(1900, 1, 1)).days
    assert sizes["day-yy"] == (date(2050, 1, 1) - date(1950, 1, 1)).days
    assert (sizes["month"], sizes["year"], sizes["decade"]) == (1800, 150, 15)
    assert (sizes["day-of-year"], sizes["month-of-year"], sizes["weekday"]) == (366, 12, 7)
    assert (sizes["season"], sizes["season-of-year"], sizes["day-of-month"]) == (600, 4, 31)
    assert (min(sizes[grain] for grain in RELATIVE), sizes["holiday"]) == (3, 19)


def test_words_for_days_keep_the_tense_and_no_word_is_of_two_lists() -> None:
    words = [word for grain in RELATIVE for word in DATE.vocabulary(grain).tokens]
    assert len(words) == len(set(words))
    signs = {"past": -1, "coming": 1}
    for grain in RELATIVE:
        sign = signs.get(grain.split()[0])
        assert sign is None or all(sign * days > 0 for days in DATE.vocabulary(grain).vectors[:, 0])


def test_a_weekday_without_a_year_shows_no_year() -> None:
    """All seven weekdays of a day give one reading: the true one would leave one year in seven."""
    names = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    assert len({DATE.read(f"{name} 5 April") for name in names}) == 1
    assert len({DATE.read(f"{name} 9th") for name in names}) == 1


def test_the_time_beside_a_date_is_not_kept() -> None:
    times = ("00:00", "04:30", "23:59")
    for text in ("Tuesday {}", "today at {}", "{} on 4 May", "5 April 2019, {}", "{} yesterday"):
        readings = {DATE.read(text.format(time)) for time in times}
        assert len(readings) == 1
        assert None not in readings
    assert len({DATE.read(f"{word} on Monday") for word in ("noon", "midnight", "4 p.m.")}) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [("3rd", False), ("the 17th", False), ("spring", False), ("spring 2025", True), ("tonight", True), ("May", True)],
)
def test_a_number_or_a_word_is_no_date_without_a_label(text: str, expected: bool) -> None:
    assert DATE.recognises(text) is expected
    assert DATE.read(text) is not None


@pytest.mark.parametrize(
    ("grain", "first", "second", "days"),
    [
        ("day", "2019-01-11", "2019-02-10", 30),
        ("day", "2020-02-28", "2020-03-01", 2),
        ("day-yy", "1999-12-31", "2000-01-01", 1),
        ("month", "2019-02", "2019-03", 28),
        ("year", "2020", "2021", 366),
        ("decade", "1980s", "1990s", 3653),
        ("season", "winter 2019", "spring 2020", 91),
        ("past day", "the day before yesterday", "yesterday", 1),
        ("present day", "today", "tonight", 0.5),
        ("coming period", "next week", "next month", 23),
    ],
)
def test_distances_are_days(grain: str, first: str, second: str, days: float) -> None:
    assert distance(DATE, grain, first, second) == days


@pytest.mark.parametrize(
    ("grain", "first", "second", "days"),
    [
        ("day-of-year", "12-31", "01-01", 1),
        ("month-of-year", "12", "02", 62),
        ("weekday", "Sunday", "Tuesday", 2),
        ("season-of-year", "winter", "spring", 91),
        ("day-of-month", "31", "02", 2),
        ("holiday", "New Year's Eve", "New Year's Day", 1),
        ("holiday", "Good Friday", "Easter Monday", 3),
    ],
)
def test_dates_without_a_year_come_round_again(grain: str, first: str, second: str, days: int) -> None:
    assert 0.85 * days < distance(DATE, grain, first, second) <= days


def test_years_are_options() -> None:
    small = Date(first=2000, last=2019)
    assert small.read("1999") is None
    assert small.read("1 May '20") is None  # 1920
    assert len(small.vocabulary("year")) == 20
    assert small.vocabulary("day") is Date(2000, 2019).vocabulary("day")
    assert Date(first=2010, last=2040).surrogate.value == "2010-01-01"
    for first, last in ((999, 2049), (2049, 1900), (2040, 2049), (1900, 10000)):
        with pytest.raises(ConfigurationError, match="span at least 20 years"):
            Date(first, last)


def test_a_range_moves_as_one_and_writes_the_month_of_its_first_day_where_it_differs() -> None:
    reading = DATE.read("11 to 19 February")
    assert reading is not None
    moved = {DATE.write(day, reading.form) for day in ("02-19", "03-03", "01-05", "03-08")}
    assert moved == {
        "11 to 19 February",
        "24 February to 3 March",
        "28 December to 5 January",
        "29 February to 8 March",
    }
    first = DATE.read("30 December 1899 to 1 January 1900")
    assert first is not None
    assert first.value == "1900-01-01"
    assert DATE.read("30 December to 1 January 1900") == first
    assert DATE.read("1 February to 1 May 2020") is None, "too long for a range"
