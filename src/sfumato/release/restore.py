"""The way back: an encrypted map beside a release, and the original from the two, byte for byte.

The map holds what turns the bytes of the release into the bytes of the original, block by block (each block is
compressed with the release's bytes as its dictionary, so what did not change takes no room), and what each pseudonym
stood for. It is written after the run from the two files, so it does not matter how many processes made the release,
or how often the run was stopped. Who has the map and its key has the original.
"""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO, Any

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.errors import InputError, OutputError
from sfumato.files import FileOptions, open_source
from sfumato.files.folder import TEXT_SUFFIXES, check_only_texts
from sfumato.storage import Place, created, owned, publish, regular, remove, writing
from sfumato.storage.digests import digest_of
from sfumato.storage.sealing import Sealer, opened
from sfumato.text.document import Document, records

_BLOCK = 1 << 14
_DICTIONARY = 1 << 15  # zlib looks no further back
_FILE, _DELTA, _NAMES = b"F", b"D", b"N"
_ENTRIES = 500  # records whose pseudonyms are sealed together


def write_map(
    sanitizer: Sanitizer, original: Path, release: Path, options: FileOptions, path: Path, secret: bytes
) -> None:
    """Write the map from ``release`` back to ``original`` at ``path``, in place of what is there.

    Raises OutputError where it cannot be written; nothing is there then.
    """
    with writing(path), created(path, private=True) as file:
        sealer = Sealer(file, secret)
        for name in _names(original, release):
            _write_file(sealer, name, original / name if name else original, release / name if name else release)
        for entries in _batched(_given(sanitizer, original, options), _ENTRIES):
            sealer.write(_NAMES + zlib.compress(json.dumps(entries).encode()))
        sealer.close()


def check_map(path: Path, original: Path, release: Path, replace: bool) -> None:
    """Refuse a place for the map that would destroy something else."""
    if not path.parent.is_dir():
        raise OutputError(f"The folder of the map {path.name} does not exist; create it first.")
    taken = {original.resolve(), release.resolve(), release.with_name(f"{release.name}.privacy.json").resolve()}
    within = path.resolve().parents
    if path.resolve() in taken or original.resolve() in within or release.resolve() in within or path.is_dir():
        raise OutputError("The map must be a file apart from the input and the output; choose another place.")
    if path.exists() and not replace:
        raise OutputError(
            f"{path.name} exists; choose another place for the map, or allow it to be replaced (--force)."
        )


def restore(release: Path, path: Path, secret: bytes, output: Path, replace: bool = False) -> int:
    """Write the original of ``release``, by the map at ``path``, to ``output``; the answer is how many files it has.

    Everything is checked by its SHA-256 before ``output`` bears its name. Raises InputError for a key that does not
    fit, a map or a release that was changed, and OutputError where ``output`` must not be written.
    """
    place = Place(output)
    place.check()
    with owned([place]):
        check_restored(output, (release, path), replace)
        remove(place.ready)
        under_way = _UnderWay(release, place.ready, path.name)
        try:
            with _reading(path) as file, writing(output):
                for kind, body in _frames(file, secret, path.name):
                    under_way.take(kind, body)
                under_way.close()
                _take_the_place(place)
        finally:
            under_way.abandon()
            remove(place.ready)
    return under_way.files


def _take_the_place(place: Place) -> None:
    """Give what is ready its name; the folder that may bear it is removed last."""
    if place.path.is_dir() != place.ready.is_dir() and os.path.lexists(place.path):
        raise OutputError(f"{place.path.name} is a folder where the original is a file, or the other way round.")
    publish([place])
    with suppress(OSError):  # the original is there, and that is what was asked
        place.forget()


def known_names(path: Path, secret: bytes, record: str | None) -> dict[str, str]:
    """What the pseudonyms stand for: all of them, or those of ``record``, of all its fields if it has several."""
    every, own = dict[str, str](), dict[str, str]()
    with _reading(path) as file:
        for kind, body in _frames(file, secret, path.name):
            for whose, given in json.loads(body) if kind == _NAMES else ():
                if record is None:
                    _learn(every, given)
                elif whose == record:
                    _learn(own, given)
    return every or own


def _learn(names: dict[str, str], given: Mapping[str, str]) -> None:
    """Add the pseudonyms of a text. Several mentions of one name go to the longest of them."""
    for pseudonym, original in given.items():
        before = names.setdefault(pseudonym, original)
        if before == original:
            continue
        if not _is_of_a_run(pseudonym):
            raise InputError(
                "Two records of the map use one pseudonym for different things; say whose text it is with "
                "--record ID."
            )
        names[pseudonym] = max(before, original, key=len)


def _batched(entries: Iterator[Any], size: int) -> Iterator[list[Any]]:
    """Lists of at most ``size`` entries."""
    while batch := list(islice(entries, size)):
        yield batch


def _is_of_a_run(pseudonym: str) -> bool:
    """Whether a pseudonym means the same in all records: it ends in digits of a keyed hash, not in a small number."""
    return len(pseudonym.rpartition("_")[2]) >= 8


def check_restored(output: Path, sources: Sequence[Path], replace: bool) -> None:
    """Refuse an output that would destroy one of the ``sources`` or something that was there."""
    if not output.parent.is_dir():
        raise OutputError(f"The folder {output.parent} does not exist; create it first.")
    if output.resolve() in {source.resolve() for source in sources}:
        raise OutputError(f"{output.name} is the release, the map or its key itself; choose another output.")
    if os.path.lexists(output) and not replace:
        raise OutputError(f"{output} exists; choose another output, or allow it to be replaced (--force).")
    for source, target in [(source.resolve(), output.resolve()) for source in sources]:
        if target in source.parents or source in target.parents:
            raise OutputError(
                "The output must not lie in the release, nor hold it, the map or the key; choose another."
            )
    check_only_texts(output)


class _UnderWay:
    """The files that are being restored, a frame of the map at a time."""

    def __init__(self, release: Path, output: Path, map_name: str) -> None:
        self.files = 0
        self._release, self._output, self._map = release, output, map_name
        self._facts: dict[str, Any] = {}
        self._source: IO[bytes] | None = None
        self._target: IO[bytes] | None = None
        self._digest, self._place = hashlib.sha256(), 0

    def take(self, kind: bytes, body: bytes) -> None:
        """The next frame."""
        if kind == _FILE:
            self.close()
            self._begin(json.loads(body))
        elif kind == _DELTA and self._source is not None and self._target is not None:
            dictionary = _dictionary(self._source, self._place, self._facts["size"], self._facts["released"])
            block = zlib.decompressobj(zdict=dictionary).decompress(body)
            self._target.write(block)
            self._digest.update(block)
            self._place += len(block)
        else:
            self.close()

    def _begin(self, facts: dict[str, Any]) -> None:
        name = facts["name"]
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise InputError(f"{self._map} names a file outside the output; nothing was written.")
        source = self._release / name if name else self._release
        if not source.is_file() or digest_of(source) != facts["release_sha256"]:
            raise InputError(f"{source.name} is not the release that {self._map} belongs to; nothing was written.")
        target = self._output / name if name else self._output
        if name:
            self._output.mkdir(mode=0o700, exist_ok=True)
            target.parent.mkdir(parents=True, exist_ok=True)
        self._facts, self._place, self._digest = facts, 0, hashlib.sha256()
        self._source = source.open("rb")
        self._target = open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")  # noqa: SIM115
        self.files += 1

    def close(self) -> None:
        """Finish the file under way and check that it is the original."""
        if self._target is None:
            return
        self._target.flush()
        os.fsync(self._target.fileno())
        self.abandon()
        if self._digest.hexdigest() != self._facts["sha256"]:
            raise InputError(f"What {self._map} restores is not the original; nothing was written.")

    def abandon(self) -> None:
        """Close what is open."""
        for one in (self._source, self._target):
            if one is not None:
                one.close()
        self._source = self._target = None


def _write_file(sealer: Sealer, name: str, original: Path, release: Path) -> None:
    """The frames of one file."""
    size, released = original.stat().st_size, release.stat().st_size
    facts = {"name": name, "sha256": digest_of(original), "size": size, "released": released}
    sealer.write(_FILE + zlib.compress(json.dumps({**facts, "release_sha256": digest_of(release)}).encode()))
    place = 0
    with original.open("rb") as file, release.open("rb") as other:
        while block := file.read(_BLOCK):
            packer = zlib.compressobj(level=9, zdict=_dictionary(other, place, size, released))
            sealer.write(_DELTA + packer.compress(block) + packer.flush())
            place += len(block)


def _dictionary(release: IO[bytes], place: int, size: int, released: int) -> bytes:
    """The bytes of the release about as far into it as ``place`` is into the original."""
    middle = (place + _BLOCK // 2) * released // max(1, size)
    release.seek(max(0, middle - _DICTIONARY // 2))
    return release.read(_DICTIONARY) or b"\0"


def _given(sanitizer: Sanitizer, original: Path, options: FileOptions) -> Iterator[tuple[str, dict[str, str]]]:
    """The id of the record of every text with what its pseudonyms stand for. Found anew, by the same detector."""
    if not sanitizer.gives_pseudonyms:
        return
    for chunk in open_source(original, options.reading(sanitizer.reads)).chunks():
        for documents, found in _pseudonyms(sanitizer, chunk.documents):
            pairs = zip(documents, found, strict=True)
            yield from ((document.names[-1], given) for document, given in pairs if given)


def _pseudonyms(sanitizer: Sanitizer, documents: Sequence[Document]) -> Iterator[tuple[Sequence[Document], Any]]:
    """Documents with what their pseudonyms stand for; a record that is refused was set aside by the run."""
    try:
        yield documents, sanitizer.pseudonyms(documents)
    except InputError:
        found = records(documents)
        for one in found if len(found) > 1 else ():
            yield from _pseudonyms(sanitizer, documents[one.start : one.stop])


def _names(original: Path, release: Path) -> Iterator[str]:
    """The paths of the texts in a folder that were released (others were set aside), or "" for a file."""
    if original.is_file():
        yield ""
        return
    for path in sorted(one for one in original.rglob("*") if one.is_file()):
        name = path.relative_to(original).as_posix()
        if path.name.lower().endswith(TEXT_SUFFIXES) and not path.is_symlink() and (release / name).is_file():
            yield name


def _frames(file: IO[bytes], secret: bytes, name: str) -> Iterator[tuple[bytes, bytes]]:
    """Kind and content of each frame."""
    for frame in opened(file, secret, name):
        kind, body = frame[:1], frame[1:]
        yield kind, body if kind == _DELTA else zlib.decompress(body)


def _reading(path: Path) -> IO[bytes]:
    try:
        return regular(path).open("rb")
    except OSError as error:
        raise InputError(f"The map {path.name} cannot be read ({error.strerror}).") from None
