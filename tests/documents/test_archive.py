"""A ZIP file inside another file."""

from __future__ import annotations

import io
import zipfile

import pytest

from office import strings, walked
from sfumato.documents.rules import Refused, Rules

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


def test_members_are_treated_by_their_formats_and_names_that_change_are_numbers() -> None:
    made = walked("in.zip", ALL, {NAME: "X"})
    with zipfile.ZipFile(io.BytesIO(made.content)) as package:
        assert package.namelist() == ["document 1.md", "b.txt", "c.zip"]
        assert package.read("document 1.md") == b"X came."
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
