"""The truth about each record: the values of a field as labels or numbers, and what cannot be a value."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ConfigurationError
from sfumato.evaluation.pairs import Pairs
from sfumato.types import IntArray

Kind = Literal["labels", "numbers"]
_MOST_LABELS = 10  # of a field that holds numbers only: more are a quantity
_FEWEST = 2  # records of a label, without which it cannot be learned from one and guessed for another
_FEWEST_NUMBERS = 3


class KnownLabels(NamedTuple):
    """The records with a known value: their indices, and a label by number, or a number, for each."""

    indices: IntArray
    values: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Labels:
    """A field of the records: ``before`` in the originals, ``after`` in the released records (None: no value).

    ``names`` are the labels of both, sorted; empty for numbers.
    """

    field: str
    numeric: bool
    before: Sequence[str | None]
    after: Sequence[str | None]
    names: Sequence[str] = ()

    def known(self, indices: IntArray, released: bool = False) -> KnownLabels:
        """Return what can be learned and guessed of the originals (or released records) at ``indices``.

        Records that lack the field are left out, and so are labels of one record only. Raise ConfigurationError if
        nothing is left to infer.
        """
        texts = self.after if released else self.before
        known = [int(index) for index in indices if texts[index] is not None]
        return self._numbers(texts, known) if self.numeric else self._labels(texts, known)

    def _numbers(self, texts: Sequence[str | None], known: Sequence[int]) -> KnownLabels:
        numbers = np.array([_number(texts[index]) for index in known], dtype=np.float64)
        finite = np.isfinite(numbers)
        if len(np.unique(numbers[finite])) < 2 or finite.sum() < _FEWEST_NUMBERS:
            raise ConfigurationError("All records have the same number, so that there is nothing to infer.")
        return KnownLabels(np.array(known, dtype=np.int64)[finite], numbers[finite])

    def _labels(self, texts: Sequence[str | None], known: Sequence[int]) -> KnownLabels:
        counts = Counter(texts[index] for index in known)
        kept = [index for index in known if counts[texts[index]] >= _FEWEST]
        if len(counts) < 2:
            raise ConfigurationError("All records have the same label, so that there is nothing to infer.")
        if len({texts[index] for index in kept}) < 2:
            raise ConfigurationError("Fewer than two labels belong to more than one record; join labels.")
        number_of = {name: number for number, name in enumerate(self.names)}
        return KnownLabels(np.array(kept, dtype=np.int64), np.array([number_of[str(texts[index])] for index in kept]))

    def notes(self) -> list[str]:
        """Return what is left out of the originals, in a sentence each."""
        labels = Counter(value for value in self.before if value is not None and not self.numeric)
        counts = {
            "no value there": self.before.count(None),
            "an infinite number there": sum(math.isinf(_number(value)) for value in self.before if self.numeric),
            "a label that no other original has": sum(count < _FEWEST for count in labels.values()),
        }
        return [f"{count} originals have {what}" for what, count in counts.items() if count]


def inferable(field: str, pairs: Pairs, kind: Kind | None = None) -> Labels:
    """Return the field ``field`` of the records of ``pairs``. Raise ConfigurationError if nothing can be inferred."""
    labels = labels_of(field, pairs, kind)
    labels.known(np.arange(len(pairs)))
    return labels


def labels_of(field: str, pairs: Pairs, kind: Kind | None = None) -> Labels:
    """Return the field ``field`` of the records of ``pairs``.

    Values are numbers if all are and more than ten differ, unless ``kind`` says otherwise. Raise ConfigurationError
    for a field that no original has, and for values that are neither labels nor numbers.
    """
    before, after = ([_plain(field, value) for value in values]
                     for values in (pairs.values(field), pairs.candidate_values(field)))  # fmt: skip
    known = [value for value in before if value is not None]
    if not known:
        raise ConfigurationError(f"No record of the original has a value in the field {field!r}; name another field.")
    numbers = [_number(value) for value in known]
    if kind not in (None, *get_args(Kind)):
        raise ConfigurationError(f"The field {field!r} holds labels or numbers, not {kind!r}.")
    if kind == "numbers" and any(map(math.isnan, numbers)):
        raise ConfigurationError(f"The field {field!r} holds values that are not numbers; take it as labels.")
    if kind == "numbers" or (kind is None and not any(map(math.isnan, numbers)) and len(set(numbers)) > _MOST_LABELS):
        return Labels(field, True, before, after)
    names = sorted({*known, *(value for value in after if value is not None)})
    return Labels(field, False, before, after, names)


def _plain(field: str, value: Any) -> str | None:
    """Return ``value`` in one spelling for every file format; None for null, an empty text and NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, list | tuple | dict | set | bytes):
        raise ConfigurationError(f"The field {field!r} holds lists or objects; a label is one text or number.")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # a column of whole numbers with gaps is often stored so
    text = str(value).strip()
    return None if not text or text.casefold() == "nan" else text


def _number(text: str | None) -> float:
    """Return ``text`` as a number; NaN if it is not a number."""
    try:
        return float(text or "nan")
    except ValueError:
        return math.nan
