"""A method with its options as a typed value: the base of the classes in :mod:`sfumato.methods`.

Wherever the name of a method is accepted, a choice is as well. It describes a method and builds nothing, so that it
can be written down, compared and sent to another process.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any, ClassVar

from sfumato.errors import ConfigurationError
from sfumato.options.typed import check_arguments

_ATTRIBUTES = "\n\nAttributes:\n"


@dataclass(frozen=True, kw_only=True, repr=False)
class MethodChoice:
    """A method by its name, with its options.

    A subclass is a frozen dataclass, whose fields are the options that `sfumato.build` takes for the method. Their
    types are checked where a choice is made, and their values by the method when it is built.
    """

    method: ClassVar[str]
    """The name of the method, as `sfumato list` shows it."""

    def __init_subclass__(cls) -> None:
        base: Any = cls.__base__
        own, inherited = inspect.cleandoc(cls.__doc__ or ""), (base.__doc__ or "").partition(_ATTRIBUTES)[2]
        title = _ATTRIBUTES.rstrip() if inherited and _ATTRIBUTES not in own else ""
        cls.__doc__ = f"{own}{title}\n{inherited}".rstrip()

    def __post_init__(self) -> None:
        check_arguments(type(self).__init__, (), {each.name: getattr(self, each.name) for each in fields(self)})

    @property
    def options(self) -> dict[str, Any]:
        """Return the options that differ from their defaults, by name."""
        given = ((each, getattr(self, each.name)) for each in fields(self))
        return {each.name: value for each, value in given if not _is_default(each, value)}

    def __repr__(self) -> str:
        shown = {each.name: each.repr for each in fields(self)}
        told = (f"{name}={value!r}" for name, value in self.options.items() if shown[name])
        return f"{type(self).__name__}({', '.join(told)})"


def by_name(
    method: MethodChoice | str, epsilon: float | None, options: Mapping[str, Any], others: Collection[str] = ()
) -> tuple[str, float | None, dict[str, Any]]:
    """Return the name of a method, its epsilon and its options, which a choice has itself.

    Raise ConfigurationError for an epsilon or an option beside a choice. Options called as one of ``others`` are not
    the method's, and stay.
    """
    if isinstance(method, str):
        return method, epsilon, dict(options)
    beside = [*(["epsilon"] if epsilon is not None else []), *(name for name in options if name not in others)]
    if beside:
        raise ConfigurationError(
            f"{type(method).__name__} has its epsilon and its options; give it {beside[0]}, and leave that out here."
        )
    own = method.options
    return method.method, own.pop("epsilon", None), {**options, **own}


def _is_default(each: Field[Any], value: Any) -> bool:
    if each.default_factory is not MISSING:
        return bool(value == each.default_factory())
    return value is each.default or (type(value) is type(each.default) and bool(value == each.default))
