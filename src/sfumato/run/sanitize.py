"""A text sanitized in one call, from a method or a policy to a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

from sfumato.abstract.choice import MethodChoice
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.build import build
from sfumato.building.offers import check_unbuilt
from sfumato.building.policies import build_policy, randomness_of_policy
from sfumato.errors import ConfigurationError
from sfumato.options.typed import typed
from sfumato.policy import Policy
from sfumato.privacy.randomness import Randomness
from sfumato.run.checks import check_apart, check_method
from sfumato.run.request import Named
from sfumato.text.document import Document, Release

if TYPE_CHECKING:
    from sfumato.options.keywords import MethodKeywords

Method = Sanitizer | MethodChoice | Policy | str


@typed
def sanitize(
    method: Method,
    text: str | Document,
    epsilon: float | None = None,
    *,
    randomness: Randomness | None = None,
    **options: Unpack[MethodKeywords],
) -> Release:
    """Sanitize one text.

    Each call builds the method and certifies it. For several texts build a sanitizer once, with `sfumato.build`, and
    call its `sanitize` or `sanitize_stream`.

    Args:
        method: A method such as `sfumato.CusText(epsilon=6.0)`, its name, a policy, or a sanitizer. A policy with a
            budget is refused, because no ledger keeps account of texts in memory.
        text: A text, or a `Document`, which brings an id and given spans along.
        epsilon: The privacy loss of each draw, in nats (per unit of the distance for metric-LDP). For a name.
        randomness: The operating system's by default.
        options: Options of `sfumato.build`, for a name.

    Raises:
        ConfigurationError: An option does not exist or cannot work.
        InputError: The text cannot be sanitized. The error does not quote it.
        GuaranteeError: The guarantee cannot be certified. Nothing is released.
    """
    if isinstance(method, Policy):
        randomness = randomness or randomness_of_policy(method)
    return _built(method, epsilon, options).sanitize(text, randomness)


def _built(method: Method, epsilon: float | None, options: Mapping[str, Any]) -> Sanitizer:
    """Return the sanitizer of ``method``. Raise ConfigurationError for a policy whose budget nothing would keep."""
    if isinstance(method, Sanitizer | Policy):
        check_unbuilt(epsilon, options)
    if isinstance(method, Sanitizer):
        return method
    if isinstance(method, Policy):
        if method.budget.caps or method.budget.ledger:
            raise ConfigurationError(
                "Texts in memory have no ledger that could keep the policy's budget; sanitize a file "
                "(sfumato.sanitize_file), or leave out [budget]."
            )
        check_method(method)
        check_apart([method.pin], method.files)
        return build_policy(method)
    if isinstance(method, str):
        check_method(Named(method, epsilon, options))
    return build(method, epsilon, **options)
