"""Contextual mechanisms over a scripted model, as several tests use them."""

from __future__ import annotations

from typing import Any

from scripted_models import ScriptedMasked
from sfumato.mechanisms.dp_mlm import DPMLM
from sfumato.privacy.clipped_softmax import ClipRange


def dp_mlm(model: Any = None, epsilon: float = 3.0, **more: Any) -> DPMLM:
    """Return DP-MLM over ``model`` (None: a scripted one)."""
    return DPMLM(model or ScriptedMasked(), epsilon, more.pop("scoring", ClipRange(-4.0, 0.0, "test")), **more)
