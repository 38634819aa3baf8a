"""Values of options: whether a value may be of an annotated type, and how it is said, read and checked."""

from __future__ import annotations

import json
import math
import re
import types
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from inspect import get_annotations
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

from sfumato.errors import ConfigurationError

if TYPE_CHECKING:
    from sfumato.options.option import Described


def kind_of(hint: Any, typed: bool = True) -> str:
    """Return what a value of the type ``hint`` is, in words: as it is ``typed``, or else in Python."""
    kinds = [_kind(part, typed) for part in _alternatives(hint) if _base(part) is not Literal]
    choices = [str(each) for part in _alternatives(hint) if _base(part) is Literal for each in get_args(part)]
    told = [*choices, *dict.fromkeys(kind for kind in kinds if kind)]
    return f"{', '.join(told[:-1])} or {told[-1]}" if len(told) > 1 else told[0] if told else "a value"


def is_mapping(hint: Any) -> bool:
    """Return whether a value of the type ``hint`` may be a mapping."""
    return any(_base(part) is Mapping for part in _alternatives(hint))


def read_text(option: Described, text: str, place: str) -> Any:
    """Return ``text`` of a command line as the type of ``option``.

    Raises ConfigurationError, which ``place`` opens, where it is no such value. JSON is understood.
    """
    if text == "null" and type(None) in get_args(option.type):
        return None
    for alternative in _alternatives(option.type):
        try:
            return _READERS[_base(alternative)](text, alternative)
        except (KeyError, ValueError):
            continue
    if option.option.file:
        return text
    raise ConfigurationError(f"{place} is {option.kind}, not {text!r}.")


def check_value(option: Described, value: Any, place: str) -> None:
    """Raise ConfigurationError, which ``place`` opens, where ``value`` cannot be of the type of ``option``.

    A secret is left to the code that takes it, and never shown.
    """
    if value is None or option.option.secret or (option.option.file and isinstance(value, str | Path)):
        return
    parts = _alternatives(option.type)
    choices = choices_of(option.type)
    if choices and isinstance(value, str) and str not in parts:
        fitting = value in choices
    else:
        fitting = fits(value, option.type)
    if not fitting:
        plain = isinstance(value, str | float) or (isinstance(value, int) and fits(value, int))
        raise ConfigurationError(f"{place} is {option.kind}, not {repr(value) if plain else shown(value)}.")


def choices_of(hint: Any) -> list[Any]:
    """Return the values that the type ``hint`` names one by one."""
    return [choice for part in _alternatives(hint) if _base(part) is Literal for choice in get_args(part)]


def is_plain(path: str) -> bool:
    """Return whether an error may repeat the ``path`` of what is set: a few short words with dots between."""
    return re.fullmatch(r"[A-Za-z0-9_-]{1,40}(?:\.[A-Za-z0-9_-]{1,40}){0,3}", path) is not None


def shown(value: Any) -> str:
    """Return what ``value`` is, in words: its type and those of its elements, never what it holds."""
    name = type(value).__name__
    if isinstance(value, int) and not fits(value, int) and not isinstance(value, bool):
        return "one that large"
    if isinstance(value, list | tuple | set | frozenset) and value:
        return f"{name} of {', '.join(sorted({type(each).__name__ for each in value}))}"
    return f"{name} of {shown(list(value.values()))}" if isinstance(value, dict) and value else name


def _kind(hint: Any, typed: bool) -> str:
    """Return what a value of the type ``hint`` is, in words; "" if nothing can be said of it."""
    base, inner = _base(hint), get_args(hint)
    if base in (Mapping, Collection, Iterable) and not typed:
        if base is Mapping:
            return "a mapping" if Any in inner or not inner else f"a mapping to {kind_of(inner[1], typed)}"
        fixed = get_origin(hint) is tuple and inner[-1] is not ...
        number = f" of {len(inner)}" if fixed else ""
        return f"a list{number}, each {kind_of(inner[0], typed)}" if inner and inner[0] is not Any else "a list"
    if base is Path and not typed:
        return "a path"
    if base in _KINDS:
        return _KINDS[base]
    if base is Callable:
        return "a function"
    if not isinstance(base, type):
        return ""
    return f"{'an' if base.__name__[0] in 'AEIOU' else 'a'} {base.__name__}"


def _alternatives(hint: Any) -> list[Any]:
    """The types that a union is made of, without None; most exact first, and text last."""
    union = get_origin(hint) in (Union, types.UnionType)
    hints = [each for inner in get_args(hint) for each in _alternatives(inner)] if union else [hint]
    order = [Literal, bool, int, float, Mapping, Collection, str, Path]
    return sorted(
        (inner for inner in hints if inner is not type(None)),
        key=lambda inner: order.index(_base(inner)) if _base(inner) in order else -1,
    )


def _base(hint: Any) -> Any:
    origin = get_origin(hint) or hint
    if isinstance(origin, type) and origin not in (str, bytes, Path):
        if issubclass(origin, Mapping):
            return Mapping
        if issubclass(origin, Collection):
            return Collection
    return origin


def _read_bool(text: str, _: Any) -> bool:
    return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[text.lower()]


def _read_number(text: str, _: Any) -> float:
    value = float(text)
    if math.isnan(value):
        raise ValueError("not a number")
    return value


def _read_choice(text: str, hint: Any) -> Any:
    return {str(choice): choice for choice in get_args(hint)}[_read_str(text, hint)]


def _read_str(text: str, _: Any) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, str) else text


def _read_mapping(text: str, _: Any) -> Mapping[str, Any]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("no JSON object")
    return value


def _read_list(text: str, hint: Any) -> tuple[str, ...]:
    if str not in map(_base, _alternatives((*get_args(hint), None)[0])):
        raise ValueError("no list of words")
    value = json.loads(text) if text.startswith("[") else [part.strip() for part in text.split(",") if part.strip()]
    if not all(isinstance(each, str) for each in value):
        raise ValueError("no list of words")
    return tuple(value)


_KINDS: dict[Any, str] = {
    bool: "true or false", int: "a whole number", float: "a number", str: "text", Path: "a file",
    Mapping: "a JSON object", Collection: "names with commas between",
}  # fmt: skip
_READERS: dict[Any, Any] = {
    bool: _read_bool, int: lambda text, _: int(text), float: _read_number, str: _read_str, Literal: _read_choice,
    Path: lambda text, _: Path(text), Mapping: _read_mapping, Collection: _read_list,
}  # fmt: skip


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
