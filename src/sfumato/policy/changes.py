"""Single changes of a policy by path, as ``--set`` gives them: ``treat.DATE.epsilon=0.5``.

A treatment is named by one of its kinds or labels, and the change is for that kind or label alone. A kind that no
treatment names begins as all others are treated.
"""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sfumato.documents.rules import Rules
from sfumato.errors import ConfigurationError
from sfumato.options.option import OF_SPANS, Described, options_of
from sfumato.options.values import is_plain, read_text
from sfumato.policy.limits import Accept, Against
from sfumato.policy.refusing import check_known, nearest, placed, quoted
from sfumato.policy.rule import Rule
from sfumato.policy.sections import Fields, Find, Mending, Polish, Randomness, options_of_detectors
from sfumato.policy.suitability import INDEPENDENT, KINDS
from sfumato.policy.synthesizing import Synthesize
from sfumato.policy.tables import made

_SECTIONS: Mapping[str, type[Any]] = {
    "find": Find, "fields": Fields, "randomness": Randomness, "release": Mending, "treat_others": Rule,
    "synthesize": Synthesize, "against": Against, "accept": Accept, "polish": Polish,
    "documents": Rules,
}  # fmt: skip
_TEXTS = ("name", "about")
_NAMES = ("kinds", "labels")
_OF_MECHANISMS = ("epsilon", "within", "form", "consistency")
_CHOICES = ("mechanism", "method")
_FIRST = (*_CHOICES, "detect")


def names() -> Iterator[tuple[str, str]]:
    """Yield the paths that can be set, each with what it does."""
    for section, cls in _SECTIONS.items():
        yield from ((f"{section}.{name}", option.option.help) for name, option in _settable(cls).items())
    for kind in KINDS:
        yield from ((f"treat.{kind}.{name}", option.option.help) for name, option in _settable(Rule).items())


def changed(tables: Mapping[str, Any], changes: Mapping[str, str]) -> dict[str, Any]:
    """Return the ``tables`` of a policy after ``changes``. Raise ConfigurationError; no value is repeated."""
    new: dict[str, Any] = copy.deepcopy(dict(tables))
    named: dict[tuple[str, ...], str] = {}
    for path in changes:
        if (other := named.setdefault(_in_full(path), path)) != path:
            raise placed(ConfigurationError("Both name one option; keep one."), _place([other, path]))
    for path in sorted(changes, key=lambda path: path.split(".")[-1] not in _FIRST):  # the others depend on these
        try:
            _change(new, _in_full(path), changes[path])
        except ConfigurationError as error:
            raise placed(error, _place([path])) from None
    together: dict[tuple[str, ...], list[str]] = {}
    for path in changes:
        parts = path.split(".")
        together.setdefault(tuple(parts[: 1 + (parts[0] == "treat")]), []).append(path)
    for (first, *treated), paths in together.items():
        if first in _SECTIONS:
            made(_SECTIONS[first], new[first], _place(paths))
        elif treated:
            made(Rule, _treatment(new, treated[0]), _place(paths))
    return new


def _place(paths: Sequence[str]) -> str:
    """Return how an error names the changes by ``paths``, in the words of the command line; it repeats no other."""
    return f"--set {' and '.join(paths)}" if all(map(is_plain, paths)) else "--set"


def _in_full(path: str) -> tuple[str, ...]:
    """Return the parts of a path; an option of detectors lies in [find] or in [find.options]."""
    first, *rest = path.split(".")
    if first != "detect" or len(rest) != 1:
        return (first, *rest)
    name = {argument: option for option, argument in OF_SPANS.items()}.get(rest[0], rest[0])
    return ("find", name) if name in _settable(Find) else ("find", "options", name)


def _change(tables: dict[str, Any], path: Sequence[str], text: str) -> None:
    first, *rest = path
    check_known(first, (*_TEXTS, *_SECTIONS, "treat", "kinds"), "There is nothing of this name to set")
    if first in _TEXTS:
        if rest:
            raise ConfigurationError(f"{first} has no parts.")
        tables[first] = text
    elif first == "kinds":
        if len(rest) != 2:
            raise ConfigurationError("Name the kind and its option, as in kinds.DATE.day_first.")
        tables.setdefault("kinds", {}).setdefault(rest[0], {})[rest[1]] = _literal(text)
    elif first == "treat":
        if len(rest) < 2:
            raise ConfigurationError("Name the kind or label and what to set, as in treat.DATE.epsilon.")
        name, *rest = rest
        _set(Rule, _treatment(tables, name), rest, text)
    elif not rest:
        raise ConfigurationError(f"Name what to set of {first}{nearest('', _settable(_SECTIONS[first]))}")
    else:
        _set(_SECTIONS[first], tables.setdefault(first, {}), rest, text)


def _treatment(tables: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the treatment of ``name`` alone, taken out of the one that names others too."""
    treatments: list[dict[str, Any]] = tables.setdefault("treat", [])
    for index, treatment in enumerate(treatments):
        for what in reversed(_NAMES):
            if name in treatment.get(what, ()):
                if sum(len(treatment.get(key, ())) for key in _NAMES) == 1:
                    return treatment
                treatment[what] = [other for other in treatment[what] if other != name]
                alone = {key: copy.deepcopy(value) for key, value in treatment.items() if key not in _NAMES}
                treatments.insert(index + 1, {what: [name], **alone})
                return treatments[index + 1]
    check_known(name, KINDS, "There is no kind or treated label of this name")
    treatments.append({"kinds": [name], **copy.deepcopy(tables["treat_others"])})
    return treatments[-1]


def _set(cls: type[Any], table: dict[str, Any], path: Sequence[str], text: str) -> None:
    known = _settable(cls)
    name, *rest = path
    if name not in known:
        raise ConfigurationError(f"There is no such key here ({quoted(name)}){nearest(name, known)}")
    if name in ("options", "codes"):
        if len(rest) != 1:
            raise ConfigurationError("Name one of them, as in find.options.strict or synthesize.codes.topic.")
        table.setdefault(name, {})[rest[0]] = _literal(text) if name == "options" else _values(text)
        return
    if rest:
        raise ConfigurationError(f"{name} has no parts.")
    table[name] = _read(known[name], text)
    if cls is Synthesize and name == "method":
        table.pop("options", None)
    elif name in _CHOICES:
        _drop_what_belongs_to_another(table, name)
    elif name == "detect" and "options" in table:
        own = {option.name for option in options_of_detectors(table["detect"])}
        table["options"] = {key: value for key, value in table["options"].items() if key in own}


def _drop_what_belongs_to_another(table: dict[str, Any], choice: str) -> None:
    """Leave out what the mechanism or method before had and the new one cannot have."""
    other = _CHOICES[choice == _CHOICES[0]]
    left_out = ["options", other, *(_OF_MECHANISMS if choice == "method" else ())]
    if table[choice] == INDEPENDENT:
        left_out += ["epsilon", "within"]
    for key in left_out:
        table.pop(key, None)


def _settable(cls: type[Any]) -> dict[str, Described]:
    return {option.name: option for option in options_of(cls) if option.name not in _NAMES}


def _read(option: Described, text: str) -> Any:
    try:
        value = read_text(option, text, option.name)
    except ConfigurationError:
        raise ConfigurationError(f"{option.name} is {option.kind}.") from None
    return list(value) if isinstance(value, tuple) else value


def _values(text: str) -> list[str]:
    """Return the values of a code, which are separated by commas; none if they are to be found."""
    return [value.strip() for value in text.split(",") if value.strip()]


def _literal(text: str) -> Any:
    """Return ``text`` as the TOML value that it spells, or else as text."""
    try:
        return tomllib.loads(f"value = {text}")["value"] if "\n" not in text and len(text) < 1000 else text
    except (ValueError, RecursionError):
        return text
