"""The files of a model on this machine: their folder, their hash, and how transformers loads them.

This file opens no connection and runs no foreign code. A model is a folder, or a Hugging Face name whose files were
fetched before (``sfumato provision``). Its weights are safetensors: the only format that cannot run code while it is
read.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.storage.digests import digest_of

INSTALL_TORCH = "type: pip install 'sfumato[torch]'"
_HASHED = frozenset({".safetensors", ".json", ".txt", ".model", ".gguf", ".jinja"})
_PICKLES = ("pytorch_model*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
Kind = Literal["masked", "causal", "entailment"]
_CLASSES = {
    "masked": "AutoModelForMaskedLM",
    "causal": "AutoModelForCausalLM",
    "entailment": "AutoModelForSequenceClassification",
}


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


def identity(model: str, folder: Path) -> str:
    """Return the name of ``model`` and 16 digits of the SHA-256 of its files in ``folder``."""
    name = Path(model).resolve().name if Path(model).is_dir() else model
    return f"{name}@{digest_of_all(folder)[:16]}"


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


def read_network(
    folder: Path, form: str, what: str, *, shared: Mapping[str, Any] | None = None, **own: Any
) -> tuple[Any, Any, list[str]]:
    """Return the network of the transformers class ``form`` in ``folder``, its fast tokenizer, and missing weights.

    The network is in float32 on the CPU. ``own`` options are the network's, and ``shared`` ones the tokenizer's too.
    Raise MissingExtraError if transformers is missing, and ConfigurationError, which calls the model ``what``, if the
    files cannot be read.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import transformers
            from transformers import AutoTokenizer
    except ImportError:
        raise MissingExtraError(f"This model needs torch; {INSTALL_TORCH}") from None
    safe: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False, **(shared or {})}
    with quiet():
        try:
            network, report = getattr(transformers, form).from_pretrained(
                folder, output_loading_info=True, dtype="float32", **own, **safe
            )
            tokenizer = AutoTokenizer.from_pretrained(folder, use_fast=True, **safe)
        except Exception as error:  # the libraries raise whatever their parsers do
            reason = str(error).strip().splitlines() or [type(error).__name__]
            raise ConfigurationError(f"The {what} in {folder} cannot be loaded: {reason[0]}") from None
    return network, tokenizer, sorted(report["missing_keys"])


def pretrained(folder: Path, kind: Kind, **options: Any) -> tuple[Any, Any]:
    """Return the ``kind`` of language model in ``folder`` in float32 on the CPU, with its fast tokenizer.

    ``options`` go to transformers, for files that are not safetensors. Raise MissingExtraError if transformers is
    missing. Raise ConfigurationError if the files cannot be read, or if weights are missing or are not numbers.
    """
    stored = {} if "gguf_file" in options else {"use_safetensors": True}
    network, tokenizer, missing = read_network(folder, _CLASSES[kind], f"{kind} model", shared=options, **stored)
    if missing:
        raise ConfigurationError(
            f"The model in {folder} lacks weights that prediction needs ({missing[0]} and {len(missing) - 1} more); "
            f"give a model with a {kind} language-model head."
        )
    if not hasattr(tokenizer, "backend_tokenizer"):
        raise ConfigurationError(f"The tokenizer in {folder} has no tokenizer.json; give a model with one.")
    return checked(network, folder), tokenizer


def checked(network: Any, origin: Path | str) -> Any:
    """Return ``network`` ready to predict. Raise ConfigurationError if a weight is not a finite number."""
    scheme = getattr(network.config, "quantization_config", None)
    method = scheme.get("quant_method") if isinstance(scheme, dict) else getattr(scheme, "quant_method", None)
    floats = scheme is None or getattr(method, "value", method) == "gguf"  # GGUF weights become floats when loaded
    if not floats:
        raise ConfigurationError(
            f"The weights of {origin} are quantized in a way that may depend on a whole batch; give float weights."
        )
    check_numbers(network, origin)
    return network.eval().requires_grad_(False)


def check_numbers(network: Any, origin: Path | str) -> None:
    """Refuse a torch ``network`` with a weight that is not a finite number."""
    import torch

    for name, weight in network.named_parameters():
        if not bool(torch.isfinite(weight).all()):
            raise ConfigurationError(
                f"The weights {name} of {origin} hold values that are not numbers; fetch the model again."
            )
