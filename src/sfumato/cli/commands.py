"""The commands by name. What a command needs is imported when it is called, and not for another's sake."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup

from sfumato.cli.flags import Panelled


class Place(NamedTuple):
    """``module:name`` of a command's function, or of the app of a group, and what the list of commands says of it."""

    where: str
    about: str


PLACES = {
    "sanitize": Place("sanitize:sanitize", "Sanitize a file by a policy, or by one method."),
    "synthesize": Place("synthesize:synthesize", "Write synthetic records in the manner of a file's."),
    "find": Place("find:find", "List what a detector finds, and where."),
    "explain": Place("explain:explain", "Show what a word becomes, and how likely."),
    "certify": Place("certify:certify", "Check a claimed epsilon without any text."),
    "polish": Place("polish:polish", "Let a language model rewrite a release; it costs nothing."),
    "evaluate": Place("evaluate:evaluate", "Attack a release, and measure what it is worth."),
    "review": Place("review:review", "Correct by hand what a policy marks."),
    "canaries": Place("canaries:canaries", "Plant made-up secrets, to look for them later."),
    "audit": Place("audit:audit", "Test a claimed epsilon with draws."),
    "compare": Place("compare:compare", "Compare methods: privacy against utility."),
    "list": Place("listing:list_everything", "List methods, detectors, studies and formats."),
    "protect": Place("protect:protect", "Sanitize, attack, judge and sign a release."),
    "serve": Place("serve:serve", "Serve a policy: a gateway to language models, an interface."),
    "verify": Place("protect:verify", "Check a signed release."),
    "mcp": Place("mcp:mcp", "Offer find, sanitize, explain and verify to agents (MCP)."),
    "restore": Place("restore:restore", "Give the original back, from a release and its map."),
    "key": Place("restore:key", "Make a secret key."),
    "provision": Place("models:provision", "Fetch models, so that no run needs a network."),
    "models": Place("models:app", "Measure what is publicly known of a language model."),
    "policy": Place("policy:app", "Show, check or begin a policy."),
    "ledger": Place("ledger:app", "Track spent privacy budget and enforce caps."),
    "vocabulary": Place("vocabulary:app", "Grow a public vocabulary from seeds."),
}


class _WhenAsked(Mapping[str, Any]):
    """Commands by name, each imported when it is asked for."""

    def __iter__(self) -> Iterator[str]:
        return iter(PLACES)

    def __len__(self) -> int:
        return len(PLACES)

    def __contains__(self, name: object) -> bool:
        return name in PLACES

    def __getitem__(self, name: str) -> Any:
        return _command(name)


class Commands(TyperGroup):
    """The group of all commands. Its list of them imports none."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "commands": None})
        self.commands: Any = _WhenAsked()

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return list(PLACES)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the names of all commands, and what they do."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.about) for name, place in PLACES.items()])


def plain_app(**options: Any) -> typer.Typer:
    """Return an app of commands, which shows no traceback and has no marks in its help."""
    return typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None, **options)


def group(about: str) -> typer.Typer:
    """Return the app of a group of commands, whose help says what they are ``about``."""
    app = plain_app(help=about)
    app.callback(invoke_without_command=True, help=about)(show_help)
    return app


def show_help(context: typer.Context) -> None:
    """Print the help of a group that is called without a command."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@cache  # a program that calls the command line again and again waits for its hundred options once
def _command(name: str) -> Any:
    module, _, attribute = PLACES[name].where.partition(":")
    called = getattr(import_module(f"sfumato.cli.{module}"), attribute)
    if isinstance(called, typer.Typer):
        app = called
    else:
        app = plain_app()
        app.command(name, cls=Panelled)(called)
    command = typer.main.get_command(app)
    command.name = name
    return command
