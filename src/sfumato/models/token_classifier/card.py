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

CARD = "051c47566486c3888efd50b335626965c83506bede048ef85020c8c2daaa06e5"
"""The SHA-256 of the card of this package, which holds the SHA-256 of the weights."""
OTHERS = "9cc56fe3ee2319cb482c659512dcb4d6de56fdf7c55a90854eedc550c0ddf0b9"
"""The same of the card of the weights for languages other than English."""
_NONE: Mapping[str, Any] = {"tables": {}}


@dataclass(frozen=True)
class Card:
    """What a card states. ``languages`` has figures of each language that the network learned, by its code.

    ``digest`` is the SHA-256 of the card itself, which decides marks together with the weights that it names.
    ``base`` is that of the weights to which these are added, if they are a difference.
    """

    sha256: str
    layers: int
    encoder: str = ENCODER_DIGEST
    calibration: Calibration = field(default_factory=Calibration)
    languages: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    digest: str = ""
    base: str = ""

    @classmethod
    def of(cls, weights: Path | None, others: bool = False) -> Card:
        """Return the card of ``weights``; None: of those in this package, whose card is known by its hash.

        ``others`` are those for languages other than English.

        Raise MissingExtraError if it cannot be read, and ConfigurationError if it is no card or another one.
        """
        path = (weights or packaged(others)).with_suffix(".json")
        try:
            content = path.read_bytes()
        except OSError as error:
            raise unreadable(path, error) from None
        digest = hashlib.sha256(content).hexdigest()
        if weights is None and digest != (OTHERS if others else CARD):
            raise changed(path)
        try:
            told = json.loads(content)
            facts = str(told["sha256"]), int(told["layers"]), str(told.get("encoder", ENCODER_DIGEST))
            calibration, languages = Calibration.of(told.get("calibration", _NONE)), dict(told.get("languages", {}))
            return cls(*facts, calibration, languages, digest, str(told.get("base", "")))
        except (ValueError, KeyError, TypeError):
            raise changed(path) from None


def packaged(others: bool = False) -> Path:
    """Return the weights in this package, or those for ``others`` than English."""
    return Path(str(resources.files("sfumato") / "data" / f"identifiers{'-others' * others}.safetensors"))


def unreadable(path: Path, error: OSError) -> MissingExtraError:
    """Return the error for a file that cannot be read."""
    return MissingExtraError(f"{path} cannot be read ({error.strerror}); {REINSTALL}.")


def changed(path: Path) -> ConfigurationError:
    """Return the error for a file that is not the one that was published."""
    return ConfigurationError(f"{path} is not the file of this version; {REINSTALL}.")
