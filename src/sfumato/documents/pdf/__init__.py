"""PDF files with a text layer."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import IO

from sfumato.documents.pdf.catalog import walk_attachments, walk_catalog
from sfumato.documents.pdf.fields import walk_fields
from sfumato.documents.pdf.layers import hidden_layers
from sfumato.documents.pdf.notes import walk_widgets
from sfumato.documents.pdf.opened import opened
from sfumato.documents.pdf.pages import walk_pages
from sfumato.documents.pdf.saved import saved
from sfumato.documents.pdf.seen import strings
from sfumato.documents.pdf.structure import walk_structure
from sfumato.documents.pdf.targets import named_places
from sfumato.documents.pdf.work import Work
from sfumato.documents.rules import Refused, Visit
from sfumato.documents.slot import Slot

__all__ = ["strings", "walk"]


def walk(file: IO[bytes], visit: Visit, target: IO[bytes] | None = None) -> Iterator[Slot]:
    """Yield the texts of a PDF file, and write it to ``target`` with their edits. Raise Refused."""
    import pikepdf

    with opened(file) as pdf:
        work = Work(pdf, visit, target is not None)
        try:
            yield from _parts(work)
            if target is not None:
                saved(work, target)
            return
        except (pikepdf.PdfError, pikepdf.PikepdfError, RuntimeError, TypeError, ValueError, LookupError,
                AttributeError, ArithmeticError):  # fmt: skip
            pass  # its message may quote the file
    raise Refused(
        "it is a damaged PDF file, or one of an unusual kind; open it in a reader and print it to a new file"
    )


def _parts(work: Work) -> Generator[Slot, None, None]:
    """Yield the texts of each part of a file, in one order."""
    hidden_layers(work)
    work.find_pages()
    named_places(work)
    yield from walk_catalog(work)
    yield from walk_fields(work)
    yield from walk_pages(work)
    yield from walk_widgets(work)
    yield from walk_structure(work)
    yield from walk_attachments(work)
