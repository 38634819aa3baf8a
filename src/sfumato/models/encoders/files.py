"""The files of the default sentence encoder: their folder and their check.

They travel with the package. ``training/pack_encoder.py`` made them: the published weights in float16, without the
pooler, and the published tokenizer. The model is under Apache-2.0.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.models.local_files import identity, local_folder
from sfumato.storage.digests import digest_of_weights

DEFAULT_NAME = "all-MiniLM-L6-v2"
DEFAULT_DIMENSIONS = 384
REINSTALL = "reinstall sfumato (pip install --force-reinstall sfumato)"
ENCODER_DIGEST = "9c0bf732145c2a248a35b8d17263e9adefce68043737804b972f46d46b219189"
# The files that decide the vectors: the weights, and two that a tokenizer may be read from.
_DIGESTS = {
    "model.safetensors": ENCODER_DIGEST,
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}


def default_folder() -> Path:
    """Return the folder of all-MiniLM-L6-v2 in this package."""
    return Path(str(resources.files("sfumato") / "data" / "encoder"))


def encoder_folder(model: str | None, what: str) -> Path:
    """Return the folder of the encoder ``model``, which errors call ``what``; None: the default."""
    return default_folder() if model is None else local_folder(model, what)


def encoder_id(model: str | None, folder: Path) -> str:
    """Return the name and 16 digits of the SHA-256 of the weights (other models: of all files)."""
    return f"{DEFAULT_NAME}@{verified_digest(folder)[:16]}" if model is None else identity(model, folder)


def verified_digest(folder: Path) -> str:
    """Return the SHA-256 of the default model's weights after checking every file of the model.

    Raise ConfigurationError naming a file that differs, and MissingExtraError naming one that cannot be read.
    """
    for name, expected in _DIGESTS.items():
        try:
            digest = digest_of_weights(folder / name)
        except OSError as error:
            raise MissingExtraError(
                f"{folder / name} of the encoder {DEFAULT_NAME} cannot be read ({error.strerror}); {REINSTALL}."
            ) from None
        if digest != expected:
            raise ConfigurationError(
                f"{folder / name} is not the file of this version: its SHA-256 is {digest[:16]}…, and "
                f"{expected[:16]}… is expected; {REINSTALL}, or use another model by its folder."
            )
    return ENCODER_DIGEST
