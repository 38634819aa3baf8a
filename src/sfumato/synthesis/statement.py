"""The privacy statement of a synthesis: what is promised for a whole record or person, and what it depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.privacy.randomness import Randomness
from sfumato.release.statement import NO_GUARANTEE, versions
from sfumato.synthesis.codes import CodeField
from sfumato.synthesis.request import Planned
from sfumato.version import is_own, maker, origin, packages_of

ONE_COPY = (
    "that no copy of the hidden folder of the run was resumed too: each writes records of its own, "
    "whose cost adds to this"
)


def statement(
    made: Planned, randomness: Randomness, codes: Mapping[str, Sequence[str]], written: int
) -> dict[str, Any]:
    """Return the statement as JSON types. ``codes`` holds the values of each field; ``written`` counts records."""
    request, guarantee, kind = made.request, made.guarantee, type(made.synthesizer)
    method = {
        "method": made.synthesizer.name,
        "origin": origin(kind),
        "parameters": dict(made.synthesizer.parameters),
        "schedule": made.schedule.as_dict(),
    }
    common = {
        "records": {"written": written, "units_declared": request.units},
        "codes": {
            code.name: {
                "values": list(codes.get(code.name, code.values or ())),
                "source": _source(code, guarantee is not None),
            }
            for code in request.codes
        },
        "public_fields": list(request.public_fields),
        "visible": visible(made),
        "versions": {**versions(), **packages_of(kind)},
    }
    if guarantee is None:
        unproved = {"summary": NO_GUARANTEE, "guarantee": None, "randomness": randomness.stamp_without_guarantee()}
        return {**unproved, **method, **common}
    told = f"The synthetic records together satisfy {guarantee}."
    if not is_own(kind):
        told += f" Its proof and its certificate are not sfumato's, but those of {maker(kind)}."
    return {
        "summary": told if randomness.private else f"NOT PRIVATE (a seeded run, for tests): {told}",
        "private": randomness.private,
        **method,
        "definition": guarantee.definition,
        "epsilon": guarantee.epsilon,
        "delta": guarantee.delta,
        "unit": guarantee.unit,
        "adjacency": guarantee.adjacency,
        "proof": guarantee.proof,
        "assumes": [*guarantee.assumes, ONE_COPY],
        "certificate": made.certificate().as_dict(),
        **common,
        "randomness": randomness.stamp,
        "resolution": made.synthesizer.resolution,
    }


def _source(code: CodeField, noisy: bool) -> str:
    if code.values is not None:
        return "declared"
    return "found in the input by a noisy threshold" if noisy else "found in the input, exactly"


def visible(made: Planned) -> list[str]:
    """Return what anybody sees of the release, whatever the guarantee."""
    request = made.request
    seen = list(made.synthesizer.visible)
    if request.public_fields:
        seen.insert(
            0, f"the fields {', '.join(request.public_fields)} of every record, as they are, and how many there are"
        )
    if request.counts_codes and request.epsilon is None:
        seen.append("the values of the codes that are not declared, and the shares of all, exactly")
    return seen or ["nothing of the input but the synthetic records themselves"]
