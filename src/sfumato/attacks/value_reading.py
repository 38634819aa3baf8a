"""A reader that learns which words of a text are the value of a field, and finds such values in other texts.

It is a logistic regression over each word, its form, and the two words on both sides, with labels for the first and
the further words of a value: the classical recogniser of entities without a network, trained in seconds. It measures
what a release is worth to somebody who extracts from it; it is no attacker.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import numpy as np

from sfumato.attacks.attribute_inference import needs_sklearn

Value = tuple[str, ...]
"""The words and signs of a value, without case."""
_UNIT = re.compile(r"\w+|[^\w\s]")
_COLUMNS = 1 << 15  # more take a fit longer, and change F1 by less than its interval
_OUTSIDE, _FIRST, _FURTHER = range(3)


def units(text: str) -> Value:
    """Return the words and signs of ``text``, without case."""
    return tuple(unit.casefold() for unit in _UNIT.findall(text))


def occurring(values: Collection[Value], text: str) -> frozenset[Value]:
    """Return those of ``values`` whose words ``text`` holds in a row."""
    words = units(text)
    return frozenset(value for value in values if value and next(_places(value, words), None) is not None)


def _places(value: Value, words: Value) -> Iterator[int]:
    """Yield where ``value`` begins among ``words``."""
    for start in range(len(words) - len(value) + 1):
        if words[start : start + len(value)] == value:
            yield start


def taught_values(
    texts: Sequence[str], values: Sequence[Collection[Value]]
) -> Callable[[Sequence[str]], list[frozenset[Value]]]:
    """Return a function from texts to the values in them, learned from ``texts`` that hold ``values``.

    Longer values are marked first. Where no text holds one there is nothing to learn, and nothing is ever found.
    Raise :class:`~sfumato.errors.MissingExtraError` without scikit-learn.
    """
    needs_sklearn()
    from sklearn.linear_model import LogisticRegression

    marks = [_marks(units(text), own) for text, own in zip(texts, values, strict=True)]
    labels = np.array([mark for own in marks for mark in own], dtype=np.int64)
    if not labels.any():
        return lambda asked: [frozenset() for _ in asked]
    model = LogisticRegression(C=10.0, max_iter=300, tol=1e-3).fit(_rows(texts), labels)

    def read(asked: Sequence[str]) -> list[frozenset[Value]]:
        lengths = [len(units(text)) for text in asked]
        marked = model.predict(_rows(asked)) if sum(lengths) else np.empty(0, dtype=np.int64)
        own = np.split(marked, np.cumsum(lengths)[:-1]) if lengths else []
        return [_named(units(text), mark.tolist()) for text, mark in zip(asked, own, strict=True)]

    return read


def _marks(words: Value, values: Collection[Value]) -> list[int]:
    marks = [_OUTSIDE] * len(words)
    for value in sorted(values, key=len, reverse=True):
        for start in _places(value, words):
            if value and not any(marks[start : start + len(value)]):
                marks[start : start + len(value)] = [_FIRST, *[_FURTHER] * (len(value) - 1)]
    return marks


def _named(words: Value, marks: Sequence[int]) -> frozenset[Value]:
    """Return the values that ``marks`` name; one may begin with a word that is marked as a further one."""
    values, own = list[Value](), list[str]()
    for word, mark in zip((*words, ""), (*marks, _OUTSIDE), strict=True):
        if own and mark != _FURTHER:
            values.append(tuple(own))
            own = []
        if mark != _OUTSIDE:
            own.append(word)
    return frozenset(values)


def _rows(texts: Sequence[str]) -> Any:
    """Return the features of every word of ``texts``, a row each, by hash."""
    from sklearn.feature_extraction import FeatureHasher

    features = (
        _features(forms, place) for text in texts for forms in [_UNIT.findall(text)] for place in range(len(forms))
    )
    return FeatureHasher(_COLUMNS, input_type="string", alternate_sign=False).transform(features)


def _features(forms: Sequence[str], place: int) -> list[str]:
    own = forms[place].casefold()
    named = [f"word {own}", f"start {own[:3]}", f"end {own[-3:]}", f"form {_form(forms[place])}", "every"]
    for step in (-2, -1, 1, 2):
        near = forms[place + step] if 0 <= place + step < len(forms) else ""
        named += [f"{step} {near.casefold()}", f"{step} form {_form(near)}"]
    return named


def _form(word: str) -> str:
    """Return how ``word`` is written: letters, capitals, digits or a sign, each once in a row."""
    kinds = ("9" if sign.isdigit() else "A" if sign.isupper() else "a" if sign.isalpha() else sign for sign in word)
    return re.sub(r"(.)\1+", r"\1", "".join(kinds))
