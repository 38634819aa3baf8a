"""``sfumato explain`` and ``certify`` for the mechanisms that work with a language model."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.cli.options import MethodOptions
from sfumato.engines.contextual import ContextualSanitizer
from sfumato.errors import ConfigurationError
from sfumato.types import Progress


def law_in_context(
    method: MethodOptions, text: str | None, position: int | None, shown: int | None, told: Progress | None
) -> dict[str, Any]:
    """The law of word ``position`` of ``text``, the most likely ``shown`` outcomes of it (None: all)."""
    if text is None or position is None:
        raise ConfigurationError(
            f"The law of {method.mechanism} depends on the document; give --text TEXT and --position I (from 0)."
        )
    rewriter = method.rewriter(told)
    outcomes, law = rewriter.law(text, position)
    order = np.argsort(-law, kind="stable")[:shown]
    spending = rewriter.spending_on(text)
    return {
        "position": position,
        "law": [{"token": outcomes[i], "probability": float(law[i])} for i in order],
        "law_kind": "exact, what was drawn before it as it stands in the text, nothing added or deleted",
        "support": len(law),
        "mechanism": rewriter.mechanism.name,
        "epsilon": spending.epsilon,
        "scale": spending.softmax.scale(spending.epsilon),
        "guarantee": str(rewriter.guarantee),
        **_model(rewriter),
    }


def certificate_of_model(method: MethodOptions, told: Progress | None) -> dict[str, Any]:
    """The certificate of one draw, with outcomes and clip range."""
    rewriter = method.rewriter(told)
    certificate = rewriter.certificate().as_dict()
    return {
        **certificate,
        "certified_for": "one draw" if rewriter.document_epsilon is None else "the most that one draw may be given",
        "mechanism": rewriter.mechanism.name,
        "calibration": rewriter.mechanism.parameters.get("calibration"),
        "guarantee": str(rewriter.guarantee),
        "outcomes": certificate["conditions"]["outcomes"],
        **_model(rewriter),
    }


def _model(rewriter: ContextualSanitizer) -> dict[str, Any]:
    clip = rewriter.mechanism.softmax.clip
    return {
        "model": rewriter.mechanism.parameters.get("model"),
        "clip": {"lower": clip.lower, "upper": clip.upper, "source": clip.source},
    }
