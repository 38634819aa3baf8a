"""Small sanitizers that behave as told; importable by the worker processes that the tests start."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import GuaranteeError, InputError, SfumatoError
from sfumato.text.document import Document, Release

WORD = re.compile(r"\w+")
REFUSED = "Refuseme"
FATAL = "Fatalword"
KILLER = "Killword"


@dataclass(frozen=True)
class NumberedWords:
    """Replaces every word by its number in the document; one draw a word."""

    prefix: str = "w"
    pause: float = 0.0

    def fingerprint(self) -> str:
        return f"numbered {self.prefix}"

    def sanitize_batch(self, documents: Sequence[Document], randomness: object) -> list[Release]:
        time.sleep(self.pause)
        return [self._release(document) for document in documents]

    def _release(self, document: Document) -> Release:
        if REFUSED in document.text:
            raise InputError(f"record {document.id}: span 1 overlaps the span before it; merge the two.")
        if FATAL in document.text:
            raise ValueError(f"cannot handle {document.text}")
        if KILLER in document.text:
            os.kill(os.getpid(), signal.SIGKILL)
        gaps = WORD.split(document.text)
        parts = [gaps[0]]
        for number, gap in enumerate(gaps[1:]):
            parts += [f"{self.prefix}{number}", gap]
        return Release.joined(document.id, parts, "WORD", len(gaps) - 1)


@dataclass(frozen=True)
class DiesOnce:
    """Sanitizes as ``inner`` does, and ends its process at a text with KILLER, unless the ``marker`` is there.

    It makes the marker first, if that has a folder: so only one process ends.
    """

    inner: Any
    marker: Path

    def fingerprint(self) -> str:
        return str(self.inner)

    def sanitize_batch(self, documents: Sequence[Document], randomness: Any) -> list[Release]:
        met = any(KILLER in document.text for document in documents)
        if met and not self.marker.exists():
            if self.marker.parent.exists():
                self.marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        releases: list[Release] = self.inner.sanitize_batch(documents, randomness)
        return releases


@dataclass(frozen=True)
class Refusing:
    """Refuses a document by its index in the batch, while it handles an error that quotes the text."""

    kind: type[SfumatoError] = InputError

    def sanitize_batch(self, documents: Sequence[Document], randomness: object) -> list[Release]:
        for number, document in enumerate(documents):
            try:
                if REFUSED in document.text:
                    raise ValueError(document.text)
            except ValueError as error:
                error.add_note(document.text)
                refusal = InputError("span 1 is odd", number) if self.kind is InputError else self.kind("odd")
                raise refusal  # noqa: B904 (a careless plugin: the context goes along)
        return Echo().sanitize_batch(documents, randomness)


class OwnError(GuaranteeError):
    """An error of a plugin, whose arguments are not those of sfumato's."""

    def __init__(self, text: str, more: str = "more") -> None:
        super().__init__(text, more)


@dataclass(frozen=True)
class Echo:
    """Gives every text back as it is (no draw)."""

    def sanitize_batch(self, documents: Sequence[Document], randomness: object) -> list[Release]:
        return [Release.joined(document.id, (document.text,), "WORD", 0) for document in documents]


@dataclass(frozen=True)
class Forgetful:
    """Answers for all but the last document."""

    def sanitize_batch(self, documents: Sequence[Document], randomness: object) -> list[Release]:
        return Echo().sanitize_batch(documents[:-1], randomness)
