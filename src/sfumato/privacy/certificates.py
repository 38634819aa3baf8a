"""Certificates are computed once for a mechanism, its parameters and a vocabulary's hash, then kept in the cache.

Only public values go in: names and contents of cache entries are made of parameters and vocabulary hashes. A cache
entry is input like any other. So a kept certificate is believed only if it names this vocabulary, its claim is the
requested ε, its scale is one that calibration could have found, and the loss of its worst pair, computed again, is
the loss it states. (The cache itself checks that this user made the entry: :mod:`sfumato.storage.cache`.)
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import GuaranteeError
from sfumato.privacy.guarantee import Certificate, Guarantee
from sfumato.storage import cache
from sfumato.version import origin

ANALYSIS = "4"
"""Raise this when an analysis changes, so that no certificate of an older analysis is believed."""

_REPEATED = 1e-7
"""How much (relative) the loss of a pair may differ when it is computed again, in another order of its sums."""

Pair = tuple[int, int]
Progress = Callable[[float], None]


class Claiming(Protocol):
    """The subject of a certificate: a mechanism over a vocabulary."""

    @property
    def name(self) -> str:
        """Return the name of the mechanism."""

    @property
    def epsilon(self) -> float:
        """Return the ε that is claimed."""

    @property
    def vocabulary(self) -> Any:
        """Return the vocabulary."""

    @property
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter."""

    @property
    def guarantee(self) -> Guarantee:
        """Return the claim."""


def remembered(
    mechanism: Claiming, compute: Callable[[], Certificate], holds: Callable[[Certificate], bool]
) -> Certificate:
    """Return the certificate kept for exactly this mechanism, or compute one with ``compute`` and keep it.

    ``holds`` checks a kept certificate against the law. A certificate that it refuses is computed again, and so is
    one with another claim or vocabulary. Raise :class:`GuaranteeError` as :func:`believed` does.
    """
    parameters = json.dumps(mechanism.parameters, sort_keys=True, default=repr)
    key = cache.content_key("certificate", ANALYSIS, origin(type(mechanism)), mechanism.vocabulary.hash, parameters)
    kept = _read(cache.load_json(key), mechanism.vocabulary.hash)
    if kept is not None and _claims(kept, mechanism) and _within(kept) and _safely(holds, kept):
        return kept
    computed = believed(mechanism.name, compute())
    cache.save_json(key, {**computed.as_dict(), "vocabulary": mechanism.vocabulary.hash})
    return computed


def believed(name: str, computed: Certificate) -> Certificate:
    """Return ``computed``. Raise :class:`GuaranteeError` if its loss exceeds the claim, or if it holds NaN."""
    if _holds_nan(computed.as_dict()):
        raise GuaranteeError(
            f"{name}: the certificate on this vocabulary is not a number; rescale the vectors or use another epsilon."
        )
    if not _within(computed):
        raise GuaranteeError(
            f"{name}: epsilon {computed.claimed:g} is not certified on this vocabulary (loss "
            f"{computed.certified:g}); use --set calibration=exact, another vocabulary, or a larger epsilon."
        )
    return computed


def once(certify: Callable[[Any, Progress | None], Certificate]) -> Callable[..., Certificate]:
    """Keep the answer of ``certify`` with its mechanism, which is frozen, so that it is computed once a process."""

    @wraps(certify)
    def kept(mechanism: Any, progress: Progress | None = None) -> Certificate:
        known = vars(mechanism)
        if "_certified" not in known:
            known["_certified"] = certify(mechanism, progress)
        certificate: Certificate = known["_certified"]
        return certificate

    return kept


def repeats(kept: Certificate, follow: Callable[[NDArray[np.int64]], Callable[[float], float]], scale: float) -> bool:
    """Return whether the loss of the worst pair at ``scale``, computed again, is the one that was kept.

    ``follow`` is :meth:`sfumato.privacy.calibration.LossOracle.follow`, for tokens by their numbers in the
    vocabulary. Return False if no pair was named or its loss is 0, because then there is nothing to check.
    """
    if kept.pair is None:
        return False
    loss = follow(np.array([kept.pair], dtype=np.int64))(scale)
    return 0.0 < kept.certified * (1.0 - _REPEATED) <= loss <= kept.certified * (1.0 + _REPEATED)


def named(pair: Pair | None, tokens: NDArray[np.int64]) -> Pair | None:
    """Return a pair of positions in ``tokens`` (n,) as a pair of tokens."""
    return None if pair is None else (int(tokens[pair[0]]), int(tokens[pair[1]]))


def _claims(kept: Certificate, mechanism: Claiming) -> bool:
    """Return whether a kept certificate is about the claim of ``mechanism``, and of a kind that a finite law has."""
    same = kept.claimed == mechanism.epsilon and kept.definition == mechanism.guarantee.definition
    return same and kept.kind in ("exact", "upper-bound")


def _within(certificate: Certificate) -> bool:
    finite = all(map(math.isfinite, (certificate.claimed, certificate.certified, certificate.scale)))
    return finite and 0.0 <= certificate.certified <= certificate.claimed * (1.0 + 1e-12)


def _safely(holds: Callable[[Certificate], bool], kept: Certificate) -> bool:
    """Return whether ``kept`` holds.

    A condition that is missing or is not a number does not, nor does a pair without tokens.
    """
    try:
        return holds(kept)
    except (KeyError, IndexError, TypeError, ValueError, OverflowError):
        return False


def _read(kept: Any, vocabulary: str) -> Certificate | None:
    """Return the certificate of an entry. Return None for one about another ``vocabulary``, or with odd values.

    The loss of a pair would not show another vocabulary: tokens far from both hardly change it.
    """
    try:
        if _holds_nan(kept) or kept["vocabulary"] != vocabulary:
            return None
        numbers = {key: float(kept[key]) for key in ("claimed", "certified", "scale", "paper_scale")}
        pair = kept["worst_pair"]
        if pair is not None:
            first, second = map(int, pair)
            if min(first, second) < 0:
                return None
            pair = first, second
        conditions = dict(kept["conditions"])
        return Certificate(kept["definition"], kind=kept["kind"], conditions=conditions, pair=pair, **numbers)
    except (KeyError, TypeError, ValueError):
        return None


def _holds_nan(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_holds_nan, value.values()))
    if isinstance(value, str):
        return value.strip().lower().lstrip("+-") == "nan"  # float() reads it without an error
    return isinstance(value, float) and math.isnan(value)
