"""Refuse a private file in the place of a public one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from sfumato.abstract.vocabulary import SourceFile
from sfumato.errors import VocabularyError
from sfumato.vocabularies.load import source_file


def refuse_private(public: Iterable[str | Path | SourceFile], private: Iterable[Path]) -> None:
    """Refuse (:class:`VocabularyError`) a file that should be public and is private.

    A private file is one of the ``private`` files and folders, lies inside one, or holds the bytes of one. Only files
    of equal size are compared by content, so the check is cheap enough to run before anything is read, embedded or
    cached.
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
                raise VocabularyError(
                    "The vocabulary, its clusters, the model or its clip range are the private input itself or a "
                    "copy of it; they must be public, because anything fitted on the private text discloses it. "
                    "Use another file, or builtin."
                )


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
    """Yield the regular files at or below ``place``."""
    if root.is_file():
        yield root
    for folder, _, names in os.walk(root):
        yield from (path for path in (Path(folder, name) for name in names) if path.is_file())
