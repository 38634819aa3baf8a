"""Options said once: the annotation of a field says what the option does and how a command line asks for it.

``set_size: Annotated[int, Option("tokens in a set")] = 20`` is all that has to be written. Command line,
``sfumato list NAME``, the tables of the pages, plans and errors read it from here.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, replace
from functools import cache
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from sfumato.errors import ConfigurationError
from sfumato.options.values import check_value, is_mapping, kind_of

DETECT = "detect."
"""What stands before the options of detectors in ``--set``."""

OF_SPANS: Mapping[str, str] = {"field": "spans_field", "skip_labels": "skip_labels", "merge": "merge_spans"}
"""Options of the detector of given spans, each with the argument of functions that gives it."""


@dataclass(frozen=True, slots=True)
class Option:
    """Describes a field that a user may set.

    On a command line it is set by ``--set NAME=VALUE``, with ``under`` before its name, unless it has a ``flag`` of
    its own. A flag is ``repeated`` for several values, or takes them with commas between. A flag that ``unsets``
    makes a field False. ``file``: the value may name a file. ``secret``: it is never part of a plan.
    ``metavar`` is what a help shows in the place of the value where its type does not say enough. ``usual`` says what
    happens where None, the default, does not mean nothing.
    """

    help: str
    flag: str = ""
    under: str = ""
    repeated: bool = False
    unsets: bool = False
    file: bool = False
    secret: bool = False
    metavar: str = ""
    usual: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """Describes a field that the builder of the object fills from other options, such as a vocabulary or a model."""

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
        """Return how a command line spells it: its flag, or its name in ``--set``."""
        return self.option.flag or f"{self.option.under}{self.name}"

    def of_detector(self) -> Described:
        """Return the same as an option of a detector, whose name in ``--set`` says so."""
        return replace(self, option=replace(self.option, under=DETECT))

    @property
    def by_key(self) -> bool:
        """Return whether a value may be a mapping, whose entries are set one by one as NAME.KEY=VALUE."""
        return is_mapping(self.type)

    @property
    def kind(self) -> str:
        """Return what a value of it is, in words; of a repeated flag, each value."""
        return self.option.metavar or ("text" if self.option.repeated else kind_of(self.type))

    @property
    def shown_default(self) -> str:
        """Return the default for people; "none" where there is none, empty where a value must be given."""
        if self.default is MISSING:
            return ""
        if self.option.usual:
            return self.option.usual
        if self.default is None or (isinstance(self.default, Collection) and not self.default):
            return "none"
        if isinstance(self.default, bool):
            return str(self.default is not self.option.unsets).lower()  # of the flag, which may unset the field
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
    """Return the names of the fields of a dataclass that are filled by its builder."""
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


def opening(who: str) -> str:
    """Return ``who`` as it opens a sentence: names of methods keep their letters, "the kind DATE" gets a capital."""
    return f"T{who[1:]}" if who.startswith("the ") else who


def _refusal(who: str, name: str, shown: Sequence[Described], owners: Mapping[str, Described]) -> str:
    """The sentence for an option that ``who`` does not have: whose it is, and what ``who`` has."""
    spelled = next(iter(owners.values())).spelled if owners else name
    theirs = f", which belongs to {', '.join(owners)}" if owners else ""
    near = [] if owners else difflib.get_close_matches(name, [option.spelled for option in shown], n=1, cutoff=0.6)
    meant = f"did you mean {near[0]}?" if near else f"leave out {spelled}"
    has = ", ".join(option.spelled for option in shown) or "none"
    return f"{opening(who)} has no option {name}{theirs}; {meant} (options of {who}: {has})."
