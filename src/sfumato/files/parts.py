"""The finished chunks of a run, kept beside its output until all are there.

A part is written to a temporary name, synced and renamed; only then its counts are, in the same way. So a
chunk is finished exactly when its counts exist, whenever the process may have been killed. The output gets
its name in one rename, after everything else.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self

from sfumato.errors import OutputError
from sfumato.files.assembly import assemble
from sfumato.files.source import BadRecord

_FINISHED = "finished.json"
_MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Counts:
    """What a chunk held: ``draws`` maps a number of draws to how many records took it.

    ``labels`` maps a label to how many replaced spans have it, where spans have labels of their own; ``untouched`` is
    how many records stand as they stood, and ``absent`` how many texts are null or missing.
    """

    records: int
    characters: int
    quarantined: int
    draws: Mapping[int, int]
    size: int
    labels: Mapping[str, int] = field(default_factory=dict)
    untouched: int = 0
    absent: int = 0

    def as_json(self) -> bytes:
        """As JSON bytes."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_json(cls, data: bytes) -> Self:
        """From the bytes of :meth:`as_json`."""
        values = json.loads(data)
        values["draws"] = {int(draws): records for draws, records in values["draws"].items()}
        return cls(**values)

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.records + other.records,
            self.characters + other.characters,
            self.quarantined + other.quarantined,
            dict(Counter(self.draws) + Counter(other.draws)),
            self.size + other.size,
            dict(Counter(self.labels) + Counter(other.labels)),
            self.untouched + other.untouched,
            self.absent + other.absent,
        )


@contextmanager
def writing(output: Path) -> Iterator[None]:
    """Turn a full disk or a refused write into an OutputError that names the output."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(
            f"{output} cannot be written ({reason}); nothing bears that name yet: free space or correct the "
            "permissions, then run again with --resume."
        ) from None


@dataclass(frozen=True, slots=True)
class Parts:
    """The directory with the parts of one run. ``run`` marks the files of this run among any other's."""

    output: Path
    kind: str
    run: str

    @property
    def folder(self) -> Path:
        """The hidden directory beside the output."""
        return self.output.with_name(f".{self.output.name}.parts")

    @property
    def ended(self) -> bool:
        """Whether a run, this one or another, got as far as naming its output, and then was killed."""
        return (self.folder / _FINISHED).exists()

    @property
    def unfinished(self) -> Path:
        """What will become the output."""
        return self.output.with_name(f".{self.output.name}.tmp")

    @property
    def quarantine(self) -> Path:
        """The side file for bad records."""
        return self.output.with_name(f"{self.output.name}.quarantine.jsonl")

    @property
    def statement(self) -> Path:
        """The privacy statement that stands beside the output."""
        return self.output.with_name(f"{self.output.name}.privacy.json")

    def start(self, resume: bool) -> None:
        """Begin afresh, or check that the parts that are there belong to this very run."""
        with writing(self.output):
            manifest = self.folder / _MANIFEST
            if resume and manifest.exists():
                if json.loads(manifest.read_bytes()) != {"run": self.run}:
                    raise OutputError(
                        f"{self.folder} holds the parts of another run (the input, the options or the "
                        "sanitizer changed since); run again without resume to begin afresh."
                    )
                return
            _remove(self.folder)
            _remove(self.unfinished)
            self.folder.mkdir(mode=0o700)
            _write(manifest, json.dumps({"run": self.run}).encode())

    def counts(self, number: int) -> Counts | None:
        """The counts of chunk ``number``, or None while it is not finished."""
        try:
            counts = Counts.from_json(self._path(number, "json").read_bytes())
            # After a power cut a renamed file may be there without its bytes.
            whole = self._path(number, "part").stat().st_size == counts.size
        except (FileNotFoundError, ValueError):
            return None
        return counts if whole else None

    def add(self, number: int, body: bytes, bad: Sequence[BadRecord], counts: Counts) -> None:
        """Keep the finished chunk ``number``."""
        with writing(self.output):
            if bad:
                _write(self._path(number, "quarantine"), b"".join(map(_bad_line, bad)))
            else:
                self._path(number, "quarantine").unlink(missing_ok=True)
            _write(self._path(number, "part"), body)
            _write(self._path(number, "json"), counts.as_json())

    def commit(self, chunks: int, total: Counts) -> None:
        """Join the first ``chunks`` parts and give the output its name; :meth:`clear` then ends the run."""
        with writing(self.output):
            parts = [self._path(number, "part") for number in range(chunks)]
            _remove(self.unfinished)
            try:
                assemble(self.kind, parts, self.unfinished, self.output.name.lower().endswith(".gz"))
            except BaseException:
                _remove(self.unfinished)
                raise
            self._commit_quarantine(chunks, total)
            marker = {"run": self.run, "inode": self.unfinished.stat().st_ino, "counts": asdict(total)}
            _write(self.folder / _FINISHED, json.dumps(marker).encode())
            self._give_name()

    def committed(self) -> Counts | None:
        """The counts of a run that was killed after its output got its name; None if that was not so."""
        try:
            marker = json.loads((self.folder / _FINISHED).read_bytes())
            same = marker["run"] == self.run and self.output.stat().st_ino == marker["inode"]
        except FileNotFoundError:
            return None
        return Counts.from_json(json.dumps(marker["counts"]).encode()) if same else None

    def abandon(self) -> None:
        """Remove the parts of this very run where none is finished: a resumed run could not go on from them."""
        try:
            mine = json.loads((self.folder / _MANIFEST).read_bytes()) == {"run": self.run}
        except (OSError, ValueError):
            return
        if mine and not any(self.folder.glob(f"*-{self.run[:12]}.json")):
            self.clear()

    def clear(self) -> None:
        """Remove the parts: first their name goes, so that half of them are never taken for parts."""
        removed = self.output.with_name(f".{self.output.name}.removed")
        with writing(self.output):
            _remove(removed)
            if self.folder.exists():
                self.folder.replace(removed)
            _remove(removed)

    def _path(self, number: int, suffix: str) -> Path:
        # The run in the name keeps out a part written late by an orphaned worker of an earlier run.
        return self.folder / f"{number:08d}-{self.run[:12]}.{suffix}"

    def _commit_quarantine(self, chunks: int, total: Counts) -> None:
        if not total.quarantined:
            self.quarantine.unlink(missing_ok=True)
            return
        files = (self._path(number, "quarantine") for number in range(chunks))
        temporary = self.folder / "quarantine"
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as target:
            for path in files:
                if path.exists():
                    with path.open("rb") as part:
                        shutil.copyfileobj(part, target, 2**20)
            target.flush()
            os.fsync(target.fileno())
        temporary.replace(self.quarantine)

    def _give_name(self) -> None:
        # A statement never stands beside an output that it was not made for.
        self.statement.unlink(missing_ok=True)
        if self.kind == "folder" and self.output.exists():
            _remove(self.output)
        self.unfinished.replace(self.output)
        _sync_directory(self.output.parent)


def _bad_line(bad: BadRecord) -> bytes:
    raw = base64.b64encode(bad.raw).decode()
    line = {"file": bad.file, "line": bad.line, "reason": bad.reason, "raw_base64": raw}
    return json.dumps(line).encode() + b"\n"


def _write(path: Path, data: bytes) -> None:
    """Write to a temporary name, sync, rename: under ``path`` there is all or nothing."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _sync_directory(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
