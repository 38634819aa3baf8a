"""The original again from a release and its map, byte for byte, or the names alone in any text made of it."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import zlib
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

from sfumato.errors import ConfigurationError, InputError, OutputError
from sfumato.options.typed import typed
from sfumato.release.map import DELTA, FILE, check_restored, frames, known_names, nearby
from sfumato.release.pseudonym_mentions import Mentions, TextFormat, format_of
from sfumato.storage import Place, owned, publish, regular, remove, whole, writing
from sfumato.storage.digests import digest_of
from sfumato.storage.keys import secret_of


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored. `sfumato.restore` returns one.

    Attributes:
        output: Where the original is. PRIVATE.
        files: How many files it has; 0 if only names were put back.
        names: How many pseudonyms were put back, how many of their kind the map does not know, and how many were
            doubtful and stay; None if the whole original was restored.
    """

    output: Path
    files: int = 0
    names: NamesBack | None = None


@typed
def restore(
    release: Path | str,
    map: Path | str,
    output: Path | str,
    key: Path | str | bytes | None = None,
    *,
    pseudonyms: bool = False,
    record: str | None = None,
    overwrite: bool = False,
) -> Restored:
    """Restore the original, byte for byte, from a release and its encrypted map.

    Nothing is written unless the map, its key and the release belong together.

    Args:
        release: The release; with `pseudonyms` any UTF-8 text made of it, such as an answer of a language model.
        map: The map that was written with the release.
        output: Where the original goes. PRIVATE.
        key: The map's secret key: a file, or its bytes (32 or more); by default SFUMATO_MAP_KEY, hexadecimal.
        pseudonyms: Only put names back for pseudonyms.
        record: The id of the record that the text belongs to, if several records use one pseudonym.
        overwrite: Replace an existing output.

    Raises:
        ConfigurationError: There is no key, or options do not fit together.
        InputError: The key does not fit, or the map or the release was changed.
        OutputError: The output cannot be written, or exists.
    """
    release, map, output = Path(release), Path(map), Path(output)
    if record is not None and not pseudonyms:
        raise ConfigurationError("--record is for --pseudonyms; the release itself is restored as a whole.")
    if isinstance(key, str | Path):
        key = Path(key)
        check_restored(output, [key], overwrite)
    secret = secret_of(key)
    if pseudonyms:
        return Restored(output, names=restore_names(release, map, secret, output, record, overwrite))
    return Restored(output, files=restored_files(release, map, secret, output, overwrite))


def restored_files(release: Path, path: Path, secret: bytes, output: Path, replace: bool = False) -> int:
    """Write the original of ``release``, by the map at ``path``, to ``output``, and return how many files it has.

    Everything is checked by its SHA-256 before ``output`` has its name. Raises InputError for a key that does not
    fit, a map or a release that was changed, and OutputError where ``output`` must not be written.
    """
    place = Place(output)
    place.check()
    with owned([place]):
        check_restored(output, (release, path), replace)
        remove(place.ready)
        under_way = _UnderWay(release, place.ready, path.name)
        try:
            with closing(frames(path, secret)) as content, writing(output):
                for kind, body in content:
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


class _UnderWay:
    """The files that are being restored, a frame of the map at a time."""

    def __init__(self, release: Path, output: Path, map_name: str) -> None:
        self.files = 0
        self._release, self._output, self._map = release, output, map_name
        self._facts: dict[str, Any] = {}
        self._source: IO[bytes] | None = None
        self._target: IO[bytes] | None = None
        self._digest, self._offset = hashlib.sha256(), 0

    def take(self, kind: bytes, body: bytes) -> None:
        """Restore the next frame."""
        if kind == FILE:
            self.close()
            self._begin(json.loads(body))
        elif kind == DELTA and self._source is not None and self._target is not None:
            dictionary = nearby(self._source, self._offset, self._facts["size"], self._facts["released"])
            block = zlib.decompressobj(zdict=dictionary).decompress(body)
            self._target.write(block)
            self._digest.update(block)
            self._offset += len(block)
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
        self._facts, self._offset, self._digest = facts, 0, hashlib.sha256()
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
        for file in (self._source, self._target):
            if file is not None:
                file.close()
        self._source = self._target = None


_DELIMITERS = ",;\t|"


class NamesBack(NamedTuple):
    """How many pseudonyms were put back, how many of their kind the map does not know, how many were doubtful."""

    known: int
    unknown: int
    doubtful: int


def restore_names(
    text: Path, path: Path, secret: bytes, output: Path, record: str | None, replace: bool = False
) -> NamesBack:
    """Write ``text`` with every pseudonym of the map put back to what it stood for.

    ``text`` may be any edited text, such as an answer of a language model. Where two records gave one pseudonym to
    different people, ``record`` says whose text it is. What is put back is escaped as the suffix of ``text`` asks
    for (:mod:`sfumato.release.restore`); a table whose rows cannot be told apart with certainty is refused.
    """
    check_restored(output, (text, path), replace)
    names = known_names(path, secret, record)
    if not names:
        whose = " of that record" if record else ""
        raise InputError(
            f"{path.name} knows no pseudonym{whose} (surrogates, labels and masks have none); nothing was written."
        )
    try:
        content = regular(text).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{text.name} cannot be read as UTF-8 text; nothing was written.") from None
    restoring = _Restoring(names, format_of(text))
    suffix = text.suffix.lower()
    made = _table(content, restoring, text.name) if suffix == ".csv" else restoring.restored(content)
    if suffix == ".tsv" and restoring.broke_a_row:
        raise InputError(f"A name would break a row of {text.name}; put the names back into .csv, text or JSON.")
    with owned([Place(output)]):
        check_restored(output, (text, path), replace)
        with writing(output), whole(output, private=True) as file:
            file.write(made.encode("utf-8", "surrogatepass"))
    return NamesBack(restoring.known, restoring.unknown, restoring.doubtful)


class _Restoring:
    """Puts names back, and counts."""

    def __init__(self, names: dict[str, str], form: TextFormat) -> None:
        self.known = self.unknown = self.doubtful = 0
        self.broke_a_row = False
        self._mentions, self._form = Mentions(names, form.reading), form

    def restored(self, text: str) -> str:
        """``text`` with the names that are certain."""
        parts: list[str] = []
        done = 0
        for start, end, original, certain in self._mentions.find(text):
            if original is None:
                self.unknown += certain
                self.doubtful += not certain
                continue
            self.known += 1
            self.broke_a_row |= any(sign in original for sign in '\t\r\n"')
            parts += text[done:start], self._form.escaped(original)
            done = end
        return "".join([*parts, text[done:]])


def _table(content: str, restoring: _Restoring, name: str) -> str:
    """The rows of ``content``, with names in their cells.

    Raises InputError where it is no table: a cell could then end elsewhere than where it seems to.
    """
    mark = "\ufeff" if content.startswith("\ufeff") else ""
    content = content.removeprefix(mark)
    end = "\r\n" if "\r\n" in content else "\n"
    header = content.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=header.count)
    try:
        rows = list(csv.reader(io.StringIO(content, newline=""), delimiter=delimiter, strict=True))
        even = len({len(row) for row in rows if row}) <= 1
    except csv.Error:
        even = False
    if not even:
        raise InputError(f"{name} is no table with as many cells in each row; put the names back into text or JSON.")
    made = io.StringIO(newline="")
    csv.writer(made, delimiter=delimiter, lineterminator=end).writerows(
        [restoring.restored(cell) for cell in row] for row in rows
    )
    written = made.getvalue()
    return mark + (written if content.endswith(("\n", "\r")) else written.removesuffix(end))
