"""Answers of chat models in a folder, a file each, so that a stopped evaluation asks nothing twice.

They may hold private text: the folder and its files are for their owner only (modes 0700 and 0600), and their
names are hashes.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

from sfumato.abstract.chat import Answer, Question
from sfumato.errors import OutputError

MOST_BYTES = 1 << 23
"""Of a file: twice what an answer may have, as its escapes are longer."""


@dataclass(frozen=True)
class KeptAnswers:
    """Answers of the model that ``of`` names, in ``folder`` (None: nothing is kept)."""

    folder: Path | None
    of: tuple[str, ...]

    def find(self, question: Question) -> Answer | None:
        """The answer kept for ``question``; None where there is none, or none that can be read."""
        if self.folder is None:
            return None
        place = self._place(self.folder, question)
        try:
            if place.stat().st_size > MOST_BYTES:
                return None
            kept = json.loads(place.read_text(encoding="utf-8"))
            return Answer(str(kept["text"]), int(kept["tokens_in"]), int(kept["tokens_out"]), cached=True)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, question: Question, answer: Answer) -> None:
        """Write ``answer`` down, whole or not at all, unless it is too large to be one.

        Raises OutputError where the folder cannot be written.
        """
        if self.folder is None or len(content := json.dumps(asdict(answer))) > MOST_BYTES:
            return
        place = self._place(self.folder, question)
        unfinished = place.with_suffix(f".{os.getpid()}-{secrets.token_hex(4)}.tmp")
        try:
            self._owned(self.folder)
            try:
                with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                    file.write(content)  # ASCII
                unfinished.replace(place)
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
            with contextlib.suppress(PermissionError):  # somebody else's folder, which its owner may open to others
                folder.chmod(0o700)
