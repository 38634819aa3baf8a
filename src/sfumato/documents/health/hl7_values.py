"""The values of HL7 v2 by their types: names, addresses, terms, dates, files; codes stay."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

from sfumato.documents.health.composed import led
from sfumato.documents.health.hl7_fields import TEXT, Kind
from sfumato.documents.health.hl7_files import attached
from sfumato.documents.health.hl7_moments import read_moment, write_moment
from sfumato.documents.health.hl7_segments import Parts
from sfumato.documents.health.hl7_text import Joined, Leaf, Marks
from sfumato.documents.health.media import Text
from sfumato.documents.rules import KEEP, TREAT, Visit
from sfumato.documents.slot import Slot

Texts = Generator[Slot, None, None]
_NAMES = {"XPN": (4, 1, 2, 0, 3, 5, 13), "XCN": (5, 2, 3, 1, 4, 6, 20)}
_NAMES |= {"PN": _NAMES["XPN"], "PPN": _NAMES["XCN"], "CN": _NAMES["XCN"], "CNN": _NAMES["XCN"]}
_ADDRESSES = frozenset({"XAD", "AD"})
_TELEPHONES = frozenset({"XTN", "TN"})
_TERMS = {"CE": 6, "CWE": 22, "CNE": 22, "CF": 22}
_LED = dict.fromkeys(_NAMES, (99,)) | dict.fromkeys(_TELEPHONES, (0, 11))
_WHOLE = frozenset({"HD", "PL", "SAD", "FN"})
_MOMENTS = frozenset({"DT", "DTM", "TM", "TS"})
_CODE = re.compile(r"[\w.:/+*%\[\]{}()'\"<>=!#|\-]{1,30}")
_USUAL = re.compile(r"(?!.*[A-Z][a-z]{3})(?!.*[A-Z]{6})(?!(?:.*[0-9]){7}).*|Base64|[A-Z]{3}_[A-Z0-9]{3}")
"""A code that can be nobody's name or number: a short one, without a word."""
_OF_DIGITS = re.compile(r"SCT|SNM3?|SNOMED(-CT)?|NDC")
_NUMBER = re.compile(r"[+-]?\d*\.?\d+")
_SHORT = 2
_SYSTEM = re.compile(
    r"LN|SCT|SNM3?|I9(C|CDX|CP)?|I10(C|P|G)?|ICD10(CM|PCS)?|ICDO|UCUM|ISO\+|ANS\+|CVX|MVX|NDC|RXNORM|C4|C5|CPT[M5]?|HCPCS|HPC|"
    r"ATC|WC|DCM|CDCREC|FDDC|FDDX|MEDR|NUCC|HL7[0-9]{1,5}|ISO[0-9]{1,5}|IETF[0-9]{1,5}|IANA|LOINC|SNOMED(-CT)?|GDRG2?"
)
_NULL = '""'
_LABELS = {"MR": "Medical record number: ", "SS": "Social security number: ", "DL": "Driver's license number: "}


@dataclass(slots=True)
class Values:
    """The walk over the values of one record, which writes edits into them."""

    visit: Visit
    record: int
    marks: Marks
    fields: dict[str, str] = field(repr=False)
    codes: set[int] = field(default_factory=set)
    """Which leaves stay as codes of the standard, by their ids."""

    def parts(self, parts: Parts, kind: Kind, place: str, shown: str, lead: str) -> Texts:
        """Walk over a field or a component by its type."""
        leaves = [leaf for component in parts for leaf in component]
        done = set[int]()
        if not any(leaf.raw for leaf in leaves):
            return
        if not kind.inner or (len(parts) == 1 and kind.type in _MOMENTS):
            yield from self._simple(leaves, kind, place, shown, lead)
            return
        if kind.type in _WHOLE:
            lead = "" if "application" in lead else lead
            yield from self.text(leaves, [" "] * len(leaves), place, shown, lead)
            return
        if kind.type == "ED":
            text = self._in_file(shown)
            yield from attached(parts, self.marks, self.visit, text, f"{place}, file", self.record, self.fields)
            done.add(4)
        elif kind.type in _NAMES:
            done |= yield from self._name(parts, _NAMES[kind.type], place, shown, lead)
        elif kind.type in _ADDRESSES:
            done |= yield from self._address(parts, place, shown, lead)
        elif kind.type in _TELEPHONES:
            chosen = [leaf for index in range(4, 8) if index < len(parts) for leaf in parts[index]]
            yield from self.text(chosen, [" "] * len(chosen), f"{place}, number", shown, lead)
            done |= {4, 5, 6, 7}
        elif kind.type in _TERMS:
            done |= self._codes(parts)
        elif kind.type == "RP":
            done |= yield from self._pointer(parts, place, shown)
        if kind.type in ("CX", "CK") and len(parts) > 4:
            lead = _LABELS.get(parts[4][0].raw, lead)
        before = parts[0][0].raw
        for index, component in enumerate(parts):
            if index not in done:
                inner = kind.inner[index] if index < len(kind.inner) else TEXT
                told = lead if index in _LED.get(kind.type, (0,)) else inner.lead
                told = "" if kind.type in _TERMS else told  # of a term, a detector would make somebody's name
                where = f"{place}, component {index + 1}"
                split = [[leaf] for leaf in component] if inner.inner else [component]
                yield from self.parts(split, inner, where, f"{shown}.{index + 1}", told)
        if kind.type in ("CX", "CK") and parts[0][0].raw != before and len(parts) > 1:
            parts[1] = [Leaf("")]  # a check digit of what was replaced

    def _simple(self, leaves: Sequence[Leaf], kind: Kind, place: str, shown: str, lead: str) -> Texts:
        raw = leaves[0].raw
        is_code = kind.type in ("ID", "SI") or (kind.type == "IS" and len(raw) <= _SHORT)
        if len(leaves) == 1 and (raw == _NULL or (is_code and _CODE.fullmatch(raw) and _USUAL.fullmatch(raw))):
            self.codes.add(id(leaves[0]))
            return
        moment = read_moment(raw, kind.type == "TM") if kind.type in _MOMENTS else ""
        if moment:
            slot = Slot(moment, place, self.record, lead, shown, self.fields)
            yield slot
            if slot.edits:
                leaves[0].raw = write_moment(slot.new, raw, kind.type == "TM")
            leaves = leaves[1:]
            place = f"{place}, precision"
        yield from self.text(leaves, [" "] * len(leaves), place, shown, lead)
        if kind.type == "NM" and leaves and leaves[0].raw != raw and not _NUMBER.fullmatch(leaves[0].raw):
            leaves[0].raw = ""

    def _name(
        self, parts: Parts, order: Sequence[int], place: str, shown: str, lead: str
    ) -> Generator[Slot, None, set[int]]:
        chosen = [parts[index][0] for index in order if index < len(parts)]
        family = parts[order[3]][0] if order[3] < len(parts) else None
        yield from self.text(chosen, [" "] * len(chosen), f"{place}, name", shown, lead, family)
        for index in order:
            others = parts[index][1:] if index < len(parts) else []
            yield from self.text(others, [" "] * len(others), f"{place}, component {index + 1}, parts", shown, lead)
        return {*order}

    def _address(self, parts: Parts, place: str, shown: str, lead: str) -> Generator[Slot, None, set[int]]:
        leaves, gaps = list[Leaf](), list[str]()
        for index, component in enumerate(parts[:6]):
            leaves.append(component[0])
            gaps.append(" " if index == 4 else ", ")
        yield from self.text(leaves, gaps, f"{place}, address", shown, lead)
        others = [leaf for component in parts[:6] for leaf in component[1:]]
        yield from self.text(others, [" "] * len(others), f"{place}, parts of the address", shown, lead)
        return {*range(6)}

    def _codes(self, parts: Parts) -> set[int]:
        """Return which components of a term are codes that stay: those of a standard's system, and short ones."""
        raw = [component[0].raw if len(component) == 1 else " " for component in parts] + [""] * 22
        stays = set[int]()
        for code, system, version in ((0, 2, 6), (3, 5, 7), (9, 11, 12)):
            if _SYSTEM.fullmatch(raw[system]):
                of_digits = _OF_DIGITS.fullmatch(raw[system]) is not None and raw[code].isdecimal()
                chosen = {index for index in (code, version) if _CODE.fullmatch(raw[index])}
                stays |= {system} | {index for index in chosen if _USUAL.fullmatch(raw[index])}
                stays |= {code} & chosen if of_digits else set()
            elif len(raw[code]) <= _SHORT and _CODE.fullmatch(raw[code]):
                stays.add(code)
        self.codes |= {id(parts[index][0]) for index in stays}
        return stays

    def _pointer(self, parts: Parts, place: str, shown: str) -> Generator[Slot, None, set[int]]:
        rule = self.visit.rule("links", place)
        if rule == KEEP:
            return {0}
        before = [leaf.raw for leaf in parts[0]]
        if rule == TREAT:
            yield from self.text(parts[0], [" "] * len(parts[0]), f"{place}, pointer", shown, "")
        if rule != TREAT or [leaf.raw for leaf in parts[0]] != before:
            parts[0] = [Leaf("")]
        return {0}

    def _in_file(self, shown: str) -> Text:
        def text(text: str, place: str) -> Generator[Slot, None, str]:
            if not text.strip():
                return text
            slot = Slot(text, place, self.record, "", shown, self.fields)
            yield slot
            return slot.new if slot.edits else text

        return text

    def text(
        self,
        leaves: Sequence[Leaf],
        gaps: Sequence[str],
        place: str,
        shown: str,
        lead: str,
        family: Leaf | None = None,
    ) -> Texts:
        """Yield the text of ``leaves``, and write it back. An output for several parts of a name is divided."""
        joined = Joined(leaves, gaps, self.marks)
        if joined.text.strip() and joined.text != _NULL:
            slot = Slot(joined.text, place, self.record, led(lead, joined.text), shown, self.fields)
            yield slot
            joined.lay(slot.edits, family)
