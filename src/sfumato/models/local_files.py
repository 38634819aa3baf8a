"""The files of a model on this machine: their folder, their hash, and quiet loading.

This file opens no connection. A model is a folder, or a Hugging Face name whose files were fetched before
(``sfumato provision``). Its weights are safetensors: the only format that cannot run code while it is read.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.storage.digests import digest_of

INSTALL_TORCH = "type: pip install 'sfumato[torch]'"
_HASHED = frozenset({".safetensors", ".json", ".txt", ".model", ".gguf", ".jinja"})
_PICKLES = ("pytorch_model*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")


def local_folder(model: str, what: str) -> Path:
    """Return the folder of ``model``: the folder itself, or the Hugging Face snapshot on this machine.

    ``what`` names the kind of model in errors. Raise MissingExtraError if there is none, and ConfigurationError if
    weights are not safetensors.
    """
    folder = Path(model).expanduser()
    if not folder.is_dir():
        if folder.is_file() or model.startswith((".", "/", "~")):
            raise MissingExtraError(f"There is no folder {model}; give the folder that holds the {what}.")
        folder = _snapshot(model, what)
    for pattern in _PICKLES:
        for pickled in folder.rglob(pattern):
            if not any(pickled.parent.glob("*.safetensors")):
                raise ConfigurationError(
                    f"{pickled} holds pickled weights, which could run code; convert it to model.safetensors."
                )
    if not any(folder.rglob("*.safetensors")):
        raise ConfigurationError(f"The folder {folder} holds no .safetensors file; give one with the {what}.")
    return folder


def _snapshot(model: str, what: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(model, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError):
        raise MissingExtraError(
            f"The {what} {model!r} is not on this machine, and sfumato downloads nothing by itself; "
            f"type `sfumato provision {model}` to fetch it, or give the folder that holds the model."
        ) from None


def digest_of_all(folder: Path) -> str:
    """Return the SHA-256 over names and contents of a model's weights, settings and tokenizer (hexadecimal)."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.suffix in _HASHED and path.is_file()):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + digest_of(path).encode())
    return digest.hexdigest()


@contextmanager
def quiet() -> Iterator[None]:
    """Silence the libraries while a model loads, and restore their settings."""
    try:
        from transformers.utils import logging
    except ImportError:  # nothing to silence
        yield
        return

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
