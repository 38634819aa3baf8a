"""How often the same texts were tried: two lines for each attempt, beside the signing key.

Another name for the output, another format or another order of the records is no new input. What the lines hold of
the texts is a keyed hash under the signing key, because anyone could compare a plain one with a guess.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from sfumato.errors import InputError
from sfumato.protection.signing import Signer
from sfumato.storage.atomic import writing


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
