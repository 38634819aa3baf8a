"""Eight processes against one cap accept exactly as many charges as it holds."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from ledger_workers import charges_until_refused
from sfumato.ledger import Budget, Ledger


def test_eight_processes_accept_what_the_cap_holds_and_no_more(url: str, key: Path) -> None:
    Ledger.begin(url, key, Budget.of("notes", {"subject": {"LDP": "10.05"}})).close()
    context = get_context("forkserver")
    context.set_forkserver_preload(["sfumato.ledger", "psycopg"])  # eight processes, but one that imports
    with ProcessPoolExecutor(8, context) as pool:
        runs = [pool.submit(charges_until_refused, url, str(key), 0.1) for _ in range(8)]
        accepted = [run.result() for run in runs]
    assert sum(accepted) == 100
    with Ledger.open(url, key) as ledger:
        assert len(ledger.state.states) == 100
        assert ledger.head.seq == 100
