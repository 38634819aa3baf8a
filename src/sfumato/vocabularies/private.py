"""Refuse a private file in the place of a public one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sfumato.abstract.vocabulary import SourceFile
from sfumato.errors import VocabularyError
from sfumato.vocabularies.load import source_file


def refuse_private(
    public: Iterable[str | Path | SourceFile], private: Iterable[Path], remote: Iterable[tuple[int, Any]] = ()
) -> None:
    """Refuse (:class:`VocabularyError`) a file that should be public and is private.

    A private file is one of the ``private`` files and folders, lies inside one, or holds the bytes of one. Only files
    of equal size are compared by content, so the check is cheap enough to run before anything is read, embedded or
    cached. That holds for ``remote`` files as well: the size of each, and what opens it.
    """
    sources = [(source.path, source) if isinstance(source, SourceFile) else (Path(source), None) for source in public]
    for secret in (path.resolve() for path in private):
        for path, source in sources:
            within = path.is_dir() and secret.is_relative_to(path.resolve())
            if (
                within
                or secret in (path.resolve(), *path.resolve().parents)
                or any(_same(file, path, source) for file in _files(secret))
            ):
                raise _is_private()
    sizes = {_size(path, source) for path, source in sources} - {0}
    for size, opener in remote:
        if size in sizes and any(_same_bytes(size, opener, path, source) for path, source in sources):
            raise _is_private()


def _is_private() -> VocabularyError:
    return VocabularyError(
        "The vocabulary, its clusters, the model or its clip range are the private input itself or a copy of it; "
        "they must be public, because anything fitted on the private text discloses it. Use another file, or builtin."
    )


def _size(path: Path, source: SourceFile | None) -> int:
    """Return the bytes of a public file; 0 if it is no file, or cannot be read."""
    try:
        return source.size if source is not None else path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0


def _same_bytes(size: int, remote: Any, path: Path, source: SourceFile | None) -> bool:
    """Return whether the remote file ``remote`` of ``size`` bytes holds those of ``path`` or ``source``."""
    if size != _size(path, source):
        return False
    try:
        with remote.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == (source or source_file(path)).sha256
    except (OSError, VocabularyError):  # the next reader of the file reports the error
        return False


def _same(secret: Path, path: Path, source: SourceFile | None) -> bool:
    """Return whether the file ``secret`` is the file ``path``, or holds its bytes or those of ``source``."""
    try:
        status = secret.stat()
        if path.exists() and os.path.samestat(path.stat(), status):
            return True
        size = path.stat().st_size if source is None else source.size
        if not size or size != status.st_size:
            return False
        return source_file(secret).sha256 == (source or source_file(path)).sha256
    except (OSError, VocabularyError):  # the next reader of the file reports the error
        return False


def _files(root: Path) -> Iterator[Path]:
    """Yield the regular files at or below ``root``."""
    if root.is_file():
        yield root
    for folder, _, names in os.walk(root):
        yield from (path for path in (Path(folder, name) for name in names) if path.is_file())
