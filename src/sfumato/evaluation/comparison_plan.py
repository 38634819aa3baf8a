"""The plan of a comparison, a TOML file: one input, mechanisms by epsilons and seeds, files of other tools."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from sfumato import registry
from sfumato.builder import build_sanitizer
from sfumato.errors import ConfigurationError, InputError
from sfumato.evaluation.plan import Plan
from sfumato.guarantee import checked_epsilon
from sfumato.model_builder import build_rewriter

IDENTITY, REDACTION = "identity", "redaction"
BASELINES = {
    IDENTITY: "the originals as they are",
    REDACTION: "every word replaced by the same sign, so that only signs and the number of words are left",
}
"""What a comparison holds beside mechanisms: its two corners. They are evaluated and never written down."""

BUDGETS = ("epsilon", "document_epsilon")
FILES = ("vocabulary", "clusters", "clip", "model", "encoder")
"""Options of a method that may name files, which are looked for beside the plan."""

_ALIASES = {"label": "labels", "task": "tasks"}
_FROM_INPUT = ("id_field", "field", "released_field", "chat", "hearsay")


@dataclass(frozen=True)
class Method:
    """A mechanism with its options at some budgets; a baseline has none, so that ``budgets`` is (None,)."""

    name: str
    mechanism: str
    budgets: tuple[float | None, ...] = (None,)
    budget: str = "epsilon"
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def baseline(self) -> bool:
        """Whether nothing is made for it."""
        return self.mechanism in BASELINES


@dataclass(frozen=True)
class Finished:
    """A release that another tool made."""

    name: str
    file: Path
    field: str
    id_field: str | None


@dataclass(frozen=True)
class Comparison:
    """What is compared. ``evaluation`` holds the fields of the input too; ``seeds`` are those of the releases."""

    file: Path
    evaluation: Plan
    spans: str | None = None
    seeds: tuple[int, ...] = (0,)
    methods: tuple[Method, ...] = ()
    finished: tuple[Finished, ...] = ()


def read_comparison(path: Path) -> Comparison:
    """The plan in the file ``path``; files that it names stand beside it.

    Raises InputError for a file that cannot be read and ConfigurationError, naming the key and its place, for a plan
    that cannot be.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); name a plan, a .toml file.") from None
    except ValueError as error:  # of UTF-8 or TOML; the plan is public
        raise InputError(f"{path.name} is no TOML file ({error}); correct it.") from None
    _only(content, ("input", "evaluate", "seeds", "method", "release"), "the plan")
    given = _table(content, "input")
    _only(given, ("file", "id", "field", "spans"), "[input]")
    file = path.parent / _text(given, "file", "[input]")
    if not file.exists():
        raise InputError(f"The input {file} does not exist; correct file in [input], which is relative to the plan.")
    asked = dict(_table(content, "evaluate", optional=True))
    if "seeds" in asked and "seeds" in content:
        raise ConfigurationError("The plan gives seeds twice, at its top and in [evaluate]; keep one.")
    seeds = _seeds(asked.pop("seeds", content.get("seeds", [0])))
    id_field, name = _optional(given, "id", "[input]"), _optional(given, "field", "[input]") or "text"
    plan = replace(_evaluation(asked), id_field=id_field, field=name)
    spans = _optional(given, "spans", "[input]")
    tables = _tables(content, "method")
    methods = tuple(_method(one, number, path.parent, spans) for number, one in enumerate(tables, 1))
    finished = tuple(_finished(one, n, path.parent, plan) for n, one in enumerate(_tables(content, "release"), 1))
    if not methods and not finished:
        raise ConfigurationError("The plan compares nothing; give at least one [[method]] or [[release]].")
    methods = _named(methods, tables)
    _distinct([*(one.name for one in methods), *(one.name for one in finished)])
    return Comparison(file, plan, spans, seeds, methods, finished)


def _evaluation(given: Mapping[str, Any]) -> Plan:
    """[evaluate]: the fields of an evaluation's plan, under their own names or those of the command's options."""
    usual = Plan()
    known = {one.name for one in fields(Plan)} - set(_FROM_INPUT)
    _only(given, {*known, *_ALIASES}, "[evaluate]")
    asked: dict[str, Any] = {}
    for key, value in given.items():
        name = _ALIASES.get(key, key)
        if name in asked:
            raise ConfigurationError(f"[evaluate] gives {key} twice; keep one.")
        asked[name] = _like(value, getattr(usual, name), f"{key} in [evaluate]")
    return replace(usual, **asked)


def _like(value: Any, usual: Any, place: str) -> Any:
    """``value`` as the type of ``usual``; anything where that is None."""
    if isinstance(usual, tuple):
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise ConfigurationError(f"{place} is a list of names.")
        return tuple(value)
    if isinstance(usual, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if usual is not None and type(value) is not type(usual):
        kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "text in quotation marks"}
        raise ConfigurationError(f"{place} is {kinds.get(type(usual), 'something else')}.")
    return value


def _method(given: Mapping[str, Any], number: int, folder: Path, spans: str | None) -> Method:
    place = f"[[method]] {number}"
    mechanism = _text(given, "mechanism", place).lower()
    name = _optional(given, "name", place) or ""
    options = {key: value for key, value in given.items() if key not in ("name", "mechanism", *BUDGETS)}
    asked = [key for key in BUDGETS if key in given]
    if mechanism in BASELINES:
        _only({**options, **dict.fromkeys(asked, 0)}, (), f"{place} ({mechanism})")
        return Method(name, mechanism)
    if not registry.is_contextual(mechanism):
        known = [*registry.mechanisms(), *registry.CONTEXTUAL, *BASELINES]
        if mechanism not in known:
            raise ConfigurationError(
                f"{place}: there is no mechanism {mechanism!r}{registry.suggestion(mechanism, known)}"
            )
    _only(options, {*_options(mechanism), "name", "mechanism", *BUDGETS}, f"{place} ({mechanism})")
    if options.get("detect") == "given" and spans is None:
        raise ConfigurationError(f'{place} detects given spans; say where they are: spans = "spans" in [input].')
    if len(asked) != 1:
        why = "has two budgets; keep" if asked else "has no epsilon; give a number or a list of numbers in"
        raise ConfigurationError(f"{place} ({mechanism}) {why} one of {' and '.join(BUDGETS)}.")
    budgets = _epsilons(given[asked[0]], f"{place} ({mechanism})")
    return Method(name, mechanism, budgets, asked[0], {key: _found(key, one, folder) for key, one in options.items()})


def _options(mechanism: str) -> set[str]:
    """The options that :func:`sfumato.build` takes for ``mechanism``, but for those that the plan itself gives."""
    contextual = registry.is_contextual(mechanism)
    builder = build_rewriter if contextual else build_sanitizer
    if contextual:
        module, _, name = registry.CONTEXTUAL[mechanism][0].partition(":")
        made: Any = getattr(import_module(module), name)
    else:
        made = registry.mechanism_class(mechanism)
    found = {*signature(builder).parameters, *(one.name for one in fields(made) if one.init)}
    return found - {"mechanism", "epsilon", "progress", "spans_field", "options"}


def _epsilons(given: Any, place: str) -> tuple[float, ...]:
    found = []
    for one in given if isinstance(given, list) else [given]:
        if isinstance(one, bool) or not isinstance(one, int | float):
            raise ConfigurationError(f"{place}: epsilon is a number or a list of numbers, for example [4, 8].")
        try:
            found.append(checked_epsilon(one))
        except ConfigurationError as error:
            raise ConfigurationError(f"{place}: {error}") from None
    if not found or len(set(found)) < len(found):
        raise ConfigurationError(f"{place}: the list of epsilons is empty or holds one twice; correct it.")
    return tuple(found)


def _found(key: str, value: Any, folder: Path) -> Any:
    """The value of an option; where it names a file beside the plan, that file."""
    if key == "detect" and isinstance(value, str) and value.startswith("list:"):
        return f"list:{_beside(value.removeprefix('list:'), folder)}"
    if key not in FILES:
        return value
    if isinstance(value, Mapping):
        return {label: _beside(one, folder) for label, one in value.items()}
    return _beside(value, folder)


def _beside(value: Any, folder: Path) -> Any:
    return str(folder / value) if isinstance(value, str) and value and (folder / value).exists() else value


def _named(methods: Sequence[Method], tables: Sequence[Mapping[str, Any]]) -> tuple[Method, ...]:
    """Methods without a name get that of the mechanism, with the options that tell it from others of its kind.

    Raises ConfigurationError for two that would make the same releases.
    """
    found, seen = [], set()
    for number, (one, given) in enumerate(zip(methods, tables, strict=True), 1):
        for budget in one.budgets:
            same = json.dumps([one.mechanism, one.budget, budget, one.options], sort_keys=True, default=repr)
            if same in seen:
                raise ConfigurationError(f"[[method]] {number} ({one.mechanism}) stands in the plan twice; keep one.")
            seen.add(same)
        kin = [other for other in methods if other.mechanism == one.mechanism and not other.name and other is not one]
        told = [
            f"{key} {_short(given[key])}" for key in one.options
            if any(other.options.get(key) != one.options[key] for other in kin)
        ]  # fmt: skip
        found.append(one if one.name else replace(one, name=", ".join([one.mechanism, *told])))
    return tuple(found)


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else Path(value).name if isinstance(value, str) else str(value)


def _finished(given: Mapping[str, Any], number: int, folder: Path, plan: Plan) -> Finished:
    place = f"[[release]] {number}"
    _only(given, ("name", "file", "field", "id"), place)
    file = _text(given, "file", place)
    field = _optional(given, "field", place) or plan.field
    name = _optional(given, "name", place) or Path(file).stem
    return Finished(name, folder / file, field, _optional(given, "id", place) or plan.id_field)


def _seeds(given: Any) -> tuple[int, ...]:
    found = given if isinstance(given, list) else [given]
    if not found or any(isinstance(one, bool) or not isinstance(one, int) for one in found):
        raise ConfigurationError("seeds is a list of whole numbers, for example seeds = [1, 2].")
    if len(set(found)) < len(found):
        raise ConfigurationError("seeds holds a number twice; keep one.")
    return tuple(found)


def _distinct(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ConfigurationError(
                f"Two entries of the plan are called {name!r}; put their epsilons into one list, or give each a name."
            )


def _only(given: Mapping[str, Any], known: Collection[str], place: str) -> None:
    for key in given:
        if key not in known:
            also = registry.suggestion(key, list(known)) if known else ", which takes no options; leave it out."
            raise ConfigurationError(f"{place} has an unknown key {key!r}{also}")


def _table(content: Mapping[str, Any], key: str, optional: bool = False) -> Mapping[str, Any]:
    if key not in content and not optional:
        raise ConfigurationError(f"The plan has no [{key}]; name the file that is sanitized in it.")
    found = content.get(key, {})
    if not isinstance(found, Mapping):
        raise ConfigurationError(f"{key} is a table of the plan; write [{key}] above its keys.")
    return found


def _tables(content: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    found = content.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, Mapping) for one in found):
        raise ConfigurationError(f"{key} is a list of tables; write [[{key}]] above the keys of each.")
    return found


def _text(given: Mapping[str, Any], key: str, place: str) -> str:
    found = _optional(given, key, place)
    if found is None:
        raise ConfigurationError(f"{place} has no {key}; give one, as text in quotation marks.")
    return found


def _optional(given: Mapping[str, Any], key: str, place: str) -> str | None:
    found = given.get(key)
    if found is not None and (not isinstance(found, str) or not found):
        raise ConfigurationError(f"{key} in {place} is text in quotation marks, and not empty.")
    return found
