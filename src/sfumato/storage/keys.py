"""Secret keys: what one must be, who may read its file, and hashes under it.

Nothing is ever hashed without a key: names are few, so anyone could hash them all.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from pathlib import Path

from sfumato.errors import ConfigurationError, OutputError
from sfumato.storage.atomic import undone
from sfumato.storage.locations import check_path

LEAST = 32
"""The fewest bytes that a key may hold."""
FEWEST_VALUES = 8
"""The fewest different bytes of a key. 32 random bytes have fewer with probability 1e-37."""
_MOST = 1 << 20
"""The most bytes that are read of a key's file."""
ENVIRONMENT = "SFUMATO_MAP_KEY"
"""Where the key of a map is looked for if no option names a file."""


def checked_key(key: bytes | None, what: str) -> bytes:
    """Return ``key`` if it is long enough. Otherwise raise ConfigurationError, which names ``what`` needs the key."""
    if key is None:
        raise ConfigurationError(
            f"{what} needs a secret key, because without one anyone could hash all names and compare; make one with "
            "`sfumato key FILE` and name it as the option key."
        )
    return random_key(key, "The key")


def random_key(key: bytes, what: str) -> bytes:
    """Return ``key`` if it may have been drawn at random. ``what`` names it in messages.

    A key with few different bytes was typed, or comes from a file of zeros. Raise ConfigurationError for it.
    """
    if not isinstance(key, bytes):
        raise ConfigurationError(f"{what} must be bytes, not {type(key).__name__}; `sfumato key FILE` makes a key.")
    if len(key) < LEAST:
        raise ConfigurationError(
            f"{what} must hold at least {LEAST} random bytes; make a key with `sfumato key FILE`."
        )
    if len(set(key)) < FEWEST_VALUES:
        raise ConfigurationError(
            f"{what} holds fewer than {FEWEST_VALUES} different bytes, so nobody drew it at random; make a key with "
            "`sfumato key FILE`."
        )
    return key


def private_content(path: Path, what: str) -> bytes:
    """Return the content of the file ``path`` of a secret key, which messages call ``what``.

    Raise ConfigurationError if it cannot be read, or unless its owner alone can open it. Windows has no such
    permissions.
    """
    try:
        with path.open("rb") as file:
            others = 0 if os.name == "nt" else os.fstat(file.fileno()).st_mode & 0o077
            content = b"" if others else file.read(_MOST)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ConfigurationError(
            f"{what[:1].upper()}{what[1:]} {path.name} cannot be read on this machine ({reason})."
        ) from None
    if others:
        raise ConfigurationError(f"Others can read {what} {path.name}; allow its owner alone (chmod 600).")
    return content


def read_secret(path: Path, what: str) -> bytes:
    """Return the secret key in the file ``path``, which messages call ``what``. Raise ConfigurationError."""
    return random_key(private_content(path, what), path.name)


def made_key(path: Path) -> bytes:
    """Write a new key to ``path``, for its owner alone, and return it. Raise OutputError; no half key is left."""
    check_path(path)
    key = os.urandom(LEAST)
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file, undone(path):
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise OutputError(f"{path.name} exists, and a key that is replaced is lost; choose another name.") from None
    except OSError as error:
        raise OutputError(f"{path.name} cannot be written ({error.strerror}); choose another place.") from None
    return key


def secret_of(path: Path | bytes | None, environment: str = ENVIRONMENT, what: str = "--map-key") -> bytes:
    """Return the secret: the bytes given, else the content of the file at ``path``, else the ``environment``'s.

    The environment holds it in hexadecimal digits.

    Raise ConfigurationError if neither exists, or if the secret is no key. ``what`` names the option that gives the
    file.
    """
    if isinstance(path, Path):
        return read_secret(path, "the key file")
    if path is not None:
        return random_key(path, "The key")
    if not (given := os.environ.get(environment)):
        raise ConfigurationError(
            f"A key is needed: give {what} FILE or set {environment}; `sfumato key FILE` makes one."
        )
    try:
        key = bytes.fromhex(given)
    except ValueError:
        raise ConfigurationError(f"{environment} must hold the key in hexadecimal digits.") from None
    return random_key(key, environment)


def keyed(key: bytes, *parts: str) -> bytes:
    """Return the HMAC-SHA256 (RFC 2104) of ``parts``, 32 bytes.

    Each part is preceded by its length, so that no two lists of parts are one message.
    """
    message = b""
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        message += len(encoded).to_bytes(8, "little") + encoded
    return hmac.new(key, message, hashlib.sha256).digest()


def check_value(key: bytes) -> str:
    """Return eight hexadecimal digits that distinguish two keys and disclose nothing about them."""
    return keyed(key, "sfumato check value of a key").hex()[:8]
