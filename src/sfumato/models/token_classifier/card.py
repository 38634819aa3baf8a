"""The card beside the weights: their hash, the encoder that they belong to, and how many layers answer."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.models.encoders.files import ENCODER_DIGEST, REINSTALL

CARD = "9aaad1a0952d17efe905c6ffa71c8db4050daf502873e7993d62519cadc11f45"
"""The SHA-256 of the card of this package, which holds the SHA-256 of the weights."""


@dataclass(frozen=True)
class Card:
    """What a card states that decides an answer."""

    sha256: str
    layers: int
    encoder: str = ENCODER_DIGEST

    @classmethod
    def of(cls, weights: Path | None) -> Card:
        """Return the card of ``weights``; None: of those in this package, whose card is known by its hash.

        Raise MissingExtraError if it cannot be read, and ConfigurationError if it is no card or another one.
        """
        path = (weights or packaged()).with_suffix(".json")
        try:
            content = path.read_bytes()
        except OSError as error:
            raise unreadable(path, error) from None
        if weights is None and hashlib.sha256(content).hexdigest() != CARD:
            raise changed(path)
        try:
            told = json.loads(content)
            return cls(str(told["sha256"]), int(told["exit"]), str(told.get("encoder", ENCODER_DIGEST)))
        except (ValueError, KeyError, TypeError):
            raise changed(path) from None


def packaged() -> Path:
    """Return the weights in this package."""
    return Path(str(resources.files("sfumato") / "data" / "identifiers.safetensors"))


def unreadable(path: Path, error: OSError) -> MissingExtraError:
    """Return the error for a file that cannot be read."""
    return MissingExtraError(f"{path} cannot be read ({error.strerror}); {REINSTALL}.")


def changed(path: Path) -> ConfigurationError:
    """Return the error for a file that is not the one that was published."""
    return ConfigurationError(f"{path} is not the file of this version; {REINSTALL}.")
