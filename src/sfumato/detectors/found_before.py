"""Spans from a separate file, as ``sfumato find`` writes it: a line of JSON for each text."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

from sfumato.abstract.detector import Detector
from sfumato.detectors.given import MERGE, SKIP_LABELS, Given, unique
from sfumato.errors import InputError
from sfumato.options.option import Part
from sfumato.storage.digests import digest_of_everything
from sfumato.text.document import Document
from sfumato.text.marks import Spans


class _Line(NamedTuple):
    """The line of a text's spans, the spans, and the length of the text in characters, if the line gives it."""

    number: int
    spans: tuple[Any, ...]
    characters: int | None


@dataclass(frozen=True)
class FoundBefore(Detector):
    """The spans that a file lists under the id of each text, read as ``given`` reads those of a field.

    Offsets are checked against the text, and so is its length if the file gives it: spans of another text would mark
    the wrong words. A text without a line is an error.
    """

    name: Annotated[str, Part("the file that the spans are in")]
    lines: Annotated[Mapping[str, _Line], Part("what it says of each text")] = field(repr=False, compare=False)
    digest: Annotated[str, Part("a hash of the file")]
    skip_labels: Annotated[Collection[str], SKIP_LABELS] = frozenset()
    merge: Annotated[bool, MERGE] = False

    @classmethod
    def from_file(cls, path: str | Path, skip_labels: Collection[str] = (), merge: bool = False) -> Self:
        """Read the file at ``path``. Raise InputError with the line, without its content."""
        name = Path(path).name
        try:
            content = Path(path).read_text(encoding="utf-8-sig")
        except UnicodeDecodeError:
            raise InputError(f"{name} is not UTF-8; name a file that `sfumato find` wrote.") from None
        except OSError as error:
            raise InputError(
                f"{name} cannot be read ({error.strerror}); name a file that `sfumato find` wrote."
            ) from None
        lines: dict[str, _Line] = {}
        for number, text in enumerate(content.split("\n"), 1):
            if text.strip():
                identity, line = _read(text, number, f"{name}, line {number}")
                if identity in lines:
                    raise InputError(f"{name}, line {number}: the id was used by line {lines[identity].number}.")
                lines[identity] = line
        return cls(name, lines, digest_of_everything(Path(path)), frozenset(skip_labels), merge)

    @cached_property
    def reader(self) -> Given:
        """Return what reads the spans of a line."""
        return Given(skip_labels=self.skip_labels, merge=self.merge)

    @property
    def description(self) -> str:
        """Return what is protected."""
        skipped = self.reader.skip_labels
        but = f", except for {', '.join(sorted(skipped))}" if skipped else ""
        return f"the spans given in the file {self.name}{but}"

    @property
    def unprotected(self) -> str:
        """Return what is left unprotected."""
        return self.reader.unprotected

    def may_name(self, label: str) -> bool:
        """Return whether ``label`` is that of spans without their own."""
        return self.reader.may_name(label)

    @property
    def finder(self) -> str:
        """Return the name of the file, as finder."""
        return f"given:{self.name}"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the spans of each document. Raise InputError with the document and the number of the span."""
        results: list[Spans] = []
        for number, document in enumerate(documents):
            try:
                results.append(self._spans(document))
            except InputError as error:
                error.document = number
                raise
        return results

    def _spans(self, document: Document) -> Spans:
        line = self.lines.get(document.id)
        if line is None:
            raise InputError(
                f"{self.name} has no line for it; find with the same --field and --id-field, and write [] where "
                "nothing is to be protected."
            )
        place, length = f"{self.name}, line {line.number}", len(document.text)
        if line.characters not in (None, length):
            raise InputError(
                f"{place} is about a text of {line.characters:,} characters, and this one has {length:,}; find again."
            )
        return self.reader.read(line.spans, length, place)


def _read(text: str, number: int, place: str) -> tuple[str, _Line]:
    """Return the id and the line. Raise InputError for anything but an object with an id and spans."""
    try:
        content = json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise InputError(f"{place} is not a JSON object; name a file that `sfumato find` wrote.")
    identity, spans, characters = content.get("id"), content.get("spans"), content.get("characters")
    if not isinstance(identity, str) or not isinstance(spans, list):
        raise InputError(f"{place} lacks an id, which is text, or a list of spans.")
    if characters is not None and (isinstance(characters, bool) or not isinstance(characters, int)):
        raise InputError(f"{place}: the number of characters is not a whole number.")
    return identity, _Line(number, tuple(spans), characters)
