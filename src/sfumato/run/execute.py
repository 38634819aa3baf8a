"""From a request to its release: everything is checked, then built, certified, and only then drawn and named.

A run may write two files beside its release: the encrypted map back, and what a language model found.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from sfumato.abstract.chat_use import ChatUse
from sfumato.abstract.journal import Journal
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.build import build
from sfumato.building.chat import whereabouts
from sfumato.errors import OptionError
from sfumato.files import FileOptions
from sfumato.ledger import Ledger
from sfumato.ledger.ledger import kept_ledger
from sfumato.privacy.randomness import Randomness
from sfumato.release.files import Released, release_job
from sfumato.release.job import Companion, FileProgress, Job, opened
from sfumato.release.map import write_map
from sfumato.release.statement import statement
from sfumato.run.checks import check_fields, check_input, check_request, suiting
from sfumato.run.request import Named, Request
from sfumato.storage import Place
from sfumato.storage.keys import secret_of
from sfumato.storage.outputs import output_of
from sfumato.storage.sealing import check_sealing
from sfumato.types import Progress, Stages, silent
from sfumato.vocabularies.private import refuse_private

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ready:
    """A run that can begin: nothing is left that would be refused, and every claim is certified."""

    job: Job
    sanitizer: Sanitizer
    randomness: Randomness
    ledger: Ledger | None = None
    companions: Sequence[Companion] = ()

    def release(
        self, progress: FileProgress | None = None, on_draws: Callable[[int], None] | None = None
    ) -> Released:
        """Write the output, its statement and what belongs to them, all of them or none.

        A method that is slow between two records calls ``on_draws`` with how many draws it has made since. Raise
        BudgetError if someone cannot pay, with a private list beside the output.
        """
        sanitizer = self.sanitizer.reporting(on_draws)
        return release_job(self.job, sanitizer, self.randomness, self.companions, progress, self.ledger)


def execute(request: Request, stages: Stages | None = None, begin: Callable[[], object] | None = None) -> Released:
    """Carry out ``request``. ``begin`` is called when nothing can be refused any more, before any draw or charge."""
    told = stages or silent
    with ready(request, told) as made:
        if begin is not None:
            begin()
        return made.release(lambda done, total, _: told("Sanitizing", done / max(1, total)))


@contextmanager
def ready(
    request: Request, stages: Stages = silent, notice: Callable[[str], object] | None = None
) -> Iterator[Ready]:
    """Yield the run of ``request``, ready to begin; its output belongs to this process until the block ends.

    ``notice`` hears where private text goes before a language model is asked.
    """
    check_request(request)
    with (
        opened(request.input, request.output, request.options) as job,
        kept_ledger(request.ledger, request.ledger_key, request.budget, request.heads) as ledger,
    ):
        check_input(request, job.source)
        secret, randomness = key_of_map(request, job), request.drawn()
        use = chat_of(request, job, notice)
        sanitizer = _built(request, use, partial(stages, "Preparing"))
        if request.decisions is not None:
            sanitizer = _reviewed(sanitizer, request, job)
        sanitizer, files = fitted(sanitizer, randomness, job.source.options)
        refuse_private(sanitizer.sources, job.source.paths, job.source.remote)
        maps = [map_beside(request.map, secret, sanitizer)] if request.map is not None and secret is not None else []
        certify(sanitizer, randomness, partial(stages, "Certifying"))
        yield Ready(job.reading(files), sanitizer, randomness, ledger, [*maps, *rounds_beside(use)])


def fitted(sanitizer: Sanitizer, randomness: Randomness, files: FileOptions) -> tuple[Sanitizer, FileOptions]:
    """Return ``sanitizer`` as it draws by ``randomness``, and ``files`` as it reads them."""
    sanitizer = sanitizer.suited_to(randomness)
    check_fields(sanitizer, files)
    return sanitizer, suiting(sanitizer, files)


def certify(sanitizer: Sanitizer, randomness: Randomness, progress: Progress | None = None) -> None:
    """Load and certify everything. Raise GuaranteeError: what cannot be stated must not be released."""
    started = time.perf_counter()
    sanitizer.prepare(progress)
    statement(sanitizer, randomness, {1: 1})
    _LOG.info("certified in %.1f s", time.perf_counter() - started)


def _built(request: Request, use: ChatUse | None, progress: Progress) -> Sanitizer:
    """Return the sanitizer of the request, with the language model in ``use``."""
    method = request.method
    if isinstance(method, Sanitizer):
        return method
    if isinstance(method, Named):
        options = dict(method.options) if use is None else {**method.options, "chat_model": use}
        return build(method.name, method.epsilon, **{"progress": progress, **options})
    from sfumato.building.policies import build_policy  # the kinds of value take a while to import

    return build_policy(method, progress=progress)


def _reviewed(sanitizer: Sanitizer, request: Request, job: Job) -> Sanitizer:
    """Return ``sanitizer`` with the decisions of a review. Raise InputError if one meets no text of ``job``."""
    from sfumato.review import Reviewed, check_decisions, decisions_from, texts_of

    assert request.decisions is not None
    decisions = decisions_from(request.decisions)
    source = job.source.with_options(suiting(sanitizer, request.files))  # as the run reads it
    check_decisions(decisions, texts_of(source))
    return replace(sanitizer, detector=Reviewed(sanitizer.detector, decisions))  # type: ignore[type-var]


def answers_folder(output: Path) -> Path:
    """Return the folder that answers are kept in, in a folder of their own there."""
    return output.with_name(f"{output.name}.chat")


def key_of_map(request: Request, job: Job) -> bytes | None:
    """Return the key that seals the map; None if there is to be no map. Whatever would stop it is raised."""
    if request.map is None:
        return None
    if job.source.kind == "documents":
        raise OptionError("A map ({map}) of a folder of documents would not know their names; make a ZIP file of it.")
    secret = secret_of(request.map_key)
    check_sealing()
    _check(request.map, "The map", "--map", job, job.options.replaces)
    return secret


def map_beside(path: Path, secret: bytes, sanitizer: Sanitizer) -> Companion:
    """Return what writes the map at ``path``. Raise ConfigurationError if no map of these releases can be made."""
    if not sanitizer.makes_map:
        raise OptionError(
            f"A map ({{map}}) belongs to redaction, not to {sanitizer.implementation.__name__}; leave it out."
        )
    if sanitizer.chat is not None and not sanitizer.chat.keeps:
        raise OptionError(
            "A map ({map}) asks the language model a second time, which may answer otherwise; keep its answers "
            "(leave out {no_cache})."
        )
    return Companion(
        Place(path), lambda ready, release, _, source: write_map(sanitizer, source, release, ready, secret)
    )


def chat_of(request: Request, job: Job, notice: Callable[[str], object] | None = None) -> ChatUse | None:
    """Return the language model that the run sets up, ready to be asked; None if it sets up none.

    ``notice`` hears where private text goes. Answers are kept beside the output. Rounds are resumed only if there are
    parts to resume: those of an earlier release are neither counted again nor replaced unless that is allowed. Raises
    OutputError for a place of the rounds that must not be written, ConfigurationError for a model that does not
    answer.
    """
    choice = request.method.chat if isinstance(request.method, Named) else None
    if choice is None:
        return None
    place = request.rounds or job.output.with_name(f"{job.output.name}.rounds.jsonl")
    resume = job.options.resume and job.parts().folder.is_dir()
    _check(place, "The rounds", "--rounds", job, job.options.overwrite or resume, request.map)
    if notice is not None:
        notice(choice.notice(answers_folder(job.output)))
    model = choice.made(answers_folder(job.output))
    return ChatUse(model, whereabouts(model), Journal(place, resume), choice.keep)


def _check(path: Path, what: str, flag: str, job: Job, replace: bool, map: Path | None = None) -> None:
    """Refuse a place that would destroy the input, the output with what belongs to it, or the ``map``."""
    others = [job.input, *(place.path for place in job.parts().places), map]
    output_of(path, what, flag, others, replace).check()


def rounds_beside(use: ChatUse | None) -> list[Companion]:
    """Return what gives the rounds their name together with the release."""
    if use is None or use.journal.path is None:
        return []
    journal, path = use.journal, use.journal.path
    return [Companion(Place(path), lambda *_: journal.finish())]
