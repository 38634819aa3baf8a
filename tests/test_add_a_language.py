"""The page about adding a language makes one: its files, in a copy of the package, sanitize its sentence."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "add-a-language.md"
_BLOCK = re.compile(r"^```(?P<kind>\w+)(?: (?P<path>src/\S+))?\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)


def _blocks() -> Iterator[tuple[str, str | None, str]]:
    """Yield the kind, the file if there is one, and the text of each block of the page."""
    for match in _BLOCK.finditer(PAGE.read_text(encoding="utf-8")):
        yield match["kind"], match["path"], match["body"]


def _linked(copy: Path, source: Path, apart: frozenset[Path]) -> None:
    """Make ``copy`` a folder of links to what is in ``source``; folders that are ``apart`` are copied so, too."""
    copy.mkdir(parents=True)
    for entry in source.iterdir():
        if entry in apart:
            _linked(copy / entry.name, entry, apart)
        elif entry.name != "__pycache__":
            (copy / entry.name).symlink_to(entry)


def _changed(file: Path, hunk: str) -> None:
    """Change ``file``, a link, as the lines of ``hunk`` say."""
    old, new = ("".join(f"{line[1:]}\n" for line in hunk.splitlines() if line[0] != other) for other in ("+", "-"))
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{file.name} is not as the page shows it"
    file.unlink()
    file.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the changes and the files of the page."""
    copy, source = tmp_path_factory.mktemp("checkout"), ROOT / "src" / "sfumato"
    _linked(
        copy / "src" / "sfumato",
        source,
        frozenset({source / "language", source / "data", source / "data" / "language"}),
    )
    for kind, path, body in _blocks():
        if path is not None and kind == "diff":
            _changed(copy / path, body)
        elif path is not None:
            assert not (ROOT / path).exists(), f"{path} is a file of sfumato by now; show another language"
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            (copy / path).write_text(body, encoding="utf-8")
    return copy


def _run(checkout: Path, code: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False,
        env={**os.environ, "PYTHONPATH": str(checkout / "src")},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_language_of_the_page_reads_and_writes_its_values(checkout: Path) -> None:
    values = {
        "DATE": ("den 3 maj 2019", "i maj", "2019-03-04"),
        "AGE": ("34 år gammal",),
        "DURATION": ("tre veckor",),
        "TIME": ("klockan 14:30",),
        "NUMBER": ("tjugoett",),
        "MONEY": ("1 200 kronor", "3 miljoner kronor"),
        "PLACE": ("Göteborg",),
    }
    code = (
        "from sfumato.kinds.registry import kinds_of\n"
        f"for name, texts in {values!r}.items():\n"
        "    kind = kinds_of(language='sv')[name]\n"
        "    for text in texts:\n"
        "        reading = kind.read(text)\n"
        "        assert kind.read(kind.write(reading.value, reading.form)) == reading, text\n"
        "        print(kind.write(reading.value, reading.form))\n"
    )
    assert _run(checkout, code).splitlines() == [text for texts in values.values() for text in texts]


@pytest.mark.models
def test_the_language_of_the_page_sanitizes_its_sentence(checkout: Path) -> None:
    [code] = [body for kind, path, body in _blocks() if kind == "python" and path is None]
    [shown] = [body for kind, _, body in _blocks() if kind == "text"]
    for made in (
        _run(checkout, code),
        shown,
    ):  # not the same one: names are those of the installed faker, and a drawn day may be in May too
        assert re.fullmatch(r"Herr [\w-]+ [\w-]+, [\w ]+, skrevs in den \d+ \w+ 20\d\d på \w+ .+\.\n", made)
        assert not {"Erik", "Lindqvist", "Lunds"} & set(re.split(r"[ .,]", made))
