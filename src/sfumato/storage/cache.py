"""The cache folder: arrays and JSON values kept under the digest of the public content they were made from.

The folder is ``$SFUMATO_CACHE``, else ``sfumato`` inside ``$XDG_CACHE_HOME`` (``%LOCALAPPDATA%`` on Windows)
or ``~/.cache``. A folder that cannot be read or written costs time, never a run. Only what was made from public files
and lists belongs here, and names are hexadecimal digests, so neither a name nor an entry can hold private text. The
folder may be deleted at any time; nothing removes old entries by itself.

Certificates are kept here, so an entry must be read exactly as it was written. Every entry carries a keyed BLAKE2b of
its name and its content (:mod:`sfumato.storage.cache_key` holds the key). An entry that is damaged, or that was made
without the key, counts as absent and is computed again.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import re
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from sfumato.storage.cache_key import folder, forget, is_shared, opened, secret_of_user

_KEY = re.compile(r"[0-9a-f]{64}")
_SEAL = 32  # bytes
_BLOCK = 1 << 22


def content_key(*parts: str | bytes) -> str:
    """Return the name of an entry: SHA-256 over ``parts`` (public content only), in hexadecimal digits.

    Each part is preceded by its length, so ``("ab", "c")`` and ``("a", "bc")`` differ.
    """
    digest = hashlib.sha256()
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


class CachedArray(np.memmap[Any, Any]):
    """An array of this cache, mapped and read-only: only its owner could change it, and sfumato never does."""


def load_array(key: str) -> NDArray[Any] | None:
    """Return the array saved under ``key``, memory-mapped and read-only; None if it is absent, damaged or foreign."""
    secret = secret_of_user()
    if secret is None:
        return None
    try:
        # One open file is checked and mapped: an entry exchanged in between would not be detected.
        with opened(_entry(key, ".npy")) as file:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data, memoryview(data) as view:
                end = len(view) - _SEAL
                if end < 0 or not _same(view[end:], _sealed(secret, key, view[:end])):
                    return None
            file.seek(0)
            if np.lib.format.read_magic(file) != (1, 0):
                return None
            shape, _, dtype = np.lib.format.read_array_header_1_0(file)
            return CachedArray(file, dtype=dtype, mode="r", offset=file.tell(), shape=shape)
    except (OSError, ValueError):
        return None


def save_array(key: str, array: NDArray[Any]) -> None:
    """Keep ``array`` (numbers, any shape) under ``key``. Do nothing if the folder cannot be written."""
    secret = secret_of_user()
    if secret is None:
        return

    def write(file: IO[bytes]) -> None:
        np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)
        file.flush()
        file.seek(0)
        seal = _sealer(secret, key)
        while block := file.read(_BLOCK):
            seal.update(block)
        file.write(seal.digest())  # after the array, where numpy does not look

    _replace(key, ".npy", write)


def load_json(key: str) -> Any:
    """Return the value saved under ``key``; None if it is absent, damaged or foreign."""
    secret = secret_of_user()
    if secret is None:
        return None
    try:
        with opened(_entry(key, ".json")) as file:
            data = file.read()
        if not _same(data[-_SEAL:], _sealed(secret, key, data[:-_SEAL])):
            return None
        return json.loads(data[:-_SEAL])
    except (OSError, ValueError):
        return None


def save_json(key: str, value: Any) -> None:
    """Keep ``value`` (lists, strings, numbers) under ``key``. Do nothing in a read-only folder."""
    secret = secret_of_user()
    if secret is not None:
        content = json.dumps(value).encode()
        _replace(key, ".json", lambda file: file.write(content + _sealed(secret, key, content)))


def own_mark(content: str) -> str | None:
    """Return a keyed digest of ``content`` that this user alone can make, or check; None if there is no key.

    Anyone may read it: without the key no guess at ``content`` can be confirmed.
    """
    secret = secret_of_user()
    if secret is None:
        return None
    return hashlib.blake2b(content.encode(), key=secret, digest_size=16, person=b"sfumato-mark").hexdigest()


def _sealer(secret: bytes, key: str) -> hashlib.blake2b:
    """Return the hash of an entry, begun with its name, so that an entry under another name is not believed."""
    return hashlib.blake2b(key.encode(), key=secret, digest_size=_SEAL, person=b"sfumato-entry")


def _sealed(secret: bytes, key: str, content: bytes | memoryview) -> bytes:
    seal = _sealer(secret, key)
    seal.update(content)
    return seal.digest()


def _same(seal: bytes | memoryview, expected: bytes) -> bool:
    return secrets.compare_digest(bytes(seal), expected)


def _entry(key: str, suffix: str) -> Path:
    if not _KEY.fullmatch(key):
        raise AssertionError("a cache entry is named by content_key(), nothing else")
    cache_folder = folder()
    if cache_folder is None:
        raise FileNotFoundError("no cache folder")
    return cache_folder / (key + suffix)


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
        if is_shared():
            os.chmod(name, 0o644)
        os.replace(name, path)
    except OSError:  # a full disk: continue without the cache
        forget(name)
    except BaseException:
        forget(name)
        raise
