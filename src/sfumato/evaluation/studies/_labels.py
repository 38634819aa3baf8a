"""What is true of each record: the values of a field as labels or numbers, and what cannot be one."""

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


class Known(NamedTuple):
    """The records of which something is known: their places, and a label by number, or a number, for each."""

    places: IntArray
    values: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Labels:
    """A field of the records: ``before`` in the originals, ``after`` in the released records (None: it is lacking).

    ``names`` are the labels of both, sorted; empty for numbers.
    """

    field: str
    numeric: bool
    before: Sequence[str | None]
    after: Sequence[str | None]
    names: Sequence[str] = ()

    def known(self, places: IntArray, released: bool = False) -> Known:
        """What can be learned and guessed of the originals (or released records) at ``places``.

        Without records that lack the field, and without labels of one record only. Raises ConfigurationError where
        nothing is left to infer.
        """
        texts = self.after if released else self.before
        there = [int(place) for place in places if texts[place] is not None]
        return self._numbers(texts, there) if self.numeric else self._labels(texts, there)

    def _numbers(self, texts: Sequence[str | None], there: Sequence[int]) -> Known:
        numbers = np.array([_number(texts[place]) for place in there], dtype=np.float64)
        finite = np.isfinite(numbers)
        if len(np.unique(numbers[finite])) < 2 or finite.sum() < _FEWEST_NUMBERS:
            raise ConfigurationError("All records have the same number, so that there is nothing to infer.")
        return Known(np.array(there, dtype=np.int64)[finite], numbers[finite])

    def _labels(self, texts: Sequence[str | None], there: Sequence[int]) -> Known:
        counts = Counter(texts[place] for place in there)
        kept = [place for place in there if counts[texts[place]] >= _FEWEST]
        if len(counts) < 2:
            raise ConfigurationError("All records have the same label, so that there is nothing to infer.")
        if len({texts[place] for place in kept}) < 2:
            raise ConfigurationError("Fewer than two labels belong to more than one record; join labels.")
        at = {name: number for number, name in enumerate(self.names)}
        return Known(np.array(kept, dtype=np.int64), np.array([at[str(texts[place])] for place in kept]))

    def notes(self) -> list[str]:
        """What is left out of the originals, in a sentence each."""
        lacking, found = sum(one is None for one in self.before), []
        if lacking:
            found.append(f"{lacking} originals have no value there")
        endless = sum(math.isinf(_number(one)) for one in self.before) if self.numeric else 0
        if endless:
            found.append(f"{endless} originals have an infinite number there")
        alone = sum(count < _FEWEST for count in Counter(one for one in self.before if one is not None).values())
        if alone and not self.numeric:
            found.append(f"{alone} originals have a label that no other original has")
        return found


def labels_of(field: str, pairs: Pairs, kind: Kind | None = None) -> Labels:
    """The field ``field`` of the records of ``pairs``.

    Numbers only, and more than ten different ones, are numbers, unless ``kind`` says otherwise. Raises
    ConfigurationError for a field that no original has, and for values that are neither labels nor numbers.
    """
    before, after = ([_plain(field, one) for one in found]
                     for found in (pairs.values(field), pairs.candidate_values(field)))  # fmt: skip
    there = [one for one in before if one is not None]
    if not there:
        raise ConfigurationError(f"No record of the original has a value in the field {field!r}; name another field.")
    numbers = [_number(one) for one in there]
    if kind not in (None, *get_args(Kind)):
        raise ConfigurationError(f"The field {field!r} holds labels or numbers, not {kind!r}.")
    if kind == "numbers" and any(map(math.isnan, numbers)):
        raise ConfigurationError(f"The field {field!r} holds values that are no numbers; take it as labels.")
    if kind == "numbers" or (kind is None and not any(map(math.isnan, numbers)) and len(set(numbers)) > _MOST_LABELS):
        return Labels(field, True, before, after)
    names = sorted({*there, *(one for one in after if one is not None)})
    return Labels(field, False, before, after, names)


def _plain(field: str, value: Any) -> str | None:
    """``value`` spelled the same whatever the format of the file; None for none, an empty text and NaN."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, list | tuple | dict | set | bytes):
        raise ConfigurationError(f"The field {field!r} holds lists or objects; a label is one text or number.")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # a column of whole numbers with gaps is often stored so
    text = str(value).strip()
    return None if not text or text.casefold() == "nan" else text


def _number(text: str | None) -> float:
    """``text`` as a number, NaN where it is none."""
    try:
        return float(text or "nan")
    except ValueError:
        return math.nan
