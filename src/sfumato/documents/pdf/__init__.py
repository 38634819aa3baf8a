"""PDF files with a text layer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from sfumato.documents.pdf.opened import opened
from sfumato.documents.pdf.pages import pages
from sfumato.documents.pdf.seen import strings
from sfumato.documents.pdf.saved import saved
from sfumato.documents.pdf.work import Work
from sfumato.documents.rules import Refused, Visit
from sfumato.documents.slot import Slot

__all__ = ["strings", "walk"]


def walk(file: IO[bytes], visit: Visit, target: IO[bytes] | None = None) -> Iterator[Slot]:
    """Yield the texts of a PDF file, and write it to ``target`` with their edits. Raise Refused."""
    with opened(file) as pdf:
        work = Work(pdf, visit, target is not None)
        yield from pages(work)
        if target is not None:
            saved(work, target)
