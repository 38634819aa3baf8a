"""SHA-256 of files and folders, in hexadecimal digits."""

from __future__ import annotations

import hashlib
from pathlib import Path


def digest_of(path: Path) -> str:
    """Return the digest of one file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of_everything(path: Path) -> str:
    """Return the digest of a file, or of a folder: over the names and contents of all files in it."""
    if not path.is_dir():
        return digest_of(path)
    digest = hashlib.sha256()
    for file in sorted(entry for entry in path.rglob("*") if entry.is_file()):
        name = file.relative_to(path).as_posix().encode("utf-8", "surrogatepass")  # a name need not be UTF-8
        digest.update(name + b"\0" + digest_of(file).encode())
    return digest.hexdigest()


def digest_of_sources(*rooms: str) -> str:
    """Return the SHA-256 of this package's source files in ``rooms``: what is made by their rules depends on them.

    A room may also be one file.
    """
    digest = hashlib.sha256()
    package = Path(__file__).parents[1]
    places = [package / room for room in rooms]
    for path in sorted(path for place in places for path in ([place] if place.is_file() else place.rglob("*.py"))):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
