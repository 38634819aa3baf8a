"""Options that a policy hands on to a mechanism, a method or a detector: their names and types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.abstract.options import Described, opening
from sfumato.errors import ConfigurationError
from sfumato.options.values import check_value
from sfumato.policy.refusing import nearest, quoted

_OF_THE_LAW = ("epsilon", "within", "document_epsilon")


def check_options(who: str, options: Mapping[str, Any], known: Sequence[Described]) -> None:
    """Raise ConfigurationError if ``options`` of ``who`` are not among the ``known`` ones, or not of their types.

    No value is repeated.
    """
    by_name = {option.name: option for option in known}
    for key, value in options.items():
        if key in _OF_THE_LAW:
            raise ConfigurationError(f"A law has one epsilon; leave {key} out of the options.")
        if key not in by_name:
            raise ConfigurationError(f"{opening(who)} has no such option ({quoted(key)}){nearest(key, by_name)}")
        try:
            check_value(by_name[key], value, key)
        except ConfigurationError:
            raise ConfigurationError(f"The option {key} of {who} is {by_name[key].kind}.") from None
        if not _is_plain(value):
            raise ConfigurationError(f"The option {key} of {who} is text, a number, true, false, a list or a table.")


def _is_plain(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    return isinstance(value, str | int | float)
