"""``sfumato find``: what a detector finds, without replacing anything."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from sfumato.abstract.detector import Detector
from sfumato.building.chat import ChatChoice, chat_use
from sfumato.building.option_groups import CHAT, DetectionOptions
from sfumato.building.told_labels import counts_for_people, for_people
from sfumato.cli import chat_options, streams
from sfumato.cli import options as choices
from sfumato.cli.closing import cautions_told
from sfumato.cli.flags import command
from sfumato.cli.options import FoundOptions, TextOptions, counted
from sfumato.cli.printing import check_output_open, file_bar, standard_output, tell
from sfumato.errors import ConfigurationError
from sfumato.files import open_source
from sfumato.registry import detector_class
from sfumato.release.find import FindSummary, Write, as_line, find_file, found_in
from sfumato.storage import whole, writing
from sfumato.storage.outputs import Output, output_of
from sfumato.text.document import Document

_OTHER = "other labels"
_USUAL = "identifiers"
_COLUMNS = ("start", "end", "kind", "chance", "found by")


@dataclass(frozen=True)
class SoughtOptions(FoundOptions):
    """Detectors and their options, without a method."""

    alone: ClassVar[bool] = True


@command
def find(
    context: typer.Context,
    detection: SoughtOptions,
    texts: TextOptions,
    input: Annotated[
        Path | None, typer.Argument(help="A file or folder as for sanitize, or - (standard input).")
    ] = None,
    text: Annotated[str | None, typer.Option(help="A text to look at, in place of a file.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where the findings go (.jsonl, for its owner only); else printed."),
    ] = None,
    chat_model: Annotated[str | None, typer.Option(help=chat_options.CHAT_MODEL)] = None,
    show_text: Annotated[
        bool, typer.Option("--show-text", help="Show the text of each span too: it is private.")
    ] = False,
    as_table: Annotated[
        bool, typer.Option("--table", help="Print a table of the spans, with kind and chance of each.")
    ] = False,
    form: streams.Format = None,
    force: choices.Force = False,
    as_json: choices.Json = False,
    quiet: choices.Quiet = False,
) -> None:
    """List what a detector finds, and where: a line of JSON for each text, with label, score and finder of each span.

    The score of `identifiers` is the chance that the mark is right, measured on text that it did not learn from.
    Nothing is replaced, and no text is shown unless --show-text asks for it. The file can be given to sanitize:
    --detect given:FILE.
    """
    if (input is None) == (text is None):
        raise ConfigurationError("Name a file, - for standard input, or give a text with --text; one of them.")
    output = None if output == streams.STANDARD else output
    finder = _detector(detection, chat_model)
    options = texts.files(finder.spans_field, adjustable=False)  # bad records cannot be set aside here
    if as_table and (as_json or output is not None):
        raise ConfigurationError("A table is printed for people; leave out --table, or --json and -o.")
    kept: list[str] | None = [] if (as_json or as_table) and output is None else None
    read = [None if input == streams.STANDARD else input, *detection.files(_USUAL)]
    target = None if output is None else output_of(output, "The findings", "-o", read, force)
    if target is not None:
        target.check()
        if target.path.suffix.lower() != ".jsonl":
            raise ConfigurationError("The findings are lines of JSON; end the name of their file with .jsonl.")
    with _writing(target, kept) as write:
        if text is not None:
            done = _in_text(finder, text, write, show_text)
        else:
            assert input is not None  # checked above
            path = context.with_resource(streams.spooled(input, form, texts.name_fields(options)))
            source = open_source(path, options)
            with file_bar(quiet or as_json, source.size, "Searching") as bar:
                done = find_file(finder, source, options, write, show_text, bar)
    if as_table and kept is not None:
        _print_table(kept)
    _close(done, finder, output, kept, as_json, quiet)


def _detector(detection: FoundOptions, chat_model: str | None) -> Detector:
    """The detectors that were named. A language model is named where one of them asks it, and only there."""
    askers, chat = [name for name in detection.names(_USUAL) if CHAT in detector_class(name).needs], None
    if askers:
        if chat_model is not None:
            typer.echo(ChatChoice(chat_model, keep=False).notice(Path()), err=True)
        chat = chat_use(f"--detect {' '.join(askers)}", chat_model)
    elif chat_model is not None:
        raise ConfigurationError("--chat-model is for --detect disclosures.")
    return DetectionOptions(**detection.given(_USUAL)).detector(_USUAL, chat)


def _in_text(finder: Detector, text: str, write: Write, show_text: bool) -> FindSummary:
    document = Document(text, "0")
    (findings,) = found_in(finder, [document])
    write(as_line(document, findings, None, show_text))
    return FindSummary() + replace(FindSummary.of([document], [findings]), cautions=finder.cautions([document]))


@contextmanager
def _writing(target: Output | None, kept: list[str] | None) -> Iterator[Write]:
    """Yield what takes a line: for ``kept``, standard output, or ``target``, which appears whole or not at all."""
    if kept is not None:
        yield kept.append
    elif target is None:
        check_output_open()  # before anything is searched
        yield _printed
    else:
        with target.held(), _whole(target) as write:
            yield write


@contextmanager
def _whole(target: Output) -> Iterator[Write]:
    """Yield what takes a line of ``target``; only an error of writing is told as one."""
    of_the_block: OSError | None = None
    try:
        with whole(target.path, private=True, hidden=target.place.ready) as file:

            def write(line: str) -> None:
                with writing(target.path):
                    file.write(f"{line}\n".encode())

            try:
                yield write
            except OSError as error:
                of_the_block = error
                raise
            target.check()  # hours may have passed
    except OSError as error:
        if error is of_the_block:
            raise
        with writing(target.path):
            raise


def _printed(line: str) -> None:
    stream = standard_output()
    stream.write(f"{line}\n".encode())
    stream.flush()


def _print_table(lines: Sequence[str]) -> None:
    """Print the spans of ``lines`` in a table. A finder that tells no chance leaves its cell empty."""
    texts = [json.loads(line) for line in lines]
    spans = [(text, span) for text in texts for span in text["spans"]]
    optional = [name for name, held in (("field", texts), ("text", [span for _, span in spans])) if any(
        name in each for each in held)]  # fmt: skip
    table = Table(*(Column(name, overflow="fold") for name in ("record", *_COLUMNS, *optional)))
    for text, span in spans:
        chance = "" if span["score"] is None else f"{span['score']:.0%}"
        cells = (text["id"], span["start"], span["end"], for_people(span["label"]), chance, span["finder"])
        more = [{**text, **span}.get(name, "") for name in optional]
        table.add_row(*(Text(str(cell)) for cell in (*cells, *more)))  # no cell is read as markup
    Console(highlight=False).print(table)


def _close(
    done: FindSummary, finder: Detector, output: Path | None, kept: list[str] | None, as_json: bool, quiet: bool
) -> None:
    """Tell what was found: on standard error where standard output holds the findings."""
    labels = _shown(done, finder.may_name)
    facts: dict[str, Any] = {
        "records": done.records, "texts": done.texts, "spans": done.spans, "labels": labels,
        "finders": dict(done.finders), "untouched": done.untouched, "texts_absent": done.absent,
        "cautions": dict(done.cautions),
    }  # fmt: skip
    shown = {"output": str(output)} if kept is None else {"found": [json.loads(line) for line in kept]}
    where = "" if output is None else f" -> {output} (private!)"
    lines = [f"{counted(done.spans, 'span')} in {counted(done.records, 'record')}{where}"]
    for title, counts in (("Kinds", counts_for_people(labels)), ("Finders", done.finders)) if done.spans else ():
        lines.append(f"{title}: {', '.join(f'{name} {count:,}' for name, count in counts.items())}")
    if done.untouched:
        lines.append(f"Nothing in {done.untouched:,} of {counted(done.records, 'record')}.")
    if done.absent:
        lines.append(f"Texts that are null or missing: {done.absent:,}.")
    lines += cautions_told(done.cautions)
    tell({**shown, **facts}, lines, as_json, quiet, err=output is None and not as_json)


def _shown(done: FindSummary, may: Callable[[str], bool]) -> dict[str, int]:
    """How often each label was given; those of records and of somebody's lists together."""
    shown = {label: count for label, count in done.labels.items() if may(label)}
    rest = done.spans - sum(shown.values())
    return {**shown, **({_OTHER: rest} if rest else {})}
