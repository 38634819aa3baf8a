"""Bytes of an input file: gzip or not, in UTF-8 or made so, split at line feeds only."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, cast

from sfumato.errors import InputError, SfumatoError
from sfumato.files.options import UTF8

BOM = b"\xef\xbb\xbf"
_BLOCK = 1 << 16


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn a failing disk or a broken gzip stream into an InputError."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError(f"{name} is not a complete gzip file; copy or compress it again.") from None
    except SfumatoError:
        raise
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError(f"{name} cannot be read ({reason}); check the path and its permissions.") from None


class InputFile:
    """One open input file, positioned after its byte-order mark (kept in ``bom``).

    What is not in UTF-8 is read as if it was, without a mark.
    """

    def __init__(self, path: Path, encoding: str = UTF8) -> None:
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
                if encoding == UTF8:
                    self.bom = BOM if self._stream.peek(3)[:3] == BOM else b""  # type: ignore[attr-defined]
                    self._stream.read(len(self.bom))
                else:
                    recoded = _Recoded(self._stream, encoding, self.name)
                    self._stream, self.bom = cast("IO[bytes]", io.BufferedReader(recoded, _BLOCK)), b""
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


class _Recoded(io.RawIOBase):
    """The text of ``stream`` as UTF-8, whatever encoding it is in.

    A byte that the encoding does not have becomes one that UTF-8 does not have either, so that the record it is in is
    refused like any other that is not text.
    """

    def __init__(self, stream: IO[bytes], encoding: str, name: str) -> None:
        self._stream, self._encoding, self._name = stream, encoding, name
        self._decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
        self._ready, self._ended, self._line, self._first = b"", False, 1, True

    def readable(self) -> bool:
        """Whether it can be read: yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` as far as there is something; 0 at the end."""
        while not self._ready and not self._ended:
            self._ready = self._next()
        given = self._ready[: len(buffer)]
        buffer[: len(given)] = given
        self._ready = self._ready[len(given) :]
        return len(given)

    def close(self) -> None:
        """Close what it reads from."""
        self._stream.close()
        super().close()

    def _next(self) -> bytes:
        """The next characters as UTF-8; of those that are none, as bytes that are not."""
        block = self._stream.read(_BLOCK)
        self._ended = not block
        try:
            text: str | None = self._decoder.decode(block, self._ended)
        except UnicodeError:
            text = None
        if text is None:  # raised outside the except block, whose error holds the bytes
            raise self._broken(block)
        if self._first and text:
            text, self._first = text.removeprefix("\ufeff"), False
        self._line += text.count("\n")
        return text.encode("utf-8", "surrogatepass")

    def _broken(self, block: bytes) -> InputError:
        """That no character begins where one should: the line is that of the last character before."""
        before = self._decoder.getstate()[0] + block
        whole = codecs.getincrementaldecoder(self._encoding)("ignore").decode(before)
        return InputError(
            f"{self._name}, line {self._line + whole.count(chr(10))}: the text is not valid {self._encoding}; name "
            "the encoding that the file is in with --encoding."
        )
