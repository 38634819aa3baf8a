"""How often a release was tried for: a line for each attempt, in the folder for the owner."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sfumato.errors import InputError
from sfumato.storage.atomic import writing

_FILE = "attempts.jsonl"


@dataclass(frozen=True)
class Attempts:
    """The attempts that the file ``path`` lists."""

    path: Path

    @classmethod
    def of(cls, private: Path) -> Attempts:
        """Return the attempts of the folder ``private``."""
        return cls(private / _FILE)

    def count(self) -> int:
        """Return how many attempts there were. Raise InputError if the file was damaged."""
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return 0
        try:
            return sum(1 for line in lines if isinstance(json.loads(line)["accepted"], bool))
        except (ValueError, KeyError, TypeError):
            raise InputError(
                f"{self.path.name} was changed, so that attempts cannot be counted; restore it."
            ) from None

    def noted(self, accepted: bool, policy: str) -> int:
        """Note an attempt under the ``policy`` with this fingerprint, durably; return its number."""
        number = self.count() + 1
        line = {"attempt": number, "accepted": accepted, "policy": policy, "at": datetime.now(UTC).isoformat()}
        with writing(self.path), open(self.path, "ab", opener=_private) as file:
            file.write(json.dumps(line).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        return number


def _private(name: str, flags: int) -> int:
    """Open a file that its owner alone can read."""
    return os.open(name, flags, 0o600)
