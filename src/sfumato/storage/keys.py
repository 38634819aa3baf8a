"""Hashes under a secret key. Nothing is ever hashed without one: names are few, so anyone could hash them all."""

from __future__ import annotations

import hashlib
import hmac

from sfumato.errors import ConfigurationError

LEAST = 32
"""The fewest bytes that a key may hold."""


def checked_key(key: bytes | None, what: str) -> bytes:
    """Return ``key`` if it is long enough. Otherwise raise ConfigurationError, which names ``what`` needs the key."""
    if key is None:
        raise ConfigurationError(
            f"{what} needs a secret key, because without one anyone could hash all names and compare; make one with "
            "`sfumato key FILE` and give it with --key."
        )
    if not isinstance(key, bytes) or len(key) < LEAST:
        raise ConfigurationError(
            f"The key must hold at least {LEAST} random bytes; make one with `sfumato key FILE`."
        )
    return key


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
