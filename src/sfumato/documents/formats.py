"""The formats: which module walks over a file, by its suffix, and a file inside another one."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from io import BytesIO
from mimetypes import MimeTypes
from pathlib import PurePosixPath
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
    """A format: its name, the module that walks over it, the suffix of what is written if it is another.

    ``records``: a file of it may hold several records."""

    name: str
    module: str
    suffix: str = ""
    records: bool = False
    needs: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise MissingExtraError if a package is not there that reads, writes or proves a file."""
        failure = None
        for package in self.needs:
            try:
                import_module(package)
            except ImportError as error:
                if (failure := missing(error)) is None:
                    raise
        if failure is not None:
            raise failure

    @property
    def walk(self) -> Walk:
        """Return its walk."""
        return cast(Walk, self._named("walk"))

    @property
    def strings(self) -> Callable[[IO[bytes]], Iterator[Seen]]:
        """Return what yields the strings of a written file: as a second library reads them, and as they are in it."""
        return cast("Callable[[IO[bytes]], Iterator[Seen]]", self._named("strings"))

    def _named(self, name: str) -> Any:
        return getattr(import_module(f"sfumato.documents.{self.module}"), name)


_XML = ("lxml",)
_HTML = Format("html", "web.html", needs=_XML)
_XLSX = Format("xlsx", "sheets.workbooks", records=True, needs=("lxml", "openpyxl"))
FORMATS = {
    ".docx": Format("docx", "office.word", needs=("lxml", "docx")),
    ".xlsx": _XLSX,
    ".xlsm": _XLSX,
    ".pptx": Format("pptx", "office.slides", needs=("lxml", "pptx")),
    ".pdf": Format("pdf", "pdf", needs=("pikepdf", "pdfminer", "pypdfium2", "fontTools")),
    ".html": _HTML,
    ".htm": _HTML,
    ".eml": Format("eml", "mail.message", needs=_XML),
    ".mbox": Format("mbox", "mail.mailbox", records=True, needs=_XML),
    ".msg": Format("msg", "mail.outlook", ".eml", needs=("lxml", "oxmsg")),
    ".vtt": Format("vtt", "subtitles", needs=("webvtt",)),
    ".srt": Format("srt", "subtitles", needs=("webvtt",)),
    ".json": Format("fhir", "health.fhir", records=True, needs=_XML),
    ".ndjson": Format("fhir lines", "health.fhir_lines", records=True, needs=_XML),
    ".hl7": Format("hl7", "health.hl7", records=True, needs=("hl7apy",)),
    ".zip": Format("zip", "archive", records=True),
    ".txt": Format("text", "plain"),
    ".md": Format("markdown", "plain"),
}


_ENDINGS = frozenset({
    ".7z", ".asc", ".dcm", ".docm", ".dotx", ".heic", ".ics", ".jfif", ".log", ".odp", ".ods", ".odt", ".ole", ".p7s",
    ".pptm", ".rar", ".rtf", ".vcf", ".webp", ".xml", ".yaml", ".yml",
})  # fmt: skip
"""Of usual files, in small letters, beside those of the formats and those that Python knows."""


def format_of(name: str) -> Format | None:
    """Return the format that the suffix of ``name`` says, or None."""
    return FORMATS.get(suffix_of(name).lower())


def suffix_of(name: str) -> str:
    """Return the suffix of ``name``, with its dot, as it is written there."""
    suffix = PurePosixPath(name).suffix
    return suffix if suffix.lower() != ".gz" else "".join(PurePosixPath(name).suffixes[-2:])


def ending_of(name: str) -> str:
    """Return the suffix of ``name`` if a kind of files is known by it; another one could be somebody's name."""
    suffix = suffix_of(name)
    *before, last = PurePosixPath(f"x{suffix}").suffixes or [""]
    if last.lower() not in _endings():
        return ""
    return suffix if all(each.lower() in _endings() for each in before) else last


def is_ending(word: str) -> bool:
    """Return whether a kind of files is known by the ending ``word``."""
    return f".{word}" in _endings()


@cache
def _endings() -> frozenset[str]:
    known = MimeTypes()
    return _ENDINGS.union(FORMATS, known.encodings_map, *known.types_map)


def ending_written(name: str) -> str:
    """Return the ending of what is written of the file ``name``: its own, unless the format becomes another."""
    form = format_of(name)
    return form.suffix if form is not None and form.suffix else ending_of(name)


def nested(
    name: str, content: bytes, visit: Visit, where: str, record: int = 0
) -> Generator[Slot, None, bytes | None]:
    """Yield the texts of a file inside another one; return it with their edits, or None if it is dropped.

    Its ``name`` says its format. One of no known format is what the rules call unknown. Raise Refused.
    """
    form = format_of(name)
    if form is None:
        return content if visit.rule("unknown", where) == KEEP else None
    form.check()
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
