"""The strings of a written file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from sfumato.documents.formats import Seen


def strings(file: IO[bytes]) -> Iterator[Seen]:
    """Yield the strings."""
    yield from ()
