"""Every refusal of a run, written once: it holds whichever door a request comes through.

Sentences name options in braces (:class:`sfumato.errors.OptionError`), because a door has its own spelling of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sfumato.abstract.chat_use import ONE_PROCESS
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.chat import no_chat_model
from sfumato.building.offers import check_budget
from sfumato.errors import ConfigurationError, OptionError, OutputError
from sfumato.files import Chunk, FileOptions, Parts, Shard, Source
from sfumato.release.account import refused_list
from sfumato.release.chunks import Releasing
from sfumato.run.request import Named, Request
from sfumato.storage.outputs import meet
from sfumato.text.document import Document
from sfumato.vocabularies.private import refuse_private

if TYPE_CHECKING:
    from sfumato.policy import Policy

_LOOKED_AT = 200
_CHARACTERS = 250  # of a record of a rewriting, about: longer ones fill a chunk sooner


# What is asked, before a file is opened.


def check_request(request: Request) -> None:
    """Refuse what cannot be, whatever the input holds. Raise ConfigurationError, OutputError or VocabularyError."""
    check_method(request.method)
    _check_asking(request)
    if request.decisions is not None and isinstance(request.method, Named | Sanitizer):
        raise OptionError("{decisions} are about what a policy marks; name the policy of the review.")
    if request.pin is not None and request.randomness is not None and not request.randomness.private:
        raise OptionError(
            "A seed and a key ({pin}) exclude each other: a seed is for tests, a key for private runs; leave one out."
        )
    if request.options.engine == "ray" and not request.keyed:
        raise no_run_key()
    if request.ledger is None and request.budget is None and (request.ledger_key is not None or request.heads):
        raise OptionError("{ledger_key} and {expect_head} are for a ledger; name one with {ledger}.")
    if request.ledger is not None and request.options.engine == "ray":
        raise OptionError("A run with a ledger is planned on this machine; leave out {engine}.")
    if request.map is None and request.map_key is not None:
        raise OptionError("{map_key} is the key of a map; say with {map} where it goes.")
    check_apart(request.keys, [request.input, *request.read])
    refuse_private(request.built_from, [request.input])
    check_written(request)
    request.drawn()  # a key that cannot be used


def check_method(method: Named | Policy | Sanitizer) -> None:
    """Refuse an unknown name, an epsilon that is missing or of no use, and a policy whose files are not there."""
    if isinstance(method, Sanitizer):
        return
    if not isinstance(method, Named):
        method.check_files()
        return
    try:
        check_budget(method.name, method.epsilon, method.options.get("document_epsilon"))
    except ConfigurationError:
        from sfumato.policy.tables import shipped_names

        if (name := method.name) in shipped_names():
            raise OptionError(
                f'{name} is a policy and no method; name it as one ({{policy}}, in Python Policy.load("{name}")).'
            ) from None
        raise


def asks(method: Named | Policy | Sanitizer) -> bool:
    """Return whether ``method`` asks a language model. Raise ConfigurationError if nobody named one."""
    if not isinstance(method, Named):
        return isinstance(method, Sanitizer) and method.chat is not None
    if method.offer.asks and method.options.get("chat_model") is None:
        raise no_chat_model(method.offer.who_asks)
    return method.offer.asks


def _check_asking(request: Request) -> None:
    """Refuse a language model that several processes would ask, and rounds that no language model has."""
    asked = asks(request.method)
    if asked and request.options.workers > 1:
        raise ConfigurationError(ONE_PROCESS)
    if request.rounds is not None and not (isinstance(request.method, Named) and asked and request.method.chat):
        raise OptionError(
            "{rounds} is where it is noted what a language model found; name the model ({chat_model}), or leave it "
            "out."
        )


def no_run_key() -> OptionError:
    """Return the error of a run on an engine that has no key."""
    return OptionError(
        "An engine repeats a task whose worker died, and a draw that is repeated without a key is a second draw of "
        "the same text; give a run key ({pin}), which `sfumato key FILE` makes."
    )


# Files that must not be one.


def check_apart(keys: Iterable[Path | None], read: Sequence[Path]) -> None:
    """Refuse a secret key in a file that the run reads for something else: anyone who has that file has the key."""
    for key in (path for path in keys if path is not None and path.is_file()):
        for path in read:
            inside = path.is_dir() and key.resolve().is_relative_to(path.resolve())
            if inside or (path.exists() and key.samefile(path)):
                raise ConfigurationError(
                    f"{key.name} is no secret key: this run reads it for something else. Make one with "
                    "`sfumato key FILE`."
                )


def check_written(request: Request) -> None:
    """Refuse a place to write to that is a file which the run reads: it would be lost."""
    if request.map is not None and isinstance(request.map_key, Path) and meet(request.map, request.map_key):
        raise OptionError("{map} would replace the key that it is sealed with; choose another place for it.")
    parts = Parts(request.output, "", "")  # refuses what is no name
    beside = (refused_list(parts.output), request.map, request.rounds)
    places = [*(place.path for place in parts.places), *(path for path in beside if path)]
    decisions = request.decisions
    if decisions is not None and any(meet(path, decisions) for path in (request.input, *places)):
        raise OptionError("{decisions} names the input or the output; name the file of the review.")
    for path in (*request.keys, *request.read):
        if any(meet(place, path) for place in places):
            raise OutputError(f"This run reads {path.name} and would write over it; choose another output.")


# The input.


def check_input(request: Request, source: Source) -> None:
    """Refuse what cannot be with this input, and look at its first records before anything is built."""
    files = source.options
    private = request.randomness is None or request.randomness.private
    if request.keyed and private and not source.names_records:
        check_pinned(files)
    if source.kind == "shards" and (request.map is not None or asks(request.method)):
        raise OptionError(
            "Many files have no map and no language model to ask ({map}, {chat_model}); sanitize the files one by "
            "one."
        )
    if request.ledger is not None and files.id_field is None and not source.names_records:
        raise OptionError(f"A ledger charges each record by its id; {source.way_to_ids}.")
    if request.ledger is not None and refused_list(request.output).resolve() in map(Path.resolve, source.paths):
        raise ConfigurationError(
            "The input has the name that the list of those who cannot pay would get; choose another output."
        )
    check_public(request.built_from, request.input, source)
    check_apart(request.keys, source.paths)
    check_first_records(source, not request.reads_spans)


def check_public(public: Sequence[Path], input: Path, source: Source) -> None:
    """Refuse a public file among the files that ``input`` leads to, if it is no path of one."""
    if source.paths != (input,):
        refuse_private(public, source.paths, source.remote)


def check_pinned(files: FileOptions) -> None:
    """Refuse pinned draws for records without an id."""
    if files.id_field is None:
        raise OptionError(
            "Pinned randomness needs {id_field}: draws are tied to the record's id, and two files would share the "
            "draws of records that only have a place."
        )


@dataclass(frozen=True, slots=True)
class _Answer:
    """What is said of a document: that it is there."""

    id: str


class _Looking:
    """Takes the place of a sanitizer, and does nothing."""

    def sanitize_batch(self, documents: Sequence[Document], randomness: Any) -> Sequence[Any]:
        """Return an answer for each document."""
        return [_Answer(document.id) for document in documents]


def check_first_records(source: Source, spans_pass: bool = True) -> None:
    """Raise for the first records of ``source`` what the run would raise for them: InputError, ConfigurationError.

    ``spans_pass`` says that a field with spans would pass unchanged, as no detector reads it; such a field is
    refused.
    """
    files = source.options
    looked = source.with_options(replace(files, chunk_records=min(files.chunk_records, _LOOKED_AT)))
    task = next(iter(looked.tasks()))
    chunk = next(iter(task.opened(looked.options).chunks())) if isinstance(task, Shard) else cast(Chunk, task)
    if not spans_pass:
        chunk = replace(chunk, passing=replace(chunk.passing, spans=None))
    Releasing(_Looking(), None, files).sanitized(chunk)


# A sanitizer that is built.


def check_fields(sanitizer: Sanitizer, files: FileOptions) -> None:
    """Refuse records, or a way to read them, for which ``sanitizer`` is not made. Raise ConfigurationError."""
    sanitizer.check_fields(files)
    if sanitizer.rewrites_whole_text and files.quoting == "none":
        raise OptionError(
            "A rewritten text may hold the cells' delimiter, which cannot be written without quotation "
            "marks; leave out {quoting}."
        )
    promises = sanitizer.guarantee is not None or any(treatment.guarantee for treatment in sanitizer.treatments)
    if not promises and files.subject_field is not None and not sanitizer.reads:
        raise OptionError("A method without a guarantee has no costs to add up over a person; omit {subject_field}.")


def suiting(sanitizer: Sanitizer, files: FileOptions) -> FileOptions:
    """Return ``files`` with the fields that ``sanitizer`` reads, and with chunks of its size."""
    if sanitizer.records_at_once is not None:  # so slow that a stopped run should have lost little
        most = min(files.chunk_records, sanitizer.records_at_once)
        room = min(files.chunk_characters, _CHARACTERS * most)
        files = replace(files, chunk_records=most, chunk_characters=room)
    spans_field = sanitizer.detector.spans_field
    if files.spans_field not in (None, spans_field):  # one would keep the offsets of what was replaced
        reads = "no field of spans" if spans_field is None else f"spans in the field {spans_field!r}"
        raise OptionError(
            f"The detector reads {reads}, not in {files.spans_field!r}; leave out {{spans_field}}, or detect the "
            "spans that it gives ({detect} given)."
        )
    return replace(files, spans_field=spans_field).reading(sanitizer.reads)
