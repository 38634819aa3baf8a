"""Public sentences for measurements of a model."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from sfumato.errors import ConfigurationError
from sfumato.storage import regular


@dataclass(frozen=True)
class PublicText:
    """Public ``sentences``, and a ``name`` for them that holds their hash."""

    name: str
    sentences: tuple[str, ...]
    file: tuple[str, int] | None = None
    """SHA-256 and size in bytes of the file, if it is not the shipped one."""

    @classmethod
    def shipped(cls, most: int | None = None) -> PublicText:
        """Return the sentences that ship with sfumato, or the first ``most`` of them."""
        content = (resources.files("sfumato") / "data" / "public_sentences.txt").read_bytes()
        sentences = tuple(content.decode("utf-8").splitlines()[:most])
        digest = hashlib.sha256(content).hexdigest()
        return cls(f"{len(sentences)} public sentences that ship with sfumato, sha256 {digest[:16]}", sentences)

    @classmethod
    def of(cls, file: Path) -> PublicText:
        """Return the non-empty lines of the public ``file``. Raise ConfigurationError if there are none."""
        try:
            content = regular(file).read_bytes()
            lines = tuple(line.strip() for line in content.decode("utf-8").splitlines() if line.strip())
        except (OSError, ValueError):
            raise ConfigurationError(f"{file.name} cannot be read as UTF-8; give a public text file.") from None
        if not lines:
            raise ConfigurationError(f"{file.name} holds no sentences; give a public file with a sentence a line.")
        digest = hashlib.sha256(content).hexdigest()
        return cls(f"{len(lines)} lines, sha256 {digest[:16]}", lines, (digest, len(content)))
