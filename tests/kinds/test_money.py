"""MONEY reads what a text says, keeps its form and currency, and lies in e-folds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from kind_contract import distance, domains, draw_value_and_form, forms_of
from sfumato.abstract.kind import Form
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.policies import build_policy
from sfumato.kinds.numbers.money import Money, shapes
from sfumato.language.patterns import SIGN
from sfumato.policy import Policy
from sfumato.privacy.randomness import SeededRandomness

MONEY = Money()
TRILLION, BILLION = ", up to 1,000,000,000,000", ", up to 1,000,000,000"
KEPT = [
    ("£6,412", f"4 digits{BILLION}", "6412"),
    ("$6412", f"4 digits{BILLION}", "6412"),
    ("€6 412", f"4 digits{BILLION}", "6412"),
    ("£6,400", f"2 digits{TRILLION}", "6400"),
    ("£5", f"1 digit{TRILLION}", "5"),
    ("€0.99", f"2 digits, 2 decimals{TRILLION}", "0.99"),
    ("€0.50", f"1 digit, 2 decimals{TRILLION}", "0.50"),
    ("£12.34", f"4 digits, 2 decimals{BILLION}", "12.34"),
    ("12,50 €", f"3 digits, 2 decimals{TRILLION}", "12.50"),
    ("6 412,00 €", f"4 digits, 2 decimals{BILLION}", "6412.00"),
    ("$1.2 million", "2 digits, 1 decimal, up to 999", "1.2"),
    ("$1.2m", "2 digits, 1 decimal, up to 999", "1.2"),
    ("£5k", "1 digit, up to 999", "5"),
    ("1 million euros", "1 digit, up to 999", "1"),
    ("USD 3 billion", "1 digit, up to 999", "3"),
    ("EUR 500", f"1 digit{TRILLION}", "500"),
    ("500 EUR", f"1 digit{TRILLION}", "500"),
    ("$500 USD", f"1 digit{TRILLION}", "500"),
    ("US$ 500", f"1 digit{TRILLION}", "500"),
    ("500 kr.", f"1 digit{TRILLION}", "500"),
    ("500 euros", f"1 digit{TRILLION}", "500"),
    ("1 euro", f"1 digit{TRILLION}", "1"),
    ("50 pence", f"1 digit{TRILLION}", "50"),
    ("500 Norwegian kroner", f"1 digit{TRILLION}", "500"),
    ("500 pounds sterling", f"1 digit{TRILLION}", "500"),
    ("five hundred euros", f"1 digit{TRILLION}", "500"),
    ("Two million Dollars", f"1 digit{TRILLION}", "2000000"),
    ("about £500", f"1 digit{TRILLION}", "500"),
    ("more than EUR 6,412", f"4 digits{BILLION}", "6412"),
    ("£500 per month", f"1 digit{TRILLION}", "500"),
]
CHANGED = {
    "$2200": "$2,200",
    "€1.234": "€1.234",
    "6.412,00 €": "6 412,00 €",
    "0,125 €": "0.125 €",
    "$.5": "$0.5",
    "500 euro": "500 euros",
    "1 euros": "1 euro",
    "a million dollars": "one million dollars",
}
UNREADABLE = [
    *(
        "£0",
        "0 euros",
        "€0.00",
        "-5 €",
        "£-5",
        "five hundred",
        "£",
        "euros",
        "£12,34,567",
        "£1,2345,678",
    ),
    *(
        "£007",
        "£0,125,000",
        "£5-10",
        "$1.23456",
        "£1e5",
        "£1.2.3",
        "£10,000,000,000,001",
        "$1,000 million",
        "500 foos",
    ),
    *("tWo euros", "5 eUros", "EUR ٥", "eur500x", "£" + "9" * 30),
]


@pytest.fixture(scope="module")
def support(short_lists: None) -> Sanitizer:
    """A policy that draws amounts, with its detectors, and the repair."""
    return build_policy(Policy.load("support"))


FORMS = forms_of(MONEY, [text for text, _, _ in KEPT] + list(CHANGED))
SHAPES = shapes("en")


@pytest.mark.parametrize(("text", "grain", "value"), KEPT)
def test_a_text_is_read_and_written_again(text: str, grain: str, value: str) -> None:
    reading = MONEY.read(text)
    assert reading is not None
    assert (reading.form.grain, reading.value) == (grain, value)
    assert MONEY.write(reading.value, reading.form) == text


@pytest.mark.parametrize(("text", "written"), CHANGED.items())
def test_what_only_some_values_show_is_not_kept(text: str, written: str) -> None:
    reading = MONEY.read(text)
    assert reading is not None
    assert MONEY.write(reading.value, reading.form) == written
    assert MONEY.read(written) == reading


@pytest.mark.parametrize("text", UNREADABLE)
def test_other_texts_are_not_readable(text: str) -> None:
    assert MONEY.read(text) is None


def signs(text: str) -> list[str]:
    return re.findall(rf"(?<![^\W\d_]){SIGN}(?![^\W\d_])", text)


@given(draw_value_and_form(MONEY, FORMS))
def test_a_written_value_has_the_signs_of_the_text_and_at_most_one(case: tuple[str, Form]) -> None:
    value, form = case
    assert signs(MONEY.write(value, form)) == signs(form.style[0])
    assert len(signs(form.style[0])) <= 1


@pytest.mark.parametrize("grain", MONEY.grains)
def test_the_public_form_has_exactly_one_sign(grain: str) -> None:
    token = MONEY.vocabulary(grain).tokens[0]
    assert signs(MONEY.write(token, MONEY.public_form(grain))) == ["€"]


AMOUNTS = ["0", "0.00", "9" * 20, "9" * 14, "007", "1.2345678", "1e9", "12,34,567", "0 million", "6,412"]


@pytest.mark.parametrize("amount", AMOUNTS)
@pytest.mark.parametrize("sign", ["$", "£", "US$", "R$", "€ "])
def test_a_release_has_one_sign_where_the_text_had_one(sign: str, amount: str, support: Sanitizer) -> None:
    """An amount that cannot be read becomes one in euros, which took the place of the figures alone."""
    release = support.sanitize(f"The customer paid {sign}{amount} for it.", SeededRandomness(1))
    assert len(re.findall("[$£€]", release.text)) == 1, release.text


def test_the_domains() -> None:
    sizes = dict(domains(MONEY))
    assert sizes[f"1 digit{TRILLION}"] == 9 * 12 + 1
    assert sizes[f"2 digits{TRILLION}"] == 81 * 11
    assert sizes[f"4 digits{BILLION}"] == 8100 * 6
    assert sizes["2 digits, 1 decimal, up to 999"] == 81 * 3


def test_distances_are_log_ratios_of_the_written_figures() -> None:
    assert distance(MONEY, f"4 digits{BILLION}", "1206", "2412") == pytest.approx(0.6931, abs=1e-4)
    assert distance(MONEY, f"2 digits, 2 decimals{TRILLION}", "0.99", "99.00") == pytest.approx(4.6052, abs=1e-4)


@pytest.mark.parametrize("text", ["£12,345", "£1,234.56", "€1,234,567.89", "6 412,55 €", "£100,001", "£999,499,999"])
def test_a_long_number_is_read_to_the_percent(text: str) -> None:
    reading = MONEY.read(text)
    assert reading is not None
    figure = float(text.strip("£€ ").replace(" ", "").replace(",", "." if "€" in text[-1] else ""))
    assert abs(float(reading.value) / figure - 1) < 0.01
    written = MONEY.write(reading.value, reading.form)
    assert MONEY.read(written) == reading
    assert len(written) in range(len(text) - 1, len(text) + 2)


def test_the_magnitude_is_no_part_of_the_form() -> None:
    forms = {MONEY.read(text).form for text in ("£6,412", "£12,350", "£641,200,000")}  # type: ignore[union-attr]
    assert len(forms) == 1
    forms = {MONEY.read(text).form for text in ("£22", "£2200", "£2,200", "£2.2")}  # type: ignore[union-attr]
    assert len(forms) == 2  # decimals show


def test_a_figure_alone_is_money_only_where_a_label_says_so() -> None:
    reading = MONEY.read("118.40")
    assert reading is not None
    assert MONEY.write("250.10", reading.form) == "250.10"
    assert not MONEY.recognises("118.40")
    assert MONEY.recognises("€118.40")
