"""The command ``sfumato``: its sub-commands, and one place where errors become one sentence."""

from __future__ import annotations

import errno
import json
import logging
import os
import sys
import traceback
from contextlib import suppress
from itertools import pairwise
from typing import Annotated, Any

import typer

from sfumato import __version__
from sfumato.cli import signals
from sfumato.cli.commands import Commands, show_help
from sfumato.cli.printing import accept_every_name, broken, fill_closed, silence
from sfumato.cli.signals import Ended, unwinding
from sfumato.errors import BudgetError, ConfigurationError, OptionError, SfumatoError
from sfumato.missing import missing
from sfumato.runtime import end_without_search, search_seldom

VARIABLE = "SFUMATO_LOG"
_LEVELS = {"info": logging.INFO, "debug": logging.DEBUG}
_SILENCE = logging.NullHandler()


def begin_log() -> None:
    """Log what the environment asks for: own lines, on standard error. Raise ConfigurationError for no level."""
    named = os.environ.get(VARIABLE, "")
    if not named:
        return
    if named.lower() not in _LEVELS:
        raise ConfigurationError(f"{VARIABLE} is info or debug, not {named!r}; correct it, or leave it out.")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("sfumato")
    logger.addHandler(handler)
    logger.setLevel(_LEVELS[named.lower()])


app = typer.Typer(
    name="sfumato",
    cls=Commands,
    invoke_without_command=True,
    pretty_exceptions_enable=False,  # their tracebacks print local variables, and those hold private text
    rich_markup_mode=None,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sfumato {__version__}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 (its callback answers)
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Sanitize text so that it can be shared, and state exactly what privacy that buys."""
    begin_log()
    signals.begin(context.invoked_subcommand)
    show_help(context)


_INTERRUPTED = 130
_OVER_BUDGET = 3
# The root of the errors about arguments, which typer does not export under the same name in all its versions.
_UsageError: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def main() -> None:
    """Run the command line; every error is one sentence on standard error, without private text."""
    fill_closed()
    _silence_libraries()
    accept_every_name()
    signals.begin(None)
    end_without_search()
    try:
        with search_seldom(), unwinding():
            answer = app(standalone_mode=False)
        if answer == _INTERRUPTED:  # typer's answer to Ctrl-C
            raise KeyboardInterrupt
        if sys.stdout is not None:
            sys.stdout.flush()  # what cannot be written is to be said, not met when the process ends
    except BudgetError as error:
        _fail(str(error), type(error).__name__, _OVER_BUDGET)
    except SfumatoError as error:
        told = error.spelled(flag_of) if isinstance(error, OptionError) else str(error)
        _fail(told, ConfigurationError.__name__ if isinstance(error, OptionError) else type(error).__name__)
    except _UsageError as error:
        told = " ".join(str(error.format_message()).split())
        if hasattr(error, "option_name") and _takes_settings(getattr(error, "ctx", None)):
            told = f"{told.rstrip('.')}; an option of a method or detector is given as --set NAME=VALUE"
        _fail(f"{told} See --help." if told.endswith("?") else f"{told.rstrip('.')}; see --help.", "UsageError")
    except (KeyboardInterrupt, typer.Abort, Ended) as ended:
        again = signals.kept()
        if not {"-", "-o-", "--output=-"}.isdisjoint(sys.argv):
            again = "nothing of a stream is kept: type the same again."
        code = int(str(ended.code)) if isinstance(ended, Ended) else _INTERRUPTED
        _fail(f"Interrupted; {again}", "KeyboardInterrupt", code)
    except BrokenPipeError:
        silence(sys.stdout)
        sys.exit(141)
    except SystemExit as left:
        if left.code != 1 or not isinstance(left.__context__, BrokenPipeError):  # typer makes it an exit of its own
            raise
        silence(sys.stdout)
        sys.exit(141)
    except Exception as error:  # the message may quote private text, so only its kind and place are shown
        if lost := missing(error):
            _fail(str(lost), type(lost).__name__)
        if isinstance(error, OSError) and broken(sys.stdout):
            reason = error.strerror or type(error).__name__
            _fail(f"Standard output cannot be written ({reason}); what was to be printed is lost.", "OutputError")
        if wrong := _of_a_path(error):
            _fail(f"A path that was given cannot be used ({wrong}); choose another.", "InputError")
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(place.filename)}:{place.lineno}"
        _fail(
            f"Internal error {type(error).__name__} at {where}; please report it. "
            "What bears the name of an output is complete; nothing else was released.",
            "InternalError",
        )


def _takes_settings(context: Any) -> bool:
    """Return whether the command that could not be read takes --set."""
    return context is not None and any(each.name == "set" for each in context.command.params)


def _silence_libraries() -> None:
    """Let no library print on standard error by ``logging``, as psycopg does of a lost connection; errors say enough.

    Nobody sets up logging in a process of the command line. Python then prints every warning, which may quote text,
    and a library may set it up so that all lines are printed.
    """
    logging.lastResort = _SILENCE
    logging.getLogger().addHandler(_SILENCE)


def _of_a_path(error: Exception) -> str | None:
    """Return what is wrong with a path that is no path here, whatever asked for it; None for other errors."""
    if isinstance(error, OSError) and error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
        return error.strerror
    if isinstance(error, FileNotFoundError) and not _has_folder():
        return "the working folder is gone"
    # pathlib of Python before 3.13
    return "its links lead in a circle" if isinstance(error, RuntimeError) and "Symlink loop" in str(error) else None


def _has_folder() -> bool:
    """Return whether the working folder still exists."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _fail(message: str, kind: str, code: int = 2) -> None:
    with suppress(OSError):  # the sentence for people may still be seen
        if "--json" in sys.argv:
            content = {"error": {"kind": kind, "message": message}}
            typer.echo(json.dumps(content), err=_streams_release())
    with suppress(OSError):
        try:
            from rich.console import Console  # only an error needs it here
        except ImportError:  # which may be the error
            typer.echo(f"Error: {message}", err=True)
        else:
            from rich.markup import escape

            Console(stderr=True, soft_wrap=True, highlight=False).print(f"[bold red]Error[/]: {escape(message)}")
    for stream in (sys.stdout, sys.stderr):
        broken(stream)
    sys.exit(code)


def _streams_release() -> bool:
    """Return whether standard output is for a release, so that a reader of it would take anything else for one."""
    named = {("-o", "-"), ("--output", "-")}
    return not (named.isdisjoint(pairwise(sys.argv)) and {"-o-", "--output=-"}.isdisjoint(sys.argv))


_FLAGS = {
    "overwrite": "--force",
    "keep": "--keep-field",
    "text_field": "--field",
    "spans_field": "--set detect.spans_field",
    "skip_labels": "--set detect.skip_labels",
    "merge_spans": "--set detect.merge_spans",
}


def flag_of(name: str) -> str:
    """Return the flag of the option ``name``."""
    return _FLAGS.get(name, f"--{name.replace('_', '-')}")
