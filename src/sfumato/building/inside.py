"""The mechanism inside a Sanitizer, for what is done to the mechanism itself, such as an audit."""

from __future__ import annotations

from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.treatment import Treatment
from sfumato.building.policies import treatment_of_kind
from sfumato.engines.contextual import ContextualSanitizer
from sfumato.engines.tokens import TokenSanitizer
from sfumato.engines.treatments import TreatmentSanitizer
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.policy import Policy


def treatment_inside(method: object, kind: str | None) -> Treatment | None:
    """Return the treatment of ``kind`` by a policy or by what is built of one; None for anything else.

    Raises GuaranteeError for a kind that no mechanism treats, ConfigurationError where no kind is named.
    """
    if not isinstance(method, Policy | TreatmentSanitizer):
        return None
    if kind is None:
        raise ConfigurationError("A policy treats kinds differently: name the kind that is audited (label).")
    return treatment_of_kind(method, kind) if isinstance(method, Policy) else method.treatment_of(kind)


def mechanism_inside(sanitizer: object, label: str | None = None) -> Mechanism | ContextualSanitizer:
    """Return the mechanism over the vocabulary of ``label``; in context the sanitizer, whose detector matters too.

    Raises GuaranteeError for a method without a guarantee: it claims nothing.
    """
    if isinstance(sanitizer, ContextualSanitizer):
        if label is not None:
            raise ConfigurationError("A language model has one law for all labels; leave out label.")
        return sanitizer
    if isinstance(sanitizer, TokenSanitizer):
        route = sanitizer.default if label is None else sanitizer.route_of(label)
        return sanitizer.routes[route].mechanism
    raise GuaranteeError(
        "This method has no formal guarantee, so there is no claim to audit; measure a release instead."
    )
