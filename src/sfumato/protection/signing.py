"""Ed25519 keys in files: a private one that signs, a public one that others check with (RFC 8032)."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.storage.atomic import undone, whole, writing
from sfumato.storage.cache_key import settings_folder
from sfumato.storage.keys import keyed, private_content

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

_MOST = 10_000
"""The largest file, in bytes, that is read for a key."""


def own_key() -> Path:
    """Return where the key of this user is. Raise ConfigurationError if this machine has no home folder."""
    settings = settings_folder()
    if settings is None:
        raise ConfigurationError("This machine has no folder for your settings; name a signing key with --key.")
    return settings / "signing.key"


@dataclass(frozen=True)
class Signer:
    """A private key. Its representation shows the public half alone."""

    _key: Ed25519PrivateKey = field(repr=False)

    @classmethod
    def of_file(cls, path: Path) -> Signer:
        """Return the key of a PEM file; make the file, which its owner alone can read, if there is none.

        The public half is written beside it, to PATH with .pub. Raise ConfigurationError for a file that is no key.
        """
        if not path.exists():
            _make(path)
        try:
            from cryptography.exceptions import UnsupportedAlgorithm
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
            from cryptography.hazmat.primitives.serialization import load_pem_private_key
        except ImportError:
            raise _missing() from None
        content = private_content(path, "the signing key")
        try:
            key = load_pem_private_key(content, None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            key = None
        if not isinstance(key, Ed25519PrivateKey):
            raise ConfigurationError(
                f"{path.name} is no Ed25519 key in PEM without a password; name another with --key."
            )
        return cls(key)

    @property
    def public(self) -> Verifier:
        """Return the public half."""
        return Verifier(self._key.public_key())

    def sign(self, message: bytes) -> bytes:
        """Return the signature of ``message``, 64 bytes."""
        return self._key.sign(message)

    def keyed(self, *parts: str) -> bytes:
        """Return a hash of ``parts`` that nobody without the private key can compute, 32 bytes."""
        return keyed(self._key.private_bytes_raw(), *parts)


@dataclass(frozen=True)
class Verifier:
    """A public key."""

    _key: Ed25519PublicKey = field(repr=False)

    @classmethod
    def of_pem(cls, content: bytes, name: str) -> Verifier:
        """Return the key that ``content`` of the file ``name`` holds. Raise ConfigurationError for anything else."""
        try:
            from cryptography.exceptions import UnsupportedAlgorithm
            from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
            from cryptography.hazmat.primitives.serialization import load_pem_public_key
        except ImportError:
            raise _missing() from None
        try:
            key = load_pem_public_key(content)
        except (ValueError, UnsupportedAlgorithm):
            key = None
        if not isinstance(key, Ed25519PublicKey):
            raise ConfigurationError(f"{name} is no public Ed25519 key in PEM.")
        return cls(key)

    @classmethod
    def of_file(cls, path: Path) -> Verifier:
        """Return the key of a PEM file. Raise ConfigurationError."""
        try:
            return cls.of_pem(_content(path), path.name)
        except OSError as error:
            raise ConfigurationError(f"{path.name} cannot be read ({error.strerror}).") from None

    @property
    def pem(self) -> bytes:
        """Return the key as the content of a file."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        return bytes(self._key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))

    @property
    def id(self) -> str:
        """Return the SHA-256 of the raw key, in hexadecimal."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        return hashlib.sha256(self._key.public_bytes(Encoding.Raw, PublicFormat.Raw)).hexdigest()

    def has_signed(self, message: bytes, signature: bytes) -> bool:
        """Return whether ``signature`` is that of ``message``."""
        from cryptography.exceptions import InvalidSignature

        try:
            self._key.verify(signature, message)
        except InvalidSignature:
            return False
        return True


def _make(path: Path) -> None:
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
    except ImportError:
        raise _missing() from None
    key = Ed25519PrivateKey.generate()
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            made = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:  # another run has made one meanwhile, which is never replaced
            return
        with undone(path), open(made, "wb") as file:
            file.write(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        with undone(path), whole(path.with_name(f"{path.name}.pub")) as file:
            file.write(Signer(key).public.pem)


def _content(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MOST)


def _missing() -> MissingExtraError:
    return MissingExtraError("Signatures need the package cryptography; type: pip install cryptography")
