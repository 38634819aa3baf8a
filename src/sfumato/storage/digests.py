"""SHA-256 of files and folders, hexadecimal."""

from __future__ import annotations

import hashlib
from pathlib import Path


def digest_of(path: Path) -> str:
    """Of one file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of_everything(path: Path) -> str:
    """Of a file; of a folder: over names and contents of all files in it."""
    if not path.is_dir():
        return digest_of(path)
    digest = hashlib.sha256()
    for file in sorted(one for one in path.rglob("*") if one.is_file()):
        name = file.relative_to(path).as_posix().encode("utf-8", "surrogatepass")  # a name may be no UTF-8
        digest.update(name + b"\0" + digest_of(file).encode())
    return digest.hexdigest()
