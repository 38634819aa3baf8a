"""``sfumato review``: a page on this machine alone, on which a person corrects what the policy's detectors mark."""

from __future__ import annotations

import json
import shlex
import tempfile
import webbrowser
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options as choices
from sfumato.cli.flags import command, typed_again
from sfumato.cli.options import TextOptions, counted
from sfumato.cli.policy_flags import PolicyFlags
from sfumato.errors import ConfigurationError, MissingExtraError
from sfumato.files import open_source
from sfumato.run.request import read_as
from sfumato.storage import whole, writing
from sfumato.storage.locations import temporary_folder
from sfumato.storage.outputs import output_of

if TYPE_CHECKING:
    from sfumato.abstract.detector import Detector
    from sfumato.policy import Policy
    from sfumato.review import Decisions, SampledMisses, Texts
    from sfumato.review.journal import Journal
    from sfumato.review.treated import ByPolicy


@dataclass(frozen=True)
class PageOptions:
    """How the page is served."""

    port: Annotated[int, typer.Option(help="The port on this machine; 0 takes a free one.")] = 0
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address and open no browser.")] = False


@dataclass(frozen=True)
class ExchangeOptions:
    """Label Studio in place of the page."""

    export_tasks: Annotated[
        Path | None,
        typer.Option("--export-label-studio", help="Write tasks for Label Studio (private), and serve no page."),
    ] = None
    import_tasks: Annotated[
        Path | None,
        typer.Option("--import-label-studio", help="Take decisions from an export of Label Studio; serve no page."),
    ] = None


@dataclass(frozen=True)
class _Review:
    """What is reviewed, and by which policy."""

    policy: Policy
    detector: Detector
    texts: Texts
    name: str

    @property
    def treatments(self) -> ByPolicy:
        """Return what the policy does with a mark."""
        from sfumato.review.treated import ByPolicy

        return ByPolicy(self.policy)


@command
def review(
    input: Annotated[Path, typer.Argument(help="A file or folder as for sanitize.")],
    policy: PolicyFlags,
    texts: TextOptions,
    page: PageOptions,
    exchange: ExchangeOptions,
    decisions: Annotated[
        Path | None, typer.Option(help="The file of decisions (private); INPUT.decisions.jsonl if not named.")
    ] = None,
    sample: Annotated[
        int, typer.Option(help="Records in the random sample, drawn when the review begins.", min=0)
    ] = 200,
    hits: Annotated[
        Path | None,
        typer.Option(
            help='Records that an attack hit, shown first: a line {"record": N, "by": "ATTACK"} each, N from 0.'
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing export (--export-label-studio).")
    ] = False,
    quiet: choices.Quiet = False,
) -> None:
    """Correct by hand what a policy marks: a page on this machine, and a file of decisions that can be replayed.

    The address works once, in one browser, on this machine. Decisions are kept as they are made; the same command
    continues with them.
    """
    if policy.policy is None:
        raise ConfigurationError("Which policy says what is looked for? Give --policy NAME or FILE.")
    if exchange.export_tasks is not None and exchange.import_tasks is not None:
        raise ConfigurationError("Export and import are two steps; give one of them.")
    from sfumato.detectors.decisions import decisions_in
    from sfumato.review.journal import journal
    from sfumato.review.texts import hits_from

    reviewed = _opened(input, policy.loaded(), texts)
    path = decisions or input.with_name(f"{input.name}.decisions.jsonl")
    others = [input, hits, exchange.export_tasks, exchange.import_tasks, *reviewed.policy.files]
    output_of(path, "The decisions", "--decisions", others, True).check()
    hit = {} if hits is None else hits_from(hits, reviewed.texts.records)
    after = _command_after(input, policy, texts, path)
    if exchange.export_tasks is not None and not path.exists():  # tasks need no file of decisions
        _export(reviewed, decisions_in(b"", path.name), exchange.export_tasks, [path, input], force)
        return
    misses: SampledMisses | None = None
    with journal(path) as kept:
        if kept.cut and not quiet:
            typer.echo("The last line of the decisions was not written to its end, and was taken out.", err=True)
        if exchange.export_tasks is not None:
            _export(reviewed, kept.decisions, exchange.export_tasks, [path, input], force)
        elif exchange.import_tasks is not None:
            _import(reviewed, kept, exchange.import_tasks, sample)
        else:
            misses = _serve(reviewed, kept, hit, sample, page, after)
        done = kept.decisions
    if not quiet and exchange.export_tasks is None:
        _close(done, path, _sentence(reviewed, done, misses))
        typer.echo(f"Next: {after}")


def review_on_page(input: Path, policy: Policy, texts: TextOptions, path: Path, sample: int) -> None:
    """Serve the page for ``input`` until the reviewer is done; the decisions go to ``path``."""
    from sfumato.review.journal import journal

    reviewed = _opened(input, policy, texts)
    with journal(path) as kept:
        _serve(reviewed, kept, {}, sample, PageOptions())


def _command_after(input: Path, policy: PolicyFlags, texts: TextOptions, decisions: Path) -> str:
    """Return the command that releases ``input`` as it was reviewed, with the same options as were typed here."""
    name, *suffixes = input.name.split(".") if not input.is_dir() else [input.name]
    output = input.with_name(".".join([f"{name}-safe", *suffixes]))
    words = ["sfumato", "sanitize", str(input), "-o", str(output), *typed_again(policy), *typed_again(texts)]
    return shlex.join([*words, "--decisions", str(decisions)])


def _opened(input: Path, policy: Policy, texts: TextOptions) -> _Review:
    """Return the texts of ``input``, read as the policy's fields say unless options do, and the policy's detector."""
    from sfumato.building.detectors import finder_of
    from sfumato.review import texts_of

    policy, files = read_as(policy, texts.typed)
    policy.check_treats()
    finder = finder_of(policy)
    source = open_source(input, replace(files, spans_field=finder.spans_field, keep=None, adjustable=False))
    return _Review(policy, finder, texts_of(source), source.name)


def _serve(
    reviewed: _Review, kept: Journal, hits: Mapping[int, Collection[str]], sample: int, page: PageOptions,
    after: str = "",
) -> SampledMisses | None:  # fmt: skip
    """Serve the page until the reviewer is done; return what the sample shows, if it was searched."""
    try:
        from sfumato.review.serving import serve
    except ModuleNotFoundError:
        raise MissingExtraError("The page needs fastapi and uvicorn; type: pip install 'sfumato[review]'") from None
    from sfumato.review.app import Shown
    from sfumato.review.session import Session
    from sfumato.review.treated import Examples

    treatments = reviewed.treatments
    session = Session(reviewed.texts, reviewed.detector, kept, hits, sample, treatments)
    examples = Examples(reviewed.policy, reviewed.texts)
    shown = Shown(reviewed.name, treatments.as_facts(), after)
    with _opening(not page.no_browser) as opened, suppress(KeyboardInterrupt):
        serve(session, examples, shown, page.port, opened)
    return session.misses()


@contextmanager
def _opening(browser: bool) -> Iterator[Callable[[str], None]]:
    """Yield what prints the address, and opens a browser by a private file: arguments of programs can be seen."""
    with tempfile.TemporaryDirectory(prefix="sfumato-review-", dir=temporary_folder()) as folder:

        def opened(address: str) -> None:
            typer.echo(f"Review at {address}\nThe address works once. Finish on the page, or with Ctrl-C.")
            if browser:
                page = Path(folder, "open.html")
                page.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={escape(address)}">')
                webbrowser.open(page.as_uri())

        yield opened


def _export(reviewed: _Review, done: Decisions, path: Path, others: list[Path], force: bool) -> None:
    from sfumato.review import Reviewed, check_decisions
    from sfumato.review.label_studio import configuration, tasks_of

    check_decisions(done, reviewed.texts)
    target = output_of(path, "The tasks", "--export-label-studio", others, force)
    tasks = list(tasks_of(reviewed.texts, Reviewed(reviewed.detector, done), reviewed.treatments))
    with target.held(), writing(path), whole(path, private=True, hidden=target.place.ready) as file:
        file.write(json.dumps(tasks).encode())
    if done.count:
        typer.echo(f"The marks follow {counted(done.count, 'decision')} of {others[0]} (private!).")
    typer.echo(f"{counted(len(tasks), 'task')} -> {path} (private!)\nThe labelling configuration of the project:")
    typer.echo(configuration(reviewed.treatments.names))


def _import(reviewed: _Review, kept: Journal, path: Path, sample: int) -> None:
    from sfumato.review import Reviewed
    from sfumato.review.label_studio import lines_of_tasks
    from sfumato.review.session import Session

    treatments = reviewed.treatments
    session = Session(reviewed.texts, reviewed.detector, kept, sample=sample, treatment_of=treatments)
    drawn = kept.decisions.sample
    records = [] if drawn is None else drawn.facts["records"]
    before = Reviewed(reviewed.detector, kept.decisions)
    session.add_lines(lines_of_tasks(path, reviewed.texts, before, records, treatments))


def _sentence(reviewed: _Review, done: Decisions, known: SampledMisses | None) -> str | None:
    """Return what the sample shows, which may be ``known``, or why nothing; None before any of it was read."""
    from sfumato.review import sampled_misses, silence_of

    if done.sample is None or done.read.isdisjoint(done.sample.facts["records"]):
        return None
    misses = known or sampled_misses(done, reviewed.detector, reviewed.texts, reviewed.treatments)
    return silence_of(done) if misses is None else misses.sentence


def _close(done: Decisions, path: Path, sentence: str | None) -> None:
    typer.echo(f"{counted(done.count, 'decision')}, {counted(len(done.read), 'record')} read -> {path} (private!)")
    if sentence is not None:
        typer.echo(sentence)
