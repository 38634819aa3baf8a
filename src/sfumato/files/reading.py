"""Bytes of an input file: gzip or not, strict UTF-8, split at line feeds only."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Self, cast

from sfumato.errors import InputError

BOM = b"\xef\xbb\xbf"
NOT_UTF8 = "not valid UTF-8"


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn a failing disk or a broken gzip stream into an InputError."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError(f"{name} is not a complete gzip file; copy or compress it again.") from None
    except InputError:
        raise
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(f"{name} cannot be read ({reason}); check the path and its permissions.") from None


class InputFile:
    """One open input file, positioned after its byte-order mark (kept in ``bom``)."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        with reading(self.name):
            self._raw = path.open("rb")
        self._stream: IO[bytes] = self._raw
        if path.name.lower().endswith(".gz"):
            self._stream = cast("IO[bytes]", gzip.GzipFile(fileobj=self._raw))
        try:
            with reading(self.name):
                if self._stream is not self._raw and not self._raw.peek(1):
                    raise EOFError  # of an empty file gzip makes an empty text
                self.bom = BOM if self._stream.peek(3)[:3] == BOM else b""  # type: ignore[attr-defined]
                self._stream.read(len(self.bom))
        except InputError:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._stream.close()
        self._raw.close()

    def lines(self) -> Iterator[bytes]:
        """Lines with their ends, split at line feeds and nowhere else."""
        with reading(self.name):
            yield from self._stream

    def read(self) -> bytes:
        """All that is left."""
        with reading(self.name):
            return self._stream.read()

    def position(self) -> int:
        """Bytes read so far, as stored."""
        return self._raw.tell()
