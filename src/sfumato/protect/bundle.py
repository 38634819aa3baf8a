"""A folder that holds a release with everything that is said of it, signed; it gets its name whole or not at all."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sfumato.errors import OutputError
from sfumato.protect.envelope import sealed
from sfumato.protect.signing import Signer
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


def names_in(folder: Path) -> Iterator[str]:
    """Yield the names of everything below ``folder`` that is no folder, with / between their parts, in order.

    Links are named and never followed.
    """
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_dir():
            yield path.relative_to(folder).as_posix()


def sums_of(digests: Mapping[str, str]) -> bytes:
    """Return the content of SHA256SUMS, as ``sha256sum --check`` reads it."""
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests)).encode()


def seal(folder: Path, predicate: Mapping[str, Any], key: Signer) -> None:
    """Add the public key, SHA256SUMS and the signed envelope to the files of ``folder``. Raise OutputError."""
    with writing(folder):
        _write(folder / PUBLIC_KEY, key.public.pem)
        digests = {name: digest_of_file(folder / name) for name in names_in(folder)}
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
