"""``sfumato certify`` for the mechanisms that work with a language model."""

from __future__ import annotations

from typing import Any

from sfumato.cli.options import MethodOptions
from sfumato.types import Progress


def certificate_of_model(method: MethodOptions, told: Progress | None) -> dict[str, Any]:
    """The certificate of one draw, with outcomes and clip range."""
    rewriter = method.rewriter(told)
    certificate, described = rewriter.certificate().as_dict(), rewriter.statement_fields()
    for name in ("parameters", "epsilon_per_draw", "epsilon_per_document"):
        described.pop(name, None)
    return {
        **certificate,
        "certified_for": "one document" if rewriter.spends_by_document else "one draw",
        "guarantee": str(rewriter.guarantee),
        "outcomes": certificate["conditions"]["outcomes"],
        **described,
    }
