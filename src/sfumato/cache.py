"""The cache folder: arrays and JSON values kept under the digest of the public content they were made from.

The folder is ``$SFUMATO_CACHE``, else ``sfumato`` inside ``$XDG_CACHE_HOME`` (``%LOCALAPPDATA%`` on Windows)
or ``~/.cache``. Every entry carries a checksum: a damaged one counts as absent and is computed again. A
folder that cannot be read or written costs time, never a run. Only what was made from public files and lists
belongs here, and names are hexadecimal digests, so neither a name nor an entry can hold private text. The
folder may be deleted at any time; nothing removes old entries by itself.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import re
import struct
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

_KEY = re.compile(r"[0-9a-f]{64}")
_CHECKSUM = struct.Struct("<I")


def folder() -> Path | None:
    """The cache folder, which need not exist yet; None where this machine has no home folder."""
    chosen = os.environ.get("SFUMATO_CACHE")
    if chosen:
        return Path(chosen)
    base = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", "")
    if os.path.isabs(base):  # the XDG standard: a relative path is to be ignored
        return Path(base) / "sfumato"
    try:
        return Path.home() / ".cache" / "sfumato"
    except RuntimeError:
        return None


def content_key(*parts: str | bytes) -> str:
    """The name of an entry: SHA-256 over ``parts`` (public content only), hexadecimal.

    Each part is preceded by its length, so ``("ab", "c")`` and ``("a", "bc")`` differ.
    """
    digest = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def load_array(key: str) -> NDArray[Any] | None:
    """The array saved under ``key``, memory-mapped and read-only; None where it is absent or damaged."""
    try:
        path = _entry(key, ".npy")
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            end = len(data) - _CHECKSUM.size
            with memoryview(data) as view, view[:end] as body:
                if zlib.crc32(body) != _CHECKSUM.unpack_from(data, end)[0]:
                    return None
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, struct.error):
        return None
    return array


def save_array(key: str, array: NDArray[Any]) -> None:
    """Keep ``array`` (numbers, any shape) under ``key``; does nothing where the folder cannot be written."""

    def write(file: IO[bytes]) -> None:
        np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)
        file.flush()
        file.seek(0)
        checksum = 0
        while block := file.read(1 << 22):
            checksum = zlib.crc32(block, checksum)
        file.write(_CHECKSUM.pack(checksum))  # behind the array, where numpy does not look

    _replace(key, ".npy", write)


def load_json(key: str) -> Any:
    """The value saved under ``key``; None where it is absent or damaged."""
    try:
        entry = json.loads(_entry(key, ".json").read_bytes())
        checksum, value = entry["checksum"], entry["value"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return value if checksum == zlib.crc32(json.dumps(value).encode()) else None


def save_json(key: str, value: Any) -> None:
    """Keep ``value`` (lists, strings, numbers) under ``key``; does nothing in a read-only folder."""
    checksum = zlib.crc32(json.dumps(value).encode())
    content = json.dumps({"checksum": checksum, "value": value}).encode()
    _replace(key, ".json", lambda file: file.write(content))


def _entry(key: str, suffix: str) -> Path:
    if not _KEY.fullmatch(key):
        raise AssertionError("a cache entry is named by content_key(), nothing else")
    place = folder()
    if place is None:
        raise FileNotFoundError("no cache folder")
    return place / (key + suffix)


def _replace(key: str, suffix: str, write: Callable[[IO[bytes]], object]) -> None:
    """Write beside the entry, then rename: a reader sees the old entry or the whole new one."""
    try:
        path = _entry(key, suffix)
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    except OSError:
        return
    try:
        with os.fdopen(handle, "w+b") as file:
            write(file)
        os.replace(name, path)
    except OSError:  # a full disk: go on without the cache
        _forget(name)
    except BaseException:
        _forget(name)
        raise


def _forget(name: str) -> None:
    try:
        os.unlink(name)
    except OSError:
        return
