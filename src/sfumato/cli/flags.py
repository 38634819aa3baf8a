"""Flags of a command from frozen dataclasses: a command takes groups of options, typer sees a parameter for each.

A field of a group is a parameter as typer wants it, or it gathers the flags of a described dataclass
(:mod:`sfumato.options.option`) as they were typed: ``Annotated[Mapping[str, Any], Flags(Plan)]``. Groups may share
a parameter. The help lists parameters in panels.
"""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

import typer
from typer.core import TyperCommand
from typer.models import OptionInfo

from sfumato.options.option import Described, options_of
from sfumato.options.values import read_text

C = TypeVar("C", bound=Callable[..., Any])
_EVERYTHING = "help_all"
_RUN = "Run"
_PANELS = {
    name: panel
    for panel, names in {
        "What": "policy mechanism detect language set decisions review kind label labels tasks attacks metrics "
        "knowledge claims units records code tokens text position command python given chat_model one_to_one "
        "trials kinds",
        "Where": "field id_field subject_field keep_field public_field unit_field texts_per_unit released_field "
        "lines quoting encoding missing form",
        "Privacy": "epsilon delta no_guarantee pin seed ledger ledger_key expect_head map_file map_key key distance",
        "Files": "output instead statement resume force on_error rounds save_model model_folder page held_out "
        "trained canaries show_text",
        _RUN: "",
    }.items()
    for name in names.split()
}
"""The panel of each parameter; of all others it is Run."""


@dataclass(frozen=True)
class Flags:
    """Marks a field that gathers the flags of a ``described`` dataclass."""

    described: type[Any]


_ONCE = ("policy", "mechanism", "epsilon")
"""Options of which the last would win without a word."""


class Panelled(TyperCommand):
    """A command whose help has a section for each panel."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse ``args`` as any command does, after refusing what decides the privacy if it is given twice."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for option, times in Counter(each for each in order if each.name in _ONCE).items():
            if times > 1:
                ctx.fail(f"{option.opts[0]} is given {times} times; keep one.")
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, and the options by panel."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], **{panel: [] for panel in _PANELS.values()}}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                argument = parameter.param_type_name == "argument"
                panel = "Arguments" if argument else _PANELS.get(str(parameter.name), _RUN)
                sections.setdefault(panel, []).append(record)
        for panel, rows in sections.items():
            if rows:
                with formatter.section(panel):
                    formatter.write_dl(rows)


def command(function: C, shown: str = "") -> C:
    """Return ``function`` as typer should see it: with a parameter for each option of the groups that it takes.

    ``shown`` names the options that ``--help`` lists, by parameter; ``--help-all`` lists every one ("": both do).
    """
    hints = get_type_hints(function, include_extras=True)
    parameters: dict[str, inspect.Parameter] = {}
    builders: dict[str, tuple[Callable[[Mapping[str, Any]], Any], list[str]]] = {}
    for name, parameter in inspect.signature(function).parameters.items():
        hint = hints[name]
        if isinstance(hint, type) and is_dataclass(hint):
            own, build = _of_group(hint)
            builders[name] = build, [one.name for one in own]
            for one in own:
                parameters.setdefault(one.name, one)
        else:
            parameters[name] = _parameter(name, hint, parameter.default)
    alone = inspect.signature(function).parameters.keys() - builders.keys()

    @functools.wraps(function)
    def called(**given: Any) -> Any:
        groups = {name: build({key: given[key] for key in own}) for name, (build, own) in builders.items()}
        return function(**{name: value for name, value in given.items() if name in alone}, **groups)

    listed = list(parameters.values())
    if shown:
        listed = [*(_hidden(one) if one.name not in shown.split() else one for one in listed), _help_for_all()]
    called.__signature__ = inspect.Signature(listed)  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: one.annotation for one in listed}
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

    option = typer.Option("--help-all", callback=told, is_eager=True, help="Show every option and exit.")
    return _parameter(_EVERYTHING, Annotated[bool, option], False)


def _of_group(group: type[Any]) -> tuple[list[inspect.Parameter], Callable[[Mapping[str, Any]], Any]]:
    """Return the parameters of a group, and what makes the group of their values."""
    hints, parameters, gathered = get_type_hints(group, include_extras=True), list[inspect.Parameter](), {}
    for field in fields(group):
        source = next((one for one in getattr(hints[field.name], "__metadata__", ()) if isinstance(one, Flags)), None)
        if source is None:
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            parameters.append(_parameter(field.name, hints[field.name], default))
        else:
            own = [_flag(option) for option in options_of(source.described) if option.option.flag]
            gathered[field.name] = [one.name for one in own]
            parameters += own

    def build(values: Mapping[str, Any]) -> Any:
        plain = {one.name: values[one.name] for one in fields(group) if one.name not in gathered}
        return group(**plain, **{
            name: {one: values[one] for one in own if values[one] not in (None, False, [])}
            for name, own in gathered.items()
        })  # fmt: skip

    return parameters, build


def _flag(option: Described) -> inspect.Parameter:
    """Return the flag of a described option, whose help says its default."""
    plain = isinstance(option.default, str | int | float) and not isinstance(option.default, bool)
    usual = f" ({option.default})" if plain else ""
    told = f"{option.option.help[:1].upper()}{option.option.help[1:]}{usual}."
    if option.kind == "true or false":
        return _parameter(option.name, Annotated[bool, typer.Option(option.option.flag, help=told)], False)
    if option.option.repeated:
        return _parameter(option.name, Annotated[list[str] | None, typer.Option(option.option.flag, help=told)], None)
    metavar = {"a whole number": "<int>", "a number": "<float>", "a file": "<path>"}.get(option.kind, "<str>")
    flag = typer.Option(option.option.flag, metavar=metavar, help=told)
    return _parameter(option.name, Annotated[str | None, flag], None)


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def read(option: Described, typed: Any) -> Any:
    """Return what was typed for the flag of ``option`` as its type. Raise ConfigurationError."""
    if isinstance(typed, bool):
        return typed is not option.option.unsets
    if isinstance(typed, list):
        return tuple(typed)
    return read_text(option, typed, option.spelled)


def typed_again(group: Any) -> list[str]:
    """Return the options of ``group`` that differ from their defaults, as they would be typed: by their names."""
    words: list[str] = []
    for field in fields(group):
        value, flag = getattr(group, field.name), f"--{field.name.replace('_', '-')}"
        if value != field.default and value is not None:
            for each in value if isinstance(value, list) else [value]:
                words += [flag] if each is True else [flag, str(each)]
    return words
