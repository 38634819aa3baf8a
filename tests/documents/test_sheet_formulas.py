"""Formulas: their texts are found, and what they call by name gets its new name."""

from __future__ import annotations

import io

import openpyxl
import pytest

from office import replacing, strings
from sfumato.documents.sheets.sheet_book import Spot
from sfumato.documents.sheets.sheet_formulas import Formulas, is_outside

KNOWN = Formulas(
    {"anna k": "Sheet 2", "staff": "Staff", "data": "Sheet 3"},
    {"annasalary": "Name_1"},
    {"people": "Table_1"},
    {"people": {"anna": "Bea [x]", "x": "x"}},
)


def walked(formula: str) -> tuple[str, list[str]]:
    """Return a formula in which Anna is Bea, and its texts."""
    walk, texts = KNOWN.walk(formula, Spot("sheet 1, B7")), list[str]()
    while True:
        try:
            slot = next(walk)
        except StopIteration as end:
            return end.value, texts
        slot.edits = replacing(slot.text, {"Anna": 'B"ea', "2001-09-09": "2002-01-09", "2001-09-08": "gone"})
        texts.append(slot.text)


@pytest.mark.parametrize(("formula", "written", "texts"), [
    ("A1+B2*3", "A1+B2*3", []),
    ("VLOOKUP(A2,Staff!$A$2:$C$9,2,FALSE)", "VLOOKUP(A2,Staff!$A$2:$C$9,2,FALSE)", []),
    ('"Anna "&B2', '"B""ea "&B2', ["Anna "]),
    ('{1;"Anna"}', '{1;"B""ea"}', ["Anna"]),
    ('IF(A1="","",1)', 'IF(A1="","",1)', []),
    ("SUM('Anna K'!B2:B9)", "SUM('Sheet 2'!B2:B9)", []),
    ("Data!A1:Data!B2", "'Sheet 3'!A1:'Sheet 3'!B2", []),
    ("Staff:Data!A1", "'Staff:Sheet 3'!A1", []),
    ("AnnaSalary*12", "Name_1*12", []),
    ("'Anna K'!AnnaSalary", "'Sheet 2'!Name_1", []),
    ("People[[#This Row],[Anna]]+People[x]", "Table_1[[#This Row],[Bea '[x']]]+Table_1[x]", []),
    ("DATE(1984,3,12)+52000", "DATE(1984,3,12)+52000", ["1984-03-12", "52000"]),
    ("DATE(A1,3,12)+1984", "DATE(A1,3,12)+1984", ["1984"]),
    ('"An"&"na"', '"B""ea"', ["Anna"]),
    ('"An" & ("n"&"a") & A1&"An"', '"B""ea" & A1&"An"', ["Anna", "An"]),
    ('A1&"An"&B1', 'A1&"An"&B1', ["An"]),
    ('CONCATENATE("An","na "," K")', '"B""ea  K"', ["Anna  K"]),
    ('_xlfn.TEXTJOIN("n",TRUE,"An","a")', '"B""ea"', ["Anna"]),
    ('_xlfn.CONCAT("An",A1,"na")', '_xlfn.CONCAT("An",A1,"na")', ["An", "na"]),
    ('CHAR(65)&"n"&CHAR(110)&"a"', '"B""ea"', ["Anna"]),
    ("471&123&4567", "471&123&4567", ["4711234567"]),
    ("DATE(84,3,12)", "DATE(84,3,12)", ["1984-03-12"]),
    ("DATE(1984,2,31)", "DATE(1984,2,31)", ["1984-03-02"]),
    ("TIME(3,4,5)", "TIME(3,4,5)", ["03:04:05"]),
    ("DATE(2001,9,9)", "DATE(2002,1,9)", ["2001-09-09"]),
    ("DATE(2001,9,8)", '"gone"', ["2001-09-08"]),
    ("Other!A1", "Other!A1", ["Other"]),
    ("AnnaElse+AnnaElse", "Name_1+Name_1", ["AnnaElse"]),
    ("_xlfn.LAMBDA(_xlpm.Anna,_xlpm.Anna*2)", "_xlfn.LAMBDA(_xlpm.Name_1,_xlpm.Name_1*2)", ["Anna"]),
    ("AnnasFunction(A1)", "Name_1(A1)", ["AnnasFunction"]),
    ("[1]Anna!A1+1", "#REF!+1", []),
    ("'C:\\Anna\\[b.xlsx]S'!A1", "#REF!", []),
    ('"Anna', '"""B""ea"', ['"Anna']),
])  # fmt: skip
def test_texts_are_yielded_and_names_follow(formula: str, written: str, texts: list[str]) -> None:
    assert walked(formula) == (written, texts)


@pytest.mark.parametrize("formula", ["[1]Sheet!A1", "'[1]Anna K'!A1", "1+'C:\\a\\[b.xlsx]S'!A1", "[2]!Name"])
def test_a_formula_that_leads_to_another_workbook_is_known(formula: str) -> None:
    assert is_outside(formula)


@pytest.mark.parametrize("formula", ["Table[Name]", "Table[[#This Row],[a]]+1", "A1", '"[1]"&A1'])
def test_a_column_of_a_table_is_not_another_workbook(formula: str) -> None:
    assert not is_outside(formula)


def test_the_proof_sees_what_a_formula_puts_together() -> None:
    made, written = openpyxl.Workbook(), io.BytesIO()
    for place, formula in enumerate(('="Schm"&"idt"', "=DATE(84,3,12)", '="471"&"123"'), 1):
        made.worksheets[0].cell(place, 1).value = formula
    made.save(written)
    assert {"Schmidt", "1984-03-12", "471123"} <= {each.text for each in strings("a.xlsx", written.getvalue())}
