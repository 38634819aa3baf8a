"""The mechanism inside a Sanitizer, for what is done to the mechanism itself, such as an audit."""

from __future__ import annotations

from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.engines.contextual import ContextualSanitizer
from sfumato.engines.tokens import TokenSanitizer
from sfumato.errors import ConfigurationError, GuaranteeError


def mechanism_inside(sanitizer: Sanitizer, label: str | None = None) -> Mechanism | ContextualSanitizer:
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
