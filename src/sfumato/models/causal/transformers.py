"""Causal language models through transformers: a local folder or a fetched Hugging Face name, one CPU or GPU.

The network behind :class:`~sfumato.models.causal.text.CausalText`. The guarantee of a text holds for any scores. This
file ensures that the scores of one text hold nothing of another (:attr:`TransformersCausal.rows`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.models.causal.networks import PlacedCausal, loaded_causal, placed_causal
from sfumato.models.causal.reading import Window, read_windows
from sfumato.models.causal.session import TransformersSession
from sfumato.models.causal.text import CausalText
from sfumato.models.local_model import LocalModel

if TYPE_CHECKING:
    from sfumato.types import IntArray

_ROWS = {"cpu": 16}
_ROWS_ELSEWHERE = 128


@dataclass(frozen=True)
class TransformersCausal(LocalModel):
    """A causal model, with its tokenizer's chat form. A model that looks ahead is refused."""

    what: ClassVar[str] = "causal model"

    def _load(self, folder: Path) -> tuple[Any, Any]:
        return loaded_causal(folder)

    @cached_property
    def _placed(self) -> PlacedCausal:
        return placed_causal(self._loaded[0], self.device, self.number_format)

    @property
    def network(self) -> Any:
        """Return the torch network on its device, with frozen weights."""
        return self._placed.network

    @cached_property
    def _columns(self) -> Any:
        import torch

        return torch.from_numpy(self.outcomes).to(self._placed.device)

    @cached_property
    def _text(self) -> CausalText:
        return CausalText(self._loaded[1], int(self._loaded[0].config.get_text_config().vocab_size))

    @property
    def outcomes(self) -> IntArray:
        """Return the pieces that may be drawn, shape (V,)."""
        return self._text.outcomes

    @property
    def outcome_vectors(self) -> NDArray[np.floating[Any]]:
        """Return the model's input vectors of the pieces that may be drawn, shape (V, D)."""
        table = self._loaded[0].get_input_embeddings().weight.detach().float().cpu().numpy()
        return np.asarray(table[self.outcomes])

    @property
    def end(self) -> int | None:
        """Return the index of the end piece among the outcomes: the last; None for a model without one."""
        return None if self._text.end_piece is None else len(self.outcomes) - 1

    @cached_property
    def window(self) -> int:
        """Return the most pieces of a row."""
        sizes = self._loaded[0].config.get_text_config()
        most = int(getattr(sizes, "max_position_embeddings", 1024) or 1024)
        rope = getattr(sizes, "rope_parameters", None) or getattr(sizes, "rope_scaling", None) or {}
        if isinstance(rope, dict) and rope.get("rope_type") in ("longrope", "dynamic"):
            # beyond its first length such a model changes all rows of a batch if one of them is long
            first = rope.get("original_max_position_embeddings") or getattr(
                sizes, "original_max_position_embeddings", None
            )
            most = min(most, int(first or most))
        return min(most, self.limit or most)

    @property
    def where(self) -> str:
        """Return the device that the model runs on."""
        return str(self._placed.device)

    @property
    def rows(self) -> int:
        """Return how many rows are worth advancing at once: a GPU has room for more.

        In bfloat16 it is one, because bfloat16 rounds so coarsely that a row can be seen in the scores of another.
        """
        if self.number_format == "bfloat16":
            return 1
        return _ROWS.get(self._placed.device, _ROWS_ELSEWHERE)

    @property
    def opening(self) -> tuple[int, ...]:
        """Return the pieces that the tokenizer puts before every text."""
        return self._text.opening

    def pieces(self, text: str) -> list[int]:
        """Return the pieces of ``text``; none of them is special."""
        return self._text.pieces(text)

    def text(self, pieces: Sequence[int]) -> str:
        """Return the text of ``pieces``."""
        return self._text.text(pieces)

    def prompt(self, instruction: str, text: Sequence[int]) -> list[int]:
        """Return the instruction and the text as one turn of a chat, up to the beginning of the answer."""
        return self._text.prompt(instruction, text)

    def begin(self, prompts: Sequence[Sequence[int]]) -> TransformersSession:
        """Return a session with a row for each prompt."""
        return TransformersSession(self._placed, self._columns, self._turn, prompts)

    def nats(self, windows: Sequence[Window]) -> list[float]:
        """Return the surprise of the scored pieces of each window: nats, summed.

        One pass a batch is faster than a session, which advances piece by piece.
        """
        return read_windows(self._placed, self._columns, self._turn, windows)
