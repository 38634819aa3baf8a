"""Attempts: the hidden folder in which one is made and resumes, and how often the same texts were tried.

For each attempt two lines are noted beside the signing key. Another name for the output, another format or another
order of the records is no new input. What the lines hold of the texts is a keyed hash under the signing key, because
anyone could compare a plain one with a guess.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from sfumato.errors import InputError, OutputError
from sfumato.files import open_input
from sfumato.protection.request import Request
from sfumato.protection.signing import Signer
from sfumato.release.account import has_paid
from sfumato.storage import Place, owned
from sfumato.storage.atomic import put, remove, writing
from sfumato.storage.digests import digest_of
from sfumato.storage.locations import check_path

_NOTE, MEMBERS = ".attempt.json", ".members"
"""In the folder for the owner, until the attempt ends: which one it is, and what a synthesis reads."""


@dataclass(frozen=True)
class Hidden:
    """The folder that becomes the release, and the file or folder in it with the data. PRIVATE until then.

    ``note``, in the folder for the owner, says which attempt is made, and ``members`` there holds who takes part in a
    synthesis. ``resumes`` says that it was paid for and stopped.
    """

    folder: Path
    data: Path
    note: Path
    members: Path
    resumes: bool = False

    def attempt(self, decided_by: str, begun: Callable[[], int]) -> int:
        """Return the number of the attempt that is made here: the one that was ``begun`` now, or the stopped one.

        Raise OutputError if the stopped one was of something else than what the hash ``decided_by`` is of.
        """
        if not self.resumes:
            number = begun()
            put(self.note, json.dumps({"attempt": number, "of": decided_by}).encode(), private=True)
            return number
        try:
            facts = json.loads(self.note.read_bytes())
            if facts["of"] == decided_by:
                return int(facts["attempt"])
        except (OSError, ValueError, KeyError, TypeError):
            pass
        raise OutputError(
            "The input, the policy, the review or the options changed since the attempt was stopped; return to what "
            "they were, or give up the attempt with --force, without --resume: another one is paid for again."
        )


@contextmanager
def hidden(request: Request) -> Iterator[Hidden]:
    """Give the hidden folder of an attempt, which the owner alone can read. It is removed when the block ends.

    If the block fails, what a ledger was charged for stays, and only a run that resumes or gives it up continues from
    there. Everything else that a stopped run left is removed. Raise OutputError if another run makes this release,
    if there is nothing to resume, or if a paid attempt would be lost.
    """
    with writing(request.release):
        request.release.parent.mkdir(parents=True, exist_ok=True)
    place = Place(request.release)
    folder = place.ready
    data, note = folder / ("data" + _suffix(request.input)), request.private / _NOTE
    members = request.private / MEMBERS
    with owned([place]):
        paid = has_paid(data)
        _check_stopped(request, paid)
        try:
            with writing(request.release):
                _clear(folder, data, paid, request.resume)
                folder.mkdir(mode=0o700, exist_ok=True)
                folder.chmod(0o700)
            yield Hidden(folder, data, note, members, request.resume)
        except BaseException:
            if not has_paid(data):
                _remove(folder, note, members)
            raise
        _remove(folder, note, members)


def forget_finished(request: Request) -> None:
    """Remove what a run kept that was killed after its release had its name: who took part, and their records."""
    place = Place(request.release)
    if request.release.exists() and not place.ready.exists():
        with owned([place]), writing(request.private):
            _remove(request.private / _NOTE, request.private / MEMBERS)


def _remove(*paths: Path) -> None:
    for path in paths:
        remove(path)


def decided_by(request: Request) -> str:
    """Return a hash of everything that decides the draws of an attempt and its verdict."""
    review = b"" if request.decisions is None else request.decisions.read_bytes()
    facts = [
        request.facts(),
        repr(request.files),
        repr((request.policy.against, request.policy.accept, request.policy.polish)),
        None if (table := request.policy.population) is None else digest_of(table),
        list(open_input(request.input, request.files).state),
        hashlib.sha256(review).hexdigest(),
    ]
    return hashlib.sha256(json.dumps(facts).encode("utf-8", "backslashreplace")).hexdigest()


def _check_stopped(request: Request, paid: bool) -> None:
    """Refuse to resume nothing, and to pay again without a word."""
    name = request.release.name
    if request.resume and not paid:
        raise OutputError(f"No attempt for {name} that was paid for was stopped; leave out --resume.")
    if paid and not (request.resume or request.overwrite):
        raise OutputError(
            f"An attempt for {name} that a ledger was charged for was stopped; continue it with --resume, or give it "
            "up with --force: another one is paid for again."
        )


def _clear(folder: Path, data: Path, paid: bool, resume: bool) -> None:
    """Remove what a stopped run left in ``folder``, but not what this one resumes or takes back."""
    if not paid:
        remove(folder)
        return
    parts = f".{data.name}.parts"
    for path in list(folder.iterdir()):
        own = path.name == data.name or path.name.startswith((f"{data.name}.", f".{data.name}."))
        if not (own if resume else path.name == parts):
            remove(path)


def _suffix(input: Path) -> str:
    """Return the ending of the data's name."""
    return "".join(input.suffixes[-2:]) if input.is_file() else ""


@dataclass(frozen=True)
class Attempts:
    """The attempts at one input, which the file ``path`` lists beside those at others."""

    path: Path
    texts: str = field(repr=False)
    """The keyed hash of the texts."""

    @classmethod
    def of(cls, key: Path, signer: Signer, texts: Iterable[str]) -> Attempts:
        """Return the attempts at ``texts`` that the ``signer`` with the file ``key`` has counted."""
        digests = sorted(sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts)
        together = sha256(b"".join(digests)).hexdigest()
        return cls(key.with_name(f"{key.name}.attempts.jsonl"), signer.keyed("attempts", together).hex())

    def count(self) -> int:
        """Return how many attempts were begun. Raise InputError if the file was damaged."""
        return sum(1 for _ in self._begun())

    def begun(self, policy: str) -> int:
        """Note an attempt under the ``policy`` with this fingerprint, durably, before it draws; return its number."""
        run = secrets.token_hex(8)  # of two runs at once, the first line has the lower number
        self._note({"begun": datetime.now(UTC).isoformat(), "run": run, "policy": policy})
        return [line["run"] for line in self._begun()].index(run) + 1

    def ended(self, number: int, accepted: bool) -> None:
        """Note how attempt ``number`` ended."""
        self._note({"attempt": number, "accepted": accepted})

    def _begun(self) -> Iterator[Mapping[str, Any]]:
        try:
            lines = [json.loads(line) for line in self.path.read_text(encoding="utf-8").splitlines()]
            yield from (line for line in lines if line["texts"] == self.texts and "begun" in line)
        except FileNotFoundError:
            return
        except (ValueError, TypeError, KeyError):
            raise InputError(
                f"{self.path.name} was changed, so that attempts cannot be counted; restore it."
            ) from None

    def _note(self, line: Mapping[str, Any]) -> None:
        with writing(self.path), open(self.path, "ab", opener=_private) as file:
            file.write(json.dumps({"texts": self.texts, **line}).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())


def _private(name: str, flags: int) -> int:
    """Open a file that its owner alone can read."""
    return os.open(name, flags, 0o600)


def made_private(folder: Path) -> Path:
    """Return ``folder``, made if need be and closed to all but its owner. Raise OutputError."""
    check_path(folder)
    with writing(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
    return folder
