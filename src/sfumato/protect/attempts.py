"""How often a release was tried for: two lines for each attempt, in the folder for the owner."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

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
        """Return how many attempts were begun. Raise InputError if the file was damaged."""
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return 0
        try:
            return sum(1 for line in lines if "begun" in json.loads(line))
        except (ValueError, TypeError):
            raise InputError(
                f"{self.path.name} was changed, so that attempts cannot be counted; restore it."
            ) from None

    def begun(self, policy: str) -> int:
        """Note an attempt under the ``policy`` with this fingerprint, durably, before it draws; return its number."""
        number = self.count() + 1
        self._note({"attempt": number, "begun": datetime.now(UTC).isoformat(), "policy": policy})
        return number

    def ended(self, number: int, accepted: bool) -> None:
        """Note how attempt ``number`` ended."""
        self._note({"attempt": number, "accepted": accepted})

    def _note(self, line: Mapping[str, Any]) -> None:
        with writing(self.path), open(self.path, "ab", opener=_private) as file:
            file.write(json.dumps(line).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())


def _private(name: str, flags: int) -> int:
    """Open a file that its owner alone can read."""
    return os.open(name, flags, 0o600)
