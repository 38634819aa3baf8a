"""A PDF file from anyone, opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, BinaryIO, cast

from sfumato.documents.rules import Refused


@contextmanager
def opened(file: IO[bytes]) -> Iterator[Any]:
    """Yield the PDF in ``file``. Raise Refused if it is damaged, or locked by a password that its reader needs."""
    import pikepdf

    pdf, reason = None, ""
    file.seek(0)
    try:
        pdf = pikepdf.open(cast(BinaryIO, file), attempt_recovery=False, suppress_warnings=True)
    except pikepdf.PasswordError:
        reason = "it is locked by a password; save it without one"
    except (pikepdf.PdfError, RuntimeError, ValueError):
        reason = "it is not a complete PDF file, or a damaged one; print it to a new file"
    if pdf is None:
        raise Refused(reason)
    with pdf:
        yield pdf
