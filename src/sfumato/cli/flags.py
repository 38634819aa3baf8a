"""Flags of a command from frozen dataclasses: a command takes groups of options, typer sees a parameter for each.

A field of a group is a parameter as typer wants it, or it gathers the flags of described options
(:mod:`sfumato.abstract.options`) as they were typed: ``Annotated[Mapping[str, Any], Flags(source)]``.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from copy import copy
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

import typer
from typer.models import OptionInfo

from sfumato.abstract.options import Described
from sfumato.errors import ConfigurationError
from sfumato.options.values import read_text

C = TypeVar("C", bound=Callable[..., Any])
_ALIAS = "_by_its_old_name"
_EVERYTHING = "help_all"
_FEW = 4


@dataclass(frozen=True)
class Flags:
    """Marks a field that gathers flags. ``source`` gives each option with whose it is ("" where all have it)."""

    source: Callable[[], Iterable[tuple[str, Described]]]


def command(function: C, shown: Collection[str] | None = None) -> C:
    """Return ``function`` as typer should see it: with a parameter for each option of the groups that it takes.

    ``shown`` names the options that ``--help`` lists, by parameter; ``--help-all`` lists every one (None: both do).
    """
    hints = get_type_hints(function, include_extras=True)
    parameters: list[inspect.Parameter] = []
    builders: dict[str, tuple[Callable[[Mapping[str, Any]], Any], list[str]]] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints[name]
        if isinstance(hint, type) and is_dataclass(hint):
            own, build = _of_group(hint)
            builders[name] = build, [one.name for one in own]
            parameters += own
        else:
            parameters.append(_parameter(name, hint, parameter.default))

    @functools.wraps(function)
    def called(**given: Any) -> Any:
        given.pop(_EVERYTHING, None)
        for name, (build, own) in builders.items():
            given[name] = build({key: given.pop(key) for key in own})
        return function(**given)

    if shown is not None:
        parameters = [*(_hidden(one) if one.name not in shown else one for one in parameters), _help_for_all()]
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: one.annotation for one in parameters}
    return called  # type: ignore[return-value]


def _hidden(parameter: inspect.Parameter) -> inspect.Parameter:
    """Return an option that ``--help`` leaves out; an argument as it is."""
    kind, *told = (getattr(parameter.annotation, "__metadata__", ()) and get_args(parameter.annotation)) or (None,)
    options = [one for one in told if isinstance(one, OptionInfo)]
    if not options:
        return parameter
    hidden = copy(options[0])
    hidden.hidden = True
    return parameter.replace(annotation=Annotated[kind, hidden])


def _help_for_all() -> inspect.Parameter:
    """Return the option that prints the help with every option in it."""

    def told(context: typer.Context, wanted: bool) -> None:
        if wanted:
            whole: Any = copy(context.command)
            whole.params = [copy(parameter) for parameter in whole.params]
            for parameter in whole.params:
                parameter.hidden = False
            typer.echo(whole.get_help(context))
            raise typer.Exit

    option = typer.Option(
        "--help-all", callback=told, is_eager=True, help="Show every option, those of single methods too, and exit."
    )
    return _parameter(_EVERYTHING, Annotated[bool, option], False)


def _of_group(group: type[Any]) -> tuple[list[inspect.Parameter], Callable[[Mapping[str, Any]], Any]]:
    """The parameters of a group, and what makes the group of their values."""
    hints, parameters, gathered = get_type_hints(group, include_extras=True), list[inspect.Parameter](), {}
    for field in fields(group):
        source = next((one for one in getattr(hints[field.name], "__metadata__", ()) if isinstance(one, Flags)), None)
        if source is None:
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            parameters.append(_parameter(field.name, hints[field.name], default))
        else:
            own = list(_flags(source.source()))
            gathered[field.name] = [one.name for one in own]
            parameters += own

    def build(values: Mapping[str, Any]) -> Any:
        plain = {one.name: values[one.name] for one in fields(group) if one.name not in gathered}
        return group(**plain, **{name: _typed(values, own) for name, own in gathered.items()})

    return parameters, build


def _typed(values: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """What was typed, without flags that were not."""
    given = {name: values[name] for name in names if values[name] not in (None, False, [])}
    return {name.removesuffix(_ALIAS): value for name, value in given.items()}


def _flags(source: Iterable[tuple[str, Described]]) -> Iterable[inspect.Parameter]:
    """A parameter for each flag, with the help of everyone who has it."""
    by_name: dict[str, list[tuple[str, Described]]] = {}
    for who, option in source:
        if option.option.flag:
            by_name.setdefault(option.name, []).append((who, option))
    for name, told in by_name.items():
        first = told[0][1]
        yield _flag(name, first, first.option.flag, help=_help(told))
        if first.option.alias:
            yield _flag(f"{name}{_ALIAS}", first, first.option.alias, hidden=True)


def _flag(name: str, option: Described, flag: str, **shown: Any) -> inspect.Parameter:
    if option.kind == "true or false":
        return _parameter(name, Annotated[bool, typer.Option(flag, **shown)], False)
    if option.option.repeated:
        return _parameter(name, Annotated[list[str] | None, typer.Option(flag, **shown)], None)
    return _parameter(name, Annotated[str | None, typer.Option(flag, metavar=_metavar(option), **shown)], None)


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _metavar(option: Described) -> str:
    return {"a whole number": "<int>", "a number": "<float>", "a file": "<path>"}.get(option.kind, "<str>")


def _help(told: Iterable[tuple[str, Described]]) -> str:
    """What all who have a flag say of it, each thing once, with who says it where they are few."""
    by_text: dict[str, list[str]] = {}
    for who, option in told:
        by_text.setdefault(option.option.help, []).append(who)
    named = all(name for names in by_text.values() for name in names) and (
        len(by_text) > 1 or len(next(iter(by_text.values()))) <= _FEW
    )
    if named:
        return "; ".join(f"{', '.join(names)}: {text}" for text, names in by_text.items()) + "."
    whole = "; ".join(by_text)
    first, second = (*whole.split(" "), "", "")[:2]
    names_a_value = first.endswith((":", ",")) or second == "or"  # to be typed as it is: "cpu or cuda"
    return f"{whole if names_a_value else whole[:1].upper() + whole[1:]}."


def with_defaults(cls_options: Iterable[Described]) -> list[tuple[str, Described]]:
    """Return options for :class:`Flags` that say their defaults."""
    from dataclasses import replace

    return [
        ("", replace(one, option=replace(one.option, help=f"{one.option.help} ({one.shown_default})")))
        if one.shown_default not in ("", "none", "false") and one.kind != "true or false" else ("", one)
        for one in cls_options
    ]  # fmt: skip


def read(option: Described, typed: Any) -> Any:
    """Return what was typed for ``option`` as its type. Raises ConfigurationError."""
    if isinstance(typed, bool):
        return typed is not option.option.unsets
    if isinstance(typed, list):
        return tuple(typed)
    return read_text(option, typed, option.spelled)


def named_values(given: Iterable[str] | None, flag: str) -> dict[str, str]:
    """Return what NAME=VALUE says, as it was typed; ``flag`` is named in the error."""
    found: dict[str, str] = {}
    for one in given or ():
        name, equals, value = one.partition("=")
        if not equals:
            raise ConfigurationError(f"{flag} takes NAME=VALUE, not {one!r}.")
        found[name.strip().replace("-", "_")] = value
    return found


def typed_again(group: Any) -> list[str]:
    """Return the options of ``group`` that differ from their defaults, as they would be typed."""
    words: list[str] = []
    hints = get_type_hints(type(group), include_extras=True)
    for one in fields(group):
        value = getattr(group, one.name)
        option = next(each for each in hints[one.name].__metadata__ if isinstance(each, OptionInfo))
        if value == one.default or value is None:
            continue
        flag = str(option.default)  # typer keeps the first name of an annotated option here
        for each in value if isinstance(value, list) else [value]:
            words += [flag] if each is True else [flag, str(each)]
    return words
