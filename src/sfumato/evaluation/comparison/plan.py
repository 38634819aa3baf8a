"""The plan of a comparison, a TOML file: its inputs, its methods by epsilons and seeds, and files of other tools.

Its inputs are checked before the first release is made.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from sfumato.abstract.choice import MethodChoice
from sfumato.errors import ConfigurationError, InputError
from sfumato.evaluation.comparison.measures import privacy_names
from sfumato.evaluation.comparison.methods import (
    OF_SYNTHETIC,
    Method,
    check_not_synthetic,
    method,
    named,
    only,
    optional,
    seeds,
    table,
    tables,
    tables_of,
    text,
)
from sfumato.evaluation.pairs import Pairs, records_of
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.results import Skipped
from sfumato.evaluation.studies.answers import tasks_of
from sfumato.evaluation.studies.attributes import not_inferable
from sfumato.files import FileOptions
from sfumato.storage import regular

_MOST_TRIES = 20
_ROLES = {"label": "labels", "task": "tasks"}
"""Keys that name fields of the records, in [evaluate] or for one input, and the fields of the plan that hold them."""

_FROM_INPUT = ("id_field", "field", "released_field", "chat", "paraphrased_knowledge", *OF_SYNTHETIC)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


@dataclass(frozen=True)
class Finished:
    """A release that another tool made. Its text is in ``field``, the ids of its records in ``id_field``, if any."""

    name: str
    file: Path
    field: str
    id_field: str | None


@dataclass(frozen=True)
class Comparison:
    """The methods and releases to compare on one input, which the plan calls ``name``.

    ``evaluation`` holds the fields of the input too; ``spans`` is the field with given spans, if any; ``seeds`` are
    those of the releases. ``finished`` are releases of other tools. ``match`` is the success of the attacker at which
    methods are compared too, if any.
    """

    file: Path
    evaluation: Plan
    spans: str | None = None
    seeds: tuple[int, ...] = (0,)
    methods: tuple[Method, ...] = ()
    finished: tuple[Finished, ...] = ()
    name: str = ""
    match: Matching | None = None


def read_comparisons(
    path: Path, instead: Path | None = None, methods: Sequence[MethodChoice | str] = ()
) -> tuple[Comparison, ...]:
    """Read the plan in the file ``path``: a comparison for each input.

    Files that it names are relative to its folder.

    ``instead`` replaces all inputs and is read as the first one would be, and ``methods`` replace those of the plan;
    files that they name are relative to the working folder. Raise InputError for a file that cannot be
    read, and ConfigurationError, naming the key and its place, for a plan that is wrong.
    """
    content = _content(path)
    only(content, ("input", "evaluate", "seeds", "method", "release", "match"), "the plan")
    evaluation = dict(table(content, "evaluate"))
    if "seeds" in evaluation and "seeds" in content:
        raise ConfigurationError("The plan gives seeds twice, at its top and in [evaluate]; keep one.")
    drawn = seeds(evaluation.pop("seeds", content.get("seeds", [0])))
    inputs = _inputs(content, path.parent, instead, _evaluation(evaluation))
    listed, folder = (tables_of(methods), Path()) if methods else (tables(content, "method"), path.parent)
    spans = all(each.spans for each in inputs)
    compared = tuple(method(entry, number, folder, spans) for number, entry in enumerate(listed, 1))
    others = list(enumerate(tables(content, "release"), 1))
    match = matching(table(content, "match"), [each.evaluation for each in inputs])
    if not compared and not others:
        raise ConfigurationError("The plan compares nothing; give at least one [[method]] or [[release]].")
    if instead is not None and others:
        raise ConfigurationError("A [[release]] belongs to an input of the plan; leave it out to try another input.")
    compared, comparisons = named(compared, listed), []
    for given in inputs:
        own = given.evaluation
        theirs = [release for release in others if _belongs(release[1], release[0], inputs) == given.name]
        finished = tuple(_finished(release, number, path.parent, own) for number, release in theirs)
        _distinct([*(other.name for other in compared), *(other.name for other in finished)])
        comparisons.append(replace(given, seeds=drawn, methods=compared, finished=finished, match=match))
    return tuple(comparisons)


def _content(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(regular(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); name a plan, a .toml file.") from None
    except ValueError as error:  # of UTF-8 or TOML; the plan is public
        raise InputError(f"{path.name} is not a TOML file ({error}); correct it.") from None


def _inputs(content: Mapping[str, Any], folder: Path, instead: Path | None, plan: Plan) -> list[Comparison]:
    """Return the inputs: their files, how each is read, and the ``plan`` by which it is evaluated."""
    given = content.get("input")
    listed = tables(content, "input") if isinstance(given, list) else [table(content, "input")]
    if not given:
        raise ConfigurationError("The plan has no [input]; name the file that is sanitized in it.")
    inputs = [_input(entry, folder, "[input]" if len(listed) == 1 else f"[[input]] {number}", plan)
              for number, entry in enumerate(listed, 1)]  # fmt: skip
    if instead is not None:
        inputs = [replace(inputs[0], file=instead, name=instead.stem)]
    names = [each.name.casefold() for each in inputs]
    for each in inputs:
        if names.count(each.name.casefold()) > 1:
            raise ConfigurationError(f"Two inputs are called {each.name!r}; give each a name of its own.")
        if len(inputs) > 1 and not _NAME.fullmatch(each.name):
            raise ConfigurationError(
                f"An input is called {each.name!r}; its results go to a folder of that name, so give it one of up "
                "to 40 plain letters, digits, - and _."
            )
        if not each.file.exists():
            means = "" if instead else "; correct file in [input], which is relative to the plan, or make the file"
            raise InputError(f"The input {each.file} does not exist{means}.")
    return inputs


def _input(given: Mapping[str, Any], folder: Path, place: str, plan: Plan) -> Comparison:
    only(given, ("name", "file", "id", "field", "spans", *_ROLES, *_ROLES.values()), place)
    file = folder / text(given, "file", place)
    how: dict[str, Any] = {
        "id_field": optional(given, "id", place),
        "field": optional(given, "field", place) or "text",
    }
    plan = replace(plan, **how, **_values(given, place))
    name = optional(given, "name", place) or file.name.split(".")[0]
    return Comparison(file, plan, optional(given, "spans", place), name=name)


def _evaluation(given: Mapping[str, Any]) -> Plan:
    """Return the plan of [evaluate]: its keys are the plan's own names or those of the command's options."""
    check_not_synthetic(given)
    known = {each.name for each in fields(Plan)} - set(_FROM_INPUT)
    only(given, {*known, *_ROLES}, "[evaluate]")
    return replace(Plan(), **_values(given, "[evaluate]", {each.name for each in fields(Plan)}))


def _values(given: Mapping[str, Any], place: str, wanted: Collection[str] = ("labels", "tasks")) -> dict[str, Any]:
    """Return the fields of an evaluation's plan that ``given`` names and that are ``wanted``."""
    usual, values = Plan(), dict[str, Any]()
    for key, value in given.items():
        name = _ROLES.get(key, key)
        if name not in wanted:
            continue
        if name in values:
            raise ConfigurationError(f"{place} gives {key} twice; keep one.")
        values[name] = _like(value, getattr(usual, name), f"{key} in {place}")
    return values


def _like(value: Any, usual: Any, place: str) -> Any:
    """Return ``value`` as the type of ``usual``; any value if that is None."""
    if isinstance(usual, tuple):
        if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
            raise ConfigurationError(f"{place} is a list of names.")
        return tuple(value)
    if isinstance(usual, float) and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if usual is not None and type(value) is not type(usual):
        kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "text in quotation marks"}
        raise ConfigurationError(f"{place} is {kinds.get(type(usual), 'something else')}.")
    return value


def _belongs(given: Mapping[str, Any], number: int, inputs: Sequence[Comparison]) -> str:
    """Return the name of the input that a finished release was made from."""
    place, names = f"[[release]] {number}", [each.name for each in inputs]
    if len(names) == 1 and "input" not in given:
        return names[0]
    name = text(given, "input", place)
    if name not in names:
        raise ConfigurationError(f"{place} belongs to no input {name!r}; there is {', '.join(names)}.")
    return name


def _finished(given: Mapping[str, Any], number: int, folder: Path, plan: Plan) -> Finished:
    place = f"[[release]] {number}"
    only(given, ("name", "file", "field", "id", "input"), place)
    file = text(given, "file", place)
    field = optional(given, "field", place) or plan.field
    name = optional(given, "name", place) or Path(file).stem
    return Finished(name, folder / file, field, optional(given, "id", place) or plan.id_field)


def _distinct(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ConfigurationError(
                f"Two entries of the plan are called {name!r}; put their epsilons into one list, or give each a name."
            )


@dataclass(frozen=True)
class Matching:
    """The rates of ``success`` at which methods are matched, and the ``measure`` of privacy that the attacker lowers.

    Up to ``tries`` further epsilons of each method are run, each where the match is expected.
    """

    success: tuple[float, ...]
    measure: str
    tries: int = 0


def matching(given: Mapping[str, Any], plans: Sequence[Plan]) -> Matching | None:
    """Return the table [match]; None if there is none. ``plans`` are those of the inputs.

    Raise ConfigurationError for an unknown key, a value that cannot work, or a measure that no input will have.
    """
    if not given:
        return None
    only(given, ("success", "measure", "tries"), "[match]")
    known = list(dict.fromkeys(name for plan in plans for name in privacy_names(plan)))
    if not known:
        raise ConfigurationError("[match] needs an attack whose success is known; add one to attacks in [evaluate].")
    measure = optional(given, "measure", "[match]") or known[0]
    if measure not in known:
        raise ConfigurationError(f"measure in [match] is {measure!r}; choose from {', '.join(known)}.")
    tries = given.get("tries", 0)
    if isinstance(tries, bool) or not isinstance(tries, int) or not 0 <= tries <= _MOST_TRIES:
        raise ConfigurationError(
            f"tries in [match] is a whole number up to {_MOST_TRIES}: runs of each method and seed."
        )
    return Matching(_rates(given.get("success")), measure, tries)


def _rates(given: Any) -> tuple[float, ...]:
    rates = given if isinstance(given, list) else [given]
    if not rates or not all(isinstance(rate, int | float) and 0.0 < rate < 1.0 for rate in rates):
        raise ConfigurationError("success in [match] is a rate between 0 and 1, or a list of them: success = 0.1.")
    return tuple(dict.fromkeys(map(float, rates)))


def check_inputs(comparisons: Sequence[Comparison]) -> list[tuple[Comparison, list[Skipped]]]:
    """Read every input with the fields that are guessed in it; return for each what cannot be measured, and why.

    Raise InputError for an input that cannot be read, and for fields that an input lacks: all of them at once.
    """
    read = [(comparison, _originals(comparison)) for comparison in comparisons]
    lacking = [line for comparison, pairs in read for line in _lacking(comparison, pairs)]
    if lacking:
        several = "" if len(read) == 1 else ", or give each [[input]] its own label and task (an empty list for none)"
        raise InputError(f"No record {'; none '.join(lacking)}; correct the name in the plan{several}.")
    plans = [(comparison, pairs, comparison.evaluation) for comparison, pairs in read]
    return [
        (
            comparison,
            [*not_inferable(pairs, plan.labels, plan.tasks), *(tasks_of(pairs.fields)[1] if plan.read_along else ())],
        )
        for comparison, pairs, plan in plans
    ]


def _originals(comparison: Comparison) -> Pairs:
    """Return the records of the input, each as its own release."""
    records = records_of(comparison.file, reading(comparison).reading(comparison.evaluation.read_along))
    texts, own = [text for _, (text, _) in records], [record for _, (_, record) in records]
    return Pairs([name for name, _ in records], texts, texts, fields=own, released_fields=own)


def reading(comparison: Comparison) -> FileOptions:
    """Return how the input is read."""
    plan = comparison.evaluation
    labels = (*plan.labels, *plan.tasks)
    return FileOptions(fields=(plan.field,), id_field=plan.id_field, labels=labels, adjustable=False)


def _lacking(comparison: Comparison, pairs: Pairs) -> Iterator[str]:
    plan = comparison.evaluation
    for role, names in (("label", plan.labels), ("task", plan.tasks)):
        for name in names:
            if all(value is None for value in pairs.values(name)):
                yield f"of {comparison.file.name} has the field {name!r} ({role})"
