"""The mechanism inside a Sanitizer, for what is done to the mechanism itself, such as an audit."""

from __future__ import annotations

from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.abstract.treatment import Treatment
from sfumato.building.policies import treatment_of_kind
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.policy import Policy


def treatment_inside(method: object, kind: str | None) -> Treatment | None:
    """Return the treatment of ``kind`` by a policy or by what is built of one; None for anything else.

    Raises GuaranteeError for a kind that no mechanism treats, ConfigurationError where no kind is named.
    """
    if not isinstance(method, Policy) and not (isinstance(method, Sanitizer) and method.treatments):
        return None
    if kind is None:
        raise ConfigurationError("A policy treats kinds differently: name the kind that is audited (label).")
    return treatment_of_kind(method, kind) if isinstance(method, Policy) else method.treatment_of(kind)


def mechanism_inside(sanitizer: object, label: str | None = None) -> Mechanism | Sanitizer:
    """Return the mechanism over the vocabulary of ``label``; in context the sanitizer, whose detector matters too.

    Raises GuaranteeError for a method without a guarantee: it claims nothing.
    """
    if isinstance(sanitizer, Sanitizer) and sanitizer.guarantee is not None:
        inside = sanitizer.others.law_over(label=label)
        return sanitizer if inside is None else inside[1]
    raise GuaranteeError(
        "This method has no formal guarantee, so there is no claim to audit; measure a release instead."
    )
