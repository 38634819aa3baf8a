"""Load network and tokenizer from a folder with transformers: no connection, no foreign code, no pickles."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, Literal

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.models.local_files import INSTALL_TORCH, quiet

Kind = Literal["masked", "causal", "entailment"]
_CLASSES = {
    "masked": "AutoModelForMaskedLM",
    "causal": "AutoModelForCausalLM",
    "entailment": "AutoModelForSequenceClassification",
}


def pretrained(folder: Path, kind: Kind, **options: Any) -> tuple[Any, Any]:
    """Return the ``kind`` of language model in ``folder`` in float32 on the CPU, with its fast tokenizer.

    ``options`` go to transformers, for files that are not safetensors. Raise MissingExtraError if transformers is
    missing. Raise ConfigurationError if the files cannot be read, or if weights are missing or are not numbers.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import transformers
            from transformers import AutoTokenizer
    except ImportError:
        raise MissingExtraError(f"This model needs torch; {INSTALL_TORCH}") from None
    safe: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False, **options}
    form = {} if "gguf_file" in options else {"use_safetensors": True}
    with quiet():
        try:
            network, report = getattr(transformers, _CLASSES[kind]).from_pretrained(
                folder, output_loading_info=True, dtype="float32", **form, **safe
            )
            tokenizer = AutoTokenizer.from_pretrained(folder, use_fast=True, **safe)
        except Exception as error:  # the libraries raise whatever their parsers do
            reason = str(error).strip().splitlines() or [type(error).__name__]
            raise ConfigurationError(f"The {kind} model in {folder} cannot be loaded: {reason[0]}") from None
    missing = sorted(report["missing_keys"])
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
    import torch

    scheme = getattr(network.config, "quantization_config", None)
    method = scheme.get("quant_method") if isinstance(scheme, dict) else getattr(scheme, "quant_method", None)
    if (
        scheme is not None and getattr(method, "value", method) != "gguf"
    ):  # GGUF weights become floats when they are loaded
        raise ConfigurationError(
            f"The weights of {origin} are quantized in a way that may depend on a whole batch; give float weights."
        )
    for name, weight in network.named_parameters():
        if not bool(torch.isfinite(weight).all()):
            raise ConfigurationError(
                f"The weights {name} of {origin} hold values that are not numbers; fetch the model again."
            )
    return network.eval().requires_grad_(False)
