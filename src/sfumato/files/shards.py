"""Many files of one format as one input: a folder of Parquet, a glob, or the same in an object store.

Each file is a shard. It becomes a file of the same name in the output, no matter who sanitizes it and in which order.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase, translate
from itertools import accumulate, takewhile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple, Self, cast
from urllib.parse import unquote

from sfumato.errors import ConfigurationError, InputError, OutputError
from sfumato.files.json_paths import check_kept
from sfumato.files.options import FileOptions
from sfumato.files.source import Chunk, Source
from sfumato.files.suffixes import has_fields, kind_of, open_file, open_source
from sfumato.files.text import HIDDEN, TEXT_SUFFIXES, text_files
from sfumato.storage.locations import address_of

if TYPE_CHECKING:
    from sfumato.files.locations import Location

_MAGIC = re.compile(r"[*?\[]")
_USER = re.compile(r"(?<=://)[^/]*@")
"""The name and the key before the host of an address."""


class Found(NamedTuple):
    """A file that was found: where it is, its path below what was named, its size, and when it was changed."""

    place: Path | Location
    name: str
    size: int
    changed: int


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of many: its number, its place, its name in the output, and the bytes up to its end."""

    number: int
    place: Path | Location
    name: str
    done: int

    def opened(self, options: FileOptions) -> Source:
        """Return the source of its records. Raise InputError, which names the shard."""
        # A Location answers what the readers ask of a path.
        return open_file(cast(Path, self.place), options)


class ShardsSource(Source):
    """Shards of one format, in the order of their names."""

    kind = "shards"

    def __init__(
        self, given: str, options: FileOptions, found: list[Found], folder: Path | None = None,
        pattern: str | None = None,
    ) -> None:  # fmt: skip
        """``folder`` is where the shards are, if that is a folder of this machine that holds nothing else.

        ``pattern`` is what matched them on this machine.
        """
        super().__init__(Path(given), options)
        found = sorted(found, key=lambda file: file.name)
        names = [file.name for file in found]
        self.form = _form_of(given, names)
        _check_names(names, options)
        ends = accumulate(file.size for file in found)
        self.shards = [
            Shard(number, *file[:2], end) for number, (file, end) in enumerate(zip(found, ends, strict=True))
        ]
        self._folder = folder
        self._pattern = pattern
        self.shards[0].opened(options)  # a column that does not exist is met before anything is prepared

    def with_options(self, options: FileOptions) -> Self:
        """Return the same input, read as ``options`` says."""
        other = super().with_options(options)
        other.shards[0].opened(options)
        return other

    @property
    def paths(self) -> tuple[Path, ...]:
        """The shards that are on this machine, or the folder of all of them."""
        if self._folder is not None:
            return (self._folder,)
        return tuple(shard.place for shard in self.shards if isinstance(shard.place, Path))

    @property
    def remote(self) -> tuple[tuple[int, Location], ...]:
        """The shards that are on no disk of this machine: size, and place."""
        ends = [0, *(shard.done for shard in self.shards)]
        pairs = zip(ends, self.shards, strict=False)
        return tuple((shard.done - start, shard.place) for start, shard in pairs if not isinstance(shard.place, Path))

    @property
    def size(self) -> int:
        """Bytes of all shards."""
        return self.shards[-1].done

    @property
    def state(self) -> list[tuple[str, int, int]]:
        """Name, size and time of change of every shard."""
        return [(shard.name, *_facts(shard.place)) for shard in self.shards]

    @property
    def chosen(self) -> bool:
        """Whether a pattern or an address chose the files, and not a folder that holds them."""
        return self._folder is None

    def check_unread(self, made: Iterable[Path]) -> None:
        """Raise OutputError if the same pattern would read one of the files that a run has ``made``."""
        if self._pattern is None:
            return
        pattern = Path(self._pattern).absolute()
        fixed = _fixed(pattern)
        base, rest = fixed.resolve(), pattern.parts[len(fixed.parts) :]
        for path in made:
            place = path.parent.resolve() / path.name
            below = place.relative_to(base).parts if place.is_relative_to(base) else ()
            if _is_data("/".join(below)) and _matches(rest, below):
                raise OutputError(
                    "The pattern would match the output or a file beside it, and the next run would read that; name "
                    "an output that it does not match."
                )

    @property
    def stated(self) -> str:
        """What the statement calls the input."""
        return f"shards of {self.form}"

    def tasks(self) -> Iterator[Shard]:
        """The shards. Raises ConfigurationError for a field to keep that no record has."""
        if self.form == "jsonl":
            check_kept([cast(Path, shard.place) for shard in self.shards], self.options)
        return iter(self.shards)

    def chunks(self) -> Iterator[Chunk]:
        """The chunks of all shards, which are numbered shard by shard."""
        for shard in self.shards:
            yield from shard.opened(self.options).chunks()


def open_input(given: Path | str, options: FileOptions) -> Source:
    """Return the source of a file, a folder of texts, or many files. Raise InputError if there is nothing to read."""
    text = str(given)
    if address := address_of(text):
        if address.startswith("file://") and _MAGIC.search(address):
            return _of_glob(address.removeprefix("file://"), options)  # files that are compared with the others named
        local = Path(unquote(address.removeprefix("file://")))
        here = address.startswith("file://") and local.is_file()
        return open_source(local, options) if here else _of_address(address, options)
    path = Path(given)
    if path.is_dir() and not any(name.lower().endswith(TEXT_SUFFIXES) for name in text_files(path)):
        return _of_folder(path, options)
    if not path.exists() and _MAGIC.search(text):
        return _of_glob(text, options)
    return open_source(path, options)


def one_file(source: Source, output: Path) -> Source:
    """Return the source of the one file of ``source`` if the name of ``output`` is that of a file, else ``source``.

    Raise OutputError if there are several files, or one of a store: a folder would have the name of a file.
    """
    if not isinstance(source, ShardsSource) or not source.chosen or kind_of(output) is None:
        return source
    places = [shard.place for shard in source.shards]
    if output.resolve() in {place.resolve() for place in places if isinstance(place, Path)}:
        return source  # whose own check says so
    source.check_unread([output])
    if len(places) == 1 and isinstance(places[0], Path):
        return source.shards[0].opened(source.options)
    raise OutputError(
        f"{output.name} is the name of a file, and what is read becomes a folder with a file for each of "
        f"{len(places):,}; name a folder."
    )


def _of_folder(folder: Path, options: FileOptions) -> Source:
    if any(map(_is_data, text_files(folder))):  # none is a text, so each is a link
        raise InputError(
            f"{folder.name} holds a symbolic link to a folder, which is not followed; copy its files in, or name a "
            "pattern."
        )
    found = [_on_disk(path, folder) for path in folder.rglob("*.parquet") if path.is_file()]
    found = [file for file in found if _is_data(file.name)]
    if not found:
        return open_source(folder, options)  # which says what a folder should hold
    return ShardsSource(str(folder), options, found, folder)


def _of_glob(pattern: str, options: FileOptions) -> Source:
    base = _fixed(Path(pattern))
    _check_readable(Path(pattern), base)
    paths = map(Path, glob.glob(pattern, recursive=True))
    found = [_on_disk(path, base) for path in paths if path.is_file()]
    found = [file for file in found if _is_data(file.name)]
    if not found:
        raise InputError(f"No file matches {PurePosixPath(pattern).name}; check the pattern.")
    return ShardsSource(pattern, options, found, pattern=pattern)


def _fixed(pattern: Path) -> Path:
    """Return the folder in which a pattern begins to choose."""
    return Path(*takewhile(lambda part: not _MAGIC.search(part), pattern.parts))


def _matches(pattern: Sequence[str], parts: Sequence[str]) -> bool:
    """Return whether the parts of a path match those of a pattern, as glob does: ``**`` are any number of folders."""
    if not pattern or not parts:
        return not parts and all(part == "**" for part in pattern)
    if pattern[0] == "**":
        return _matches(pattern[1:], parts) or _matches(pattern, parts[1:])
    return fnmatchcase(parts[0], pattern[0]) and _matches(pattern[1:], parts[1:])


def _check_readable(pattern: Path, base: Path) -> None:
    """Raise InputError for a folder on the way to what ``pattern`` matches that glob passes over: it is closed."""
    for length in range(len(base.parts), len(pattern.parts)):
        for name in glob.iglob(str(Path(*pattern.parts[:length])), recursive=True):
            closed = os.path.isdir(name) and not os.access(name, os.R_OK | os.X_OK)
            if closed and _is_data(Path(name).relative_to(base).as_posix()):
                raise InputError("A folder that the pattern leads to cannot be read; check its permissions.")


def _of_address(address: str, options: FileOptions) -> Source:
    from sfumato.files.locations import listed  # pyarrow takes a tenth of a second to import

    scheme, _, rest = address.partition("://")
    parts = rest.split("/")
    magic = next((number for number, part in enumerate(parts) if _MAGIC.search(part)), None)
    base = address if magic is None else f"{scheme}://{'/'.join(parts[:magic])}"
    found = [file for file in map(Found._make, listed(base)) if _is_data(file.name)]
    if magic is None:
        found = [file for file in found if kind_of(Path(file.name)) == "parquet" or len(found) == 1]
    else:
        wanted = re.compile(translate("/".join(parts[magic:])))
        found = [file for file in found if wanted.match(file.name)]
    if not found:
        raise InputError("Nothing to read at that address; name a file, a folder of .parquet files, or a pattern.")
    here = scheme == "file" and magic is None
    return ShardsSource(_USER.sub("", address), options, found, Path(unquote(address[7:])) if here else None)


def _on_disk(path: Path, base: Path) -> Found:
    status = path.stat()
    return Found(path, path.relative_to(base).as_posix(), status.st_size, status.st_mtime_ns)


def _facts(place: Path | Location) -> tuple[int, int]:
    try:
        status = place.stat()
    except OSError as error:
        raise InputError(f"{place.name} cannot be read ({error.strerror or type(error).__name__}).") from None
    return status.st_size, status.st_mtime_ns


def _is_data(name: str) -> bool:
    """Return whether a file holds records: engines put others beside them (_SUCCESS, .part-0.crc)."""
    return not any(part.startswith(("_", HIDDEN)) for part in name.split("/"))


def _form_of(given: str, names: list[str]) -> str:
    """Return the format of all shards. Raise InputError if they have several, or none that is known."""
    kinds = {kind_of(Path(name)) for name in names}
    known = kinds.pop() if len(kinds) == 1 else None
    if known is None or not has_fields(Path(names[0])):
        raise InputError(
            f"The files of {PurePosixPath(given).name} must be of one format with records (.parquet, .jsonl, .csv or "
            ".tsv); name a pattern that matches no others."
        )
    return known


def _check_names(names: list[str], options: FileOptions) -> None:
    """Refuse folders such as ward=icu, whose names hold a field that is not to stay."""
    for name in names:
        for part in PurePosixPath(name).parent.parts:
            field, equals, _ = part.partition("=")
            if equals and not options.stays(field):
                raise ConfigurationError(
                    f"The names of folders hold the field {field!r}, and stay; keep it as well, or move the files to "
                    "folders with other names."
                )
