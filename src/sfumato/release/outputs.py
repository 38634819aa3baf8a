"""What a run may replace, and how everything it made gets its name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from sfumato.errors import OutputError
from sfumato.files import Assembled, Parts, ShardsSource, Source, kind_of, writing
from sfumato.files.folder import check_only_texts
from sfumato.release.account import Account
from sfumato.release.options import Companion, RunOptions, RunSummary
from sfumato.storage import Place


def check_output(source: Source, parts: Parts, options: RunOptions) -> None:
    """Refuse an output that would destroy the input, or something else that the caller did not mean."""
    check_places(source, parts, options, parts.places)


def check_places(source: Source, parts: Parts, options: RunOptions, places: Sequence[Place]) -> None:
    """Refuse those of ``places`` that would destroy the input, or something else that the caller did not mean."""
    for path in source.paths:
        _check_apart(path.resolve(), parts, places)
    if isinstance(source, ShardsSource):
        own = [parts.output / shard.name for shard in source.shards] if parts.release in places else []
        unused = () if options.files.on_error == "quarantine" else (parts.quarantine,)
        source.check_unread([*(place.path for place in places if place not in unused), *own])
    if not options.overwrite:
        for place in sorted(places, key=lambda place: place != parts.release):  # which is the one that was named
            # A stopped run may have given other files their names before the output.
            resumed = options.resume and parts.begun and place != parts.release
            if os.path.lexists(place.path) and not resumed:
                raise OutputError(f"{place.path} exists; choose another output, or replace it (--force).")
    elif source.makes_folder and parts.release in places and os.path.lexists(parts.output):
        _check_folder_replaceable(source, parts.output)
    for path in (place.path for place in places):
        if os.path.lexists(path) and not path.is_file() and (not source.makes_folder or path != parts.output):
            raise OutputError(f"{path} is not a regular file and is not replaced; choose another output.")


def _check_apart(given: Path, parts: Parts, places: Sequence[Place]) -> None:
    """Refuse ``places`` that are the input ``given``, lie inside it, or hold it, with what is hidden beside them."""
    hidden = [path for place in places for path in (place.path, place.ready, place.replaced, place.lock)]
    for path in (*hidden, parts.folder):
        target = path.resolve()
        if target == given or (path.exists() and path.samefile(given)):
            raise OutputError(f"{path.name} is the input itself; choose another output.")
        if given in target.parents or target in given.parents:
            raise OutputError("The input and the output must not lie inside each other; choose another output.")


def _check_folder_replaceable(source: Source, output: Path) -> None:
    # Replacing a folder removes it: only one that could be an earlier output is.
    if not output.is_dir() or output.is_symlink():
        raise OutputError(f"{output} is not a folder and is not replaced by one; choose another output.")
    if not isinstance(source, ShardsSource):
        check_only_texts(output)
    elif any(kind_of(path) != source.form for path in output.rglob("*") if path.is_file()):
        raise OutputError(
            f"{output} holds other files than .{source.form} and is not replaced; choose another output."
        )


def publish(
    parts: Parts, assembled: Assembled, companions: Sequence[Companion], summary: RunSummary, source: Source,
    account: Account | None = None,
) -> None:  # fmt: skip
    """Write the companions and give everything its name; only what is missing, if the output has its name.

    A run with an ``account`` is published in its ledger before the first rename.
    """
    release = parts.complete(assembled)
    if release == parts.output:
        companions = [companion for companion in companions if not companion.place.path.exists()]
    for companion in companions:
        with writing(companion.place.path):
            companion.write(companion.place.ready, release, summary, source)
    if account is not None:
        account.publish(parts, release)
    parts.publish(assembled, [companion.place for companion in companions])


def clear(parts: Parts, places: Sequence[Place]) -> None:
    """Remove what a run that has ended keeps hidden. Raises OutputError, which says that the output is complete."""
    try:
        for place in (*parts.places, *places):
            place.forget()
        parts.clear()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(
            f"{parts.output} is complete, and so is all that belongs to it; but hidden files of the run beside it, "
            f"which may be private, cannot be removed ({reason}): remove them, or run again with --resume."
        ) from None
