"""Masked language models: a local folder or a fetched Hugging Face name, on the processor or a GPU.

Networks of BERT's build answer on the processor through onnxruntime; all others, other number formats and GPUs
through transformers and torch. The logits are computed at the masked positions only: the prediction head receives
them instead of the whole sequence (loading checks this against the full answer). Batches are cut so that memory stays
constant. A device that runs out of memory gets smaller ones. The guarantee of a text holds for any scores. This file
ensures that the scores of one text hold nothing of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from sfumato.abstract.models import MASKED, Cloze
from sfumato.errors import ConfigurationError
from sfumato.language.en.offensive import is_offensive
from sfumato.models import devices
from sfumato.models.bert.parameters import Parameters, read_parameters
from sfumato.models.bert.session import Row
from sfumato.models.devices import on_processor
from sfumato.models.local_model import LocalModel, NumberFormat, readable
from sfumato.models.masked.answering import Answering, Batches
from sfumato.models.masked.device_scores import DeviceScores
from sfumato.models.masked.networks import OnnxNetwork, loaded_masked, placed
from sfumato.models.masked.pieces import Pieces, read_pieces, whole_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sfumato.privacy.score_law import AnyScores
    from sfumato.types import IntArray

_REMEMBERED = 200_000
_ROWS = {"cpu": 32}
_ROWS_ELSEWHERE = 1024
_MOST_OF_A_UNIT = 24
_OF_FILES = ("_folder", "_named", "_whole", "words", "word_pieces")
"""What a network holds in memory and is the same in every number format."""


@runtime_checkable
class BertSource(Protocol):
    """A source of a network of BERT's build that can be read without torch."""

    def parameters(self) -> tuple[Parameters, Pieces]:
        """Return weights and tokenizer, both checked."""


@dataclass(frozen=True)
class MaskedNetwork(LocalModel):
    """A masked model for English or any other language that writes spaces between words."""

    choice: str = ""
    """The reason for the number format, if nobody named one."""

    what: ClassVar[str] = "masked model"
    formats: ClassVar[tuple[str, ...]] = ("float32", "int8", "bfloat16")

    def _load(self, folder: Path) -> tuple[Any, Any]:
        return loaded_masked(folder)

    def computing_in(self, number_format: NumberFormat, device: str | None = None, choice: str = "") -> MaskedNetwork:
        """Return the same network in another number format, on ``device`` (None: its own). Files are read once."""
        made = replace(self, number_format=number_format, device=device or self.device, choice=choice)
        alike = "bfloat16" not in (number_format, self.number_format)
        same = number_format == self.number_format and made.device == self.device
        shared = [*_OF_FILES, *(("_quick", "_reading") if alike else ()), *(("_placed",) if same else ())]
        made.__dict__.update({name: self.__dict__[name] for name in shared if name in self.__dict__})
        return made

    @property
    def exact(self) -> MaskedNetwork:
        """Return the network in float32: what is measured once and holds for all formats is measured there."""
        return self if self.number_format == "float32" else self.computing_in("float32")

    @property
    def repeatable(self) -> MaskedNetwork:
        """Return the network for draws that are to be repeatable: in float32, unless somebody named a format."""
        return self.computing_in("float32") if self.choice else self

    @property
    def is_of_bert(self) -> bool:
        """Return whether this is a network of BERT's build that is to answer on the processor."""
        return self._quick is not None

    @cached_property
    def _quick(self) -> tuple[Parameters, Pieces] | None:
        """Return weights and tokenizer of a network of BERT's build that is to answer on the processor."""
        if self.number_format == "bfloat16" or not on_processor(self.device):
            return None
        if self.source is not None:
            return self.source.parameters() if isinstance(self.source, BertSource) else None
        parameters, pieces = read_parameters(self._folder), read_pieces(self._folder)
        if parameters is None or pieces is None:
            return None
        if not parameters.has_head:
            raise ConfigurationError(
                f"The model in {self._folder} lacks weights that prediction needs; give a model with a masked "
                "language-model head."
            )
        return parameters, pieces

    @cached_property
    def _placed(self) -> Answering:
        if self._quick is not None:
            return OnnxNetwork("cpu", self.number_format, self._quick[0])
        if self.number_format == "int8":
            raise ConfigurationError(
                "int8 is for networks of BERT's build on the processor; use another number format."
            )
        return placed(self._loaded[0], self.device, self.number_format, self._reading.padding)

    @cached_property
    def _reading(self) -> Pieces:
        return self._quick[1] if self._quick is not None else Pieces.of_transformers(self._loaded[1])

    @property
    def _tokenizer(self) -> Any:
        return self._reading.tokenizer

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
        listed = whole_words(self._tokenizer, set(self._reading.special))
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
        return self._placed.vectors(self.word_pieces)

    @cached_property
    def window(self) -> int:
        """Return the most pieces that the parts of a question may have together."""
        most = self._placed.positions
        most = min(most, self.limit or most)
        left = most - sum(map(len, self._frame))
        if left <= _MOST_OF_A_UNIT:  # a unit of the context and its mask
            raise ConfigurationError(
                f"The window of {most} pieces is too small to rewrite in; use one of at least 32."
            )
        return left

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
                refused = self._reading.marks
                for unit, encoding in zip(new, read, strict=True):
                    known[unit] = _shortened([piece for piece in encoding.ids if piece not in refused])
            return [known[unit] for unit in units]

    @property
    def rows(self) -> int:
        """Return how many questions are worth asking at once: a GPU has room for more."""
        return _ROWS.get(self._placed.device, _ROWS_ELSEWHERE)

    def scores(self, questions: Sequence[Cloze]) -> NDArray[np.floating[Any]]:
        """Return logits of the candidate words at the masks, shape (masks, V), float32."""
        return np.concatenate(self._answers(questions, in_place=False))

    def scores_in_place(self, questions: Sequence[Cloze]) -> AnyScores:
        """Return the same logits; if a GPU computed them, they stay there."""
        if not self._placed.stays:
            return self.scores(questions)
        return DeviceScores.joined(self._answers(questions, in_place=True))

    @property
    def steady(self) -> bool:
        """Return whether a question has the same scores to the last bit whatever is asked beside it.

        True of bfloat16: rows share a batch only in a shape that passed :mod:`sfumato.models.masked.answering`, and
        else each has one of its own. In finer formats they share batches of any shape, and a score moves a little.
        """
        return self.number_format == "bfloat16"

    @property
    def mixes(self) -> bool:
        """Return whether a row was found to show in the answers of another, so that rows got batches of their own."""
        return not all(self._placed.steady.values())

    def _answers(self, questions: Sequence[Cloze], in_place: bool) -> list[Any]:
        """Return what the network answers to each question."""
        rows = [self._row(question) for question in questions]
        with self._turn:
            return Batches(self._placed, self.word_pieces, self._reading.padding, in_place).answers(rows)

    @property
    def where(self) -> str:
        """Return what the scores depend on beside the model: the device; in int8, what its processor can do."""
        device = str(self._placed.device)
        return (
            f"{device} {' '.join(sorted(devices.processor_features()))}" if self.number_format == "int8" else device
        )

    def _row(self, question: Cloze) -> Row:
        opening, between, closing = self._frame if question.context else self._single
        start = [*opening, *question.context, *between]
        mask = self._reading.mask
        pieces = [*start, *(mask if piece == MASKED else piece for piece in question.copy), *closing]
        masks = [len(start) + position for position, piece in enumerate(question.copy) if piece == MASKED]
        return Row(pieces, len(start) if question.context else len(pieces), masks)


def _shortened(pieces: list[int]) -> list[int]:
    half = _MOST_OF_A_UNIT // 2
    return pieces if len(pieces) <= _MOST_OF_A_UNIT else pieces[:half] + pieces[-half:]
