"""Write the list of FHIR's elements, by what their values are, from the packages fhir.resources and fhirclient.

Run it where both are installed: ``python benchmarks/fhir_elements.py > src/sfumato/data/fhir-elements.txt``.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

VERSIONS = ("fhir.resources", "fhir.resources.R4B", "fhir.resources.STU3")  # R5, R4B, STU3; fhirclient has R4
_PRIMITIVE = re.compile(
    r"(?:, |<fhir_core\.types\.)(Base64Binary|Canonical|Code|DateTime|Date|Decimal|Id|Instant|Integer64|Integer|"
    r"Markdown|Oid|PositiveInt|String|Time|UnsignedInt|Uri|Url|UuidVersion)\b"
)
WHEN = {"Date", "DateTime", "Instant", "Time"}
WHERE = {"Uri", "Canonical", "Url"}
CHOSEN = {
    "code": (
        "code fhirVersion language linkId priority representation required responseRequired resource resourceType "
        "status strand target transform type unit"
    ),
    "date": "date start end when lockedDate",
    "uri": "url implicitRules system",
    "id": "id versionId uid reference fullUrl",
    "count": "size total sequence",
    "base64": "data",
}


def classes(module: Any) -> Iterator[type]:
    for found in pkgutil.iter_modules(module.__path__):
        if not found.ispkg and not found.name.startswith("_"):
            try:
                inner = importlib.import_module(f"{module.__name__}.{found.name}")
            except ImportError:
                continue
            yield from (each for each in vars(inner).values() if isinstance(each, type))


def elements() -> tuple[dict[str, set[str]], set[str]]:
    """Return the primitive types of each element by its name, and the names of resources."""
    types, resources = defaultdict[str, set[str]](set), set[str]()
    for version in VERSIONS:
        for each in classes(importlib.import_module(version)):
            for python_name, field in getattr(each, "model_fields", {}).items():
                name = field.alias or python_name
                if not name.startswith("_") and not python_name.endswith("__ext"):
                    types[name] |= set(_PRIMITIVE.findall(str(field.annotation))[-1:])
            if any(base.__name__ == "Resource" for base in each.__mro__):
                resources.add(each.__name__)
    for each in classes(importlib.import_module("fhirclient.models")):
        if hasattr(each, "elementProperties") and each.__name__ != "MetadataResource":
            for _, name, *_ in each().elementProperties():
                types[name] |= set()
            if getattr(each, "resource_type", "") == each.__name__ and hasattr(each, "read"):
                resources.add(each.__name__)
    types["resourceType"].add("Code")
    return types, {name for name in resources if not name.endswith("Resource")}


def section(name: str, types: set[str]) -> str:
    for chosen, members in CHOSEN.items():
        if name in members.split():
            return chosen
    if not types:
        return "other"
    if types <= WHEN:
        return "instant" if "Instant" in types else "date"
    for allowed, found in (
        ({"Code"}, "code"), (WHERE, "uri"), ({"Id", "Oid", "UuidVersion"}, "id"), ({"Base64Binary"}, "base64"),
        ({"PositiveInt", "UnsignedInt"}, "count"),
    ):  # fmt: skip
        if types <= allowed:
            return found
    return "other"


def main() -> None:
    types, resources = elements()
    sections = defaultdict[str, list[str]](list)
    for name in sorted(types):
        sections[section(name, types[name])].append(name)
    sections["type"] = sorted(resources)
    print("# Elements of FHIR STU3, R4, R4B and R5 by what their values are: benchmarks/fhir_elements.py")
    for title in sorted(sections):
        print(f"[{title}]")
        print("\n".join(textwrap.wrap(" ".join(sections[title]), 118)))


if __name__ == "__main__":
    main()
