"""NUMBER reads what a text says, keeps its form, and lies in e-folds."""

from __future__ import annotations

import pytest

from kind_contract import distance, domains, forms_of
from sfumato.kinds.numbers.number import Number, shapes

NUMBER = Number()
ABOVE, TRILLION, BILLION = ", above 20", ", up to 1,000,000,000,000", ", up to 1,000,000,000"
KEPT = [
    ("0", "count", "0"),
    ("zero", "count", "0"),
    ("5", "count", "5"),
    ("20", "count", "20"),
    ("Twenty", "count", "20"),
    ("about five", "count", "5"),
    ("3rd", "rank", "3"),
    ("11TH", "rank", "11"),
    ("third", "rank", "3"),
    ("the third", "rank", "3"),
    ("Twentieth", "rank", "20"),
    ("21", f"2 digits{ABOVE}{TRILLION}", "21"),
    ("22", f"2 digits{ABOVE}{TRILLION}", "22"),
    ("300", f"1 digit{ABOVE}{TRILLION}", "300"),
    ("21st", f"2 digits{ABOVE}{TRILLION}", "21"),
    ("112th", f"3 digits{TRILLION}", "112"),
    ("1,001st", f"4 digits{BILLION}", "1001"),
    ("twenty-first", f"2 digits{ABOVE}{TRILLION}", "21"),
    ("one hundred and fifth", f"3 digits{TRILLION}", "105"),
    ("1,234", f"4 digits{BILLION}", "1234"),
    ("1234", f"4 digits{BILLION}", "1234"),
    ("1 234", f"4 digits{BILLION}", "1234"),
    ("0.5", f"1 digit, 1 decimal{TRILLION}", "0.5"),
    ("5.0", f"1 digit, 1 decimal{TRILLION}", "5.0"),
    ("1.234", f"4 digits, 3 decimals{BILLION}", "1.234"),
    ("twenty-two", f"2 digits{ABOVE}{TRILLION}", "22"),
    ("one hundred and five", f"3 digits{TRILLION}", "105"),
    ("two million", f"1 digit{ABOVE}{TRILLION}", "2000000"),
    ("one thousand two hundred and thirty-four", f"4 digits{BILLION}", "1234"),
    ("1.2 million", "2 digits, 1 decimal, up to 999", "1.2"),
    ("1.2bn", "2 digits, 1 decimal, up to 999", "1.2"),
    ("about 300", f"1 digit{ABOVE}{TRILLION}", "300"),
]
CHANGED = {
    "1000": "1,000",
    "2 200": "2,200",
    "1.234.000": "1,234,000",
    "one hundred five": "one hundred and five",
    "a hundred": "one hundred",
    "Twenty-Two": "Twenty-two",
    "One Hundred and Five": "One hundred and five",
}
UNREADABLE = [
    *(
        "-5",
        "007",
        "00",
        "0.0",
        "0th",
        "zeroth",
        "1e5",
        "22th",
        "21ST.",
        "2Nd",
        "1.5th",
        "1,5th",
        "03rd",
        "½",
        "٣",
        "1/2",
        "50%",
    ),
    *("0.00012", "12,34,567", "10,000,000,000,000", "twenty-twelve", "two twenty", "hundred", "and five"),
    *("twenty and two", "five hundred hundred", "a dozen", "twenty--two", "one trillion trillion", "five and"),
]

FORMS = forms_of(NUMBER, [text for text, _, _ in KEPT] + list(CHANGED))
SHAPES = shapes("en")


@pytest.mark.parametrize(("text", "grain", "value"), KEPT)
def test_a_text_is_read_and_written_again(text: str, grain: str, value: str) -> None:
    reading = NUMBER.read(text)
    assert reading is not None
    assert (reading.form.grain, reading.value) == (grain, value)
    assert NUMBER.write(reading.value, reading.form) == text


@pytest.mark.parametrize(("text", "written"), CHANGED.items())
def test_what_only_some_values_show_is_not_kept(text: str, written: str) -> None:
    reading = NUMBER.read(text)
    assert reading is not None
    assert NUMBER.write(reading.value, reading.form) == written
    assert NUMBER.read(written) == reading


@pytest.mark.parametrize("text", UNREADABLE)
def test_other_texts_are_not_readable(text: str) -> None:
    assert NUMBER.read(text) is None


def test_the_domains() -> None:
    sizes = dict(domains(NUMBER))
    assert (sizes["count"], sizes["rank"]) == (21, 20)
    assert sizes[f"1 digit{ABOVE}{TRILLION}"] == 9 * 12 + 1 - 11  # without 1 to 9, 10 and 20
    assert sizes[f"2 digits{ABOVE}{TRILLION}"] == 81 * 11 - 9


@pytest.mark.parametrize(
    ("grain", "first", "second", "folds"),
    [("count", "2", "4", 0.6931), ("count", "0", "1", 0.6931), ("rank", "1", "20", 2.9957)],
)
def test_distances_are_log_ratios(grain: str, first: str, second: str, folds: float) -> None:
    assert distance(NUMBER, grain, first, second) == pytest.approx(folds, abs=1e-4)


def test_an_ordinal_agrees_with_the_drawn_number() -> None:
    first, words = NUMBER.read("3rd"), NUMBER.read("third")
    assert first is not None
    assert words is not None
    values = ("1", "2", "11", "12", "20")
    assert [NUMBER.write(value, first.form) for value in values] == ["1st", "2nd", "11th", "12th", "20th"]
    assert [NUMBER.write(value, words.form) for value in values] == [
        "first",
        "second",
        "eleventh",
        "twelfth",
        "twentieth",
    ]
