"""Writes the help of every command into docs/cli.md and the options of every method into docs/options.md.

Both come from the annotations in the source. Run ``python docs/make_cli.py`` after a change of the command line or of
an option; tests/test_docs.py fails until then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from sfumato import registry
from sfumato.building.option_groups import ENGINES, NEEDS, DetectionOptions
from sfumato.cli.app import app
from sfumato.evaluation.plan import Plan
from sfumato.options.option import Described, options_of

PAGE = Path(__file__).with_name("cli.md")
OPTIONS = Path(__file__).with_name("options.md")
_PLACE = re.compile(r"(<!-- help:([a-z ]*)-->\n```text\n).*?(^```)", re.DOTALL | re.MULTILINE)
_TABLES = re.compile(r"(<!-- options -->\n).*?(<!-- end of options -->)", re.DOTALL)
_TERMINAL = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
_TITLES = {
    "vocabulary": "A public vocabulary: all mechanisms over tokens",
    "masked-model": "A language model on this machine: dp-mlm, dp-prompt, dp-paraphrase, distortion",
    "chat": "A language model that is asked in words: abstraction, iterative, paraphrase, `--detect disclosures`",
    "phrases": "A store of phrases: distortion",
    "share": "A share of what is found: distortion",
    registry.TOKENS: "Engine of mechanisms over tokens",
    registry.CONTEXTUAL: "Engine of mechanisms in context",
    registry.HEURISTICS: "Engine of methods without a guarantee",
}


def help_of(command: str) -> str:
    """What ``sfumato COMMAND --help`` prints on a terminal of 100 columns without colours; every option of it."""
    arguments = [*command.split(), "--help"]
    found = CliRunner().invoke(app, arguments, prog_name="sfumato", env=_TERMINAL)
    if "--help-all" in found.output:
        found = CliRunner().invoke(app, [*command.split(), "--help-all"], prog_name="sfumato", env=_TERMINAL)
    if found.exit_code:
        raise RuntimeError(f"sfumato {' '.join(arguments)} failed: {found.output}")
    return "\n".join(line.rstrip() for line in found.output.splitlines()).strip("\n") + "\n"


def renewed(page: str) -> str:
    """The page with the help of every command as it is now."""
    return _PLACE.sub(lambda match: match[1] + help_of(match[2]) + match[3], page)


def renewed_options(page: str) -> str:
    """The page with the options of every method, detector and evaluation as they are now."""
    return _TABLES.sub(lambda match: f"{match[1]}\n{_join(_sections())}\n{match[2]}", page)


def _join(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def _sections() -> Iterator[str]:
    yield "## Methods\n"
    for name in registry.METHODS:
        yield from _section(name, registry.METHODS[name].about, options_of(registry.method_class(name)))
    yield "## Methods of synthesis\n"
    for name, row in registry.SYNTHESIZERS.items():
        yield from _section(name, row.about, options_of(registry.synthesizer_class(name)))
    yield "## What methods work with\n"
    groups: dict[Any, str] = {}
    for key, group in [*NEEDS.items(), *((family, one) for family, some in ENGINES.items() for one in some)]:
        if key in _TITLES:
            groups.setdefault(group, _TITLES[key])
    for group, title in groups.items():
        yield from _section(title, "", options_of(group))
    yield "## What is replaced\n"
    yield from _table(options_of(DetectionOptions))
    yield "## Detectors\n"
    for name, row in registry.DETECTORS.items():
        own = [one.of_detector() for one in options_of(registry.detector_class(name))]
        yield from _section(name, row.about, own)
    yield "## An evaluation\n"
    yield from _table(options_of(Plan))


def _section(title: str, about: str, options: Sequence[Described]) -> Iterator[str]:
    yield f"### {title}\n"
    if about:
        yield f"{about[:1].upper()}{about[1:]}.{'' if options else ' It has no options of its own.'}\n"
    if options:
        yield from _table(options)


def _table(options: Iterable[Described]) -> Iterator[str]:
    yield "| option | value | default | what it does |"
    yield "| --- | --- | --- | --- |"
    for one in options:
        default = (
            f"`{one.shown_default}`" if one.shown_default not in ("", "none") else one.shown_default or "required"
        )
        yield f"| `{one.spelled}` | {one.kind} | {default} | {one.option.help} |"
    yield ""


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    OPTIONS.write_text(renewed_options(OPTIONS.read_text(encoding="utf-8")), encoding="utf-8")
