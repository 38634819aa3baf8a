"""The segments of a message of HL7 v2: each field is yielded, numbered, left out, or of a type that holds codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sfumato.documents.health.hl7_fields import TEXT, Kind, field_kind, type_kind
from sfumato.documents.health.hl7_segments import Parts, Segment, leaves_of
from sfumato.documents.health.hl7_text import Leaf
from sfumato.documents.health.hl7_values import Texts, Values
from sfumato.documents.health.ids import numbered
from sfumato.documents.rules import KEEP

_CONTROL = {"MSH": {10}, "MSA": {2}, "FHS": {11, 12}, "BHS": {11, 12}}
_LINES = {"OBX": 5, "NTE": 3}
_OF_LINES = frozenset({"TX", "FT", "ST"})


@dataclass(slots=True)
class Message(Values):
    """The walk over the segments of one message, which writes edits into them."""

    version: str = ""
    done: set[int] = field(default_factory=set)

    def segment(self, segments: Sequence[Segment], index: int) -> Texts:
        """Walk over a segment, and over the lines of text that follow and belong to it."""
        segment = segments[index]
        if not segment.name:
            yield from self.text(leaves_of(segment.fields[0]), [""], segment.place, "", "")
            return
        for number, repetitions in segment.numbered():
            kind = field_kind(self.version, segment.name, number)
            place, shown = f"{segment.place}, field {number}", f"{segment.name}-{number}"
            if number in _CONTROL.get(segment.name, ()):
                for leaf in leaves_of(repetitions):
                    leaf.raw = numbered(leaf.raw, self.visit.numbers) if leaf.raw else ""
                    self.codes.add(id(leaf))
            elif number == _LINES.get(segment.name) and self._is_lines(segment):
                if id(segment) not in self.done:
                    yield from self._lines(segments, index, place, shown)
            elif segment.name == "MSH" and number == 18:
                self.codes |= {id(leaf) for leaf in leaves_of(repetitions)}  # its characters, by which it was read
            elif kind is None:
                yield from self._unknown(repetitions, place, shown)
            else:
                lead = kind.lead
                if kind.type.lower() == "varies":
                    kind, lead = self._varying(segment)
                for count, parts in enumerate(repetitions, 1):
                    each = f"{place}, repetition {count}" if len(repetitions) > 1 else place
                    yield from self.parts(parts, kind, each, shown, lead or kind.lead)

    def _varying(self, segment: Segment) -> tuple[Kind, str]:
        name = segment.raw(2) if segment.name == "OBX" else ""
        term = segment.raw(3, 2) or segment.raw(3) if segment.name == "OBX" else ""
        return type_kind(self.version, name) or TEXT, f"{Leaf(term).shown(self.marks)}: " if term else ""

    def _is_lines(self, segment: Segment) -> bool:
        return segment.name == "NTE" or segment.raw(2) in _OF_LINES

    def _lines(self, segments: Sequence[Segment], index: int, place: str, shown: str) -> Texts:
        """Yield the text of this segment and of those after it that continue it, as one."""
        first, leaves, gaps = segments[index], list[Leaf](), list[str]()
        same = [(each.raw(2), each.raw(3), each.raw(4)) for each in segments[index : index + 1]]
        for segment in segments[index:]:
            is_same = segment.name == "NTE" or (segment.raw(2), segment.raw(3), segment.raw(4)) == same[0]
            if segment.name != first.name or not is_same or not self._is_lines(segment):
                break
            self.done.add(id(segment))
            number = _LINES[segment.name] - 1
            for repetition in segment.fields[number] if number < len(segment.fields) else ():
                inner = [leaf for parts in repetition for leaf in parts]
                leaves += inner
                gaps += ["\n", *[" "] * (len(inner) - 1)]
        lead = self._varying(first)[1] if first.name == "OBX" else ""
        yield from self.text(leaves, gaps, place, shown, lead)

    def _unknown(self, repetitions: list[Parts], place: str, shown: str) -> Texts:
        leaves = leaves_of(repetitions)
        if any(leaf.raw for leaf in leaves) and self.visit.rule("unknown", place) != KEEP:
            for leaf in leaves:
                leaf.raw = ""
        yield from self.text(leaves, [" "] * len(leaves), place, shown, "")
