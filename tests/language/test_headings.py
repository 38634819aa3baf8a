"""Headings of columns and labels of fields."""

from __future__ import annotations

import pytest

from sfumato.documents.public_words import is_heading, is_prompt, lead_of
from sfumato.language.languages import ENGLISH


@pytest.mark.parametrize("text", [
    "City", "Date of birth", "patient_id", "DateOfBirth", "firstName", "HbA1c (%)", "ID:", "Address line 1",
    "Ward no.",
    "PATIENT NAME", "Follow-up", "Weight (kg)",
])  # fmt: skip
def test_words_that_name_columns_are_headings(text: str) -> None:
    assert ENGLISH.is_heading(text)


@pytest.mark.parametrize("text", [
    "", "Anna", "Anna Berg's salary", "Manager's", "Ward", "Ward Price", "Account 12345", "Oslo office", "April",
    "12",
    "Date; Anna", "City " * 13, "Manager – Ødegård",
])  # fmt: skip
def test_any_other_text_is_none(text: str) -> None:
    assert not ENGLISH.is_heading(text)


def test_a_month_is_a_heading_among_three() -> None:
    assert is_heading("May", ["April", "May", "June", "Total"])
    assert not is_heading("May", ["Anna", "May", "June"])


def test_a_month_leads_no_figure() -> None:
    assert lead_of("City") == "City: "
    assert "January" not in lead_of("January")
    assert lead_of("") == ""


def test_a_prompt_is_all_of_a_text() -> None:
    assert is_prompt("Click to edit Master title style")
    assert not is_prompt("Click to edit Master title style, Anna")
