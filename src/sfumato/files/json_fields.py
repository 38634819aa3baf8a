"""Where the texts, the id and the spans of a JSON record are."""

from __future__ import annotations

from typing import Any

from sfumato.errors import ConfigurationError
from sfumato.files import json_paths
from sfumato.files.json_paths import MISSING, Place, Steps
from sfumato.files.json_text import Part, scan_object
from sfumato.files.options import FileOptions
from sfumato.files.source import (
    RecordError,
)


class JsonFields:
    """Where the texts, the id and the spans of a record are, by the paths that name them."""

    def __init__(self, options: FileOptions) -> None:
        self.texts: dict[str, Steps] = {name: json_paths.parsed(name) for name in options.fields}
        self.others: dict[str, Steps] = {
            name: json_paths.parsed(name) for name in (options.id_field, options.spans_field) if name is not None
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
        kept = None if options.keep is None else [*every, *map(json_paths.parsed, options.keep)]
        self.kept = None if kept is None else json_paths.tree(kept)
        self._exchanged = frozenset(str(steps[0]) for steps in every if len(steps) == 1)
        self._inside = [steps for steps in every if len(steps) > 1]

    def only_kept(self, line: str, record: dict[str, Any], end: int) -> tuple[str, dict[str, tuple[int, int]]]:
        """Return the ``line`` of ``record`` with what stays alone, and where the outermost values are in it."""
        assert self.kept is not None  # asked only where not everything stays
        left = json_paths.pruned(line, Part("", record, 0, 0, end), self.kept)
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
            left = json_paths.without(left, steps)
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
        name = json_paths.written(key)
        if key not in ranges:
            return [Place("", -1, -1, MISSING)]
        start, end = ranges[key]
        return list(json_paths.places(line, Part(key, record[key], start, start, end), steps[1:], name))
