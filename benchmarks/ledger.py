"""How fast a ledger takes charges: single ones by one and by eight processes, and 100,000 records at once.

`python benchmarks/ledger.py [--record]`. PostgreSQL runs from Debian's package in a folder of its own; without it,
SQLite alone is measured. With `--marks`: what a release with a ledger takes, whose marks are kept for the draw, and
what it takes if the draw finds them again.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest.mock import patch

from recording import table, written

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from ledger_server import Server, programs
from sfumato.files import FileOptions
from sfumato.ledger import Budget, Charge, Currency, Ledger, Level, made_key, nano
from sfumato.policy import Policy
from sfumato.privacy.guarantee import Guarantee
from sfumato.release.job import RunOptions
from sfumato.release.kept_marks import KeptMarks
from sfumato.run.execute import ready
from sfumato.run.request import Request

LDP = Currency.of(Guarantee("LDP", 0.1, "one token", "any two tokens", None, "benchmark"))
BUDGET = Budget.of("benchmark", {"subject": {"LDP": 900_000}})
SINGLE, CLIENTS, RECORDS = 1000, 8, 100_000
EXAMPLES = Path(__file__).parents[1] / "examples" / "records.jsonl"
COPIES, TURNS = 2, 3
WAYS = ("no ledger", "marks kept", "marks found again")


def single(url: str, key: Path) -> float:
    """Charges a second of one process."""
    with Ledger.open(url, key) as ledger:
        started = time.perf_counter()
        for _ in range(SINGLE):
            ledger.reserve([Charge(Level.SUBJECT, ("somebody",), LDP, nano(0.1))])
        return SINGLE / (time.perf_counter() - started)


def client(url: str, key: Path, begin: Any) -> None:
    with Ledger.open(url, key) as ledger:
        begin.wait()
        for _ in range(SINGLE // 4):
            ledger.reserve([Charge(Level.SUBJECT, ("somebody",), LDP, nano(0.1))])


def many(url: str, key: Path) -> float:
    """Charges a second of eight processes together, of one subject."""
    context = get_context("spawn")
    begin = context.Barrier(CLIENTS + 1)
    clients = [context.Process(target=client, args=(url, key, begin)) for _ in range(CLIENTS)]
    for process in clients:
        process.start()
    begin.wait()
    started = time.perf_counter()
    for process in clients:
        process.join()
    return CLIENTS * (SINGLE // 4) / (time.perf_counter() - started)


def at_once(url: str, key: Path, keyed: bool) -> float:
    """Seconds to reserve the records, each with a subject of its own."""
    charges = [
        Charge(level, (f"{keyed} {number}",), LDP, nano(0.1), draw=b"%d" % number if keyed else b"")
        for number in range(RECORDS)
        for level in (Level.RECORD, Level.SUBJECT)
    ]
    with Ledger.open(url, key) as ledger:
        started = time.perf_counter()
        ledger.reserve(charges)
        return time.perf_counter() - started


def checked(url: str, key: Path) -> float:
    """Seconds to check all of the ledger."""
    started = time.perf_counter()
    Ledger.open(url, key).close()
    return time.perf_counter() - started


def syncs(folder: Path) -> float:
    """How often a second the disk syncs a page: no ledger can be quicker with one writer."""
    with (folder / "page").open("wb") as file:
        started = time.perf_counter()
        for _ in range(SINGLE):
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
        return SINGLE / (time.perf_counter() - started)


def row(name: str, url: str, key: Path) -> list[object]:
    Ledger.begin(url, key, BUDGET).close()
    singles = [f"{single(url, key):,.0f}", f"{many(url, key):,.0f}"]
    return [
        name,
        *singles,
        *(f"{at_once(url, key, keyed):.1f} s" for keyed in (False, True)),
        f"{checked(url, key):.1f} s",
    ]


@contextmanager
def databases(folder: Path) -> Iterator[list[tuple[str, str]]]:
    places = [("SQLite", str(folder / "ledger"))]
    there = programs()
    if there is None:
        yield places
        return
    server = Server.made(there)
    try:
        yield [*places, ("PostgreSQL", server.database())]
    finally:
        server.remove()


def released(way: str, folder: Path) -> float:
    """Seconds of the processor to sanitize the example records by a policy, after everything is certified."""
    rows = [json.loads(line) for line in EXAMPLES.read_text(encoding="utf-8").splitlines()]
    # No two texts are equal: a detector may remember what it marked in one.
    copies = (
        {**row, "id": f"{copy}-{row['id']}", "text": f"{row['text']}\n({copy + 1})"}
        for copy in range(COPIES) for row in rows
    )  # fmt: skip
    source = folder / "notes.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in copies), encoding="utf-8")
    made_key(folder / "key")
    Ledger.begin(str(folder / "ledger"), folder / "key", Budget.of("notes", {"subject": {"*": 900_000}})).close()
    files = FileOptions(id_field="id", subject_field="id", keep=())
    paid = {} if way == WAYS[0] else {"ledger": str(folder / "ledger"), "ledger_key": folder / "key"}
    request = Request(Policy.load("clinical"), source, folder / "out.jsonl", RunOptions(files), **paid)
    again = patch.object(KeptMarks, "turn", lambda _: None) if way == WAYS[2] else nullcontext()
    with again, ready(request) as made:
        started = time.process_time()
        made.release()
        return time.process_time() - started


def in_new_process(way: str) -> float:
    """The same in a process of its own, in which nothing is remembered."""
    with tempfile.TemporaryDirectory() as name, ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(released, way, Path(name)).result()


def marks() -> None:
    turns = [{way: in_new_process(way) for way in WAYS} for _ in range(TURNS)]
    best = {way: min(turn[way] for turn in turns) for way in WAYS}
    rows = [[way, f"{seconds:.1f} s", f"{seconds / best[WAYS[0]]:.2f}"] for way, seconds in best.items()]
    text = table(["release", "seconds of the processor", "of one without a ledger"], rows) + (
        f"\n\nPolicy clinical over the example records {COPIES} times over, each release in a process of its own; "
        f"the best of {TURNS} turns, without building and certifying."
    )
    written("ledger-marks", text, "--record" in sys.argv)


def main() -> None:
    if "--marks" in sys.argv:
        marks()
        return
    header = [
        "ledger", "charges a second, 1 process", f"{CLIENTS} processes", f"{RECORDS:,} records and people at once",
        "the same, pinned", "check of all",
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as name, databases(Path(name)) as places:
        key = Path(name) / "key"
        made_key(key)
        rows = [row(place, url, key) for place, url in places]
        disk = syncs(Path(name))
    text = table(header, rows) + (
        "\n\nEvery charge is synced to disk before it counts, and the single ones are all about one person. The disk "
        f"synced a page {disk:,.0f} times a second."
    )
    written("ledger", text, "--record" in sys.argv)


if __name__ == "__main__":
    main()
