"""Numbers and dates of cells: what a person sees of them, and what a changed text means."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.utils.datetime import CALENDAR_MAC_1904, to_excel

from sfumato.documents.sheets.cell_codes import literals, with_literals
from sfumato.documents.sheets.cell_formats import BUILT_IN, format_of

SHOWN = [
    ("General", 1234.5, "1234.5"),
    ("General", 0.1 + 0.2, "0.30000000000000004"),
    ("General", 5551234567, "5551234567"),
    ("0.00", 1234.5, "1234.50"),
    ("#,##0.00", 1234567.5, "1,234,567.50"),
    ("0%", 0.25, "25%"),
    ("[$€-407]#,##0.00", 1234.5, "€1,234.50"),
    ("#,##0.00 [$€-1]", -1234.5, "-1,234.50 €"),
    (BUILT_IN[44], -3.5, "$(3.50)"),
    ("000-00-0000", 123456789, "123-45-6789"),
    ("(###) ###-####", 5551234567, "(555) 123-4567"),
    ("[<=9999999]###-####;(###) ###-####", 5551234567, "(555) 123-4567"),
    ("[<=9999999]###-####;(###) ###-####", 5551234, "555-1234"),
    ("00000", 123, "00123"),
    ('"Patient "0', 7, "Patient 7"),
    ("#,##0,", 12_000, "12"),
    ('0.0,,"M"', 2_500_000, "2.5M"),
    ("m/d/yyyy", 30753, "3/12/1984"),
    ("dd.mm.yyyy;@", 30753, "12.03.1984"),
    ("d-mmm-yy", 30753, "12-Mar-84"),
    ("[$-F800]dddd, mmmm dd, yyyy", 30753, "Monday, March 12, 1984"),
    ("yyyy-mm-dd hh:mm", 45000.75, "2023-03-15 18:00"),
    ("h:mm AM/PM", 0.75, "6:00 PM"),
    ("mm:ss.0", 0.0005, "00:43.2"),
    ("[h]:mm", 1.75, "42:00"),
    ("m/d/yyyy", 3, "1/3/1900"),
    ("mmm yyyy", 45352, "Mar 2024"),
]


@pytest.mark.parametrize(("code", "value", "text"), SHOWN)
def test_a_value_is_shown_as_excel_shows_it_and_read_back(code: str, value: float, text: str) -> None:
    form = format_of(code)
    assert form.show(value, repr(value)) == text
    assert float(form.read(text) or 0) == pytest.approx(value, abs=1e-8)


@pytest.mark.parametrize(("code", "value", "text"), [
    ("yyyy", 30753, "1984-03-12"),
    ("mmm-yy", 30753, "1984-03-12"),
    ("m/d/yy", 3, "1900-01-03"),
    ("m/d/yyyy", 45000.75, "2023-03-15 18:00:00"),
    ("h:mm", 45000.75, "2023-03-15 18:00:00"),
    ("0", 1234.5, "1234.5"),
    (";;;", 5, "5"),
    ("0.00E+00", 1234.5, "1234.5"),
    ("# ?/?", 1234.5, "1234.5"),
    ("[$-411]ggge", 30753, "1984-03-12"),
    ("m/d/yyyy", 60, "60"),
    ("m/d/yyyy", -1, "-1"),
    ("0" * 300, 7, "7"),
])  # fmt: skip
def test_what_a_format_hides_or_nobody_knows_is_shown_whole(code: str, value: float, text: str) -> None:
    assert format_of(code).show(value, repr(value)) == text


@pytest.mark.parametrize(("code", "text", "raw"), [
    ("m/d/yyyy", "3/13/1984", "30754"),
    ("m/d/yyyy", "2/30/1984", None),
    ("m/d/yyyy", "March 1984", None),
    ("m/d/yyyy", "1984", None),
    ("#,##0.00", "1,300.00", "1300"),
    ("#,##0.00", "many", None),
    ("0", "1e999", None),
    ("0%", "30%", "0.3"),
    ("yyyy", "1985-01-02", "31049"),
    ("h:mm AM/PM", "13:00 PM", None),
    ("General", "12", "12"),
    ("General", "12 kg", None),
    ("General", "007", None),
])  # fmt: skip
def test_a_changed_text_is_a_value_only_if_it_is_shown_as_the_text(code: str, text: str, raw: str | None) -> None:
    assert format_of(code).read(text) == raw


@given(st.sampled_from(sorted(BUILT_IN)), st.one_of(st.floats(-1e9, 1e9), st.integers(-(10**12), 10**12)))
def test_every_value_comes_back_from_what_is_shown_of_it(number: int, value: float) -> None:
    form = format_of(BUILT_IN[number])
    shown = form.show(float(value), repr(value))
    raw = form.read(shown)
    assert raw is not None
    assert float(raw) == pytest.approx(float(value), rel=1e-13, abs=1e-8)
    assert form.show(float(raw), raw) == shown


@given(st.datetimes(datetime(1900, 3, 1), datetime(9999, 12, 30)), st.booleans())
def test_dates_agree_with_openpyxl(when: datetime, from_1904: bool) -> None:
    when = max(when, datetime(1904, 1, 2)).replace(microsecond=0)
    days = to_excel(when, CALENDAR_MAC_1904) if from_1904 else to_excel(when)
    form = format_of("yyyy-mm-dd hh:mm:ss", from_1904)
    assert form.show(days, repr(days)) == f"{when:%Y-%m-%d %H:%M:%S}".zfill(19)
    assert timedelta(days=abs(float(form.read(str(when)) or 0) - days)) < timedelta(milliseconds=2)


@pytest.mark.parametrize(("code", "texts", "written"), [
    ('#,##0 "Anna"', ["Anna"], '#,##0 "x"'),
    (r"0 \A\n\n\a", ["Anna"], '0 "x"'),
    (r'0\A"nn"\a', ["Anna"], '0"x"'),
    ("[$€-407]#,##0.00;[Red]-0;[Color 5]0", [], "[$€-407]#,##0.00;[Red]-0;[Color 5]0"),
    ("[$Anna-407]0", ["$Anna-407"], '"x"0'),
    ("[$€-Anna]0", ["$€-Anna"], '"x"0'),
    ("[Anna]0", ["Anna"], '"x"0'),
    ('dd.mm.yyyy "h"', [], 'dd.mm.yyyy "h"'),
    (BUILT_IN[44], [], BUILT_IN[44]),
])  # fmt: skip
def test_the_texts_in_a_format_are_found_however_they_are_written(code: str, texts: list[str], written: str) -> None:
    assert [text for _, _, text in literals(code)] == texts
    assert with_literals(code, ["x" for _ in texts]) == written


def test_a_number_of_more_digits_than_a_program_keeps_is_shown_as_the_file_holds_it() -> None:
    for raw in ("4111111111111111", "12345678901234567890", "0.30000000000000004"):
        assert format_of("General").show(float(raw), raw) == raw
    assert format_of("0").show(12345678901234567890.0, "12345678901234567890") == "12345678901234567890"
