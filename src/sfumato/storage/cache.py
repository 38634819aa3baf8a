"""The cache folder: arrays and JSON values kept under the digest of the public content they were made from.

The folder is ``$SFUMATO_CACHE``, else ``sfumato`` inside ``$XDG_CACHE_HOME`` (``%LOCALAPPDATA%`` on Windows)
or ``~/.cache``. A folder that cannot be read or written costs time, never a run. Only what was made from public files
and lists belongs here, and names are hexadecimal digests, so neither a name nor an entry can hold private text. The
folder may be deleted at any time; nothing removes old entries by itself.

Certificates are kept here, so what is read must be what was written. Every entry carries a keyed BLAKE2b of its name
and its content. The key is made at first use in a folder of the user's own (:func:`key_file`), also where the cache
is shared by many. An entry that is damaged, or was made by somebody without the key, counts as absent and is computed
again. A group that trusts each other shares entries by sharing a key: ``$SFUMATO_CACHE_KEY`` names the file, which
neither others nor strangers may change, and entries made under it may be read by everybody.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import re
import secrets
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

_KEY = re.compile(r"[0-9a-f]{64}")
_SEAL = 32  # bytes
_BLOCK = 1 << 22


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


def key_file() -> Path | None:
    """Return the file of the key that entries are sealed with; None where this machine has no home folder.

    ``$SFUMATO_CACHE_KEY``, else ``sfumato/cache.key`` inside ``$XDG_CONFIG_HOME`` (``%APPDATA%`` on Windows) or
    ``~/.config``.
    """
    chosen = os.environ.get("SFUMATO_CACHE_KEY")
    if chosen:
        return Path(chosen)
    base = os.environ.get("APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME", "")
    try:
        folder = Path(base) if os.path.isabs(base) else Path.home() / ".config"
    except RuntimeError:
        return None
    return folder / "sfumato" / "cache.key"


class Kept(np.memmap[Any, Any]):
    """An array of this cache, mapped and read-only: nobody but its owner can change it, and nobody does."""


def load_array(key: str) -> NDArray[Any] | None:
    """The array saved under ``key``, memory-mapped and read-only; None where it is absent, damaged or another's."""
    secret = _secret()
    if secret is None:
        return None
    try:
        # One open file is checked and mapped: an entry exchanged in between would not be noticed.
        with _opened(_entry(key, ".npy")) as file:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data, memoryview(data) as view:
                end = len(view) - _SEAL
                if end < 0 or not _same(view[end:], _sealed(secret, key, view[:end])):
                    return None
            file.seek(0)
            if np.lib.format.read_magic(file) != (1, 0):
                return None
            shape, _, dtype = np.lib.format.read_array_header_1_0(file)
            return Kept(file, dtype=dtype, mode="r", offset=file.tell(), shape=shape)
    except (OSError, ValueError):
        return None


def save_array(key: str, array: NDArray[Any]) -> None:
    """Keep ``array`` (numbers, any shape) under ``key``; does nothing where the folder cannot be written."""
    secret = _secret()
    if secret is None:
        return

    def write(file: IO[bytes]) -> None:
        np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)
        file.flush()
        file.seek(0)
        seal = _sealer(secret, key)
        while block := file.read(_BLOCK):
            seal.update(block)
        file.write(seal.digest())  # behind the array, where numpy does not look

    _replace(key, ".npy", write)


def load_json(key: str) -> Any:
    """The value saved under ``key``; None where it is absent, damaged or another's."""
    secret = _secret()
    if secret is None:
        return None
    try:
        with _opened(_entry(key, ".json")) as file:
            data = file.read()
        if not _same(data[-_SEAL:], _sealed(secret, key, data[:-_SEAL])):
            return None
        return json.loads(data[:-_SEAL])
    except (OSError, ValueError):
        return None


def save_json(key: str, value: Any) -> None:
    """Keep ``value`` (lists, strings, numbers) under ``key``; does nothing in a read-only folder."""
    secret = _secret()
    if secret is not None:
        content = json.dumps(value).encode()
        _replace(key, ".json", lambda file: file.write(content + _sealed(secret, key, content)))


def own_mark(content: str) -> str | None:
    """Return a keyed digest of ``content`` that this user alone can make, or check; None where there is no key.

    It may stand where anybody reads it: without the key no guess at ``content`` can be confirmed.
    """
    secret = _secret()
    if secret is None:
        return None
    return hashlib.blake2b(content.encode(), key=secret, digest_size=16, person=b"sfumato-mark").hexdigest()


def _secret() -> bytes | None:
    """The key of this user's entries, made at first use; None where it cannot be kept to oneself."""
    for path in _key_files():
        try:
            if not path.exists():
                _make_key(path)
            with _opened(path, 0o037 if _is_shared() else 0o077) as file:
                secret = file.read(4096)
        except OSError:
            continue
        if len(secret) >= 32:
            return hashlib.blake2b(secret, digest_size=32, person=b"sfumato-cache").digest()
    return None


def _key_files() -> list[Path]:
    """Where the key may be: where it belongs, else in the cache folder, if nobody but the user can write there."""
    first, kept = key_file(), folder()
    if _is_shared() or kept is None:
        return [] if first is None else [first]
    try:
        kept.mkdir(parents=True, exist_ok=True)
        private = _is_private(kept.stat(), 0o022)
    except OSError:
        private = False
    return [path for path in (first, kept / "cache.key" if private else None) if path is not None]


def _make_key(path: Path) -> None:
    """Write a new key whole or not at all; where two processes do it at once, the first one's stays."""
    if _is_shared():
        raise FileNotFoundError("a key that is shared is somebody's to make")
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")  # for its owner only
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(32))
        try:
            os.link(name, path)
        except FileExistsError:
            return
        except OSError:  # a file system without links
            if not path.exists():
                os.replace(name, path)
    finally:
        _forget(name)


def _is_shared() -> bool:
    """Whether the user names a key that others have as well."""
    return bool(os.environ.get("SFUMATO_CACHE_KEY"))


def _opened(path: Path, forbidden: int = 0o022) -> IO[bytes]:
    """Open a regular file that is the user's own, and with which nobody else may do what ``forbidden`` says.

    Under a shared key it may be another's. A pipe would be waited for, and a link leads anywhere. Raises OSError.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or not _is_private(status, forbidden):
        os.close(descriptor)
        raise PermissionError("not a file of this user's own")
    return os.fdopen(descriptor, "rb")


def _is_private(status: os.stat_result, forbidden: int) -> bool:
    """Whether a file is the user's own (or a shared one), and nobody else may do what ``forbidden`` says."""
    if not hasattr(os, "geteuid"):
        return True
    own = _is_shared() or status.st_uid == os.geteuid()
    return own and not stat.S_IMODE(status.st_mode) & forbidden


def _sealer(secret: bytes, key: str) -> hashlib.blake2b:
    """The hash of an entry, begun with its name: an entry under another's name is not believed."""
    return hashlib.blake2b(key.encode(), key=secret, digest_size=_SEAL, person=b"sfumato-entry")


def _sealed(secret: bytes, key: str, content: bytes | memoryview) -> bytes:
    seal = _sealer(secret, key)
    seal.update(content)
    return seal.digest()


def _same(one: bytes | memoryview, other: bytes) -> bool:
    return secrets.compare_digest(bytes(one), other)


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
        if _is_shared():
            os.chmod(name, 0o644)
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
