"""The encrypted map beside a release: what turns its bytes back into the original's, and what its pseudonyms mean.

The map holds what turns the bytes of the release into the bytes of the original, block by block (each block is
compressed with the release's bytes as its dictionary, so what did not change takes no room), and what each pseudonym
stood for. It is written after the run from the two files, so it does not matter how many processes made the release,
or how often the run was stopped. Anyone holding the map and its key can recover the original.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Any

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.errors import InputError, OutputError
from sfumato.files import Source
from sfumato.files.text import TEXT_SUFFIXES, check_only_texts
from sfumato.storage import created, regular, writing
from sfumato.storage.digests import digest_of
from sfumato.storage.locations import check_path
from sfumato.storage.sealing import Sealer, opened
from sfumato.text.document import Document, records

FILE, DELTA, NAMES = b"F", b"D", b"N"
_BLOCK = 1 << 14
_DICTIONARY = 1 << 15  # zlib looks no further back
_ENTRIES = 500  # records whose pseudonyms are sealed together


def write_map(sanitizer: Sanitizer, original: Source, release: Path, path: Path, secret: bytes) -> None:
    """Write the map from ``release`` back to ``original`` at ``path``, in place of what is there.

    Raises OutputError if it cannot be written; then nothing is there.
    """
    before = original.path
    with writing(path), created(path, private=True) as file:
        sealer = Sealer(file, secret)
        for name in _names(before, release):
            _write_file(sealer, name, before / name if name else before, release / name if name else release)
        given = _given(sanitizer, original)
        while entries := list(islice(given, _ENTRIES)):
            sealer.write(NAMES + zlib.compress(json.dumps(entries).encode()))
        sealer.close()


def known_names(path: Path, secret: bytes, record: str | None) -> dict[str, str]:
    """Return what the pseudonyms stand for: all of them, or those of ``record``, of all its fields."""
    names: dict[str, str] = {}
    for kind, body in frames(path, secret):
        for whose, given in json.loads(body) if kind == NAMES else ():
            if record in (None, whose):
                _learn(names, given)
    return names


def _learn(names: dict[str, str], given: Mapping[str, str]) -> None:
    """Add the pseudonyms of a text. Several mentions of one name go to the longest of them."""
    for pseudonym, original in given.items():
        before = names.setdefault(pseudonym, original)
        if before == original:
            continue
        if len(pseudonym.rpartition("_")[2]) < 8:  # no keyed hash, which means the same in all records
            raise InputError(
                "Two records of the map use one pseudonym for different things; say whose text it is with "
                "--record ID."
            )
        names[pseudonym] = max(before, original, key=len)


def _write_file(sealer: Sealer, name: str, original: Path, release: Path) -> None:
    """Write the frames of one file."""
    size, released = original.stat().st_size, release.stat().st_size
    facts = {"name": name, "sha256": digest_of(original), "size": size, "released": released}
    sealer.write(FILE + zlib.compress(json.dumps({**facts, "release_sha256": digest_of(release)}).encode()))
    offset = 0
    with original.open("rb") as file, release.open("rb") as other:
        while block := file.read(_BLOCK):
            packer = zlib.compressobj(level=9, zdict=nearby(other, offset, size, released))
            sealer.write(DELTA + packer.compress(block) + packer.flush())
            offset += len(block)


def nearby(release: IO[bytes], offset: int, size: int, released: int) -> bytes:
    """Return the bytes of the release about as far into it as ``offset`` is into the original.

    They are the dictionary of a compressed block. The original has ``size`` bytes, and the release ``released``.
    """
    middle = (offset + _BLOCK // 2) * released // max(1, size)
    release.seek(max(0, middle - _DICTIONARY // 2))
    return release.read(_DICTIONARY) or b"\0"


def _given(sanitizer: Sanitizer, original: Source) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the id of the record of every text with what its pseudonyms stand for.

    The same detector finds them again, in a second reading.
    """
    if not sanitizer.gives_pseudonyms:
        return
    for chunk in original.with_options(original.options.reading(sanitizer.reads)).chunks():
        for documents, pseudonyms in _pseudonyms(sanitizer, chunk.documents):
            pairs = zip(documents, pseudonyms, strict=True)
            yield from ((document.names[-1], given) for document, given in pairs if given)


def _pseudonyms(sanitizer: Sanitizer, documents: Sequence[Document]) -> Iterator[tuple[Sequence[Document], Any]]:
    """Yield documents with what their pseudonyms stand for; a record that is refused was set aside by the run."""
    try:
        yield documents, sanitizer.pseudonyms(documents)
    except InputError:
        ranges = records(documents)
        for record in ranges if len(ranges) > 1 else ():
            yield from _pseudonyms(sanitizer, documents[record.start : record.stop])


def _names(original: Path, release: Path) -> Iterator[str]:
    """Yield the paths of the texts in a folder that were released (others were set aside), or "" for a file."""
    if original.is_file():
        yield ""
        return
    for path in sorted(path for path in original.rglob("*") if path.is_file()):
        name = path.relative_to(original).as_posix()
        if path.name.lower().endswith(TEXT_SUFFIXES) and not path.is_symlink() and (release / name).is_file():
            yield name


def frames(path: Path, secret: bytes) -> Generator[tuple[bytes, bytes], None, None]:
    """Yield the kind and the content of each frame of the map at ``path``.

    Raises InputError if it cannot be read, was changed, or was sealed with another key.
    """
    try:
        file = regular(path).open("rb")
    except OSError as error:
        raise InputError(f"The map {path.name} cannot be read ({error.strerror}).") from None
    with file:
        for frame in opened(file, secret, path.name):
            kind, body = frame[:1], frame[1:]
            yield kind, body if kind == DELTA else zlib.decompress(body)


def check_restored(output: Path, sources: Sequence[Path], replace: bool) -> None:
    """Refuse an output that would destroy one of the ``sources`` or something that was there."""
    check_path(output)
    if not output.parent.is_dir():
        raise OutputError(f"The folder {output.parent} does not exist; create it first.")
    if output.resolve() in {source.resolve() for source in sources}:
        raise OutputError(f"{output.name} is the release, the map or its key itself; choose another output.")
    if os.path.lexists(output) and not replace:
        raise OutputError(f"{output} exists; choose another output, or replace it (--force).")
    for source, target in [(source.resolve(), output.resolve()) for source in sources]:
        if target in source.parents or source in target.parents:
            raise OutputError(
                "The output must not lie in the release, nor hold it, the map or the key; choose another."
            )
    check_only_texts(output)
