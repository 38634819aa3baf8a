"""Which fields of a record are written as they were read, and whether one of them shows spans over its text."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from sfumato.errors import InputError

_STARTS = re.compile(r"(start|begin)(_?(offset|position|char|index))?|offset", re.IGNORECASE)
_ENDS = re.compile(r"(end|stop)(_?(offset|position|char|index))?|len(gth)?", re.IGNORECASE)
_CUE = re.compile(r"start|begin|offset|[\[(]\s*(?:['\"][^'\"]*['\"]\s*,\s*)?\d+\s*,\s*\d+", re.IGNORECASE)
_LONG = re.compile(r"\d{1000,}")
_SPANS = {"start": 0, "end": 1}
_PLAIN = (int, float, bool, type(None))
_BLANKS = "".join(filter(str.isspace, map(chr, range(0x3001)))) + "\u180e\u200b\u2060\ufeff"
OPENS = frozenset(f"[{{{_BLANKS}")
"""What a list or an object may open with in a text, blanks and marks of no width before it included."""
_FEW = 64
_NAME = re.compile(r"[a-z][A-Za-z0-9_-]{0,39}")


@dataclass(slots=True)
class KeptFields:
    """What passes of the records of a chunk: how many have each field, and the first that shows spans.

    ``spans`` is the number of a record and the name of its field. A field that is named to stay is never looked into.
    """

    names: dict[str, int] = field(default_factory=dict)
    spans: tuple[int, str] | None = None

    def note(
        self, record: int, fields: Mapping[str, Any], length: int, named: bool, partly: Collection[str] = ()
    ) -> None:
        """Note the ``fields`` that pass of a record with ``length`` characters of text; ``named``: to stay.

        Those that hold a text inside pass ``partly``.
        """
        names = self.names
        for name in fields:
            shown = f"{name} (except what is sanitized)" if name in partly else name
            names[shown] = names.get(shown, 0) + 1
        if not named:
            self._look(fields, record, length)

    def note_all(
        self, first: int, records: Sequence[Mapping[str, Any]], lengths: Sequence[int], leaving: Collection[str]
    ) -> None:
        """Note the fields of all ``records`` but those ``leaving``; the texts of each have so many characters.

        The first of them is record ``first``. No field was named to stay.
        """
        counts = Counter(chain.from_iterable(records))
        for name, count in counts.items():
            if name not in leaving:
                self.names[name] = self.names.get(name, 0) + count
        others = [name for name in counts if name not in leaving]
        few = len(others) <= _FEW  # otherwise keys are values, and there are as many as records
        if self.spans is None and not (few and all(_are_plain(name, records) for name in others)):
            for record, (fields, length) in enumerate(zip(records, lengths, strict=True), first):
                self._look({name: fields[name] for name in fields if name not in leaving}, record, length)

    def _look(self, fields: Mapping[str, Any], record: int, length: int) -> None:
        """Note the first of the ``fields`` that shows spans, unless one was noted before."""
        for name, value in fields.items():
            if self.spans is not None:
                return
            if type(value) in _PLAIN or (type(value) is str and value[:1] not in OPENS):
                continue  # most values: the costly look is not needed
            if shows_spans(value, length):
                self.spans = (record, name)


def _are_plain(name: str, records: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether no value of the field ``name`` is anything but a number, a truth value or null."""
    return set(_PLAIN).issuperset(type(fields.get(name)) for fields in records)


def passing_spans(where: str, name: str) -> InputError:
    """Return the error for a field with spans that would pass. A key may be a name: only a plain one is quoted."""
    shown = f"the field {name!r}" if _NAME.fullmatch(name) else "a field whose name is not repeated here"
    return InputError(
        f"{where}: {shown} would pass unchanged and looks like spans over a text, which show where each name was and "
        "how long; name the fields that stay with --keep-field, and this one only if others may see "
        "it."
    )


def shows_spans(value: Any, length: int) -> bool:
    """Return whether ``value``, or something in it, is shaped like spans over a text of ``length`` characters.

    A span is a mapping with whole numbers as start and end (or length), or a row such as [start, end, label]. Without
    a label, every row of a list must lie inside the text. A string is looked into if it is a list or a mapping, as
    JSON or as Python writes it.
    """
    left = [value]
    while left:
        value = left.pop()
        if isinstance(value, bytes):
            value = value.decode(errors="replace")
        if isinstance(value, str):
            text = value.strip(_BLANKS)
            if text[:1] in ("[", "{") and _CUE.search(text):
                left.append(_read(text))
        elif isinstance(value, Mapping):
            if _is_mapped(value):
                return True
            left.extend(value.values())
        elif isinstance(value, list | tuple):
            if any(map(_is_row, value)) or (value and all(_is_pair(item, length) for item in value)):
                return True
            left.extend(item for item in value if not isinstance(item, int | float))
    return False


def _read(text: str) -> Any:
    """Return the list or mapping that ``text`` is; spans if it is too deep to look into, None if it is neither."""
    text = _LONG.sub("9", text)  # a number that Python would not read, and no offset either
    try:
        return json.loads(text)
    except RecursionError:
        return _SPANS
    except ValueError:
        pass
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they would quote the text
        try:
            return ast.literal_eval(text)
        except (MemoryError, RecursionError):
            return _SPANS
        except SyntaxError as error:
            return _SPANS if "too many nested" in str(error.msg) else None
        except (ValueError, TypeError):
            return None


def _is_mapped(value: Mapping[Any, Any]) -> bool:
    """Return whether ``value`` has a start and an end: two whole numbers, or a list of them each."""
    keys = [key for key, inner in value.items() if isinstance(key, str) and (_is_whole(inner) or _are_whole(inner))]
    return any(map(_STARTS.fullmatch, keys)) and any(map(_ENDS.fullmatch, keys))


def _is_row(item: Any) -> bool:
    """Return whether ``item`` is two whole numbers in order and a label, wherever the label is."""
    if not isinstance(item, list | tuple) or len(item) != 3:
        return False
    edges = [value for value in item if _is_whole(value)]
    return len(edges) == 2 and edges[0] < edges[1] and any(isinstance(value, str) for value in item)


def _is_pair(item: Any, length: int) -> bool:
    whole = isinstance(item, list | tuple) and len(item) == 2 and all(map(_is_whole, item))
    return whole and 0 <= item[0] < item[1] <= length


def _is_whole(value: Any) -> bool:
    if isinstance(value, float):
        return value.is_integer()
    return isinstance(value, int) and not isinstance(value, bool)


def _are_whole(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and bool(value) and all(map(_is_whole, value))
