"""Refuse what a policy cannot say, without repeating it: a policy may turn out to be a file of private records.

Only keys are quoted, and only those that look like keys: at most 40 small letters, digits, hyphens and underscores.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sfumato.errors import ConfigurationError
from sfumato.options.option import Described, opening
from sfumato.options.values import check_value

_KEY = re.compile(r"[a-z0-9_-]{1,40}")
_OF_THE_LAW = ("epsilon", "within", "document_epsilon")


def quoted(key: str) -> str:
    """Return how an error names a key."""
    return f"the key {key}" if _KEY.fullmatch(key) else "a key that is no plain name"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown name, which it does not repeat: the nearest, and all known."""
    names = sorted(known)
    by_lower = {other.lower(): other for other in names}
    near = difflib.get_close_matches(name[:40].lower(), list(by_lower), n=1, cutoff=0.6)
    return (f"; did you mean {by_lower[near[0]]}?" if near else ".") + f" Known: {', '.join(names) or 'none'}."


def check_known(name: str, known: Iterable[str], what: str) -> None:
    """Raise ConfigurationError, which names the nearest, if ``name`` is not ``known``; ``what`` opens it."""
    names = list(known)
    if name not in names:
        raise ConfigurationError(f"{what}{nearest(name, names)}")


def placed(error: ConfigurationError, place: str) -> ConfigurationError:
    """Return ``error`` with the place in front."""
    return ConfigurationError(f"{place}: {error}")


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
        if not _is_data(value):
            raise ConfigurationError(f"The option {key} of {who} is text, a number, true, false, a list or a table.")


def _is_data(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(isinstance(key, str) and _is_data(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_data, value))
    return isinstance(value, str | int | float)
