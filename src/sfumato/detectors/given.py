"""Spans from a field of the record itself, as annotators or another tool marked them."""

from __future__ import annotations

import json
import operator
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from sfumato.abstract.detector import Detector
from sfumato.detectors.merging import merged
from sfumato.errors import ConfigurationError, InputError
from sfumato.options.option import DETECT, Option
from sfumato.text.document import Document
from sfumato.text.marks import Span, Spans

_STARTS = ("start", "start_offset", "start_position", "start_char", "begin")
_ENDS = ("end", "end_offset", "end_position", "end_char", "stop")
_LABELS = ("label", "entity_type", "type", "tag")
_KINDS = (*_LABELS, "identifier_type")

SPANS_FIELD = Option("field with given spans (--detect given)", under=DETECT)
SKIP_LABELS = Option("given spans with these labels are not protected", under=DETECT)
MERGE = Option("given spans that overlap become one, instead of an error", under=DETECT)


@dataclass(frozen=True)
class Given(Detector):
    """The spans in ``document.metadata[field]``, half-open offsets in characters.

    A span is a mapping (``start``/``end``/``label``, or a common other name of each) or
    ``[start, end, label]``; the field is a list of them, or such a list as a JSON string. ``label`` is for
    spans without their own. Spans of a kind in ``skip_labels`` (their label, or TAB's ``identifier_type`` as
    "NO_MASK") are not protected. A span that is given twice counts once; other overlaps are refused, or
    united if ``merge`` is set.
    """

    field: Annotated[str, SPANS_FIELD] = "spans"
    label: Annotated[str, Option("label of spans without their own")] = "GIVEN"
    skip_labels: Annotated[Collection[str], SKIP_LABELS] = frozenset()
    merge: Annotated[bool, MERGE] = False

    def __post_init__(self) -> None:
        if isinstance(self.skip_labels, str):
            raise ConfigurationError("skip_labels is a set of labels, not one string.")
        object.__setattr__(self, "skip_labels", frozenset(self.skip_labels))

    @property
    def description(self) -> str:
        """Return what is protected."""
        skipped = f", except for {', '.join(sorted(self.skip_labels))}" if self.skip_labels else ""
        return f"the spans given in the field {self.field!r} of each record{skipped}"

    @property
    def spans_field(self) -> str | None:
        """Return the field."""
        return self.field

    def may_name(self, label: str) -> bool:
        """Return whether ``label`` is that of spans without their own."""
        return label == self.label

    @property
    def unprotected(self) -> str:
        """Return what is left unprotected."""
        return "everything that the given spans do not cover; nothing checks that they cover what identifies"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the given spans of each document. Raise InputError with the document and the number of the span."""
        results: list[Spans] = []
        for document in documents:
            try:
                results.append(self._spans(document))
            except InputError as error:
                error.document = len(results)
                raise
        return results

    def _spans(self, document: Document) -> Spans:
        place = f"field {self.field!r}"
        return self.read(_items(document.metadata, self.field, place), len(document.text), place)

    def read(self, items: Iterable[Any], length: int, place: str) -> Spans:
        """Return the spans that ``items`` give for a text of ``length`` characters.

        Raise InputError, opened by ``place``.
        """
        spans: dict[Span, None] = {}
        for number, item in enumerate(items):
            span, kinds = self._read(item, f"{place}: span {number}")
            if not 0 <= span.start < span.end <= length:
                raise InputError(
                    f"{place}: span {number} ({span.start}, {span.end}) is empty or lies outside the text of "
                    f"{length} characters; correct the offsets (half-open, in characters)."
                )
            if kinds.isdisjoint(self.skip_labels):
                spans[span] = None
        return merged(spans) if self.merge else Spans.checked(list(spans), length, place)

    def _read(self, item: Any, place: str) -> tuple[Span, set[str]]:
        """Return the span and every kind it is marked with."""
        if isinstance(item, Mapping):
            start, end = _value(item, _STARTS, place), _value(item, _ENDS, place)
            label = next((item[key] for key in _LABELS if item.get(key) is not None), self.label)
            kinds = [item[key] for key in _KINDS if item.get(key) is not None]
        elif isinstance(item, Sequence) and not isinstance(item, str | bytes) and len(item) in (2, 3):
            start, end = item[0], item[1]
            label = item[2] if len(item) == 3 and item[2] is not None else self.label
            kinds = [label]
        else:
            raise InputError(f"{place} is neither a mapping with start and end nor [start, end, label].")
        if not isinstance(label, str) or not label or not all(isinstance(kind, str) for kind in kinds):
            raise InputError(f"{place} has a label that is not a word; write it as text.")
        return Span(_offset(start, place), _offset(end, place), label), set(kinds)


def _items(metadata: Mapping[str, Any], field: str, place: str) -> Iterator[Any]:
    """Return the entries of the field, in either form. Raise InputError for anything else."""
    value = metadata.get(field)
    if value is None:
        raise InputError(f"{place} is missing or null; write [] where a text holds nothing to protect.")
    if isinstance(value, str):
        try:
            value = json.loads(value, object_pairs_hook=unique)
        except (ValueError, RecursionError):
            raise InputError(f"{place} is text but not JSON; write a list of spans.") from None
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence):
        raise InputError(f"{place} is not a list of spans.")
    return iter(value)


def _value(item: Mapping[str, Any], names: tuple[str, ...], place: str) -> Any:
    """Return the value under the first of ``names`` that is there.

    Raise InputError if there is none, or if two differ.
    """
    values = [item[name] for name in names if item.get(name) is not None]
    if not values:
        raise InputError(f"{place} has no {names[0]!r} ({', '.join(names)}).")
    if any(type(value) is not type(values[0]) or value != values[0] for value in values):
        raise InputError(f"{place} has two different values for {names[0]!r}; keep one.")
    return values[0]


def _offset(value: Any, place: str) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise InputError(f"{place} has an offset that is not a whole number.") from None


def unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object. Raise ValueError if a key occurs twice: the last would win unseen."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key is there twice")
    return members
