"""What a run writes beside its release: the encrypted map back, and what a language model found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sfumato.abstract.asking import ChatUse
from sfumato.abstract.journal import Journal
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.heuristics import whereabouts
from sfumato.errors import OptionError
from sfumato.release.job import Job
from sfumato.release.map import write_map
from sfumato.release.options import Companion
from sfumato.run.request import Named, Request
from sfumato.storage import Place
from sfumato.storage.keys import secret_of
from sfumato.storage.outputs import output_of
from sfumato.storage.sealing import check_sealing


def answers_folder(output: Path) -> Path:
    """Return the folder that answers are kept in, in a folder of their own there."""
    return output.with_name(f"{output.name}.chat")


def key_of_map(request: Request, job: Job) -> bytes | None:
    """Return the key that seals the map; None if there is to be no map. Whatever would stop it is raised."""
    if request.map is None:
        return None
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
