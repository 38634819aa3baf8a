"""What all language models through transformers share: where they come from, what they are called, when they load."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, get_args

from sfumato.errors import ConfigurationError
from sfumato.models.local_files import digest_of_all, local_folder

NumberFormat = Literal["float32", "bfloat16"]


class Source(Protocol):
    """Files of a model that stand elsewhere than in one folder."""

    @property
    def id(self) -> str:
        """Name and content hash."""

    def load(self) -> tuple[Any, Any]:
        """The network on the CPU and its fast tokenizer, both checked."""


@dataclass(frozen=True)
class LocalModel(ABC):
    """A model whose files are on this machine; nothing of it is read before the first use.

    ``model`` is a folder or the Hugging Face name of a model already here; ``number_format`` the numbers it computes
    with; ``device`` a torch device, None to take a GPU where there is one; ``limit`` the most pieces of an input
    (None: as many as it was made for). Raises MissingExtraError where torch, transformers or the files are missing
    and ConfigurationError for weights that are not safetensors, are not numbers, or lack the prediction head.
    """

    model: str
    number_format: NumberFormat = "float32"
    device: str | None = None
    limit: int | None = None
    source: Source | None = None
    """Where network and tokenizer come from, if not simply from a folder."""

    what: ClassVar[str]
    """What kind of model it is, in errors."""

    def __post_init__(self) -> None:
        if self.limit is not None and (type(self.limit) is not int or self.limit < 1):
            raise ConfigurationError("A window is a whole number of pieces, from 1 on.")
        if self.number_format not in get_args(NumberFormat):
            raise ConfigurationError(f"The number format is float32 or bfloat16, not {self.number_format!r}.")

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @abstractmethod
    def _load(self, folder: Path) -> tuple[Any, Any]:
        """Network and fast tokenizer of ``folder``, both checked."""

    @cached_property
    def _folder(self) -> Path:
        return local_folder(self.model, self.what)

    @cached_property
    def id(self) -> str:
        """Name, 16 digits of the files' SHA-256, and number format."""
        if self.source is not None:
            return f"{self.source.id}/{self.number_format}"
        name = Path(self.model).resolve().name if Path(self.model).is_dir() else self.model
        return f"{name}@{digest_of_all(self._folder)[:16]}/{self.number_format}"

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        """The network on the CPU and its fast tokenizer."""
        return self._load(self._folder) if self.source is None else self.source.load()

    @property
    def _turn(self) -> threading.Lock:
        lock: threading.Lock = self.__dict__.setdefault("_lock", threading.Lock())  # threads agree on one
        return lock


def readable(text: str) -> str:
    """``text`` with a question mark for each lone surrogate, which no tokenizer takes."""
    return text.encode("utf-8", "replace").decode("utf-8")
