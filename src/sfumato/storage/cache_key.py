"""The key that seals the entries of the cache, and the permissions of its files.

The key is made at first use in a private folder of the user (:func:`key_file`), even if many users share the cache.
People who trust each other share entries by sharing a key: ``$SFUMATO_CACHE_KEY`` names the file. Only its owner may
change that file, and anyone may read entries made under it.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import tempfile
from pathlib import Path
from typing import IO


def folder() -> Path | None:
    """Return the cache folder, which need not exist yet; None if this machine has no home folder."""
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


def key_file() -> Path | None:
    """Return the file of the key that seals entries; None if this machine has no home folder.

    It is ``$SFUMATO_CACHE_KEY``, else ``sfumato/cache.key`` inside ``$XDG_CONFIG_HOME`` (``%APPDATA%`` on Windows) or
    ``~/.config``.
    """
    chosen = os.environ.get("SFUMATO_CACHE_KEY")
    if chosen:
        return Path(chosen)
    settings = settings_folder()
    return None if settings is None else settings / "cache.key"


def settings_folder() -> Path | None:
    """Return the folder of this user's keys, which need not exist yet; None if this machine has no home folder."""
    base = os.environ.get("APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME", "")
    try:
        folder = Path(base) if os.path.isabs(base) else Path.home() / ".config"
    except RuntimeError:
        return None
    return folder / "sfumato"


def secret_of_user() -> bytes | None:
    """Return the key of this user's entries, made at first use; None if it cannot be kept private."""
    for path in _key_files():
        try:
            if not path.exists():
                _make_key(path)
            with opened(path, 0o037 if is_shared() else 0o077) as file:
                secret = file.read(4096)
        except OSError:
            continue
        if len(secret) >= 32:
            return hashlib.blake2b(secret, digest_size=32, person=b"sfumato-cache").digest()
    return None


def _key_files() -> list[Path]:
    """Return the possible files of the key: the usual one, then one in the cache folder.

    The cache folder counts only if no other user can write there.
    """
    first, kept = key_file(), folder()
    if is_shared() or kept is None:
        return [] if first is None else [first]
    try:
        kept.mkdir(parents=True, exist_ok=True)
        private = _is_private(kept.stat(), 0o022)
    except OSError:
        private = False
    return [path for path in (first, kept / "cache.key" if private else None) if path is not None]


def _make_key(path: Path) -> None:
    """Write a new key whole or not at all. If two processes write at once, the first key stays."""
    if is_shared():
        raise FileNotFoundError("a shared key is made by its owner")
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
        forget(name)


def is_shared() -> bool:
    """Return whether the user names a key that others share."""
    return bool(os.environ.get("SFUMATO_CACHE_KEY"))


def opened(path: Path, forbidden: int = 0o022) -> IO[bytes]:
    """Open a regular file of the user that denies others the permissions in ``forbidden``.

    Under a shared key it may be another user's. A pipe would make the reader wait, and a link may lead anywhere.
    Raise OSError.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or not _is_private(status, forbidden):
        os.close(descriptor)
        raise PermissionError("not a file of this user's own")
    return os.fdopen(descriptor, "rb")


def _is_private(status: os.stat_result, forbidden: int) -> bool:
    """Return whether a file is the user's (or shared) and denies others the permissions in ``forbidden``."""
    if not hasattr(os, "geteuid"):
        return True
    own = is_shared() or status.st_uid == os.geteuid()
    return own and not stat.S_IMODE(status.st_mode) & forbidden


def forget(name: str) -> None:
    """Remove the file ``name`` if it can be removed."""
    try:
        os.unlink(name)
    except OSError:
        return
