"""Joining the finished parts of a run into the output."""

from __future__ import annotations

import gzip
import shutil
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, cast

from sfumato.errors import OutputError
from sfumato.storage import created


def assemble(kind: str, parts: Sequence[Path], target: Path, compressed: bool, private: bool = False) -> None:
    """Join ``parts`` into ``target``, which is synced to disk and bears no final name yet.

    A ``private`` target can be read by its owner only.
    """
    _check(kind)
    if kind == "folder":
        _unpack(parts, target, private)
        return
    with created(target, private) as file, _compressing(file, compressed) as stream:
        if kind == "parquet":
            _join_parquet(parts, stream, compressed)
        else:
            for part in parts:
                with part.open("rb") as content:
                    shutil.copyfileobj(content, stream, 2**20)


def joined(kind: str, bodies: Sequence[bytes], compressed: bool) -> bytes:
    """Return the bytes of the file that :func:`assemble` would make of parts with these ``bodies``."""
    _check(kind)
    target = BytesIO()
    with _compressing(target, compressed) as stream:
        if kind == "parquet":
            from sfumato.files.parquet_columns import join

            plain = BytesIO() if compressed else target
            join([BytesIO(body) for body in bodies], plain)
            if compressed:
                stream.write(plain.getbuffer())
        else:
            for body in bodies:
                stream.write(body)
    return target.getvalue()


_KINDS = ("folder", "txt", "jsonl", "csv", "tsv", "parquet")


def _check(kind: str) -> None:
    """Raise OutputError for a format whose parts are no pieces of the file: those of documents are private."""
    if kind not in _KINDS:
        raise OutputError(f"Files of the format {kind} cannot be joined from parts; report it.")


def lay_out(parts: Sequence[Path], names: Sequence[str], target: Path, private: bool = False) -> None:
    """Make the folder ``target`` of ``parts``, each of which is a file with its name, and may lie in a folder."""
    target.mkdir(mode=0o700 if private else 0o777)
    for part, name in zip(parts, names, strict=True):
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("rb") as content, created(path, private) as file:
            shutil.copyfileobj(content, file, 2**20)


@contextmanager
def _compressing(file: IO[bytes], compressed: bool) -> Iterator[IO[bytes]]:
    """``file``, or a gzip stream into it that holds neither a name nor a time.

    It is one stream over all parts: a member a part would show where parts end, and so how long the private
    texts were.
    """
    if not compressed:
        yield file
        return
    with gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=6, mtime=0) as stream:
        yield cast("IO[bytes]", stream)


def _join_parquet(parts: Sequence[Path], stream: IO[bytes], compressed: bool) -> None:
    from sfumato.files.parquet_columns import join

    if not compressed:
        join(parts, stream)
        return
    with tempfile.TemporaryFile(dir=parts[0].parent) as plain:
        join(parts, cast("IO[bytes]", plain))
        plain.seek(0)
        shutil.copyfileobj(plain, stream, 2**20)


def _unpack(parts: Sequence[Path], target: Path, private: bool) -> None:
    target.mkdir(mode=0o700 if private else 0o777)
    for part in parts:
        with tarfile.open(part) as archive:
            for entry in archive:
                content = archive.extractfile(entry)
                if content is None:
                    continue
                path = target / entry.name
                path.parent.mkdir(parents=True, exist_ok=True)
                with created(path, private) as file:
                    shutil.copyfileobj(content, file)
