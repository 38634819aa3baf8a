"""QUANTITY reads what a text says, keeps its form and unit, and lies in e-folds."""

from __future__ import annotations

import pytest

from kind_contract import distance, domains, forms_of
from sfumato.kinds.numbers.quantity import Quantity, shapes

QUANTITY = Quantity()
TRILLION, BILLION = ", up to 1,000,000,000,000", ", up to 1,000,000,000"
KEPT = [
    ("5 mg", f"1 digit{TRILLION}", "5"),
    ("5mg", f"1 digit{TRILLION}", "5"),
    ("5-mg", f"1 digit{TRILLION}", "5"),
    ("12.5 km", f"3 digits, 1 decimal{TRILLION}", "12.5"),
    ("3,5 km", f"2 digits, 1 decimal{TRILLION}", "3.5"),
    ("1,512 mL", f"4 digits{BILLION}", "1512"),
    ("38.5 °C", f"3 digits, 1 decimal{TRILLION}", "38.5"),
    ("80 %", "1 digit, up to 100", "80"),
    ("100%", "1 digit, up to 100", "100"),
    ("12.5%", "3 digits, 1 decimal, up to 100", "12.5"),
    ("80 per cent", "1 digit, up to 100", "80"),
    ("eighty percent", "1 digit, up to 100", "80"),
    ("22 employees", f"2 digits{TRILLION}", "22"),
    ("1 employee", f"1 digit{TRILLION}", "1"),
    ("two children", f"1 digit{TRILLION}", "2"),
    ("6 feet", f"1 digit{TRILLION}", "6"),
    ("one mile", f"1 digit{TRILLION}", "1"),
    ("two-mile", f"1 digit{TRILLION}", "2"),
    ("20 square metres", f"1 digit{TRILLION}", "20"),
    ("20 km²", f"1 digit{TRILLION}", "20"),
    ("5 million people", "1 digit, up to 999", "5"),
    ("5 mg/day", f"1 digit{TRILLION}", "5"),
    ("5.6 mmol/L", f"2 digits, 1 decimal{TRILLION}", "5.6"),
    ("at least 22 patients", f"2 digits{TRILLION}", "22"),
]
CHANGED = {"1500 mL": "1,500 mL", "1 miles": "1 mile", "2 mile": "2 miles", ".5 mg": "0.5 mg"}
UNREADABLE = [
    *("0 mg", "0%", "-5 %", "150%", "100.5%", "120/80 mmHg", "5-10 mg", "5 foos", "5", "mg", "five", "5 Mg", "5 kM"),
    *("½ cup", "5 mg/", "5 mgs", "two-miles", "5 mg 6 mg", "0.00001 g", "٥ mg", "2 pEople"),
]

FORMS = forms_of(QUANTITY, [text for text, _, _ in KEPT] + list(CHANGED))
SHAPES = shapes("en")


@pytest.mark.parametrize(("text", "grain", "value"), KEPT)
def test_a_text_is_read_and_written_again(text: str, grain: str, value: str) -> None:
    reading = QUANTITY.read(text)
    assert reading is not None
    assert (reading.form.grain, reading.value) == (grain, value)
    assert QUANTITY.write(reading.value, reading.form) == text


@pytest.mark.parametrize(("text", "written"), CHANGED.items())
def test_what_only_some_values_show_is_not_kept(text: str, written: str) -> None:
    reading = QUANTITY.read(text)
    assert reading is not None
    assert QUANTITY.write(reading.value, reading.form) == written
    assert QUANTITY.read(written) == reading


@pytest.mark.parametrize("text", UNREADABLE)
def test_other_texts_are_not_readable(text: str) -> None:
    assert QUANTITY.read(text) is None


def test_the_domains() -> None:
    sizes = dict(domains(QUANTITY))
    assert sizes[f"1 digit{TRILLION}"] == 9 * 12 + 1
    assert sizes["1 digit, up to 100"] == 19
    assert sizes["3 digits, 1 decimal, up to 100"] == 810


def test_distances_are_log_ratios() -> None:
    assert distance(QUANTITY, f"1 digit{TRILLION}", "5", "50") == pytest.approx(2.3026, abs=1e-4)


def test_the_unit_agrees_with_the_drawn_number() -> None:
    for text, one, two in (("6 feet", "1 foot", "2 feet"), ("Five Women", "One Woman", "Two Women")):
        reading = QUANTITY.read(text)
        assert reading is not None
        assert [QUANTITY.write(value, reading.form) for value in "12"] == [one, two]
