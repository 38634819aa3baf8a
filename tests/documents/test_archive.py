"""A ZIP file inside another file."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from office import strings, walked
from sfumato.documents.files import Files
from sfumato.documents.rules import Refused, Rules
from sfumato.documents.writing import write

NAME = "Zwiebelina"


def packed(**files: str | bytes) -> bytes:
    """Return a ZIP file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as package:
        for name, content in files.items():
            package.writestr(name.replace("__", "."), content)
    return buffer.getvalue()


INNER = packed(**{"deep__md": f"{NAME} is deep."})
ALL = packed(**{f"{NAME}__md": f"{NAME} came.", "b__txt": "Nobody.", "c__zip": INNER, "d__bin": NAME.encode()})


def test_members_are_treated_by_their_formats_and_all_names_are_numbers_if_one_changes() -> None:
    """Numbers in the order of the names would tell how these are sorted, and names beside them who is a person."""
    made = walked("in.zip", ALL, {NAME: "X"})
    with zipfile.ZipFile(io.BytesIO(made.content)) as package:
        names = package.namelist()
        assert names == ["document 1.txt", "document 2.md", "document 3.zip"]
        assert package.read("document 2.md") == b"X came."
    other = packed(
        **{"Zacharias__md": "Zacharias came.", "b__txt": "Nobody.", "c__zip": packed(deep__md="X is deep.")}
    )
    assert walked("in.zip", other, {"Zacharias": "X"}).content == made.content
    assert walked("in.zip", ALL).texts.keys() == made.texts.keys()
    assert made.texts["file 3, file 1, text"] == f"{NAME} is deep."
    assert made.notes["unknown", "drop"] == 1
    assert not any(NAME in seen.text for seen in strings("in.zip", made.content))
    assert any(NAME in seen.text for seen in strings("in.zip", ALL))
    again = walked("in.zip", made.content)
    assert again.texts["file 3, file 1, text"] == "X is deep."


def test_a_kept_member_of_no_known_format_stays() -> None:
    made = walked("in.zip", ALL, rules=Rules(unknown="keep"))
    with zipfile.ZipFile(io.BytesIO(made.content)) as package:
        assert package.read("d.bin") == NAME.encode()
    with pytest.raises(Refused, match="file 4"):
        walked("in.zip", ALL, rules=Rules(unknown="refuse"))


@pytest.mark.parametrize("name", [f"Befund.{NAME}", f"Befund.{NAME}.gz", f"{NAME}.bin"])
def test_a_name_that_is_replaced_keeps_the_ending_of_a_kind_of_files_alone(name: str) -> None:
    made = walked("in.zip", packed(**{name: "x"}), {NAME: "gone"}, Rules(unknown="keep"))
    with zipfile.ZipFile(io.BytesIO(made.content)) as package:
        assert package.namelist()[0] in ("document 1", "document 1.gz", "document 1.bin")
    same = walked("in.zip", packed(**{name: "x"}), {}, Rules(unknown="keep"))
    with zipfile.ZipFile(io.BytesIO(same.content)) as package:
        assert package.namelist() == [name]


@pytest.mark.parametrize("rule", ["treat", "keep"])
def test_a_file_of_no_known_kind_keeps_no_ending_that_may_be_a_name(tmp_path: Path, rule: str) -> None:
    (tmp_path / "in").mkdir()
    for name in (f"Befund.{NAME}", "b.bin"):
        (tmp_path / "in" / name).write_bytes(b"x")
    write(Files.at(tmp_path / "in"), Rules(unknown="keep", names=rule), [], tmp_path / "out")
    names = {each.name for each in (tmp_path / "out").iterdir()}
    assert names == ({f"Befund.{NAME}", "b.bin"} if rule == "keep" else {"document 001", "document 002.bin"})


def test_an_attachment_of_a_pdf_keeps_no_ending_that_may_be_a_name() -> None:
    import pikepdf

    pdf = pikepdf.new()
    pdf.add_blank_page()
    pdf.attachments[f"Befund.{NAME[:5]}"] = b"x"
    target = io.BytesIO()
    pdf.save(target)
    new = walked("a.pdf", target.getvalue(), {NAME[:5]: "gone"}, Rules(unknown="keep", scans="keep"))
    with pikepdf.open(io.BytesIO(new.content)) as opened:
        assert [each.filename for each in opened.attachments.values()] == ["attachment 1"]


def test_files_inside_one_another_have_an_end() -> None:
    content = INNER
    for _ in range(6):
        content = packed(**{"a__zip": content})
    with pytest.raises(Refused, match="inside one another"):
        walked("in.zip", content)


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package, package.open("a.md", "w") as member:
        for _ in range(300):
            member.write(bytes(1 << 20))
    with pytest.raises(Refused, match="times as large"):
        walked("in.zip", buffer.getvalue())
