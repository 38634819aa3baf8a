"""One person has one age, with the birth date, and a holiday fits the date beside it: from the releases alone."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from datetime import date, timedelta
from fractions import Fraction
from time import process_time
from typing import Any

import pytest

from sfumato.detectors.given import Given
from sfumato.engines.engine import Engine
from sfumato.engines.holding import Holding
from sfumato.engines.replaced import Replaced
from sfumato.engines.routes import Route
from sfumato.engines.shift import Shifted
from sfumato.engines.values import DrawnValues
from sfumato.heuristics.redaction import Redaction
from sfumato.kinds.dates.age import Age
from sfumato.kinds.dates.date import Date
from sfumato.mechanisms.geometric import Geometric
from sfumato.policy import Policy
from sfumato.text.document import Document, Release

DATES, AGES = Date(), Age()
HOLDING = Holding(DATES, AGES)


def release(*parts: str | tuple[str, str]) -> Release:
    """Return a release of text between marks, and of outputs, each with its kind."""
    texts, labels = [""], []
    for part in parts:
        if isinstance(part, tuple):
            texts += [part[0], ""]
            labels.append(part[1])
        else:
            texts[-1] += part
    return Release.joined("1", texts, labels, 0)


def held(*parts: str | tuple[str, str], by: Holding = HOLDING) -> str:
    [made] = by.held([release(*parts)])
    return made.text


def age_on(born: date, day: date) -> int:
    return day.year - born.year - ((born.month, born.day) > (day.month, day.day))


@pytest.mark.parametrize("cue", ["born on ", "DOB: ", "D.O.B. ", "Date of birth: ", "(born "])
def test_a_birth_date_follows_the_drawn_age(cue: str) -> None:
    born, letter = ("5 March 1981", "DATE"), ("30 January 2019", "DATE")
    assert held(cue, born, ", aged ", ("40", "AGE"), ", seen on ", letter) == (
        f"{cue}5 March 1978, aged 40, seen on 30 January 2019"
    )


def test_other_dates_stay_and_so_does_a_birth_date_without_age_or_letter() -> None:
    for parts in (
        ("moved on ", ("5 March 1981", "DATE"), ", aged ", ("40", "AGE"), " on ", ("30 January 2019", "DATE")),
        ("born on ", ("5 March 1981", "DATE"), ", aged ", ("40", "AGE")),
        ("born on ", ("5 March 1981", "DATE"), ", seen on ", ("30 January 2019", "DATE")),
        ("born on ", ("5 March 1981", "DATE"), ", aged ", ("3 months", "AGE"), " on ", ("30 January 2019", "DATE")),
        ("born on ", ("[DATE]", "DATE"), ", aged ", ("40", "AGE"), " on ", ("30 January 2019", "DATE")),
    ):
        assert held(*parts) == release(*parts).text


def test_the_age_of_a_relative_is_free() -> None:
    wife = ("His wife ", ("Beth Hall", "PERSON"), " is ", ("61", "AGE"), ".")
    own = (
        " He was born on ",
        ("5 March 1981", "DATE"),
        ", is ",
        ("40", "AGE"),
        ", seen ",
        ("30 January 2019", "DATE"),
    )
    assert "born on 5 March 1957" in held(*wife, *own)  # "is" alone does not say whose age it is
    assert "born on 5 March 1978" in held("His wife is ", ("61", "AGE"), ".", *own)


def test_the_29th_of_february() -> None:
    parts = ("born ", ("29 February 1980", "DATE"), ", ", ("41", "AGE"), ", on ", ("1 March 2022", "DATE"))
    assert held(*parts) == "born 28 February 1981, 41, on 1 March 2022"


def test_births_of_a_person_with_several_records_do_not_move() -> None:
    parts = ("born on ", ("5 March 1981", "DATE"), ", aged ", ("40", "AGE"), " on ", ("30 January 2019", "DATE"))
    assert held(*parts, by=Holding(DATES, AGES, moves_births=False)) == release(*parts).text


def test_a_birth_date_follows_in_every_text_of_a_record() -> None:
    first = release("DOB ", ("05/03/1981", "DATE"), "; seen ", ("30/01/2019", "DATE"))
    second = release("born ", ("5 March 1981", "DATE"), ", ", ("40", "AGE"))
    assert [made.text for made in HOLDING.held([first, second])] == [
        "DOB 05/03/1978; seen 30/01/2019", "born 5 March 1978, 40",
    ]  # fmt: skip


def test_a_holiday_fits_the_date_beside_it() -> None:
    assert held("at ", ("Halloween", "DATE"), ", ", ("19/12/20", "DATE")) == "at Christmas Eve, 19/12/20"
    assert held("on ", ("HALLOWEEN", "DATE"), " (", ("3 January 2021", "DATE")) == "on NEW YEAR'S DAY (3 January 2021"
    for parts in (
        ("at ", ("Halloween", "DATE"), "."),
        ("at ", ("Halloween", "DATE"), "x" * 200, ("19/12/20", "DATE")),
    ):
        assert held(*parts) == release(*parts).text


def test_near_times_of_one_day_keep_the_order_of_the_text() -> None:
    def times(*drawn: str, between: str = ", then ") -> str:
        parts: list[str | tuple[str, str]] = ["at "]
        for number, time in enumerate(drawn):
            parts += [between] * bool(number) + [(time, "TIME")]
        return held(*parts)

    assert times("10:15", "09:30") == "at 09:30, then 10:15"
    assert times("11:00", "10:15", "09:30") == "at 09:30, then 10:15, then 11:00"
    assert times("10:15 a.m.", "09:30") == "at 9:30 a.m., then 10:15"
    assert times("18:15", "09:30") == "at 18:15, then 09:30", "the text goes back"
    assert times("10 a.m.", "09:30") == "at 10 a.m., then 09:30", "two grains"
    parts = ("at ", ("10:15", "TIME"), "; on ", ("2 March 2020", "DATE"), " at ", ("09:30", "TIME"))
    assert held(*parts) == release(*parts).text, "another day"


def engine(holding: Holding | None) -> Engine:
    ages = {grain: Route(Geometric(AGES.vocabulary(grain), 0.5)) for grain in AGES.grains}
    treated = [Shifted(DATES, Fraction(1, 30)), DrawnValues(AGES, ages, scope="record")]
    return Engine(Given(), Replaced(Redaction("label")), treated, held=holding)


LETTER = "Seen 11/02/2019: a man of 38 (born 05/03/1980). He is 38, and his son 12."


def letter() -> Document:
    spans: list[dict[str, Any]] = []
    for value, label in (("11/02/2019", "DATE"), ("38", "AGE"), ("05/03/1980", "DATE"), ("12", "AGE")):
        spans += [
            {"start": match.start(), "end": match.end(), "label": label}
            for match in re.finditer(rf"\b{value}\b(?!/)", LETTER)
        ]
    return Document(LETTER, "1", {"spans": sorted(spans, key=lambda span: span["start"])})


def contradictions(made: Engine) -> int:
    """Return how many of 40 releases have two ages of the man, or a birth date of another age."""
    wrong = 0
    for _ in range(40):
        text = made.sanitize_batch([letter()])[0].text
        day, first, born, second = re.findall(r"Seen (\S+): a man of (\d+) \(born (\S+)\)\. He is (\d+)", text)[0]
        days = [date(*map(int, reversed(written.split("/")))) for written in (born, day)]
        wrong += first != second or age_on(*days) != int(first)
    return wrong


def test_a_letter_does_not_contradict_itself() -> None:
    assert contradictions(engine(HOLDING)) == 0
    assert contradictions(engine(None)) > 10, "otherwise the test shows nothing"


def test_the_loss_is_that_of_the_draws() -> None:
    """The exact law of a release, over all offsets that matter and all ages: another age or a shift costs its ε."""
    epsilon_age, epsilon_day = 0.5, 1 / 30
    ages = Geometric(AGES.vocabulary("year"), epsilon_age)
    decay = math.exp(-epsilon_day)

    def law(true_age: int, day: date, born: date) -> dict[str, float]:
        outcomes: dict[str, float] = defaultdict(float)
        for offset in range(-90, 91):
            weight = (1 - decay) / (1 + decay) * decay ** abs(offset)
            moved = [(own + timedelta(offset)).strftime("%d/%m/%Y") for own in (born, day)]
            for token, probability in enumerate(ages.law(AGES.vocabulary("year").tokens.index(str(true_age)))):
                if 20 <= token <= 60:
                    drawn = AGES.vocabulary("year").tokens[token]
                    text = held("born ", (moved[0], "DATE"), ", ", (drawn, "AGE"), ", seen ", (moved[1], "DATE"))
                    outcomes[text] += weight * probability
        return outcomes

    born, day = date(1980, 3, 5), date(2019, 2, 11)
    own, older = law(38, day, born), law(40, day, born)
    later = law(38, day + timedelta(6), born + timedelta(6))
    assert max(abs(math.log(own[text] / older[text])) for text in own) == pytest.approx(2 * epsilon_age)
    common = [text for text in own if text in later]
    assert len(common) > 1000
    assert max(abs(math.log(own[text] / later[text])) for text in common) <= 6 * epsilon_day + 1e-9


def test_shipped_policies_draw_an_age_once_for_a_record() -> None:
    for name in ("clinical", "court", "support", "chat"):
        assert Policy.load(name).treatment_of("AGE").drawn_once == "document", name


def test_a_record_of_very_many_rows_is_made_to_fit_in_seconds() -> None:
    """A table is one record, whose cells are its texts: no value may be compared with all others."""
    rows = [
        release("born on ", ("5 March 1981", "DATE"), " or Christmas, seen at ", ("10:30", "TIME"))
        for _ in range(20_000)
    ]
    rows.append(release(*(part for _ in range(2_000) for part in (" on ", ("5 March 1981", "DATE")))))
    begun = process_time()
    assert [each.text for each in HOLDING.held(rows)] == [each.text for each in rows]
    assert process_time() - begun < 15
