"""A walk over one of several files, with the texts of its name, and the records that its texts belong to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO

from sfumato.documents.files import FILE, Files
from sfumato.documents.formats import Format, ending_of
from sfumato.documents.rules import TREAT, Refused, Visit
from sfumato.documents.slot import Slot
from sfumato.errors import SfumatoError

NAME = "name of the file"


def walk(
    files: Files, name: str, form: Format, file: IO[bytes], visit: Visit, target: IO[bytes] | None = None
) -> Iterator[Slot]:
    """Yield the texts of the ``file`` called ``name``: of its name first, if that is treated, then of its content.

    The name belongs to the first record if the file is one record, else to a record of its own. Raise Refused, also
    for what a library raises: its own message may quote a text.
    """
    named = files.kind != FILE and visit.rules.names == TREAT
    for place, text in name_texts(name) if named else ():
        yield Slot(text, place)
    try:
        for slot in form.walk(file, visit, target):
            slot.record += named and form.records
            yield slot
        return
    except Refused as error:
        reason = str(error)
    except SfumatoError:
        raise
    except Exception as error:
        reason = f"it cannot be read as {form.name} ({type(error).__name__}); save it again"
    raise Refused(reason)


def name_texts(name: str) -> list[tuple[str, str]]:
    """Return place and text of each folder of a file's ``name``, and of the file itself without its ending."""
    *folders, last = PurePosixPath(name).parts
    rows = [(f"name of folder {number}", folder) for number, folder in enumerate(folders, 1)]
    return [*rows, (NAME, last.removesuffix(ending_of(last)))]
