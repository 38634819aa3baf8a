"""Writes the text that editors and type checkers read of the Python face, from the annotations of options.

`src/sfumato/methods.py` holds a class for each method, `src/sfumato/options/keywords.pyi` the keywords of functions,
and `src/sfumato/__init__.pyi` the public names. Run ``python docs/make_face.py`` after a change of an option or of a
public name; tests/test_typed_face.py fails until then.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import sfumato
from sfumato import registry
from sfumato.abstract.mechanism import EpsilonOfDraw
from sfumato.building.offers import Offer
from sfumato.building.option_groups import DetectionOptions
from sfumato.building.synthesizers import synthesis_options
from sfumato.evaluation.plan import Plan
from sfumato.files import FileOptions
from sfumato.options.option import Described, Option, options_of

SOURCE = Path(__file__).parents[1] / "src" / "sfumato"
_ASKING = ("disclosures",)
"""Detectors that ask a language model: with them a method without a guarantee takes every option that it has."""
_EPSILON: Mapping[str, Any] = {registry.TOKENS: MISSING, registry.CONTEXTUAL: None}
"""The default of epsilon by family; MISSING: it must be given."""
_BASES: Mapping[str, tuple[str, str]] = {
    registry.TOKENS: ("OverTokens", "A mechanism over the tokens of a public vocabulary."),
    registry.CONTEXTUAL: ("InContext", "A mechanism that rewrites a document with a language model."),
    registry.HEURISTICS: ("WithoutGuarantee", "A method without a guarantee."),
}
_NOT_OF_RECORDS = ("labels", "keep", "spans_field")
"""What a synthesis does not ask of a file."""
_VALUES = ("auto", "cpu", "t")
"""Values and symbols with which the help of an option begins."""
_WIDTH = 112


class Types:
    """Writes types as source, and collects what has to be imported for them."""

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = {}

    def text(self, hint: Any) -> str:
        """Return ``hint`` as it is written in an annotation."""
        origin, arguments = get_origin(hint), get_args(hint)
        if hint is None or hint is type(None):
            return "None"
        if hint is Ellipsis:
            return "..."
        if origin in (Union, types.UnionType):
            parts = dict.fromkeys(self.text(each) for each in sorted(arguments, key=lambda each: each is type(None)))
            return " | ".join(parts)
        if origin is Literal:
            return f"{self.named('typing', 'Literal')}[{', '.join(map(json.dumps, arguments))}]"
        if origin is not None:
            return f"{self.text(origin)}[{', '.join(map(self.text, arguments))}]"
        return self.named(hint.__module__.partition("._")[0], hint.__name__)

    def named(self, module: str, name: str) -> str:
        """Return ``name``, which is imported from ``module``."""
        if module != "builtins":
            self._names.setdefault(module, set()).add(name)
        return name

    def imports(self, own: bool) -> Iterator[str]:
        """Yield the imports: those that only a type checker needs (``own`` and heavy ones), or the others."""
        for module, names in sorted(self._names.items()):
            if module.startswith(("sfumato.", "numpy")) is own:
                yield f"from {module} import {', '.join(sorted(names))}"


@dataclass(frozen=True)
class Class:
    """One class of a module to be written."""

    name: str
    base: str
    about: str
    options: Sequence[Described]
    lines: Sequence[str] = field(default=())


def methods() -> str:
    """Return the module with a class for each method."""
    found = Types()
    classes = "\n\n\n".join("\n".join(_of_class(each, found)) for each in _methods())
    return _module(
        "Every method with its options, typed: `sfumato.CusText(epsilon=6.0)` for `sfumato.build`.",
        found,
        f"from dataclasses import dataclass, field\n{_joined(found.imports(own=False))}\n\n"
        "from sfumato.abstract.choice import MethodChoice",
        classes,
    )


def _methods() -> Iterator[Class]:
    """Yield the bases and the methods, each with the options that its base does not have."""
    detection = options_of(DetectionOptions)
    yield Class("Detecting", "MethodChoice", "A method that replaces what detectors find.", detection)
    for family, (base, about) in _BASES.items():
        offers = {name: all_options(name) for name, row in registry.METHODS.items() if row.family == family}
        shared = set.intersection(*({option.name for option in options} for options in offers.values()))
        first = next(iter(offers.values()))
        common = [
            option for option in first
            if option.name in shared and all(option in options for options in offers.values())
        ]  # fmt: skip
        inherited = {option.name for option in detection}
        yield Class(base, "Detecting", about, [option for option in common if option.name not in inherited])
        for name, options in offers.items():
            own = [option for option in options if option not in common and option.name not in inherited]
            yield _method(name, registry.METHODS[name], base, own)
    for name, row in registry.SYNTHESIZERS.items():
        yield _method(name, row, "MethodChoice", synthesis_options(name))


def _method(name: str, row: registry.Row, base: str, options: Sequence[Described]) -> Class:
    lines = [f"method: ClassVar[str] = {json.dumps(name)}"]
    return Class(class_name(row), base, f"{row.about[0].upper()}{row.about[1:]}.", options, lines)


def class_name(row: registry.Row) -> str:
    """Return the name of the class of a method, which is also that of its typed description."""
    return row.place.partition(":")[2]


def all_options(name: str) -> list[Described]:
    """Return every option that `sfumato.build` takes for a method, epsilon included."""
    family = registry.family(name)
    options = Offer(name, _ASKING if family == registry.HEURISTICS else None).everything
    return [*([epsilon_of(family)] if family in _EPSILON else []), *options]


def epsilon_of(family: str) -> Described:
    """Return the epsilon of a family as an option, described as the field of its mechanisms is."""
    [part] = EpsilonOfDraw.__metadata__
    needed = _EPSILON[family] is MISSING
    return Described("epsilon", float if needed else float | None, _EPSILON[family], Option(part.help))


def _of_class(each: Class, found: Types) -> Iterator[str]:
    yield f"@dataclass(frozen=True, kw_only=True, repr=False)\nclass {each.name}({each.base}):"
    yield from _docstring(each)
    for line in each.lines:
        found.named("typing", "ClassVar")
        yield f"    {line}"
    for option in each.options:
        default = "" if option.default is MISSING else f" = {_default(option)}"
        yield f"    {option.name}: {_type(option, found)}{default}"


def _type(option: Described, found: Types) -> str:
    """Return the type of an option. One that may name a file takes its name, whatever else it takes."""
    return found.text(option.type | str | Path if option.option.file else option.type)


def _docstring(each: Class) -> Iterator[str]:
    if not each.options:
        yield f'    """{each.about}"""\n'
        return
    yield f'    """{each.about}\n\n    Attributes:'
    for option in each.options:
        told = f"{option.name}: {_told(option)}"
        yield textwrap.fill(told, _WIDTH, initial_indent=" " * 8, subsequent_indent=" " * 12)
    yield '    """\n'


def _told(option: Described) -> str:
    """Return what a page of Python says of an option: its help, without what is only so on a command line."""
    text = re.sub(r" \(repeatable\)|repeatable; ", "", option.option.help)
    first = text.split(" ")[0]
    if not first.endswith((":", ",")) and first not in _VALUES:
        text = f"{text[0].upper()}{text[1:]}"
    return f"{text}.{f' Default: {option.option.usual}.' if option.option.usual else ''}"


def _default(option: Described) -> str:
    value = option.default
    if option.option.secret:
        return f"field(default={value!r}, repr=False)"
    if isinstance(value, Mapping):
        return f"field(default_factory={type(value).__name__})"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def keywords() -> str:
    """Return the module with the keywords that functions take beside their parameters."""
    found = Types()
    of_methods = _merged(option for name in registry.METHODS for option in all_options(name))
    of_methods = [option for option in of_methods if option.name != "epsilon"]
    own = _merged(option for name, row in registry.METHODS.items() if row.family == registry.TOKENS
                  for option in options_of(registry.method_class(name)))  # fmt: skip
    taken = {option.name for option in own}
    apart = [option for option in of_methods if option.name in ("rounds", "tokens")]
    rest = [option for option in of_methods if option.name not in taken and option not in apart]
    rounds, tokens = (next(option for option in apart if option.name == name) for name in ("rounds", "tokens"))
    reading = [option for option in _fields(FileOptions) if option.name not in ("adjustable", *_NOT_OF_RECORDS)]
    more = [option for option in _fields(FileOptions) if option.name in ("labels", "keep")]
    of_synthesis = _merged(option for name in registry.SYNTHESIZERS for option in synthesis_options(name))
    plan = [_widened(option) for option in options_of(Plan)]
    classes = [
        Class("MechanismKeywords", "TypedDict", "Options of mechanisms over tokens.", own),
        Class("SharedKeywords", "MechanismKeywords", "Options of methods that no function has as a parameter.", rest),
        Class("MethodKeywords", "SharedKeywords", "Options of `sfumato.build`.", apart),
        Class("AuditKeywords", "SharedKeywords", "Options of a method in `sfumato.audit`.", [rounds]),
        Class("ReadingKeywords", "TypedDict", "How a file is read.", reading),
        Class("FileKeywords", "SharedKeywords, ReadingKeywords", "Options of `sfumato.sanitize_file`.",
              [tokens, *more]),
        Class("SynthesisKeywords", "ReadingKeywords", "Options of `sfumato.synthesize_file`.", of_synthesis),
        Class("PlanKeywords", "TypedDict", "Options of `sfumato.evaluate`: the fields of a `Plan`.", plan),
    ]  # fmt: skip
    text = "\n\n\n".join("\n".join(_of_keywords(each, found)) for each in classes)
    found.named("typing", "TypedDict")
    about = "The keywords of public functions. Only type checkers read this: there is no module behind it."
    return _module(about, found, _joined(found.imports(False)), text)


def _of_keywords(each: Class, found: Types) -> Iterator[str]:
    yield f'class {each.name}({each.base}, total=False):\n    """{each.about}"""\n'
    for option in each.options:
        yield f"    {option.name}: {_type(option, found)}"


def _merged(options: Iterable[Described]) -> list[Described]:
    """Return ``options``, each name once: of several types, with any of them."""
    found: dict[str, Described] = {}
    for option in options:
        before = found.get(option.name)
        found[option.name] = option if before is None else replace(before, type=before.type | option.type)
    return list(found.values())


def _fields(cls: type[Any]) -> list[Described]:
    """Return the fields of a dataclass that describes none of them."""
    hints = get_type_hints(cls)
    return [_widened(Described(each.name, hints[each.name], each.default, Option(""))) for each in fields(cls)]


def _widened(option: Described) -> Described:
    """Return ``option``, as a list of names as well where it holds a tuple of them."""
    listed = {tuple[str, ...]: Sequence[str], tuple[str, ...] | None: Sequence[str] | None}
    return replace(option, type=listed.get(option.type, option.type))


def names() -> str:
    """Return the stub with the public names."""
    lines = [f"from sfumato.{home} import {name} as {name}" for home, own in sfumato._HOMES.items() for name in own]
    listed = ", ".join(map(json.dumps, sfumato.__all__))
    return f"{_WRITTEN}\n{_joined(lines)}\n\n__version__: str\n__all__ = [{listed}]\n"


_WRITTEN = "# Written by docs/make_face.py, from the annotations of options and the list of public names."


def _module(about: str, found: Types, imports: str, body: str) -> str:
    named = "\n".join(f"    {line}" for line in found.imports(own=True))
    checking = found.named("typing", "TYPE_CHECKING")
    imports = imports.replace("from typing import ", f"from typing import {checking}, ", 1)
    return (
        f'"""{about}"""\n\n{_WRITTEN}\n\nfrom __future__ import annotations\n\n{imports}\n\n'
        f"if {checking}:\n{named}\n\n\n{body}\n"
    )


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(lines)


FILES: Mapping[str, Any] = {"methods.py": methods, "options/keywords.pyi": keywords, "__init__.pyi": names}
"""What is written, and what writes it."""


def written(name: str) -> str:
    """Return the text of one of the files, as ruff sorts its imports and formats it."""
    text, ruff = FILES[name](), [sys.executable, "-m", "ruff"]
    for command in (["check", "--select", "I,RUF022", "--fix"], ["format"]):
        asked = [*ruff, *command, "--quiet", "--stdin-filename", str(SOURCE / name), "-"]
        text = subprocess.run(asked, input=text, capture_output=True, text=True, check=True).stdout
    return text


if __name__ == "__main__":
    for name in FILES:
        (SOURCE / name).write_text(written(name), encoding="utf-8")
