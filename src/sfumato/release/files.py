"""A release and its statement, which always go together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.errors import ConfigurationError
from sfumato.files import Parts, open_source
from sfumato.privacy.randomness import Randomness, SystemRandomness
from sfumato.release.run import (
    Companion,
    FileProgress,
    RunOptions,
    RunSummary,
    check_output,
    clear,
    fingerprint_of,
    sanitize_file,
)
from sfumato.release.statement import statement
from sfumato.storage import cache, created, owned
from sfumato.storage.digests import digest_of_everything
from sfumato.vocabularies.private import refuse_private

_CHARACTERS = 250  # of a record of a rewriting, about: longer ones fill a chunk sooner


class Released(NamedTuple):
    """What a run did, what it promises, and where both stand.

    There is no summary where ``resume`` found that an earlier run had done everything.
    """

    summary: RunSummary | None
    statement: dict[str, Any]
    output: Path
    statement_path: Path


def release_file(
    sanitizer: Sanitizer,
    input: Path | str,
    output: Path | str,
    options: RunOptions | None = None,
    randomness: Randomness | None = None,
    progress: FileProgress | None = None,
    companions: Sequence[Companion] = (),
) -> Released:
    """Sanitize ``input`` into ``output``, which appears together with ``output``.privacy.json and ``companions``.

    Every claim is certified before a record is read. Raises InputError and OutputError as
    :func:`sfumato.release.run.sanitize_file` does, VocabularyError where a vocabulary is the input or a copy of it,
    GuaranteeError where the claim cannot be certified.
    """
    input, output = Path(input), Path(output)
    options, randomness = options or RunOptions(), randomness or SystemRandomness()
    sanitizer.check_fields(options.files.fields)
    if sanitizer.rewrites_whole_text and options.files.quoting == "none":
        raise ConfigurationError(
            "A text that is written anew may hold the cells' delimiter, which cannot be written without quotation "
            "marks; leave out --quoting none."
        )
    check_output(input, output, options)
    refuse_private(sanitizer.sources, [input])
    if sanitizer.records_at_once is not None:  # so slow that a stopped run should have lost little
        most = min(options.files.chunk_records, sanitizer.records_at_once)
        room = min(options.files.chunk_characters, _CHARACTERS * most)
        options = replace(options, files=replace(options.files, chunk_records=most, chunk_characters=room))
    options = replace(options, files=options.files.reading(sanitizer.reads))
    sanitizer.prepare()
    statement(sanitizer, randomness, {1: 1})  # what cannot be stated must not be released
    parts = Parts(output, "", "")
    source = open_source(input, options.files)
    run = cache.own_mark(fingerprint_of(source, output, options, sanitizer, randomness))

    def write(ready: Path, release: Path, done: RunSummary) -> None:
        named = {"name": output.name, "sha256": digest_of_everything(release), "run": run}
        kept = options.files.others_kept
        said = statement(
            sanitizer, randomness, done.draws_per_record, done.quarantined, source.kind, kept, done.absent
        )
        content = {**said, "release": named}
        # A name that is no text keeps its bytes, in JSON's own escapes.
        text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        with created(ready) as file:
            file.write(text.encode("utf-8", "backslashreplace"))

    if options.resume and _is_done(parts, run, companions):
        return Released(None, _read(parts.statement.path), output, parts.statement.path)
    everything = (Companion(parts.statement, write), *companions)
    done = sanitize_file(sanitizer, input, output, options, randomness, progress, everything)
    return Released(done, _read(parts.statement.path), output, parts.statement.path)


def _is_done(parts: Parts, run: str | None, companions: Sequence[Companion]) -> bool:
    """Whether this very ``run`` has ended: its statement says so, and the release is as it was written.

    Without a mark of a run nothing is known of an earlier one. What that run kept hidden, if it was killed while it
    removed it, goes.
    """
    places = [companion.place for companion in companions]
    with owned((*parts.places, *places)):
        if not parts.ended or not all(place.path.exists() for place in places):
            return False
        released = _read(parts.statement.path).get("release", {})
        if run is None or not isinstance(released, dict) or released.get("run") != run:
            return False
        if released.get("sha256") != digest_of_everything(parts.output):
            return False
        clear(parts, places)
        return True


def _read(path: Path) -> dict[str, Any]:
    """The statement at ``path``; nothing where it is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
