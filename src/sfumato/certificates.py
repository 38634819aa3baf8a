"""Certificates are computed once for a mechanism, its parameters and a vocabulary's hash, then remembered.

Only public values go in: names and contents of cache entries are made of parameters and vocabulary hashes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from sfumato import cache
from sfumato.errors import GuaranteeError
from sfumato.guarantee import Certificate

ANALYSIS = "2"
"""Raise this when an analysis changes, so that no certificate of an older one is believed."""


def remembered(
    name: str, vocabulary_hash: str, parameters: dict[str, Any], compute: Callable[[], Certificate]
) -> Certificate:
    """The certificate kept for exactly these parameters, or the one that ``compute`` makes (and is then kept).

    Raises :class:`GuaranteeError` if the certified loss exceeds the claim, or if it or the scale is not a finite
    number: such a claim is never stated. A kept entry that holds NaN is not believed but computed again.
    """
    key = cache.content_key(
        "certificate", ANALYSIS, name, vocabulary_hash, json.dumps(parameters, sort_keys=True, default=repr)
    )
    found = _read(cache.load_json(key))
    if found is None:
        found = compute()
        if _holds_nan(found.as_dict()):
            raise GuaranteeError(
                f"{name}: the certificate came out as no number on this vocabulary; rescale its vectors or use "
                "another epsilon."
            )
        cache.save_json(key, found.as_dict())
    within = 0.0 <= found.certified <= found.claimed * (1.0 + 1e-12)
    if not within or not all(map(math.isfinite, (found.claimed, found.certified, found.scale))):
        raise GuaranteeError(
            f"{name}: epsilon {found.claimed:g} is not certified on this vocabulary (loss {found.certified:g}); "
            "use --calibration exact, another vocabulary, or a larger epsilon."
        )
    return found


def _read(kept: Any) -> Certificate | None:
    try:
        if _holds_nan(kept):
            return None
        numbers = {key: float(kept[key]) for key in ("claimed", "certified", "scale", "paper_scale")}
        return Certificate(kept["definition"], kind=kept["kind"], conditions=kept["conditions"], **numbers)
    except (KeyError, TypeError, ValueError):
        return None


def _holds_nan(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_holds_nan, value.values()))
    if isinstance(value, str):
        return value.strip().lower().lstrip("+-") == "nan"  # float() reads it as a number that is none
    return isinstance(value, float) and math.isnan(value)
