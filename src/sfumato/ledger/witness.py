"""The last head that was seen of a ledger, kept beside its key: an older copy of the ledger is refused."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import LedgerError, SfumatoError
from sfumato.ledger.chain import Head

_LENGTH = 256


@dataclass(frozen=True, slots=True)
class Witness:
    """The file beside ``key`` that names the last head of the ledger ``id``."""

    key: Path
    id: str

    @property
    def path(self) -> Path:
        """Return where the head is."""
        return self.key.with_name(f"{self.key.name}.{self.id[:8]}.head")

    def head(self) -> Head | None:
        """Return the last head that was seen; None if none was. Raise LedgerError for a file that says nothing."""
        try:
            content = self.path.read_bytes()
            return Head.parse(json.loads(content)["head"]) if content.strip(b"\0") else None
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, SfumatoError):
            raise LedgerError(
                f"{self.path.name}, which names the last head of the ledger, cannot be read; nothing goes out: "
                "remove it if the newest statement's head verifies (sfumato ledger verify --statement)."
            ) from None

    def note(self, head: Head) -> None:
        """Keep ``head`` unless a later one is known.

        The charge is on disk already when this is called, so a witness that cannot be written stops nothing. It is
        not synced: after a power cut it may name an earlier head, which any newer ledger holds as well. It is written
        in place and in one piece, because a rename for each charge would wait for the disk.
        """
        with suppress(OSError, LedgerError):
            known = self.head()
            if known is None or known.seq < head.seq:
                content = json.dumps({"ledger": self.id, "head": str(head)}).encode().ljust(_LENGTH)
                file = os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600)
                try:
                    os.write(file, content)
                finally:
                    os.close(file)
