"""A segment of HL7 v2: its fields as repetitions of components of parts, and its line again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sfumato.documents.health.hl7_text import Leaf, Marks

Parts = list[list[Leaf]]
"""The components of a field, each with its parts."""
HEADERS = frozenset({"MSH", "FHS", "BHS"})


@dataclass(slots=True)
class Segment:
    """A segment: its name, and its fields as repetitions of components of parts. PRIVATE."""

    name: str
    fields: list[list[Parts]] = field(repr=False)
    place: str = ""

    @classmethod
    def of(cls, line: str, marks: Marks) -> Segment:
        """Return the segment of a ``line``."""
        name, *texts = line.split(marks.of_fields)
        fields = [
            [
                [
                    [Leaf(part) for part in component.split(marks.of_parts)]
                    for component in each.split(marks.of_components)
                ]
                for each in text.split(marks.of_repetitions)
            ]
            for text in texts
        ]
        if name in HEADERS and fields:
            fields[0] = [[[Leaf(texts[0])]]]
        return cls(name, fields)

    def line(self, marks: Marks) -> str:
        """Return its line."""
        if not self.name:
            return self.fields[0][0][0][0].raw
        texts = [
            marks.of_repetitions.join(
                marks.of_components.join(marks.of_parts.join(leaf.raw for leaf in parts) for parts in each)
                for each in repetitions
            )
            for repetitions in self.fields
        ]
        return marks.of_fields.join([self.name, *texts])

    def numbered(self) -> Iterator[tuple[int, list[Parts]]]:
        """Yield its fields with their numbers, but not the separators of a header."""
        first = 2 if self.name in HEADERS else 1
        for number, repetitions in enumerate(self.fields, first):
            if not (self.name in HEADERS and number == 2):
                yield number, repetitions

    def leaves(self) -> list[Leaf]:
        """Return the leaves of its fields."""
        return [leaf for _, repetitions in self.numbered() for leaf in leaves_of(repetitions)]

    def raw(self, number: int, component: int = 1) -> str:
        """Return the first part of a field, or of a component of it; "" if it has none."""
        index = number - (2 if self.name in HEADERS else 1)
        if not 0 <= index < len(self.fields) or len(self.fields[index][0]) < component:
            return ""
        return self.fields[index][0][component - 1][0].raw


def leaves_of(repetitions: Sequence[Parts]) -> list[Leaf]:
    """Return all leaves of a field."""
    return [leaf for parts in repetitions for component in parts for leaf in component]
