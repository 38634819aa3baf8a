"""A ledger as commands and calls name it: an address, and the file with its key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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


@contextmanager
def kept_ledger(
    ledger: Ledger | str | Path | None, key: Path | str | None, budget: Budget | None, expected: Sequence[Head] = ()
) -> Iterator[Ledger | None]:
    """Give the ledger that keeps ``budget``, opened if only its address is given; None if there is neither.

    Raise ConfigurationError for a budget that no ledger keeps.
    """
    if ledger is None:
        if budget is not None:
            raise ConfigurationError(
                "The policy has a budget, and no ledger keeps it; make one by `sfumato ledger init`, and name it in "
                "[budget] or for the run."
            )
        yield None
    elif isinstance(ledger, Ledger):
        if budget is not None:
            ledger.check_budget(budget)
        yield ledger
    else:
        with open_ledger(str(ledger), key, expected, budget) as opened_here:
            yield opened_here


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
