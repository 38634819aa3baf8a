"""The card beside the weights: their hash, their encoder, how many layers answer, and what an answer is worth."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.models.encoders.files import ENCODER_DIGEST, REINSTALL
from sfumato.models.token_classifier.calibration import Calibration

CARD = "c48a05ebda4b0042ba85a045dfd35eae017338e4baab60f229d413355f857007"
"""The SHA-256 of the card of this package, which holds the SHA-256 of the weights."""
_NONE: Mapping[str, Any] = {"tables": {}}


@dataclass(frozen=True)
class Card:
    """What a card states. ``languages`` has figures of each language that the network learned, by its code.

    ``digest`` is the SHA-256 of the card itself, which decides marks together with the weights that it names.
    """

    sha256: str
    layers: int
    encoder: str = ENCODER_DIGEST
    calibration: Calibration = field(default_factory=Calibration)
    languages: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    digest: str = ""

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
        digest = hashlib.sha256(content).hexdigest()
        if weights is None and digest != CARD:
            raise changed(path)
        try:
            told = json.loads(content)
            facts = str(told["sha256"]), int(told["layers"]), str(told.get("encoder", ENCODER_DIGEST))
            return cls(
                *facts, Calibration.of(told.get("calibration", _NONE)), dict(told.get("languages", {})), digest
            )
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
