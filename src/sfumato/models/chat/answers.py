"""Answers of chat models in a folder, one file each, so that a resumed evaluation asks nothing twice.

They may hold private text. So only their owner can read the folder and its files (modes 0700 and 0600), and the
names are hashes.

Strict reading of a chat model's answers: the requested form, or ValueError. Nothing is guessed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sfumato.abstract.chat import Answer, Question
from sfumato.errors import OutputError

MOST_BYTES = 1 << 23
"""The most bytes of a file: twice those of an answer, because escapes are longer."""


@dataclass(frozen=True)
class KeptAnswers:
    """Answers of the model named by ``of``, in ``folder`` (None: nothing is kept)."""

    folder: Path | None
    of: tuple[str, ...]

    def find(self, question: Question) -> Answer | None:
        """Return the answer kept for ``question``; None if there is none, or none that can be read."""
        if self.folder is None:
            return None
        path = self._place(self.folder, question)
        try:
            if path.stat().st_size > MOST_BYTES:
                return None
            kept = json.loads(path.read_text(encoding="utf-8"))
            return Answer(str(kept["text"]), int(kept["tokens_in"]), int(kept["tokens_out"]), cached=True)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, question: Question, answer: Answer) -> None:
        """Write ``answer`` to its file, whole or not at all, unless it is larger than an answer may be.

        Raise OutputError if the folder cannot be written.
        """
        if self.folder is None or len(content := json.dumps(asdict(answer))) > MOST_BYTES:
            return
        path = self._place(self.folder, question)
        unfinished = path.with_suffix(f".{os.getpid()}-{secrets.token_hex(4)}.tmp")
        try:
            self._owned(self.folder)
            try:
                with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                    file.write(content)  # ASCII
                unfinished.replace(path)
            except OSError:
                unfinished.unlink(missing_ok=True)
                raise
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise OutputError(
                f"{self.folder} cannot be written ({reason}); choose another folder, or keep no answers."
            ) from None

    def _place(self, folder: Path, question: Question) -> Path:
        key = json.dumps([*self.of, asdict(question)], sort_keys=True)
        return folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"

    @staticmethod
    def _owned(folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if folder.stat().st_mode & 0o077:
            with contextlib.suppress(PermissionError):  # the folder of another user, who may open it to others
                folder.chmod(0o700)


_FENCE = re.compile(r"^\s*```(?:json)?\s*\n(.*?)\n\s*```\s*$", re.DOTALL)
_WHOLE = re.compile(r"\s*([0-9]{1,9})\.?\s*")


def json_object(text: str) -> Mapping[str, Any]:
    """Return the one JSON object in ``text``, in a code fence or not. Raise ValueError for anything else."""
    fenced = _FENCE.match(text)
    try:
        value = json.loads(fenced[1] if fenced else text, object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("too deep") from None
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose keys appear once. If a key has two values, neither can be trusted."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key appears twice")
    return value


def whole_number(text: str, least: int, most: int) -> int:
    """Return the whole number from ``least`` to ``most`` that is all of ``text``.

    Raise ValueError for anything else.
    """
    match = _WHOLE.fullmatch(text)
    if match is None or not least <= int(match[1]) <= most:
        raise ValueError("no such number")
    return int(match[1])
