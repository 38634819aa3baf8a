"""Paths to the values of a JSON record: ``note``, ``patient.note``, ``messages[].content``, ``"a key.with dots".x``.

A dot goes into an object and ``[]`` to every element of a list. A key that holds a dot, a bracket or a quotation mark
is written in quotation marks, as JSON writes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from sfumato.errors import ConfigurationError
from sfumato.files.json_text import Part, elements, members, scan_object
from sfumato.files.options import EVERY, FileOptions, no_field_to_keep
from sfumato.files.reading import InputFile
from sfumato.files.source import (
    RecordError,
    usual_or_near,
)

Steps = tuple[str | None, ...]
"""The keys on the way to a value; None stands for every element of a list."""

Tree = dict[str | None, "Tree"]
"""What is kept below each key (or None, an element); nothing below it means all."""

MISSING: Final = object()
"""The value at a place that does not exist."""

_STEP = re.compile(r'([^."\[\]]+)|("(?:[^"\\]|\\.)*")')


class Place(NamedTuple):
    """A value that a path leads to: how the place is called, where the value is in the line, and the value.

    ``value`` is None also where something on the way is null, and MISSING where a key is not there.
    """

    name: str
    start: int
    end: int
    value: Any


def parsed(path: str) -> Steps:
    """Return the steps of ``path``. Raises ConfigurationError where it is not a path."""
    steps: list[str | None] = []
    index = 0
    while True:
        step = _STEP.match(path, index)
        key = None if step is None else _unquoted(step)
        if step is None or key is None:
            break
        steps.append(key)
        index = step.end()
        while path.startswith(EVERY, index):
            steps.append(None)
            index += len(EVERY)
        if index == len(path):
            return tuple(steps)
        if path[index] != ".":
            break
        index += 1
    raise ConfigurationError(
        f"The field {path!r} is not a path: write it as note, patient.note or messages[].content, and a key that "
        'holds a dot or a bracket in quotation marks, "a.b".'
    )


def places(line: str, part: Part, steps: Sequence[str | None], name: str) -> Iterator[Place]:
    """Yield each value that ``steps`` lead to from the value ``part``, which is called ``name``.

    Raises RecordError where something on the way is neither null nor what the next step needs, or given twice.
    """
    if not steps or part.value is None:
        yield Place(name, part.start, part.end, part.value)
        return
    key, rest = steps[0], steps[1:]
    if key is None:
        if not isinstance(part.value, list):
            raise RecordError(f"{name!r} is not a list")
        for number, element in enumerate(elements(line, part.start)):
            yield from places(line, element, rest, f"{name}[{number}]")
        return
    if not isinstance(part.value, dict):
        raise RecordError(f"{name!r} is not an object")
    inner = f"{name}.{written(key)}"
    there = [member for member in members(line, part.start) if member.key == key]
    if len(there) > 1:
        raise RecordError(f"the field {inner!r} is given twice")
    if there:
        yield from places(line, there[0], rest, inner)
    else:
        yield Place(inner, -1, -1, MISSING)


def tree(paths: Iterable[Steps]) -> Tree:
    """Return what is kept if these ``paths`` are: of two, one inside the other, the outer."""
    root: Tree = {}
    whole: set[Steps] = set(paths)
    for path in whole:
        if any(path[:length] in whole for length in range(1, len(path))):
            continue
        node = root
        for key in path:
            node = node.setdefault(key, {})
    return root


def pruned(line: str, part: Part, kept: Tree) -> str | None:
    """Return what is ``kept`` of the value ``part``, each piece as it is written; None where that is nothing."""
    if not kept or part.value is None:
        return line[part.start : part.end]
    if isinstance(part.value, list) and None in kept:
        every = (pruned(line, element, kept[None]) for element in elements(line, part.start))
        return f"[{', '.join('null' if text is None else text for text in every)}]"
    if isinstance(part.value, dict) and set(kept) != {None}:
        inner = []
        for member in members(line, part.start):
            value = pruned(line, member, kept[member.key]) if member.key in kept else None
            if value is not None:
                inner.append(line[member.opens : member.start] + value)
        return f"{{{', '.join(inner)}}}"
    return None


def without(value: Any, steps: Sequence[str | None]) -> Any:
    """Return ``value`` with None in each place that ``steps`` lead to. It is copied, as far as it differs."""
    if not steps:
        return None
    key, rest = steps[0], steps[1:]
    if key is None:
        return [without(element, rest) for element in value] if isinstance(value, list) else value
    return {**value, key: without(value[key], rest)} if isinstance(value, dict) and key in value else value


def written(key: str) -> str:
    """Return ``key`` as a step of a path."""
    return key if _STEP.fullmatch(key) and not key.startswith('"') else json.dumps(key, ensure_ascii=False)


def _unquoted(step: re.Match[str]) -> str | None:
    """Return the key of a step, or None where its quotation marks hold what JSON cannot."""
    if step[1] is not None:
        return step[1]
    try:
        return str(json.loads(step[2]))
    except ValueError:
        return None


def check_kept(paths: Iterable[Path], options: FileOptions) -> None:
    """Raise ConfigurationError for a field to keep that no record of the files at ``paths`` has.

    Reads until every one was seen, which is the first record if it has them all. The error lists the keys that every
    record has.
    """
    left = {name: parsed(name) for name in options.others_kept or ()}
    every: set[str] | None = None
    records = 0
    for path in paths if left else ():
        with InputFile(path, options.encoding) as file:
            for line in file.lines():
                record = _record(line)
                if record is None:
                    continue
                records += 1
                every = set(record) if every is None else every & record.keys()
                left = {name: steps for name, steps in left.items() if not _leads(record, steps)}
                if not left:
                    return
    if every is not None:
        for name in left:
            raise no_field_to_keep(name, every if records > 1 else set(usual_or_near(name, list(every))))


def _record(line: bytes) -> dict[str, Any] | None:
    """Return the record on ``line``; None if there is none that can be read."""
    try:
        return None if line.isspace() else scan_object(line.decode(), frozenset())[0]
    except (UnicodeDecodeError, RecordError):
        return None


def _leads(value: Any, steps: Steps) -> bool:
    """Return whether ``steps`` lead from ``value`` to something, or to a null on the way."""
    if not steps or value is None:
        return True
    key, rest = steps[0], steps[1:]
    if key is None:
        return isinstance(value, list) and any(_leads(element, rest) for element in value)
    return isinstance(value, dict) and key in value and _leads(value[key], rest)


class JsonFields:
    """Where the texts, the id and the spans of a record are, by the paths that name them."""

    def __init__(self, options: FileOptions) -> None:
        self.texts: dict[str, Steps] = {name: parsed(name) for name in options.fields}
        self.others: dict[str, Steps] = {
            name: parsed(name) for name in (options.id_field, options.spans_field) if name is not None
        }
        every = [*self.texts.values(), *self.others.values()]
        if len(set(every)) < len(every):
            raise ConfigurationError("Two names of fields lead to one value; name each field once.")
        if any(None in steps for steps in self.others.values()):
            raise ConfigurationError("The id and the spans of a record are one value; give a path without [].")
        self.first = frozenset(str(steps[0]) for steps in every)
        plain = options.spans_field is None and len(self.texts) == 1 and all(len(steps) == 1 for steps in every)
        self.plain = str(every[0][0]) if plain else None
        self.plain_id = str(every[1][0]) if plain and len(every) > 1 else None
        kept = None if options.keep is None else [*every, *map(parsed, options.keep)]
        self.kept = None if kept is None else tree(kept)
        self._exchanged = frozenset(str(steps[0]) for steps in every if len(steps) == 1)
        self._inside = [steps for steps in every if len(steps) > 1]

    def only_kept(self, line: str, record: dict[str, Any], end: int) -> tuple[str, dict[str, tuple[int, int]]]:
        """Return the ``line`` of ``record`` with what stays alone, and where the outermost values are in it."""
        assert self.kept is not None  # asked only where not everything stays
        left = pruned(line, Part("", record, 0, 0, end), self.kept)
        text = f"{left}{line[len(line.rstrip()) :]}"
        return text, scan_object(text, self.first)[1]

    def passing(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return the fields of ``record`` that stay as they are; of those with a text inside, everything else."""
        left = {
            key: value
            for key, value in record.items()
            if key not in self._exchanged and (self.kept is None or key in self.kept)
        }
        for steps in self._inside:
            left = without(left, steps)
        return left

    def has_text(self, line: bytes, name: str) -> bool:
        """Whether the record on ``line`` has a text in the field ``name``; not if it cannot be read."""
        try:
            text = line.decode()
            record, ranges, _ = scan_object(text, self.first)
            return any(isinstance(place.value, str) for place in self.places(text, record, ranges, self.texts[name]))
        except (UnicodeDecodeError, RecordError):
            return False

    def places(
        self, line: str, record: dict[str, Any], ranges: dict[str, tuple[int, int]], steps: Steps
    ) -> list[Place]:
        """Return the values that ``steps`` lead to in ``record``, whose outermost values stand at ``ranges``."""
        key = str(steps[0])
        name = written(key)
        if key not in ranges:
            return [Place("", -1, -1, MISSING)]
        start, end = ranges[key]
        return list(places(line, Part(key, record[key], start, start, end), steps[1:], name))
