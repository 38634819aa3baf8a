"""Extraction as a task of the attribute study: how well a field's values are found in the texts, after a release.

A reader learns from texts that hold the field's values, and names the values of texts that it has not seen. It
learns from originals and from the release, and reads originals; after originals it reads the release as well. Named
values are compared as whole values: F1 over all of them, with an interval over records. What is lost by learning from
the release in place of the originals is a difference record by record, in F1 (a point is 0.01).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sfumato.attacks.attribute_inference import BEFORE, STATIC, TRANSFERRED, parts
from sfumato.attacks.value_reading import Value, occurring, taught_values, units
from sfumato.evaluation.pairs import Pairs, drawn
from sfumato.evaluation.results import Figure, Setting, Skipped
from sfumato.metrics.estimates import Resampled, less, of_statistic
from sfumato.types import FloatArray, Progress, in_batches

EXTRACTED, LOST = "F1 of extracted values", "lost by learning from the release"
_FOLDS, _FEWEST = 5, 5
Named = frozenset[Value]
"""The values of one text."""


@dataclass(frozen=True)
class Side:
    """Texts, and of the field's values those that each holds."""

    texts: Sequence[str]
    values: Sequence[Named]

    def of(self, indices: Sequence[int]) -> Side:
        """Return the texts at ``indices``."""
        return Side([self.texts[index] for index in indices], [self.values[index] for index in indices])

    def reader(self) -> Callable[[Sequence[str]], list[Named]]:
        """Return a reader that learned from these texts."""
        return taught_values(self.texts, self.values)


def is_extraction(field: str, pairs: Pairs) -> bool:
    """Return whether the values of ``field`` are to be found in the texts, rather than told of them.

    They are if some are lists of texts; else if most are in their record's text, and most differ.
    """
    given = [value for value in pairs.values(field) if value is not None]
    if any(isinstance(value, list | tuple | np.ndarray) for value in given):
        return all(_listed(value) is not None for value in given)
    if not given or not all(isinstance(value, str) for value in given):
        return False
    if 2 * len({units(value) for value in given}) <= len(given):
        return False  # few values: no text has to be read
    texts = zip(pairs.originals, pairs.values(field), strict=True)
    return 2 * sum(bool(occurring(_values(value), text)) for text, value in texts if value is not None) > len(given)


def extraction(
    field: str, pairs: Pairs, sampled: int, seed: int, progress: Progress | None = None
) -> tuple[list[Figure], list[Skipped]]:
    """Return the figures of extracting ``field``, and what was left out, in a sentence each."""
    index = drawn(len(pairs), sampled, seed)
    before = _side([pairs.originals[i] for i in index], [pairs.values(field)[i] for i in index])
    skipped = list(_left_out(field, [pairs.values(field)[i] for i in index], before))
    if sum(map(bool, before.values)) < _FEWEST:
        why = f"fewer than {_FEWEST} originals have a value of the field {field!r} that their text holds"
        return [], [*skipped, Skipped(f"extraction of {field}", why)]
    texts, owners = pairs.candidates
    released = _side(texts, pairs.candidate_values(field))
    if pairs.linkable:
        number_of = {owner: number for number, owner in enumerate(owners)}
        every = Side([*texts, ""], [*released.values, frozenset()])  # the last is of an original without a release
        after = every.of([number_of.get(i, len(texts)) for i in index])
    else:
        after = released.of(drawn(len(texts), sampled, seed))
    if not any(after.values):
        skipped.append(
            Skipped(f"extraction of {field} after the release", "no released text holds a value of its own record")
        )
    named = _named(before, after, pairs.linkable, seed, progress)
    return list(_figures(field, before, after, named, pairs.linkable, seed)), skipped


def _named(before: Side, after: Side, linkable: bool, seed: int, progress: Progress | None) -> dict[str, list[Named]]:
    """Return what each reader finds, text by text.

    Where records are linked, no text is read by a reader that learned from its record.
    """
    named: dict[str, list[Named]] = {BEFORE: [frozenset()] * len(before.texts)}
    if any(after.values):
        named |= {TRANSFERRED: [frozenset()] * len(before.texts), STATIC: [frozenset()] * len(after.texts)}
    folds = parts(np.zeros(len(before.texts), dtype=np.int64), False, _FOLDS, seed)
    for [(train, test)] in in_batches(folds, 1, progress):
        reader = before.of(train.tolist()).reader()
        _put(named[BEFORE], test, reader([before.texts[i] for i in test]))
        if TRANSFERRED not in named:
            continue
        if linkable:
            _put(named[STATIC], test, reader([after.texts[i] for i in test]))
        teachers = after.of(train.tolist()) if linkable else after
        _put(named[TRANSFERRED], test, teachers.reader()([before.texts[i] for i in test]))
    if STATIC in named and not linkable:
        named[STATIC] = before.reader()(after.texts)
    return named


def _put(rows: list[Named], indices: Any, own: Sequence[Named]) -> None:
    for index, values in zip(indices, own, strict=True):
        rows[int(index)] = values


def _figures(
    field: str, before: Side, after: Side, named: dict[str, list[Named]], linkable: bool, seed: int
) -> Iterator[Figure]:
    scores = dict[str, Resampled]()
    for attacker, own in named.items():
        scores[attacker] = _f1(after.values if attacker == STATIC else before.values, own, seed)
        setting: Setting = {"field": field, "role": "task", "classifier": "values", "attacker": attacker}
        yield Figure(EXTRACTED, scores[attacker].estimate(), setting)
    if TRANSFERRED in scores:
        lost = less(scores[BEFORE], scores[TRANSFERRED])
        yield Figure(LOST, lost.estimate(), {"field": field, "classifier": "values", **records_of(linkable)})


def records_of(linkable: bool) -> Setting:
    """Return the setting that says of a figure that a reader may have learned from copies of what it reads."""
    return {} if linkable else {"records": "apart"}


def _f1(truth: Sequence[Named], named: Sequence[Named], seed: int) -> Resampled:
    """Return 2 · right / (named + true) over all values; 0 where there are neither."""
    right = np.array([len(own & told) for own, told in zip(truth, named, strict=True)], dtype=np.float64)
    either = np.array([len(own) + len(told) for own, told in zip(truth, named, strict=True)], dtype=np.float64)

    def statistic(weights: FloatArray) -> FloatArray:
        total = weights @ either
        return np.asarray(np.divide(2 * (weights @ right), total, out=np.zeros_like(total), where=total > 0))

    return of_statistic(statistic, len(truth), seed)


def _side(texts: Sequence[str], values: Sequence[Any]) -> Side:
    return Side(texts, [occurring(_values(value), text) for text, value in zip(texts, values, strict=True)])


def _values(value: Any) -> list[Value]:
    return [units(text) for text in _listed(value) or () if units(text)]


def _listed(value: Any) -> list[str] | None:
    """Return the texts of a value: one, or a list of them; None if it holds anything else."""
    own = [value] if isinstance(value, str) else list(value) if isinstance(value, list | tuple | np.ndarray) else None
    return own if own is not None and all(isinstance(text, str) for text in own) else None


def _left_out(field: str, values: Sequence[Any], before: Side) -> Iterator[Skipped]:
    """Yield how many values cannot be found in their own original."""
    given = sum(len(_values(value)) for value in values)
    inside = sum(map(len, before.values))
    if inside < given:
        yield Skipped(
            f"extraction of {field} for some values",
            f"{given - inside:,} of {given:,} are not in their record's text, or are given twice",
        )
