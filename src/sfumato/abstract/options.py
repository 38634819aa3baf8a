"""Options said once: the annotation of a field says what the option does and how a command line asks for it.

``set_size: Annotated[int, Option("tokens in a set", flag="--set-size")] = 20`` is all that has to be written. Command
line, ``sfumato list NAME``, the tables of the pages, plans and errors read it from here.
"""

from __future__ import annotations

import json
import math
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from sfumato.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Option:
    """Describes a field that a user may set.

    ``flag`` is its own flag on a command line and ``alias`` an older name of that; without a flag it is given by
    ``--option NAME=VALUE``. A flag is ``repeated`` for several values, or takes them with commas between. A flag that
    ``unsets`` makes a field False. ``file``: the value may name a file. ``secret``: it never stands in a plan.
    ``metavar`` is what a help shows in the place of the value where its type does not say enough.
    """

    help: str
    flag: str = ""
    alias: str = ""
    repeated: bool = False
    unsets: bool = False
    file: bool = False
    secret: bool = False
    metavar: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """Describes a field that whoever builds the object fills from other options, such as a vocabulary or a model."""

    help: str


@dataclass(frozen=True)
class Described:
    """One option as it was annotated: its name, type, default (MISSING: none) and description."""

    name: str
    type: Any
    default: Any
    option: Option

    @property
    def spelled(self) -> str:
        """Return how a command line spells it: its flag, or its name in ``--option``."""
        return self.option.flag or self.name.replace("_", "-")

    @property
    def kind(self) -> str:
        """Return what a value of it is, in words."""
        return self.option.metavar or kind_of(self.type)

    @property
    def shown_default(self) -> str:
        """Return the default for people; "none" where there is none, empty where a value must be given."""
        if self.default is MISSING:
            return ""
        if self.default is None or (isinstance(self.default, Collection) and not self.default):
            return "none"
        if isinstance(self.default, bool):
            return str(self.default).lower()
        if isinstance(self.default, str | int | float):
            return str(self.default)
        if isinstance(self.default, Collection):
            shown = sorted(self.default) if isinstance(self.default, set | frozenset) else self.default
            return ", ".join(map(str, shown))
        return type(self.default).__name__

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON types."""
        plain = self.default is None or isinstance(self.default, str | int | float | bool)
        return {
            "name": self.name,
            "flag": self.option.flag or None,
            "type": self.kind,
            "default": None if self.default is MISSING else self.default if plain else self.shown_default,
            "required": self.default is MISSING,
            "help": self.option.help,
        }


def options_of(cls: type[Any]) -> tuple[Described, ...]:
    """Return the options of a dataclass, in the order of its fields."""
    return tuple(
        Described(field.name, hint, _default(field), option)
        for field, hint, option in _annotated(cls)
        if isinstance(option, Option)
    )


def parts_of(cls: type[Any]) -> frozenset[str]:
    """Return the names of the fields of a dataclass that are filled by whoever builds it."""
    return frozenset(field.name for field, _, option in _annotated(cls) if isinstance(option, Part))


def undescribed(cls: type[Any]) -> tuple[str, ...]:
    """Return the fields of a dataclass that can be given to it and are not described: there should be none."""
    return tuple(field.name for field, _, option in _annotated(cls) if option is None or not option.help.strip())


def _annotated(cls: type[Any]) -> list[tuple[Field[Any], Any, Option | Part | None]]:
    return _read_annotations(cls)  # type: ignore[arg-type] # a class is hashable, whatever its instances are


@cache
def _read_annotations(cls: type[Any]) -> list[tuple[Field[Any], Any, Option | Part | None]]:
    hints, found = get_type_hints(cls, include_extras=True), []
    for field in fields(cls):
        if field.init:
            hint = hints[field.name]
            told = next((one for one in getattr(hint, "__metadata__", ()) if isinstance(one, Option | Part)), None)
            found.append((field, get_args(hint)[0] if get_origin(hint) is Annotated else hint, told))
    return found


def _default(field: Field[Any]) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default


# Types: what a value may be, in words, from text, and checked.


def kind_of(hint: Any) -> str:
    """Return what a value of the type ``hint`` is, in words."""
    kinds = [_KINDS.get(_base(one), "") for one in _alternatives(hint) if _base(one) is not Literal]
    choices = [str(each) for one in _alternatives(hint) if _base(one) is Literal for each in get_args(one)]
    told = [*choices, *dict.fromkeys(kind for kind in kinds if kind)]
    return f"{', '.join(told[:-1])} or {told[-1]}" if len(told) > 1 else told[0] if told else "a value"


def read_text(option: Described, text: str, place: str) -> Any:
    """Return ``text`` of a command line as the type of ``option``.

    Raises ConfigurationError, which ``place`` opens, where it is no such value. JSON is understood.
    """
    if text == "null" and type(None) in get_args(option.type):
        return None
    for one in _alternatives(option.type):
        try:
            return _READERS[_base(one)](text, one)
        except (KeyError, ValueError):
            continue
    if option.option.file:
        return text
    raise ConfigurationError(f"{place} is {option.kind}, not {text!r}.")


def check_value(option: Described, value: Any, place: str) -> None:
    """Raise ConfigurationError, which ``place`` opens, where ``value`` cannot be of the type of ``option``.

    Types that hold more than plain values (a vocabulary, a model) are left to whoever takes them.
    """
    alternatives = _alternatives(option.type)
    if value is None or any(_base(one) not in _CHECKS for one in alternatives):
        return
    if option.option.file and isinstance(value, str | Path):
        return
    if not any(_CHECKS[_base(one)](value, one) for one in alternatives):
        shown = f", not {value!r}" if isinstance(value, str | int | float) else ""
        raise ConfigurationError(f"{place} is {option.kind}{shown}.")


def _alternatives(hint: Any) -> list[Any]:
    """The types that a union is made of, without None; most exact first, and text last."""
    union = get_origin(hint) in (Union, types.UnionType)
    found = [each for one in get_args(hint) for each in _alternatives(one)] if union else [hint]
    order = [Literal, bool, int, float, Mapping, Collection, str, Path]
    return sorted(
        (one for one in found if one is not type(None)),
        key=lambda one: order.index(_base(one)) if _base(one) in order else -1,
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
    return {str(one): one for one in get_args(hint)}[_read_str(text, hint)]


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
    if get_args(hint)[:1] != (str,):
        raise ValueError("no list of words")
    value = json.loads(text) if text.startswith("[") else [one.strip() for one in text.split(",") if one.strip()]
    return tuple(value)


_KINDS: dict[Any, str] = {
    bool: "true or false", int: "a whole number", float: "a number", str: "text", Path: "a file",
    Mapping: "a JSON object", Collection: "names with commas between",
}  # fmt: skip
_READERS: dict[Any, Any] = {
    bool: _read_bool, int: lambda text, _: int(text), float: _read_number, str: _read_str, Literal: _read_choice,
    Path: lambda text, _: Path(text), Mapping: _read_mapping, Collection: _read_list,
}  # fmt: skip
_CHECKS: dict[Any, Any] = {
    bool: lambda value, _: isinstance(value, bool),
    int: lambda value, _: isinstance(value, Integral) and not isinstance(value, bool),
    float: lambda value, _: isinstance(value, Real) and not isinstance(value, bool),
    str: lambda value, _: isinstance(value, str),
    Path: lambda value, _: isinstance(value, str | Path),
    Literal: lambda value, hint: isinstance(value, type(get_args(hint)[0])),
    Mapping: lambda value, _: isinstance(value, Mapping),
    Collection: lambda value, _: isinstance(value, Collection) and not isinstance(value, str | bytes),
}


# Legality: what may be given to whom.


Owners = Callable[[str], Mapping[str, Described]]
"""Who has an option of a name, with what they say of it."""


def check_names(
    who: str, given: Collection[str], known: Sequence[Described], owners: Owners, shown: Sequence[Described]
) -> None:
    """Raise ConfigurationError for an option that ``who`` has no field for, which is not among the ``known`` ones.

    The sentence says whose it is, and names the options ``shown``. This is the one place that decides whether an
    option is legal.
    """
    names = {option.name for option in known}
    for name in given:
        if name not in names:
            raise ConfigurationError(_refusal(who, name, shown, owners(name)))


def chosen(
    who: str,
    given: Mapping[str, Any],
    known: Sequence[Described],
    owners: Owners = lambda _: {},
    shown: Sequence[Described] | None = None,
) -> dict[str, Any]:
    """Return those options of ``given`` that are not None, each checked by :func:`check_names` and for its type."""
    names = {option.name: option for option in known}
    found = {name: value for name, value in given.items() if value is not None}
    check_names(who, found, known, owners, known if shown is None else shown)
    for name, value in found.items():
        check_value(names[name], value, f"The option {names[name].spelled} of {who}")
    return found


def _refusal(who: str, name: str, shown: Sequence[Described], owners: Mapping[str, Described]) -> str:
    """The sentence for an option that ``who`` does not have: whose it is, and what ``who`` has."""
    plain = name.replace("_", "-")
    spelled = next(iter(owners.values())).spelled if owners else plain
    theirs = f", which belongs to {', '.join(owners)}" if owners else ""
    has = ", ".join(option.spelled for option in shown) or "none"
    return f"{who} has no option {plain}{theirs}; leave out {spelled} (options of {who}: {has})."
