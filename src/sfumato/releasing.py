"""A release and its statement, which always go together."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sfumato.builder import public_sources, refuse_private
from sfumato.digests import digest_of_everything
from sfumato.editing import Editor
from sfumato.errors import ConfigurationError, OutputError
from sfumato.files import open_source
from sfumato.rewriting import Rewriter
from sfumato.run import FileProgress, RunOptions, RunSummary, check_output, sanitize_file
from sfumato.sampling import Randomness, SystemRandomness
from sfumato.sanitizer import Sanitizer
from sfumato.statement import statement

_CHARACTERS = 250  # of a record of a rewriting, about: longer ones fill a chunk sooner


class Released(NamedTuple):
    """What a run did, what it promises, and where both stand."""

    summary: RunSummary
    statement: dict[str, Any]
    output: Path
    statement_path: Path


def release_file(
    sanitizer: Sanitizer | Rewriter | Editor,
    input: Path | str,
    output: Path | str,
    options: RunOptions | None = None,
    randomness: Randomness | None = None,
    progress: FileProgress | None = None,
    written: Callable[[], object] | None = None,
) -> Released:
    """Sanitize ``input`` into ``output`` and write ``output``.privacy.json beside it.

    Every claim is certified before a record is read. ``written`` is called once both are there, and again by a run
    that is resumed because it did not come back. Raises InputError and OutputError as
    :func:`sfumato.run.sanitize_file` does, VocabularyError where a vocabulary is the input or a copy of it,
    GuaranteeError where the claim cannot be certified.
    """
    input, output = Path(input), Path(output)
    options, randomness = options or RunOptions(), randomness or SystemRandomness()
    if isinstance(sanitizer, Rewriter) and sanitizer.document_epsilon and len(options.files.fields) > 1:
        raise ConfigurationError(
            "A document's budget is for one text, and a record with several fields would spend it several times; "
            "give one field, or an epsilon for each draw."
        )
    if sanitizer.whole and options.files.quoting == "none":
        raise ConfigurationError(
            "A text that is written anew may hold the cells' delimiter, which cannot be written without quotation "
            "marks; leave out --quoting none."
        )
    check_output(input, output, options)
    refuse_private(public_sources(sanitizer), [input])
    if isinstance(sanitizer, Rewriter | Editor):  # so slow that a stopped run should have lost little
        most = min(options.files.chunk_records, sanitizer.records_at_once)
        room = min(options.files.chunk_characters, _CHARACTERS * most)
        options = replace(options, files=replace(options.files, chunk_records=most, chunk_characters=room))
    if isinstance(sanitizer, Editor):
        options = replace(options, files=options.files.reading(sanitizer.method.reads))
    sanitizer.prepare()
    statement(sanitizer, randomness, {1: 1})  # what cannot be stated must not be released
    beside = output.with_name(f"{output.name}.privacy.json")
    promised: dict[str, Any] = {}

    def finish(done: RunSummary) -> None:
        kind = open_source(input, options.files).kind
        keep = options.files.others_kept
        counts = done.draws_per_record, done.quarantined
        promised.update(statement(sanitizer, randomness, *counts, kind, keep, done.absent))
        promised["release"] = {"name": output.name, "sha256": digest_of_everything(output)}
        _write(beside, promised)
        if written is not None:
            written()

    done = sanitize_file(sanitizer, input, output, options, randomness, progress, finish)
    return Released(done, promised, output, beside)


def _write(path: Path, content: dict[str, Any]) -> None:
    """Write the statement whole or not at all."""
    unfinished = path.with_name(f".{path.name}.tmp")
    try:
        with unfinished.open("w", encoding="utf-8") as file:
            file.write(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise OutputError(
            f"The statement {path.name} cannot be written ({error.strerror}); run again with --resume."
        ) from None
