"""A file of sealed frames: encrypted and authenticated, in order, with an end that cannot be cut off.

The cipher is AES-256-GCM with a separate key for each file (HKDF-SHA256 of the secret and a random salt). The nonce
of a frame is its number and whether it is the last one. So a frame that was changed, moved, repeated or left out is
detected.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import IO, Any

from sfumato.errors import InputError
from sfumato.storage.keys import LEAST

MOST = 1 << 26
"""The most bytes that a frame may hold."""

_MAGIC = b"sfumato map 1\n"
_SALT, _TAG = 16, 16
_NOT_OPENED = "the key does not fit this map, or the map was changed; nothing was written."


def _cipher(secret: bytes, salt: bytes) -> Any:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return AESGCM(HKDF(SHA256(), 32, salt, b"sfumato map").derive(secret))


def check_sealing() -> None:
    """Raise MissingExtraError if the package is not installed: before anything is released."""
    _cipher(bytes(LEAST), bytes(_SALT))


def _nonce(number: int, last: bool) -> bytes:
    return struct.pack("<QxxxB", number, last)


class Sealer:
    """Writes frames into an open file. :meth:`close` writes the last one."""

    def __init__(self, file: IO[bytes], secret: bytes) -> None:
        salt = os.urandom(_SALT)
        self._head = _MAGIC + salt
        self._file, self._cipher, self._number = file, _cipher(secret, salt), 0
        file.write(self._head)

    def write(self, content: bytes, last: bool = False) -> None:
        """Write one frame of at most :data:`MOST` bytes."""
        sealed = self._cipher.encrypt(_nonce(self._number, last), content, self._head)
        self._file.write(struct.pack("<I?", len(sealed), last) + sealed)
        self._number += 1

    def close(self) -> None:
        """Write the last frame, which marks the end."""
        self.write(b"", last=True)


def opened(file: IO[bytes], secret: bytes, name: str) -> Iterator[bytes]:
    """Yield the frames of a file that :class:`Sealer` wrote. Raise InputError if anything in the file was changed."""
    head = file.read(len(_MAGIC) + _SALT)
    if not head.startswith(_MAGIC) or len(head) < len(_MAGIC) + _SALT:
        raise InputError(f"{name} is not a map of sfumato; name the file that --map wrote.")
    cipher, number, last = _cipher(secret, head[len(_MAGIC) :]), 0, False
    while not last:
        front = file.read(5)
        if len(front) < 5 or front[4] > 1:
            raise InputError(f"{name}: {_NOT_OPENED}")
        length, last = struct.unpack("<I?", front)
        content = _frame(cipher, file, length, _nonce(number, last), head)
        if content is None:
            raise InputError(f"{name}: {_NOT_OPENED}")
        number += 1
        if not last:
            yield content
    if file.read(1):
        raise InputError(f"{name}: {_NOT_OPENED}")


def _frame(cipher: Any, file: IO[bytes], length: int, nonce: bytes, head: bytes) -> bytes | None:
    from cryptography.exceptions import InvalidTag

    if not _TAG <= length <= MOST + _TAG:
        return None
    sealed = file.read(length)
    if len(sealed) < length:
        return None
    try:
        return bytes(cipher.decrypt(nonce, sealed, head))
    except InvalidTag:
        return None
