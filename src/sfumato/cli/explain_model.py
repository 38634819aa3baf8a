"""``sfumato certify`` for the mechanisms that work with a language model."""

from __future__ import annotations

from typing import Any

from sfumato.abstract.models import choice_of
from sfumato.cli.options import MethodOptions
from sfumato.engines.contextual import ContextualSanitizer
from sfumato.types import Progress


def certificate_of_model(method: MethodOptions, told: Progress | None) -> dict[str, Any]:
    """The certificate of one draw, with outcomes and clip range."""
    rewriter = method.rewriter(told)
    certificate = rewriter.certificate().as_dict()
    return {
        **certificate,
        "certified_for": "one draw" if rewriter.document_epsilon is None else "one document",
        "mechanism": rewriter.mechanism.name,
        "calibration": rewriter.mechanism.parameters.get("calibration"),
        "guarantee": str(rewriter.guarantee),
        "outcomes": certificate["conditions"]["outcomes"],
        **_model(rewriter),
    }


def _model(rewriter: ContextualSanitizer) -> dict[str, Any]:
    mechanism = rewriter.mechanism
    facts = mechanism.score_law.public_facts
    return {"model": mechanism.parameters.get("model"), **facts, **choice_of(mechanism)}
