"""Masked language models through transformers: a local folder or a fetched Hugging Face name, one CPU or GPU.

The logits are computed at the masked positions only: the prediction head receives them instead of the whole sequence
(loading checks this against the full answer). Batches are cut so that memory stays constant. A GPU that runs out of
memory gets smaller ones. The guarantee of a text holds for any scores. This file ensures that the scores of one text
hold nothing of another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from sfumato.abstract.models import MASKED, Cloze
from sfumato.errors import ConfigurationError
from sfumato.models.local_model import LocalModel, readable
from sfumato.models.masked.networks import Placed, Row, Shape, loaded_masked, placed
from sfumato.models.words import whole_words
from sfumato.text.offensive import is_offensive

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sfumato.types import IntArray

_REMEMBERED = 200_000
_PIECES_AT_ONCE = {"cpu": 1 << 9}  # so many fit into a CPU's caches
_PIECES_ELSEWHERE = 1 << 16
_ROWS = {"cpu": 32}
_ROWS_ELSEWHERE = 1024
_MOST_OF_A_UNIT = 24


@dataclass(frozen=True)
class TransformersMasked(LocalModel):
    """A masked model for English or any other language that writes spaces between words."""

    what: ClassVar[str] = "masked model"

    def _load(self, folder: Path) -> tuple[Any, Any]:
        return loaded_masked(folder)

    @cached_property
    def _placed(self) -> Placed:
        return placed(self._loaded[0], self.device, self.number_format)

    @cached_property
    def _tokenizer(self) -> Any:
        """Return the tokenizer proper, which reads text that looks like a special piece as text."""
        backend = self._loaded[1].backend_tokenizer
        backend.no_truncation()
        backend.no_padding()
        backend.encode_special_tokens = True
        return backend

    @cached_property
    def _frame(self) -> tuple[list[int], list[int], list[int]]:
        """Return the pieces that the model puts before, between and after the two halves of a pair."""
        word, piece = self._example
        built = self._tokenizer.encode(word, word).ids
        first, second = (position for position, token in enumerate(built) if token == piece)
        return built[:first], built[first + 1 : second], built[second + 1 :]

    @cached_property
    def _single(self) -> tuple[list[int], list[int], list[int]]:
        word, piece = self._example
        built = self._tokenizer.encode(word).ids
        return built[: built.index(piece)], [], built[built.index(piece) + 1 :]

    @property
    def _example(self) -> tuple[str, int]:
        word, piece = next(iter(self._whole.items()))
        return f" {word}", piece

    @cached_property
    def _whole(self) -> dict[str, int]:
        listed = whole_words(self._tokenizer, set(self._loaded[1].all_special_ids))
        words = {word: piece for word, piece in listed.items() if not is_offensive(word)}
        if len(words) < 2:
            raise ConfigurationError(f"The model {self.model} has no whole words among its pieces; give another one.")
        return words

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Return the candidate words (V), in the order of their pieces, without offensive ones."""
        return tuple(self._whole)

    @cached_property
    def word_pieces(self) -> IntArray:
        """Return the piece of each candidate word, shape (V,)."""
        return np.array(list(self._whole.values()), dtype=np.int64)

    @property
    def outcome_vectors(self) -> NDArray[np.floating[Any]]:
        """Return the model's input vectors of the candidate words, shape (V, D)."""
        table = self._loaded[0].get_input_embeddings().weight.detach().float().cpu().numpy()
        return np.asarray(table[self.word_pieces])

    @cached_property
    def window(self) -> int:
        """Return the most pieces that the parts of a question may have together."""
        most = int(getattr(self._loaded[0].config, "max_position_embeddings", 512) or 512)
        most -= self._offset
        most = min(most, self.limit or most)
        left = most - sum(map(len, self._frame))
        if left <= _MOST_OF_A_UNIT:  # a unit of the context and its mask
            raise ConfigurationError(
                f"The window of {most} pieces is too small to rewrite in; use one of at least 32."
            )
        return left

    @property
    def _offset(self) -> int:
        """Return the first position of a text. RoBERTa and its relatives count from the padding piece's number."""
        tables = (part for name, part in self._loaded[0].named_modules() if name.endswith("position_embeddings"))
        padding = next((getattr(table, "padding_idx", None) for table in tables), None)
        return 0 if padding is None else int(padding) + 1

    @cached_property
    def _known(self) -> dict[str, list[int]]:
        return {}

    def pieces(self, units: Sequence[str]) -> list[list[int]]:
        """Return the pieces of each unit, at most 24: of a longer unit its first and last, for the scores only."""
        known = self._known
        with self._turn:
            if len(known) > _REMEMBERED:
                known.clear()
            new = [unit for unit in dict.fromkeys(units) if unit not in known]
            if new:
                read = self._tokenizer.encode_batch([readable(unit) for unit in new], add_special_tokens=False)
                refused = self._marks
                for unit, encoding in zip(new, read, strict=True):
                    known[unit] = _shortened([piece for piece in encoding.ids if piece not in refused])
            return [known[unit] for unit in units]

    @cached_property
    def _marks(self) -> frozenset[int]:
        """Return the special pieces with a special meaning; the unknown-token piece does not count."""
        return frozenset(self._loaded[1].all_special_ids) - {self._loaded[1].unk_token_id}

    @property
    def rows(self) -> int:
        """Return how many questions are worth asking at once: a GPU has room for more."""
        return _ROWS.get(self._placed.device, _ROWS_ELSEWHERE)

    def scores(self, questions: Sequence[Cloze]) -> NDArray[np.floating[Any]]:
        """Return logits of the candidate words at the masks, shape (masks, V), float32."""
        rows = [self._row(question) for question in questions]
        answers: list[Any] = [None] * len(rows)
        with self._turn:
            for key, alike in self._alike(rows):
                self._answer(rows, alike, answers, key)
        return np.concatenate(answers)

    def _alike(self, rows: Sequence[Row]) -> Iterator[tuple[Shape | None, list[int]]]:
        """Yield the numbers of the rows that may share a batch, longest first.

        In float32 any rows may. bfloat16 rounds so coarsely that the shape of a batch can be seen in its answers (0.1
        of a score), and neighbours influence the shape. So there all batches have a shape that the row alone decides.
        """
        if self.number_format == "float32":
            yield None, sorted(range(len(rows)), key=lambda number: -len(rows[number].pieces))
            return
        shapes = [Shape(max(32, 1 << (len(row.pieces) - 1).bit_length()), len(row.masks)) for row in rows]
        for shape in sorted(set(shapes)):
            yield shape, [number for number, own in enumerate(shapes) if own == shape]

    def _answer(self, rows: Sequence[Row], todo: list[int], answers: list[Any], shape: Shape | None) -> None:
        start, network = 0, self._placed
        at_once = network.most.get(shape) or _PIECES_AT_ONCE.get(network.device, _PIECES_ELSEWHERE)
        while start < len(todo):
            longest = shape.length if shape else len(rows[todo[start]].pieces)
            count = max(1, at_once // longest)
            batch = todo[start : start + count]
            batch_rows = [rows[number] for number in batch]
            if shape:
                batch_rows = [row.lengthened(shape.length) for row in batch_rows]
                batch_rows += [Row.idle(shape, self._padding)] * (count - len(batch))
            logits = network.answer(batch_rows, self._padding, self._columns)
            if logits is None:  # out of memory
                at_once = network.shrink(shape, len(batch_rows) * longest, longest)
                continue
            for number, answer in zip(batch, logits, strict=False):  # idle rows come last and are dropped
                answers[number] = answer
            start += len(batch)

    @property
    def where(self) -> str:
        """Return the device that the model runs on."""
        return str(self._placed.device)

    @cached_property
    def _padding(self) -> int:
        return int(self._loaded[1].pad_token_id or 0)

    @cached_property
    def _columns(self) -> Any:
        import torch

        return torch.from_numpy(self.word_pieces).to(self._placed.device)

    def _row(self, question: Cloze) -> Row:
        opening, between, closing = self._frame if question.context else self._single
        start = [*opening, *question.context, *between]
        mask = self._loaded[1].mask_token_id
        pieces = [*start, *(mask if piece == MASKED else piece for piece in question.copy), *closing]
        masks = [len(start) + position for position, piece in enumerate(question.copy) if piece == MASKED]
        return Row(pieces, len(start) if question.context else len(pieces), masks)


def _shortened(pieces: list[int]) -> list[int]:
    half = _MOST_OF_A_UNIT // 2
    return pieces if len(pieces) <= _MOST_OF_A_UNIT else pieces[:half] + pieces[-half:]
