"""A ledger as commands and calls name it: an address, and the file with its key."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sfumato.errors import ConfigurationError
from sfumato.ledger.budget import Budget
from sfumato.ledger.chain import Head
from sfumato.ledger.ledger import Ledger
from sfumato.ledger.store import is_postgres, path_of


def key_beside(url: str, key: Path | str | None = None) -> Path:
    """Return the file of the ledger's key: the one named, or the ledger's own name and ".key"."""
    if key is not None:
        return Path(key)
    if is_postgres(url):
        raise ConfigurationError("A ledger in a database needs the file of its key (--ledger-key).")
    path = Path(path_of(url))
    return path.with_name(f"{path.name}.key")


def open_ledger(
    url: str, key: Path | str | None = None, expected: Sequence[Head] = (), budget: Budget | None = None
) -> Ledger:
    """Open the ledger at ``url``, checked as :meth:`Ledger.open` does. It must have been begun for the ``budget``."""
    ledger = Ledger.open(url, key_beside(url, key), expected)
    try:
        if budget is not None:
            ledger.check_budget(budget)
    except BaseException:
        ledger.close()
        raise
    return ledger
