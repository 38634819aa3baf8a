"""A folder that holds a release with everything that is said of it, signed; it gets its name whole or not at all."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sfumato.errors import OutputError
from sfumato.protection.envelope import sealed
from sfumato.protection.signing import Signer
from sfumato.storage.atomic import remove, sync_folder, whole, writing

SUMS = "SHA256SUMS"
ENVELOPE = "release.dsse.json"
PUBLIC_KEY = "signer.pub"
_BLOCK = 1 << 20


def digest_of_file(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def is_regular(path: Path) -> bool:
    """Return whether ``path`` is a file, and no link to one. Raise OSError if that cannot be seen."""
    return stat.S_ISREG(path.lstat().st_mode)


def names_in(folder: Path, closed: list[Path] | None = None) -> Iterator[str]:
    """Yield the name of everything below ``folder``, with / between its parts; no folder that holds something.

    An empty folder has a name that ends in /. Links are named and never followed. A folder that cannot be read goes
    into ``closed``, because what is in it is not known; without that list it raises OSError.
    """
    waiting = [folder]
    while waiting:
        each = waiting.pop()
        try:
            with os.scandir(each) as entries:
                folders = {Path(entry): entry.is_dir(follow_symlinks=False) for entry in entries}
        except OSError:
            if closed is None:
                raise
            closed.append(each)
            continue
        if not folders and each != folder:
            yield each.relative_to(folder).as_posix() + "/"
        waiting += [path for path, is_folder in folders.items() if is_folder]
        yield from (path.relative_to(folder).as_posix() for path, is_folder in folders.items() if not is_folder)


def sums_of(digests: Mapping[str, str]) -> bytes:
    """Return the content of SHA256SUMS, as ``sha256sum --check`` reads it."""
    return b"".join(_line(digests[name], name) for name in sorted(digests))


def _line(digest: str, name: str) -> bytes:
    """Return a line of SHA256SUMS; a name with a line end or a backslash is escaped, and the line begins with one."""
    escaped = name.replace("\\", r"\\").replace("\n", r"\n").replace("\r", r"\r")
    return (b"" if escaped == name else b"\\") + f"{digest}  ".encode() + os.fsencode(escaped) + b"\n"


def seal(folder: Path, predicate: Mapping[str, Any], key: Signer) -> None:
    """Add the public key, SHA256SUMS and the signed envelope to the files of ``folder``. Raise OutputError."""
    with writing(folder):
        _write(folder / PUBLIC_KEY, key.public.pem)
        names = list(names_in(folder))
        if odd := next((name for name in names if not is_regular(folder / name)), None):
            raise OutputError(f"{odd} is no file that a sum describes; remove it.")
        digests = {name: digest_of_file(folder / name) for name in names}
        _write(folder / SUMS, sums_of(digests))
        digests[SUMS] = digest_of_file(folder / SUMS)
        _write(folder / ENVELOPE, sealed(digests, predicate, key))
        sync_folder(folder)


def publish(hidden: Path, folder: Path, overwrite: bool) -> None:
    """Give the complete folder ``hidden`` the name ``folder``, in place of an earlier one if ``overwrite``.

    Raise OutputError if there is one and it is to stay.
    """
    with writing(folder):
        earlier = hidden.with_name(f"{hidden.name}-replaced")
        if folder.exists():
            if not overwrite:
                raise OutputError(f"{folder.name} exists; choose another name, or replace it with --force.")
            os.replace(folder, earlier)
        os.replace(hidden, folder)
        sync_folder(folder.parent)
        remove(earlier)


def _write(path: Path, content: bytes) -> None:
    with whole(path) as file:
        file.write(content)
