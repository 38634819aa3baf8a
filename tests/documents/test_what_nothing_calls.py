"""Relationships that nothing in a part calls, and parts that are not what they are said to be, in files of Office."""

from __future__ import annotations

import io

import docx
import pptx
import pytest

from office import walked
from packing import Packing, every_string
from sfumato.documents.rules import Refused, Rules
from workbooks import staff


def package(name: str) -> Packing:
    """Return the smallest file of a format."""
    if name == "a.xlsx":
        return Packing(staff())
    target = io.BytesIO()
    (docx.Document() if name == "a.docx" else pptx.Presentation()).save(target)
    return Packing(target.getvalue())


MAIN = {"a.docx": "word/document.xml", "a.pptx": "ppt/presentation.xml", "a.xlsx": "xl/worksheets/sheet1.xml"}


@pytest.mark.parametrize("name", MAIN)
def test_a_link_that_nothing_calls_is_not_written(name: str) -> None:
    packing = package(name)
    for part in (MAIN[name], ""):
        packing.relate(part, "hyperlink", "mailto:anna@x.org", "rId777", external=True)
    for rules in (Rules(), Rules(links="keep")):
        assert "anna@" not in every_string(walked(name, packing.content(), rules=rules).content)


@pytest.mark.parametrize(("name", "part"), [
    ("a.docx", "word/styles.xml"), ("a.pptx", "ppt/presProps.xml"), ("a.xlsx", "xl/styles.xml"),
])  # fmt: skip
def test_a_part_of_another_vocabulary_is_refused(name: str, part: str) -> None:
    packing = package(name)
    packing.members[part] = b"<Anna xmlns='urn:anna'>Anna</Anna>"
    with pytest.raises(Refused, match="is not as the parts of") as refused:
        walked(name, packing.content())
    assert "Anna" not in str(refused.value)
