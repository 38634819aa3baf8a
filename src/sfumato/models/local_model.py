"""Shared by all language models through transformers: their files, their names, and when they load."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol

from sfumato.errors import ConfigurationError
from sfumato.models.devices import check_device
from sfumato.models.local_files import identity, local_folder

NumberFormat = Literal["float32", "int8", "bfloat16"]
NamedFormat = Literal["auto", "float32", "int8", "bfloat16"]
AUTO: NamedFormat = "auto"
"""The quickest format of a masked model that passes its check; float32 for other models."""


class Source(Protocol):
    """Files of a model that are not simply in one folder."""

    @property
    def id(self) -> str:
        """Return the name and content hash."""

    def load(self) -> tuple[Any, Any]:
        """Return the network on the CPU and its fast tokenizer, both checked."""


@dataclass(frozen=True)
class LocalModel(ABC):
    """A model whose files are on this machine. No file is read before the first use.

    ``model`` is a folder, or the Hugging Face name of a model that was fetched before. ``number_format`` is the
    format of its numbers. ``device`` is a torch device, or None to use a GPU if there is one. ``limit`` is the most
    pieces of an input (None: as many as the model was made for).

    Raises MissingExtraError if torch, transformers or the files are missing, and ConfigurationError for weights that
    are not safetensors, are not numbers, or lack the prediction head.
    """

    model: str
    number_format: NumberFormat = "float32"
    device: str | None = None
    limit: int | None = None
    source: Source | None = None
    """The source of network and tokenizer, if they are not simply in a folder."""

    what: ClassVar[str]
    """The kind of model, for errors."""
    formats: ClassVar[tuple[str, ...]] = ("float32", "bfloat16")
    """The number formats that such a model may have."""

    def __post_init__(self) -> None:
        if self.limit is not None and (type(self.limit) is not int or self.limit < 1):
            raise ConfigurationError("A window must be a whole number of pieces, 1 or more.")
        if self.number_format not in self.formats:
            offered = f"{', '.join(self.formats[:-1])} or {self.formats[-1]}"
            raise ConfigurationError(f"The number format must be {offered}, not {self.number_format!r}.")
        check_device(self.device)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @abstractmethod
    def _load(self, folder: Path) -> tuple[Any, Any]:
        """Return the network and the fast tokenizer of ``folder``, both checked."""

    @cached_property
    def _folder(self) -> Path:
        return local_folder(self.model, self.what)

    @property
    def id(self) -> str:
        """Return the name, 16 digits of the files' SHA-256, and the number format."""
        return f"{self._named}/{self.number_format}"

    @cached_property
    def _named(self) -> str:
        """Return the name and 16 digits of the files' SHA-256."""
        return identity(self.model, self._folder) if self.source is None else self.source.id

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        """Return the network on the CPU and its fast tokenizer."""
        return self._load(self._folder) if self.source is None else self.source.load()

    @property
    def _turn(self) -> threading.Lock:
        lock: threading.Lock = self.__dict__.setdefault("_lock", threading.Lock())  # threads agree on one
        return lock


def readable(text: str) -> str:
    """Return ``text`` with a question mark for each lone surrogate, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")
