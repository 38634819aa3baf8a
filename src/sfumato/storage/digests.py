"""SHA-256 of files and folders, in hexadecimal digits."""

from __future__ import annotations

import hashlib
import re
import sys
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from sfumato.version import installed

_WEIGHTS = ".safetensors"
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def digest_of(path: Path) -> str:
    """Return the digest of one file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_of_weights(path: Path) -> str:
    """Return the digest of a large file, which is read once while it is the same file and was not changed."""
    state = path.stat()
    return _read_once(path, (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns))


@lru_cache(maxsize=8)
def _read_once(path: Path, state: tuple[int, ...]) -> str:  # noqa: ARG001 (another file is read again)
    return digest_of(path)


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


@cache
def digest_of_program() -> str:
    """Return the SHA-256 of everything that decides a public domain here, except options and models.

    It covers all source files and lists of this package, the versions of the packages that it needs, and Python.
    Models name themselves by their content, and :func:`digest_of_networks` covers those of this package.
    """
    try:
        needed = [line for line in requires("sfumato") or () if "extra ==" not in line]
    except PackageNotFoundError:
        needed = []
    names = sorted(match[0] for match in map(_NAME.match, needed) if match)
    digest = hashlib.sha256(repr([sys.version, [(name, installed(name)) for name in names]]).encode())
    digest.update(digest_of_sources(".").encode())
    data = _data()
    for path in sorted(path for path in data.rglob("*") if path.is_file() and path.suffix != _WEIGHTS):
        digest.update(path.relative_to(data).as_posix().encode() + b"\0" + digest_of(path).encode())
    return digest.hexdigest()


@cache
def digest_of_networks() -> str:
    """Return the SHA-256 of the weights of all networks in this package."""
    data = _data()
    weights = [(path.relative_to(data).as_posix(), digest_of_weights(path)) for path in data.rglob("*" + _WEIGHTS)]
    return hashlib.sha256(repr(sorted(weights)).encode()).hexdigest()


def _data() -> Path:
    return Path(__file__).parents[1] / "data"
