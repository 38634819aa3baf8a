"""Walks over documents in memory, and LibreOffice, which opens and converts them as people's programs do."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import pytest

from sfumato.documents.formats import Seen, format_of
from sfumato.documents.rules import Rules, Visit
from sfumato.documents.slot import Edit, Slot


class Walked(NamedTuple):
    """What a walk yielded, what it wrote, and what was done to the parts."""

    slots: list[Slot]
    content: bytes
    notes: Mapping[tuple[str, str], int]

    @property
    def texts(self) -> dict[str, str]:
        """The texts by place."""
        assert len({(slot.record, slot.place) for slot in self.slots}) == len(self.slots), "two texts at one place"
        return {slot.place: slot.text for slot in self.slots}


def walked(name: str, content: bytes, words: Mapping[str, str] | None = None, rules: Rules | None = None) -> Walked:
    """Walk over a file called ``name``, and replace each of ``words`` wherever a text holds it."""
    form, visit, target, slots = format_of(name), Visit(rules or Rules()), BytesIO(), list[Slot]()
    assert form is not None
    for slot in form.walk(BytesIO(content), visit, target):
        slot.edits = replacing(slot.text, words or {})
        slots.append(slot)
    return Walked(slots, target.getvalue(), visit.notes)


def replacing(text: str, words: Mapping[str, str]) -> list[Edit]:
    """Return the edits that replace ``words`` in ``text``."""
    edits = list[Edit]()
    for word, output in words.items():
        start = text.find(word)
        while start >= 0:
            edits.append(Edit(start, start + len(word), output))
            start = text.find(word, start + len(word))
    return sorted(edits)


def strings(name: str, content: bytes) -> list[Seen]:
    """Return every string of a written file."""
    form = format_of(name)
    assert form is not None
    return list(form.strings(BytesIO(content)))


def converted(content: bytes, name: str, to: str, folder: Path) -> bytes:
    """Return a document as LibreOffice converts it ``to`` another format; skip the test where there is none."""
    office = shutil.which("soffice") or pytest.skip("LibreOffice is not installed")
    (folder / name).write_bytes(content)
    profile = f"-env:UserInstallation=file://{folder}/profile"
    subprocess.run(
        [office, profile, "--headless", "--convert-to", to, "--outdir", str(folder), name],
        cwd=folder, check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    return (folder / name).with_suffix(f".{to.split(':')[0]}").read_bytes()


def pages(content: bytes) -> int:
    """Return how many pages a PDF has."""
    import pypdfium2

    document = pypdfium2.PdfDocument(content)
    try:
        return len(document)
    finally:
        document.close()
