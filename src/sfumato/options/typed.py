"""Arguments of public functions, checked against their annotations: a wrong type is a sentence, not a traceback."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar, get_args, get_origin

from sfumato.errors import ConfigurationError
from sfumato.options.values import fits, kind_of

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)
_ANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def typed(function: F) -> F:
    """Return ``function`` with a check of its arguments before anything else is done.

    It raises ConfigurationError, which names the argument and what it must be, and never its value. An annotation
    that cannot be checked, such as a protocol, is left to the function.
    """

    @functools.wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        check_arguments(function, given, named)
        return function(*given, **named)

    return called  # type: ignore[return-value]


def typed_fields(cls: C) -> C:
    """Return the dataclass ``cls``, whose fields are checked as :func:`typed` checks arguments."""
    cls.__init__ = typed(cls.__init__)  # type: ignore[misc]
    return cls


def check_arguments(function: Callable[..., Any], given: tuple[Any, ...], named: Mapping[str, Any]) -> None:
    """Raise ConfigurationError for an argument of the wrong type, as :func:`typed` does."""
    signature = inspect.signature(function)
    try:
        arguments = signature.bind_partial(*given, **named).arguments
    except TypeError:  # the call itself says it best
        return
    hints = _hints(function)
    for name, value in arguments.items():
        if signature.parameters[name].kind in _ANY or name not in hints or fits(value, hints[name]):
            continue
        raise ConfigurationError(
            f"{function.__qualname__.removesuffix('.__init__')}: {name} must be {kind_of(hints[name], typed=False)}, "
            f"not {type(value).__name__}."
        )


@functools.cache
def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations that can be read; names that only a type checker imports cannot."""
    hints = {}
    for name, annotation in function.__annotations__.items():
        try:
            hint = eval(annotation, function.__globals__) if isinstance(annotation, str) else annotation
        except NameError:
            continue
        hints[name] = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return hints
