"""Causal language models through transformers: a local folder or a fetched Hugging Face name, one CPU or GPU.

The guarantee of a text holds for any scores. This file ensures that the scores of one text hold nothing of another
(:attr:`TransformersCausal.rows`). The chat form is laid around the pieces of a text. A private text never goes
through the template and never becomes a special piece, so it cannot end its turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError
from sfumato.models.causal.continuations import read_after
from sfumato.models.causal.networks import (
    PlacedCausal,
    TransformersSession,
    Window,
    loaded_causal,
    placed_causal,
    read_windows,
)
from sfumato.models.local_model import LocalModel, readable

if TYPE_CHECKING:
    from sfumato.types import IntArray

_ROWS = {"cpu": 16}
_ROWS_ELSEWHERE = 128
_TEXT, _ANSWER = "\ue0f5", "\ue0f6"
"""Placeholders of the text and the answer while a template is laid out; private-use characters."""


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

    @property
    def _tokenizer(self) -> Any:
        return self._loaded[1]

    @property
    def outcome_vectors(self) -> NDArray[np.floating[Any]]:
        """Return the model's input vectors of the pieces that may be drawn, shape (V, D)."""
        table = self._loaded[0].get_input_embeddings().weight.detach().float().cpu().numpy()
        return np.asarray(table[self.outcomes])

    @property
    def end(self) -> int | None:
        """Return the index of the end piece among the outcomes: the last; None for a model without one."""
        return None if self._end_piece is None else len(self.outcomes) - 1

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

    def begin(self, prompts: Sequence[Sequence[int]]) -> TransformersSession:
        """Return a session with a row for each prompt."""
        return TransformersSession(self._placed, self._columns, self._turn, prompts)

    def nats(self, windows: Sequence[Window]) -> list[float]:
        """Return the surprise of the scored pieces of each window: nats, summed.

        One pass a batch is faster than a session, which advances piece by piece.
        """
        return read_windows(self._placed, self._columns, self._turn, windows)

    def nats_after(self, prompt: Sequence[int], answers: Sequence[Sequence[int]]) -> list[float]:
        """Return the surprise of each of ``answers`` after ``prompt``: nats, summed. The prompt is read once."""
        with self._turn:
            return read_after(self._placed, self._columns, prompt, answers)

    @cached_property
    def _form(self) -> Any:
        """Return the tokenizer proper, as it reads a template: special pieces are special."""
        from tokenizers import Tokenizer

        copy = Tokenizer.from_str(self._tokenizer.backend_tokenizer.to_str())
        copy.no_truncation()
        copy.no_padding()
        return copy

    @cached_property
    def _reader(self) -> Any:
        """Return the tokenizer proper, as it reads a text: text that looks like a special piece is text."""
        from tokenizers import Tokenizer

        copy = Tokenizer.from_str(self._form.to_str())
        copy.encode_special_tokens = True
        return copy

    @cached_property
    def special(self) -> frozenset[int]:
        """Return the pieces with a special meaning: those marked as special, and those of the chat form."""
        tokenizer = self._tokenizer
        added = tokenizer.added_tokens_decoder
        marked = {piece for piece, token in added.items() if token.special} | set(tokenizer.all_special_ids)
        return frozenset(marked | ({*self._frame("")[0], *self._frame("")[1]} & set(added)))

    @cached_property
    def _end_piece(self) -> int | None:
        """Return the piece that ends an answer: the chat form's piece after an answer, or the end of a text."""
        tokenizer = self._tokenizer
        added = tokenizer.added_tokens_decoder
        if tokenizer.chat_template:
            behind = self._laid_out("", _ANSWER).partition(_ANSWER)[2]
            for piece in self._form.encode(behind, add_special_tokens=False).ids:
                if piece in added:
                    return int(piece)
        return None if tokenizer.eos_token_id is None else int(tokenizer.eos_token_id)

    @cached_property
    def outcomes(self) -> IntArray:
        """Return the pieces that may be drawn, ascending, shape (V,). The end piece, if there is one, is the last."""
        ordinary = set(self._form.get_vocab(with_added_tokens=True).values()) - self.special - {self._end_piece}
        end = [] if self._end_piece is None else [self._end_piece]
        scored = int(self._loaded[0].config.get_text_config().vocab_size)
        return np.array([*sorted(piece for piece in ordinary if piece < scored), *end], dtype=np.int64)

    @cached_property
    def opening(self) -> tuple[int, ...]:
        """Return the pieces that the tokenizer puts before every text."""
        plain = self._reader.encode("a", add_special_tokens=False).ids
        framed = self._reader.encode("a").ids
        start = next(first for first in range(len(framed)) if framed[first : first + len(plain)] == plain)
        return tuple(framed[:start])

    def pieces(self, text: str) -> list[int]:
        """Return the pieces of ``text``; none of them is special."""
        read = self._reader.encode(readable(text), add_special_tokens=False).ids
        return [piece for piece in read if piece not in self.special]

    def text(self, pieces: Sequence[int]) -> str:
        """Return the text of ``pieces``."""
        return str(self._reader.decode(list(pieces), skip_special_tokens=False))

    def prompt(self, instruction: str, text: Sequence[int]) -> list[int]:
        """Return the instruction and the text as one turn of a chat, up to the beginning of the answer."""
        before, after = self._frame(instruction)
        return [*before, *text, *after]

    @cached_property
    def _frames(self) -> dict[str, tuple[list[int], list[int]]]:
        return {}

    def _frame(self, instruction: str) -> tuple[list[int], list[int]]:
        """Return the pieces before and after a text that ``instruction`` is about."""
        if instruction not in self._frames:
            if self._tokenizer.chat_template:
                before, _, after = self._laid_out(instruction).partition(_TEXT)
                frame = [self._form.encode(part, add_special_tokens=False).ids for part in (before, after)]
            else:
                request = self._reader.encode(f"{instruction}\n\n", add_special_tokens=False).ids
                frame = [[*self.opening, *request], self._reader.encode("\n\n", add_special_tokens=False).ids]
            self._frames[instruction] = frame[0], frame[1]
        return self._frames[instruction]

    def _laid_out(self, instruction: str, answer: str | None = None) -> str:
        """Return the template around ``instruction`` and a text, and around ``answer`` if one is given."""
        turns = [{"role": "user", "content": f"{instruction}\n\n{_TEXT}"}]
        if answer is not None:
            turns.append({"role": "assistant", "content": answer})
        try:
            form = str(self._tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=not answer))
        except Exception:  # a template is a program and may raise anything
            form = ""
        if form.count(_TEXT) != 1:
            raise ConfigurationError("The model's chat template cannot be laid out; give another model.")
        return form
