"""Values of FHIR that a person reads as one text: a name, an address, an amount with its unit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sfumato.documents.health.composed import Composed
from sfumato.documents.health.exact_json import Number
from sfumato.documents.health.fhir_names import NUMBER
from sfumato.documents.health.public_uris import is_public
from sfumato.documents.slot import Edit

_NAME = ("prefix", "given", "family", "suffix")
_ADDRESS = ("line", "city", "district", "state", "postalCode", "country")
_AMOUNT = frozenset(
    {"id", "extension", "value", "comparator", "unit", "system", "code", "currency", "_value", "_unit"}
)
_CHANNELS = frozenset({"phone", "fax", "email", "pager", "url", "sms", "other"})
_IDENTIFIERS = {
    "MR": "Medical record number", "MRN": "Medical record number", "SS": "Social security number",
    "DL": "Driver's license number", "PPN": "Passport number", "NPI": "Provider number", "MC": "Medicare number",
    "MA": "Medicaid number", "AN": "Account number", "VN": "Visit number", "ACSN": "Accession number",
    "PLAC": "Placer order number", "FILL": "Filler order number", "MB": "Member number", "SN": "Serial number",
}  # fmt: skip
_CENSUS = ("http://hl7.org/fhir/us/core/StructureDefinition/us-core-race",
           "http://hl7.org/fhir/us/core/StructureDefinition/us-core-ethnicity")  # fmt: skip
_CENSUS_KEYS = frozenset({"extension", "valueCoding", "valueString", "system", "code", "display"})
_CENSUS_CODE = re.compile(r"\d{4}-\d|UNK|ASKU|OTH")
_CENSUS_WORDS = frozenset({
    "ombCategory", "detailed", "text", "White", "Black or African American", "Asian", "Other Race", "Other",
    "American Indian or Alaska Native", "Native Hawaiian or Other Pacific Islander", "Hispanic or Latino", "Unknown",
    "Not Hispanic or Latino", "Non Hispanic or Latino", "Asked but no answer", "Mixed",
})  # fmt: skip
_NUMBERING = frozenset({"http://snomed.info/sct", "http://hl7.org/fhir/sid/ndc"})
_NUMBERED = re.compile(r"[0-9\-]{5,18}")
_CODES = re.compile(r"(?!.*[A-Z][a-z]{3})(?!(?:.*[0-9]){8})[\w.:/+*%\[\]{}()^'\"<>=!#|~\-]{1,64}")
MASKED = {"url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", "valueCode": "masked"}


def parts_named(node: dict[str, Any]) -> tuple[str, ...]:
    """Return the elements of ``node`` that make one text: those of a name or an address; none for other objects."""
    for all_keys, telling in ((_NAME, {"family", "given"}), (_ADDRESS, {"line", "city", "postalCode"})):
        keys = tuple(key for key in all_keys if key in node)
        if telling & set(keys) and all(_is_text(node[key], key) for key in keys):
            return keys
    return ()


def _is_text(value: Any, key: str) -> bool:
    if key in ("prefix", "given", "suffix", "line"):
        return isinstance(value, list) and all(each is None or isinstance(each, str) for each in value)
    return isinstance(value, str)


def read_parts(node: dict[str, Any], keys: Sequence[str]) -> Composed:
    """Return the text that the elements ``keys`` of ``node`` make."""
    parts, gaps = list[str](), dict[int, str]()
    for key in keys:
        gaps |= {len(parts): " "} if key == "postalCode" and "state" in keys else {}
        parts += [each or "" for each in _listed(node[key])]
    return Composed.of(parts, " " if keys[0] in _NAME else ", ", gaps)


def write_parts(node: dict[str, Any], keys: Sequence[str], composed: Composed, edits: Sequence[Edit]) -> None:
    """Write the text back with its ``edits``. What became empty is left out; if nothing remains, it is masked."""
    if not edits:
        return
    family = sum(len(_listed(node[key])) for key in keys if key in _NAME[: _NAME.index("family")])
    new = iter(composed.named(edits, family) if keys[0] in _NAME else composed.edited(edits))
    for key in keys:
        values = [next(new).strip() or None for _ in _listed(node[key])]
        if not any(values):
            del node[key]
        elif isinstance(node[key], list):
            node[key] = values if f"_{key}" in node else [value for value in values if value]
        else:
            node[key] = values[0]
    if not any(key in node for key in keys):
        node["extension"] = [*node.get("extension", []), dict(MASKED)]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def is_amount(node: dict[str, Any]) -> bool:
    """Return whether ``node`` is a number with a unit."""
    return isinstance(node.get("value"), Number) and node.keys() <= _AMOUNT


def read_amount(node: dict[str, Any]) -> Composed:
    """Return the text of a number with its unit."""
    unit = next((node[key] for key in ("unit", "code", "currency") if isinstance(node.get(key), str)), "")
    comparator = node.get("comparator", "")
    return Composed.of([comparator if isinstance(comparator, str) else "", node["value"].text, unit])


def write_amount(node: dict[str, Any], composed: Composed, edits: Sequence[Edit]) -> bool:
    """Write a number back with the ``edits`` of its text. Return whether it still is a number.

    A unit that was changed takes its code along.
    """
    if not edits:
        return True
    comparator, number, unit = composed.edited(edits)
    if comparator != composed.parts[0]:
        del node["comparator"]
    if unit != composed.parts[2]:
        is_money = node.pop("currency", None) is not None
        for key in ("unit", "code", "system"):
            node.pop(key, None)
        node |= {"unit": unit.strip()} if unit.strip() and not is_money else {}
    if NUMBER.fullmatch(number):
        node["value"] = Number(number)
        return True
    return False


def is_contact(node: dict[str, Any]) -> bool:
    """Return whether ``node`` is a telephone number or another way to reach somebody."""
    return "value" in node and node.get("system") in _CHANNELS


def is_local(node: dict[str, Any]) -> bool:
    """Return whether ``node`` has a code of no public system: it may be a ward, or somebody's number."""
    system = node.get("system")
    return isinstance(node.get("code"), str) and not (isinstance(system, str) and is_public(system))


def is_of_standard(node: dict[str, Any]) -> bool:
    """Return whether ``node`` has a code as its public system writes them."""
    code, system = node.get("code"), node.get("system")
    if not isinstance(code, str) or not isinstance(system, str) or not is_public(system):
        return False
    if "/sid/us-" in system:  # of people
        return False
    return _NUMBERED.fullmatch(code) is not None if system in _NUMBERING else _CODES.fullmatch(code) is not None


def is_of_census(extension: dict[str, Any]) -> bool:
    """Return whether ``extension`` is a race or an ethnicity of the US Core, in words of the census alone."""
    return extension.get("url") in _CENSUS and all(
        each in _CENSUS_WORDS or is_public(each) or _CENSUS_CODE.fullmatch(each) for each in _texts(extension)
    )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from ([] if key == "url" else [] if key in _CENSUS_KEYS else [key])
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, str):
        yield value
    elif not isinstance(value, bool):
        yield str(value)


def lead_of_identifier(node: dict[str, Any]) -> str:
    """Return what a person reads before the value of an identifier."""
    kind = node.get("type")
    codings = kind.get("coding") if isinstance(kind, dict) else None
    for coding in codings if isinstance(codings, list) else ():
        if isinstance(coding, dict) and coding.get("code") in _IDENTIFIERS:
            return _IDENTIFIERS[coding["code"]]
    if str(node.get("system")).endswith("us-ssn"):
        return _IDENTIFIERS["SS"]
    return label_of(kind) or "Identifier"


def label_of(concept: Any) -> str:
    """Return what a person calls a concept; "" if it has codes alone. PRIVATE."""
    if not isinstance(concept, dict):
        return ""
    codings = concept.get("coding")
    texts = [concept, *(codings if isinstance(codings, list) else ())]
    labels = [each.get("text") or each.get("display") for each in texts if isinstance(each, dict)]
    return next((label.strip().rstrip(":") for label in labels if isinstance(label, str) and label.strip()), "")


def put(node: dict[str, Any], key: str, value: Any, index: int | None = None) -> None:
    """Put ``value`` where the element ``key`` of ``node`` is, or that at ``index`` of its list."""
    if index is None:
        node[key] = value
    else:
        node[key][index] = value


def mask(node: dict[str, Any], key: str, index: int | None = None) -> None:
    """Leave out the element ``key`` of ``node``, or that at ``index`` of its list, and write that it is masked."""
    beside = f"_{key}"
    masked = {"extension": [dict(MASKED)]}
    if index is None:
        node.pop(key, None)
        old = node.get(beside)
        node[beside] = masked | ({"id": old["id"]} if isinstance(old, dict) and "id" in old else {})
        return
    node[key][index] = None
    old = node.get(beside)
    listed = list(old) if isinstance(old, list) else []
    listed += [None] * (len(node[key]) - len(listed))
    listed[index] = masked
    node[beside] = listed
