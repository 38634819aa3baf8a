"""Whom a resource is about, where it is plain: the fields ``resourceType`` and ``subject`` of its record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sfumato.documents.health.ids import id_in

_KEYS = ("patient", "subject", "beneficiary", "individual", "for")


def subjects_of(entries: list[dict[str, Any]]) -> tuple[Mapping[str, str], str]:
    """Return the names of the resources of a Bundle by their addresses, and that of its only patient, or ""."""
    names, patients = dict[str, str](), set[str]()
    for entry in entries:
        resource, url = entry.get("resource"), entry.get("fullUrl")
        if isinstance(resource, dict):
            name = _own(resource) or (url if isinstance(url, str) else "")
            if isinstance(url, str):
                names[id_in(url)] = name
            if resource.get("resourceType") == "Patient":
                patients.add(name)
    return names, patients.pop() if len(patients) == 1 else ""


def fields_of(resource: Any, names: Mapping[str, str], only: str) -> dict[str, str]:
    """Return the fields of the record of a ``resource``: its type, and its patient or else itself."""
    if not isinstance(resource, dict):
        return {"resourceType": "", "subject": only}
    kind = resource.get("resourceType")
    kind = kind if isinstance(kind, str) else ""
    own = _own(resource)
    if kind == "Patient":
        return {"resourceType": kind, "subject": own or only}
    found = next((name for key in _KEYS if (name := _referred(resource.get(key)))), "")
    if not found:
        patients = {name for name in _references(resource) if _known(name, names).startswith("Patient/")}
        found = patients.pop() if len(patients) == 1 else ""
    if found.startswith("#"):
        found = f"{own}{found}"
    return {"resourceType": kind, "subject": _known(found, names) or only or own}


def _own(resource: dict[str, Any]) -> str:
    return f"{resource.get('resourceType')}/{resource['id']}" if isinstance(resource.get("id"), str) else ""


def _known(name: str, names: Mapping[str, str]) -> str:
    return names.get(name, name)


def _referred(value: Any) -> str:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict):
        return ""
    if isinstance(value.get("reference"), str):
        return id_in(value["reference"])
    identifier = value.get("identifier")
    if isinstance(identifier, dict) and isinstance(identifier.get("value"), str):
        return f"{identifier.get('system', '')}|{identifier['value']}"
    return ""


def _references(value: Any) -> Iterator[str]:
    """Yield the references in ``value``, which is no deeper than can be walked."""
    if isinstance(value, dict):
        if isinstance(value.get("reference"), str):
            yield id_in(value["reference"])
        for each in value.values():
            yield from _references(each)
    elif isinstance(value, list):
        for each in value:
            yield from _references(each)
