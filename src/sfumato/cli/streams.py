"""Standard input and output, ``-``, by way of a private folder: nothing is written before all of it is made.

The folder is for its owner only, and is gone however the run ends. A run that is asked to end unwinds
(:mod:`sfumato.cli.signals`) and removes it. One that is killed outright cannot. A lock beside the folder went with
it, so the next run with a stream knows what is left, and removes it.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.printing import check_output_open, standard_input, standard_output
from sfumato.cli.signals import ignore_signals
from sfumato.errors import ConfigurationError, OutputError
from sfumato.files import kind_of
from sfumato.files.suffixes import KINDS
from sfumato.storage import Place, created, owned, publish, remove, withdraw, writing
from sfumato.storage.locations import temporary_folder
from sfumato.storage.outputs import Output, output_of

STANDARD = Path("-")

Format = Annotated[str | None, typer.Option("--format", help="What - holds: txt, jsonl, csv, tsv, parquet.")]


@dataclass(frozen=True)
class StreamOptions:
    """What is said of standard input and output."""

    form: Format = None
    statement: Annotated[Path | None, typer.Option(help="Where the statement goes with -o -.")] = None


@dataclass(frozen=True)
class Doors:
    """Where a run reads and writes. ``statement`` is where the statement goes if the release goes to a stream."""

    input: Path
    output: Path
    statement: Output | None = None

    def deliver(self, statement: Path) -> None:
        """Give the ``statement`` its place, and the release to standard output; both, or neither as far as can be.

        A reader that leaves early has had of the release what it wanted: the statement stays.
        """
        if self.statement is None:
            return
        place = self.statement.place
        try:
            _put(statement, self.statement)
            try:
                _copy_to_standard_output(self.output)
            except BrokenPipeError:
                raise
            except BaseException:
                withdraw(place)
                raise
        finally:
            place.forget()


@contextmanager
def doors(
    input: Path, output: Path, form: str | None, statement: Path | None, force: bool = False,
    others: Iterable[Path | None] = (), of_records: bool = False,
) -> Iterator[Doors]:  # fmt: skip
    """Yield where a run reads and writes; what stands for a stream is gone when it ends.

    ``form`` is the format of a stream, where no file beside it says so; ``others`` are what else the run reads and
    writes, which the statement must not replace; ``of_records`` says that fields were named. Raises
    ConfigurationError or OutputError.
    """
    kind = kind_of_stream([input, output], form, of_records)
    if output != STANDARD and statement is not None:
        raise ConfigurationError("--statement is for -o -; the statement of a file lies beside it.")
    if kind is None:
        yield Doors(input, output)
        return
    with ExitStack() as held:
        beside = None
        if output == STANDARD:
            check_output_open()  # now, and not after hours
            if statement is None:
                raise ConfigurationError(
                    "A release never goes without its statement, which has no place beside a stream; say with "
                    "--statement FILE where it goes."
                )
            apart = (*others, None if input == STANDARD else input)
            beside = output_of(statement, "The statement", "--statement", apart, force)
            held.enter_context(beside.held())
        folder = held.enter_context(stream_folder())
        source = _spooled(folder, kind) if input == STANDARD else input
        target = folder / f"standard-output.{kind}" if output == STANDARD else output
        yield Doors(source, target, beside)


@contextmanager
def spooled(input: Path, form: str | None, of_records: bool = False) -> Iterator[Path]:
    """Yield ``input``, or for standard input a private file with what it held; ``of_records``: fields were named."""
    kind = kind_of_stream([input], form, of_records)
    if kind is None:
        yield input
        return
    with stream_folder() as folder:
        yield _spooled(folder, kind)


def kind_of_stream(paths: list[Path], form: str | None, of_records: bool = False) -> str | None:
    """Return the format of the stream among ``paths``: as ``form`` says, as a file beside it does, or txt.

    None where none of them is a stream. Raises ConfigurationError for a format that cannot be, and for records
    (``of_records``) whose format nothing says: read as one text, all that was named of them would be overlooked.
    """
    files = [path for path in paths if path != STANDARD]
    if len(files) == len(paths):
        if form is not None:
            raise ConfigurationError("--format says what standard input or output (-) holds; leave it out.")
        return None
    if form is not None and form not in KINDS:
        raise ConfigurationError(f"--format is one of {', '.join(KINDS)}, not {form!r}.")
    if any(path.is_dir() for path in files):
        raise ConfigurationError("A folder is no stream of records; name a folder for input and output.")
    known = next((kind for path in files if (kind := kind_of(path))), None)
    if form is not None and known not in (None, form):
        raise ConfigurationError(f"--format says {form}, and the name of the file {known}; leave out --format.")
    if of_records and form is None and known is None:
        raise ConfigurationError(
            "Fields were named, and nothing says in which format standard input holds them; add --format jsonl, csv, "
            "tsv or parquet, or leave out all that is about fields."
        )
    return form or known or KINDS[0]


def _spooled(folder: Path, kind: str) -> Path:
    """Standard input as a file in ``folder``, for its owner only."""
    if sys.stdin is not None and sys.stdin.isatty():
        typer.echo("Reading standard input to its end (Ctrl-D).", err=True)
    path = folder / f"standard-input.{kind}"
    stream = standard_input()
    with writing(path), created(path, private=True) as file:
        shutil.copyfileobj(stream, file, 1 << 20)
    return path


def _put(statement: Path, output: Output) -> None:
    """Give a copy of ``statement`` its name, whole or not at all; what bore the name is kept for a while."""
    place = output.place
    try:
        place.forget()  # what an earlier run left
        with statement.open("rb") as content, created(place.ready) as file:
            shutil.copyfileobj(content, file)
        output.check()  # hours may have passed
        publish([place])
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(
            f"The statement {output.path.name} cannot be written ({error.strerror}); nothing was released."
        ) from None


def _copy_to_standard_output(release: Path) -> None:
    stream = standard_output()
    try:
        with release.open("rb") as file:
            shutil.copyfileobj(file, stream, 1 << 20)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(
            f"Standard output cannot be written ({error.strerror}); what came out is not the whole release, and its "
            "statement was taken back."
        ) from None


_NAME = re.compile(r"sfumato-stream-[0-9a-f]{16}")


@contextmanager
def stream_folder() -> Iterator[Path]:
    """Yield a new folder for its owner only, among the temporary files; it is gone when the block ends."""
    parent = temporary_folder()
    _remove_left_over(parent)
    folder = parent / f"sfumato-stream-{secrets.token_hex(8)}"
    with owned([Place(folder)]):  # the lock is there before the folder is, and after it
        try:
            folder.mkdir(mode=0o700)
            yield folder
        finally:
            ignore_signals()
            remove(folder)


def _remove_left_over(parent: Path) -> None:
    """Remove the folders of this user's runs that were killed: those whose lock nobody holds any more."""
    for folder in parent.glob("sfumato-stream-*"):
        if (
            _NAME.fullmatch(folder.name)
            and _is_ours(folder, stat.S_ISDIR)
            and _is_ours(Place(folder).lock, stat.S_ISREG)
        ):
            # Where the lock is held, the run is alive; what cannot be removed is left to the next run.
            with suppress(OutputError, OSError), owned([Place(folder)]):
                remove(folder)


def _is_ours(path: Path, is_kind: Callable[[int], bool]) -> bool:
    """Whether ``path`` is as a run of this user makes it: its kind and its owner."""
    try:
        facts = path.lstat()
    except OSError:
        return False
    user = os.getuid() if hasattr(os, "getuid") else facts.st_uid
    return facts.st_uid == user and is_kind(facts.st_mode)
