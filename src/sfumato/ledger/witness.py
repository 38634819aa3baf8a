"""The last head that was seen of a ledger, kept beside its key: an older copy of the ledger is refused."""

from __future__ import annotations

import json
import os
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import LedgerError, SfumatoError
from sfumato.ledger.chain import Head


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
            content = json.loads(self.path.read_bytes())
            return Head.parse(content["head"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, SfumatoError):
            raise LedgerError(
                f"{self.path.name}, which names the last head of the ledger, cannot be read; nothing goes out: remove "
                "it if the newest statement's head verifies (sfumato ledger verify --statement)."
            ) from None

    def note(self, head: Head) -> None:
        """Keep ``head`` unless a later one is known.

        The charge is on disk already when this is called, so a witness that cannot be written stops nothing. It is
        not synced: after a power cut it may name an earlier head, which any newer ledger holds as well.
        """
        with suppress(OSError, LedgerError):
            known = self.head()
            if known is None or known.seq < head.seq:
                hidden = self.path.with_name(f".{self.path.name}.{os.getpid()}.{threading.get_ident()}")
                hidden.write_text(json.dumps({"ledger": self.id, "head": str(head)}))
                os.replace(hidden, self.path)
