"""The formats: which module walks over a file, by its suffix, and a file inside another one."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from io import BytesIO
from typing import IO, Any, cast

from sfumato.documents.rules import KEEP, Refused, Visit
from sfumato.documents.slot import Slot
from sfumato.missing import missing

Walk = Callable[[IO[bytes], Visit, IO[bytes] | None], Iterator[Slot]]
"""``walk(file, visit, target)`` yields the texts of a file, and writes it to ``target`` with the edits of each.

Without a target nothing is written. It raises Refused. An edit is made while the walk waits; what comes before the
text in the file may be written already. Two walks over one file by the same rules yield the same texts.
"""


@dataclass(frozen=True, slots=True)
class Seen:
    """A string that a written file holds. PRIVATE.

    Attributes:
        place: Where, in numbers and fixed words.
        text: The string.
        raw: Whether it is as the file holds it, names of styles and such included, and not what a reader sees.
    """

    place: str
    text: str = field(repr=False)
    raw: bool = False


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name, the module that walks over it, and the suffix of what is written, if it is another."""

    name: str
    module: str
    suffix: str = ""

    @property
    def walk(self) -> Walk:
        """Return its walk."""
        return cast(Walk, self._named("walk"))

    @property
    def strings(self) -> Callable[[IO[bytes]], Iterator[Seen]]:
        """Return what yields the strings of a written file: as a second library reads them, and as they are in it."""
        return cast("Callable[[IO[bytes]], Iterator[Seen]]", self._named("strings"))

    def _named(self, name: str) -> Any:
        try:
            return getattr(import_module(f"sfumato.documents.{self.module}"), name)
        except ImportError as error:
            if (failure := missing(error)) is None:
                raise
        raise failure


FORMATS = {
    ".docx": Format("docx", "word"),
    ".xlsx": Format("xlsx", "sheets"),
    ".xlsm": Format("xlsx", "sheets"),
    ".xltx": Format("xlsx", "sheets"),
    ".xltm": Format("xlsx", "sheets"),
    ".pptx": Format("pptx", "slides"),
    ".pdf": Format("pdf", "pdf"),
    ".html": Format("html", "html"),
    ".htm": Format("html", "html"),
    ".eml": Format("eml", "mail"),
    ".mbox": Format("mbox", "mailbox"),
    ".msg": Format("msg", "outlook", ".eml"),
    ".vtt": Format("vtt", "subtitles"),
    ".srt": Format("srt", "subtitles"),
    ".fhir.json": Format("fhir", "fhir"),
    ".fhir.ndjson": Format("fhir lines", "fhir_lines"),
    ".hl7": Format("hl7", "hl7"),
    ".zip": Format("zip", "archive"),
}


def format_of(name: str) -> Format | None:
    """Return the format that the suffix of ``name`` says, or None."""
    lower = name.lower()
    return next(
        (FORMATS[suffix] for suffix in sorted(FORMATS, key=len, reverse=True) if lower.endswith(suffix)), None
    )


def nested(
    name: str, content: bytes, visit: Visit, where: str, record: int = 0
) -> Generator[Slot, None, bytes | None]:
    """Yield the texts of a file inside another one; return it with their edits, or None if it is dropped.

    Its ``name`` says its format. One of no known format is what the rules call unknown. Raise Refused.
    """
    form = format_of(name)
    if form is None:
        return content if visit.rule("unknown", where) == KEEP else None
    target = BytesIO()
    try:
        for slot in form.walk(BytesIO(content), visit.inside(where), target):
            slot.place, slot.record = f"{where}, {slot.place}", record
            yield slot
    except Refused as error:
        reason = f"{where}: {error}"
    else:
        return target.getvalue()
    raise Refused(reason)
