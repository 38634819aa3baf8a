"""The finished chunks of a run, kept beside its output until all are there.

A part is written under a temporary name, synced and renamed; only then its counts are, in the same way. So a
chunk is finished exactly when its counts exist, whenever the process may have been killed. The output gets
its name at the very end, after everything that belongs to it.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from sfumato.errors import OtherRunError, OutputError
from sfumato.files.assembly import assemble, lay_out
from sfumato.files.counts import NAMES, NOTHING, Assembled, Counts, Part
from sfumato.files.keyed_rows import repeated, totals
from sfumato.files.source import BadRecord
from sfumato.storage import Place, created, publish, remove, whole
from sfumato.storage.atomic import sync_folder

Assembly = tuple[Mapping[str, Mapping[str, int]], Sequence[BadRecord]]
"""What was done to which part of documents, and the files that could not be written."""
Write = Callable[[Sequence[Path], Path, bool, Path], Assembly]
_ASSEMBLED = "assembled.json"
_MANIFEST = "manifest.json"
CHANGED = "the input, the options or the sanitizer changed since"


@contextmanager
def writing(output: Path) -> Iterator[None]:
    """Turn a full disk or a refused write into an OutputError that names the output and says what bears its name."""
    try:
        yield
    except OutputError:
        raise
    except OSError as error:
        reason = error.strerror or type(error).__name__
        there = "what bore that name before still does" if os.path.lexists(output) else "nothing bears that name yet"
        raise OutputError(
            f"{output} cannot be written ({reason}); {there}: free space or correct the permissions, then run again "
            "with --resume."
        ) from None


@dataclass(frozen=True, slots=True)
class Parts:
    """The directory with the parts of one run. ``run`` marks the files of this run among any other's.

    A ``private`` output can be read by its owner only.
    """

    output: Path
    kind: str
    run: str
    private: bool = False

    def __post_init__(self) -> None:
        Place(self.output)  # refuses what is no name

    @property
    def folder(self) -> Path:
        """The hidden directory beside the output."""
        return self._hidden("parts")

    @property
    def release(self) -> Place:
        """Where the output goes."""
        return Place(self.output)

    @property
    def quarantine(self) -> Place:
        """The side file for bad records."""
        return Place(self.output.with_name(f"{self.output.name}.quarantine.jsonl"))

    @property
    def statement(self) -> Place:
        """The privacy statement that lies beside the output."""
        return Place(self.output.with_name(f"{self.output.name}.privacy.json"))

    @property
    def names(self) -> Place:
        """The private side file that says which file each numbered document was."""
        return Place(self.output.with_name(f"{self.output.name}{NAMES}"))

    @property
    def _aside(self) -> tuple[Place, ...]:
        return (self.quarantine, self.names) if self.kind in ("documents", "zip") else (self.quarantine,)

    @property
    def places(self) -> tuple[Place, ...]:
        """Every name that a run gives, or takes away."""
        return (*self._aside, self.statement, self.release)

    @property
    def begun(self) -> bool:
        """Whether a run, this one or another, was stopped and left its parts."""
        return (self.folder / _MANIFEST).exists()

    @property
    def ended(self) -> bool:
        """Whether the output and its statement are there and nothing is left to go on with."""
        return not self.begun and self.output.exists() and self.statement.path.is_file()

    def start(self, resume: bool, why: str = CHANGED) -> None:
        """Begin afresh, or check that the parts that are there belong to this very run; ``why`` they may not."""
        with writing(self.output):
            if resume and self.begun:
                if not self._mine:
                    raise OtherRunError(
                        f"{self.folder} holds the parts of another run ({why}); run again without resume to begin "
                        "afresh."
                    )
                return
            remove(self.folder)
            remove(self.release.ready)
            self.folder.mkdir(mode=0o700)
            _write(self.folder / _MANIFEST, json.dumps({"run": self.run}).encode())

    def counts(self, number: int) -> Counts | None:
        """The counts of chunk ``number``, or None while it is not finished."""
        try:
            counts = Counts.from_json(self._path(number, "json").read_bytes())
            # After a power cut a renamed file may be there without its bytes.
            complete = self._path(number, "part").stat().st_size == counts.size
        except (FileNotFoundError, ValueError):
            return None
        return counts if complete else None

    def add(self, number: int, part: Part) -> None:
        """Keep the finished chunk or shard ``number``, and the rows of what its people spent, if there are any."""
        with writing(self.output):
            if part.bad:
                _write(self._path(number, "quarantine"), b"".join(map(_bad_line, part.bad)))
            else:
                self._path(number, "quarantine").unlink(missing_ok=True)
            for treatment, rows in (part.people or {}).items():
                _write(self._of_people(number, treatment), rows)
            if part.ids is not None:
                _write(self._path(number, "ids"), part.ids)
            _write(self._path(number, "part"), part.body)
            _write(self._path(number, "json"), part.counts.as_json())

    def people(self, chunks: int, treatment: str = "") -> dict[int, int]:
        """Return how many people spent each total over the first ``chunks`` parts, on one ``treatment`` or on all.

        A chunk that took no draws of a treatment has no rows of it.
        """
        paths = [self._of_people(number, treatment) for number in range(chunks)]
        return totals([path for path in paths if not treatment or path.exists()])

    def repeated_ids(self, chunks: int) -> tuple[int, int] | None:
        """Return two of the first ``chunks`` parts that hold one id; None if there are none."""
        return repeated([self._path(number, "ids") for number in range(chunks)])

    def keep(self, number: int, suffix: str, data: bytes) -> None:
        """Keep something about chunk ``number`` beside its part, under a ``suffix`` of its own."""
        with writing(self.output):
            _write(self._path(number, suffix), data)

    def kept(self, number: int, suffix: str) -> bytes | None:
        """Return what :meth:`keep` kept; None if nothing was."""
        try:
            return self._path(number, suffix).read_bytes()
        except FileNotFoundError:
            return None

    def note(self, name: str, data: bytes = b"") -> None:
        """Keep something about the whole run, on disk when this returns."""
        with writing(self.output):
            _write(self.folder / name, data)
            sync_folder(self.folder)

    def noted(self, name: str) -> bytes | None:
        """Return what :meth:`note` kept, for whichever run these parts are of; None if nothing was."""
        try:
            return (self.folder / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def assemble(
        self, chunks: int, total: Counts, names: Sequence[str] = (), write: Write | None = None
    ) -> Assembled:
        """Join the first ``chunks`` parts into what is to be the output, which bears no name yet.

        If each part is a file of its own, ``names`` are their names. If documents are written with the texts that the
        parts hold, ``write`` writes them, and says what was done to which part of them. A file that it sets aside is
        noted behind the bad records of the last part.
        """
        with writing(self.output):
            parts = [self._path(number, "part") for number in range(chunks)]
            ready = self.release.ready
            remove(ready)
            remove(self.names.ready)
            try:
                if write is not None:
                    told, bad = write(parts, ready, self.private, self.names.ready)
                    total += replace(NOTHING, documents=told, quarantined=len(bad))
                    _write(self._path(chunks, "quarantine"), b"".join(map(_bad_line, bad)))
                elif names:
                    lay_out(parts, names, ready, self.private)
                else:
                    assemble(self.kind, parts, ready, self.output.name.lower().endswith(".gz"), self.private)
            except BaseException:
                remove(ready)
                raise
            assembled = Assembled(chunks, total, ready.stat().st_ino)
            _write(self.folder / _ASSEMBLED, assembled.as_json(self.run))
        return assembled

    def assembled(self) -> Assembled | None:
        """What an earlier try of this very run assembled; None where it is not there."""
        try:
            found = Assembled.from_json((self.folder / _ASSEMBLED).read_bytes(), self.run)
        except FileNotFoundError:
            return None
        return found if found is not None and self.complete(found).exists() else None

    def complete(self, assembled: Assembled) -> Path:
        """Where what was assembled is now: at the output's name if a run was killed after giving it."""
        return self.output if _is(self.output, assembled.inode) else self.release.ready

    def publish(self, assembled: Assembled, others: Sequence[Place]) -> None:
        """Give all that is ready its name, the output last; :meth:`clear` then ends the run.

        Where the output has its name, so has the quarantine, and only the ``others`` are named.
        """
        with writing(self.output):
            if _is(self.output, assembled.inode):
                publish(others)
                return
            self._ready_quarantine(assembled)
            publish((*self._aside, *others, self.release))

    def abandon(self) -> None:
        """Remove the parts of this very run where none is finished: a resumed run could not go on from them."""
        if self._mine and not any(self.folder.glob(f"*-{self.run[:12]}.json")):
            self.clear()

    def clear(self) -> None:
        """Remove the parts: first their name goes, so that half of them are never taken for parts."""
        removed = self._hidden("removed")
        remove(removed)
        if self.folder.exists():
            self.folder.replace(removed)
        remove(removed)

    @property
    def _mine(self) -> bool:
        """Whether the parts are of this very run."""
        try:
            return bool(json.loads((self.folder / _MANIFEST).read_bytes()) == {"run": self.run})
        except (OSError, ValueError):
            return False

    def _hidden(self, ending: str) -> Path:
        return self.output.with_name(f".{self.output.name}.{ending}")

    def _path(self, number: int, suffix: str) -> Path:
        # The run in the name keeps out a part written late by an orphaned worker of an earlier run.
        return self.folder / f"{number:08d}-{self.run[:12]}.{suffix}"

    def _of_people(self, number: int, treatment: str) -> Path:
        return self._path(number, f"people-{treatment}" if treatment else "people")

    def _ready_quarantine(self, assembled: Assembled) -> None:
        remove(self.quarantine.ready)
        if not assembled.counts.quarantined:
            return
        with created(self.quarantine.ready, private=True) as target:
            for number in range(assembled.chunks + 1):  # those that could not be written are behind the last part
                path = self._path(number, "quarantine")
                if path.exists():
                    with path.open("rb") as part:
                        shutil.copyfileobj(part, target, 2**20)


def _bad_line(bad: BadRecord) -> bytes:
    raw = base64.b64encode(bad.raw).decode()
    line = {"file": bad.file, "line": bad.line, "reason": bad.reason, "raw_base64": raw}
    return json.dumps(line).encode() + b"\n"


def _write(path: Path, data: bytes) -> None:
    with whole(path, private=True) as file:
        file.write(data)


def _is(path: Path, inode: int) -> bool:
    return path.exists() and path.stat().st_ino == inode
