"""A folder of many files: memory stays flat, and a part that all of them share is worked on once."""

from __future__ import annotations

import gc
import io
import weakref
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import docx
import pptx
import pytest

import sfumato
from office import strings, walked
from packing import Packing
from sfumato.documents import writing, xml
from sfumato.documents.office import office, office_raw
from sfumato.documents.office.office_values import is_long_number, usual
from sfumato.documents.proof import proved
from sfumato.documents.rules import DROP, Rules
from sfumato.policy import Policy
from sfumato.runtime import search_seldom
from word_makers import document

MANY = 12
STYLES = "word/styles.xml"


def letter(path: Path) -> None:
    """Write a Word document of a line."""
    made = docx.Document()
    made.add_paragraph("Seen: Anna Schmidt of Ghent.")
    made.save(str(path))


def slide(path: Path) -> None:
    """Write slides with a title."""
    made = pptx.Presentation()
    made.slides.add_slide(made.slide_layouts[0]).shapes.title.text = "Anna Schmidt of Ghent"
    made.save(str(path))


@pytest.fixture
def forgets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out what the writer does against the leak."""
    monkeypatch.setattr(writing, "forget_cycles", lambda: None)


def most_alive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None], ending: str) -> int:
    """Release a folder of documents as the command does; return how many trees of the second library live at once."""
    (listed := tmp_path / "names.txt").write_text("PERSON\tAnna Schmidt\n")
    policy = Policy.of({
        "find": {"detect": [f"list:{listed}"]}, "treat": [{"kinds": ["PERSON"], "method": "label"}],
    })  # fmt: skip
    (folder := tmp_path / "letters").mkdir()
    make(first := folder / f"0{ending}")
    for number in range(1, MANY):
        (folder / f"{number}{ending}").write_bytes(first.read_bytes())
    library, alive, most = (docx if ending == ".docx" else pptx), weakref.WeakSet[Any](), [0]
    name = "Document" if library is docx else "Presentation"
    opened = getattr(library, name)

    def noted(file: Any) -> Any:
        made = opened(file)
        alive.add(made.part.package)
        most[0] = max(most[0], len(alive))
        return made

    monkeypatch.setattr(library, name, noted)
    gc.collect()
    with search_seldom():
        sfumato.sanitize_file(policy, folder, tmp_path / "out")
    assert len(list((tmp_path / "out").iterdir())) == MANY
    return most[0]


def test_no_more_is_in_memory_after_many_files_than_after_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert most_alive(tmp_path, monkeypatch, slide, ".pptx") == 1


@pytest.mark.usefixtures("forgets_nothing")
def test_the_test_above_would_notice_a_leak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert most_alive(tmp_path, monkeypatch, slide, ".pptx") == MANY


@pytest.fixture
def fresh() -> Iterator[None]:
    """Begin with nothing remembered of earlier files."""
    office._ALIKE.clear()
    office_raw._of_shared.cache_clear()
    yield
    office._ALIKE.clear()
    office_raw._of_shared.cache_clear()


@pytest.mark.usefixtures("fresh")
def test_a_part_that_files_share_is_parsed_once_and_written_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    content, parsed = document(), list[bytes]()
    once = xml.parsed

    def noted(part: bytes) -> Any:
        parsed.append(part)
        return once(part)

    monkeypatch.setattr(office, "parsed", noted)
    first = walked("a.docx", content, {"Anna": "Bob"}).content
    styles = zipfile.ZipFile(io.BytesIO(content)).read(STYLES)
    assert styles in parsed
    parsed.clear()
    assert walked("b.docx", content, {"Anna": "Bob"}).content == first
    assert parsed, "texts are read in each file"
    assert styles not in parsed
    assert list(strings("b.docx", first)) == list(strings("b.docx", first))


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('w:styleId="Title"', 'w:styleId="Zwiebelina"'),
        ('<w:name w:val="Title"/>', '<w:name w:val="Zwiebelina"/>'),
        ('<w:style ', '<w:style zwiebelina="1" '),
    ],
)  # fmt: skip
def test_a_part_in_which_a_name_could_be_is_walked_in_each_file(old: str, new: str) -> None:
    packing = Packing(document())
    packing.replace(STYLES, old, new)
    content = packing.content()
    for name in ("a.docx", "b.docx"):
        done = walked(name, content, {"Zwiebelina": "Bob"})
        assert not proved(strings(name, done.content), {"Zwiebelina"}, []).places
    assert not any(b"Zwiebelina" in written for written in office._ALIKE.values())


@pytest.mark.usefixtures("fresh")
def test_what_is_remembered_holds_for_the_same_rules_alone() -> None:
    content = document()
    walked("a.docx", content)
    before = len(office._ALIKE)
    assert before
    walked("a.docx", content, rules=Rules(names=DROP))
    assert len(office._ALIKE) > before


@pytest.mark.usefixtures("fresh")
def test_a_value_in_a_part_that_files_share_is_found_in_each_of_them() -> None:
    packing = Packing(walked("a.docx", document()).content)
    packing.replace(STYLES, "</w:styles>", "<w:x>Zwiebelina</w:x></w:styles>")
    for _ in range(2):
        assert proved(strings("a.docx", packing.content()), {"Zwiebelina"}, []).places
        assert not proved(strings("a.docx", packing.content()), {"Bartolomej"}, []).places


def test_styles_of_word_and_shapes_of_fonts_are_no_texts() -> None:
    for name in ("Medium Shading 2 Accent 2", "MediumGrid1-Accent3"):
        assert usual(name)
    for name in ("Grid 12 03 84", "Accent 12 Accent 3 84", "Anna Accent 1"):
        assert not usual(name)
    assert not is_long_number("02020603050405020304")
    assert is_long_number("12345678901234567890")
