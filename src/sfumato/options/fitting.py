"""Whether a value may be of an annotated type, as far as it can be seen without using the value."""

from __future__ import annotations

import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from inspect import get_annotations
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

Test = Callable[[Any], bool]
MOST = 2**63 - 1
"""The largest whole number that fits."""


def fits(value: Any, hint: Any) -> bool:
    """Return whether ``value`` may be of the type ``hint``. What no test is known for fits."""
    return test_of(hint)(value)


@cache
def test_of(hint: Any) -> Test:
    """Return what says whether a value may be of the type ``hint``.

    A list does for a tuple, any number of another library for a number, and whatever has the members of a protocol
    for the protocol. The elements of collections are tested too, but not those of an iterable, which may be a stream.
    Any text does for a choice of texts: the code that takes the choice says which there are.
    """
    base, inner = get_origin(hint) or hint, get_args(hint)
    if base is Annotated:
        return test_of(inner[0])
    if base in (Union, types.UnionType):
        return _any_of(tuple(map(test_of, inner)))
    if base is Literal:
        return _any_of((test_of(str),)) if all(isinstance(choice, str) for choice in inner) else _chosen(inner)
    if base in _SIMPLE:
        return _SIMPLE[base]
    if not isinstance(base, type) or base.__module__ == "numpy":  # numpy says best what is no array
        return _anything
    if getattr(base, "_is_protocol", False):
        return _having(_members(base))
    if base.__module__ not in ("builtins", "collections.abc"):
        return _instance_of(base)
    if issubclass(base, Mapping):
        return _mapping(*map(test_of, inner or (Any, Any)))
    if issubclass(base, tuple) and inner and inner[-1] is not ...:
        return _row(tuple(map(test_of, inner)))
    if issubclass(base, Collection):
        return _collection(
            Sequence if issubclass(base, Sequence) else Collection, test_of(inner[0] if inner else Any)
        )
    return _instance_of(base)


def _anything(_: Any) -> bool:
    return True


def _instance_of(base: type[Any]) -> Test:
    return lambda value: isinstance(value, base)


def _any_of(tests: tuple[Test, ...]) -> Test:
    return lambda value: any(test(value) for test in tests)


def _chosen(choices: tuple[Any, ...]) -> Test:
    return lambda value: any(type(value) is type(choice) and value == choice for choice in choices)


def _having(names: frozenset[str]) -> Test:
    """Test for attributes without computing them; an object that looks its attributes up has any."""

    def test(value: Any) -> bool:
        kind, own = type(value), getattr(value, "__dict__", ())
        return hasattr(kind, "__getattr__") or all(
            callable(value) if name == "__call__" else hasattr(kind, name) or name in own for name in names
        )

    return test


def _members(protocol: type[Any]) -> frozenset[str]:
    every = {name for each in protocol.__mro__ for name in (*vars(each), *get_annotations(each))}
    return frozenset(name for name in every if not name.startswith("_") or name == "__call__")


def _mapping(key: Test, item: Test) -> Test:
    return lambda value: isinstance(value, Mapping) and all(map(key, value)) and all(map(item, value.values()))


def _collection(base: type[Any], element: Test) -> Test:
    return lambda value: isinstance(value, base) and not isinstance(value, str | bytes) and all(map(element, value))


def _row(tests: tuple[Test, ...]) -> Test:
    return lambda value: (
        isinstance(value, Sequence)
        and not isinstance(value, str | bytes)
        and len(value) == len(tests)
        and all(test(each) for test, each in zip(tests, value, strict=True))
    )


def _is_whole(value: Any) -> bool:
    """Return whether ``value`` is a whole number of 64 bits. Nothing counts further, nor writes larger ones down."""
    return isinstance(value, Integral) and not isinstance(value, bool) and -MOST <= int(value) <= MOST


def _is_number(value: Any) -> bool:
    """Return whether ``value`` is a number that a float can hold."""
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and isinstance(float(value), float)
    except OverflowError:
        return False


_SIMPLE: dict[Any, Test] = {
    Any: _anything,
    object: _anything,
    None: lambda value: value is None,
    type(None): lambda value: value is None,
    bool: lambda value: isinstance(value, bool),
    int: _is_whole,
    float: _is_number,
    str: lambda value: isinstance(value, str),
    bytes: lambda value: isinstance(value, bytes),
    Path: lambda value: isinstance(value, Path),
    Callable: callable,
    Iterable: lambda value: isinstance(value, Iterable) and not isinstance(value, str | bytes),
}  # fmt: skip
