"""Arguments of public callables, checked against their annotations: a wrong type is a sentence, not a traceback."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

from sfumato.errors import ConfigurationError
from sfumato.options.values import fits, kind_of, shown

T = TypeVar("T", bound=Callable[..., Any])
_TEXT = "text"
"""The name of an argument that is private text. It may hold any characters; what reads it refuses another type."""

_ANYTHING = str | Path | Any


def typed(made: T) -> T:
    """Return the function, or the class with the constructor, ``made``, whose arguments are checked before all else.

    The check raises ConfigurationError, which names the argument and what it must be, and never its value. An
    annotation that cannot be read at run time is left to the function.
    """
    if not isinstance(made, type):
        return _checked(made)  # type: ignore[return-value]
    made.__init__ = _checked(made.__init__)  # type: ignore[misc]
    return made


def _checked(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        check_arguments(function, given, named)
        return function(*given, **named)

    return called


def check_arguments(function: Callable[..., Any], given: tuple[Any, ...], named: Mapping[str, Any]) -> None:
    """Raise ConfigurationError for an argument of the wrong type, as :func:`typed` does."""
    names, hints = _read(function)
    for name, value in (*zip(names, given, strict=False), *named.items()):
        if name != _TEXT:  # an option that the function only hands on may at least be written
            _check(function, name, value, hints.get(name, _ANYTHING))


def _check(function: Callable[..., Any], name: str, value: Any, hint: Any) -> None:
    called = function.__qualname__.removesuffix(".__init__")
    if not fits(value, hint):
        taken = getattr(type(value), "taken_by", "")  # such as a policy, where a method is meant
        instead = f"; give it to {taken}" if taken else ""
        raise ConfigurationError(
            f"{called}: {name} must be {kind_of(hint, typed=False)}, not {shown(value)}{instead}."
        )
    if not _can_be_written(value, Path in get_args(hint)):
        raise ConfigurationError(
            f"{called}: {name} holds half a character (a lone surrogate), which cannot be written; correct it."
        )


def _can_be_written(value: Any, lenient: bool) -> bool:
    """Return whether the texts in ``value`` can be encoded; if ``lenient``, as names of files of any bytes are."""
    inner = [*value, *value.values()] if isinstance(value, Mapping) else value
    several = isinstance(inner, list | tuple | set | frozenset)
    if several and not any(issubclass(kind, str | Path) for kind in set(map(type, inner))):
        return True  # documents, thousands of them
    for text in (value, *inner) if several else (value,):
        try:
            if isinstance(text, Path) or (lenient and isinstance(text, str)):
                os.fsencode(text)
            elif isinstance(text, str):
                text.encode()
        except UnicodeEncodeError:
            return False
    return True


@functools.cache
def _read(function: Callable[..., Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the names of arguments by position, and the annotations that can be read of all arguments."""
    names, hints = [], {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.kind is not parameter.KEYWORD_ONLY:
            names.append(parameter.name)
        if parameter.annotation is not parameter.empty:
            try:
                hint = parameter.annotation
                hints[parameter.name] = eval(hint, function.__globals__) if isinstance(hint, str) else hint
            except NameError:  # only a type checker imports it
                continue
    return tuple(names), hints
