"""Refuse a private file where a public one is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from sfumato.abstract.vocabulary import SourceFile
from sfumato.errors import VocabularyError
from sfumato.vocabularies.load import source_file


def refuse_private(public: Iterable[str | Path | SourceFile], private: Iterable[Path]) -> None:
    """Refuse (:class:`VocabularyError`) a file that should be public and is private.

    That is one of the ``private`` files and folders, lies inside one, or holds the bytes of one. Only files of equal
    size are compared by content, so this is cheap enough to ask before anything is read, embedded or cached.
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
                    "copy of it; they must be "
                    "public, because whatever is fitted on the private text gives it away. Use another "
                    "file, or builtin."
                )


def _same(secret: Path, path: Path, source: SourceFile | None) -> bool:
    """Whether the file ``secret`` is the file ``path``, or holds the bytes of it or of what it was (``source``)."""
    try:
        found = secret.stat()
        if path.exists() and os.path.samestat(path.stat(), found):
            return True
        size = path.stat().st_size if source is None else source.size
        if not size or size != found.st_size:
            return False
        return source_file(secret).sha256 == (source or source_file(path)).sha256
    except (OSError, VocabularyError):  # whoever reads them next says so
        return False


def _files(place: Path) -> Iterator[Path]:
    """The regular files at or below ``place``."""
    if place.is_file():
        yield place
    for folder, _, names in os.walk(place):
        yield from (path for path in (Path(folder, name) for name in names) if path.is_file())
