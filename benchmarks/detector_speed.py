"""CPU seconds a million characters of the default detector, of its network alone, and of texts without a break.

Usage: detector_speed.py [--source NAME=FOLDER ...] [--turns 15] [--record]

FOLDER is the `src` of a checkout. Each has a process of its own, and the processes take turns at the same cases of a
court, so that other work on the machine disturbs them alike. A turn before the measured ones loads everything.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from recording import DATA, models, table, written

ODD = {
    "1 MB of one letter, without a space": "x" * 1_000_000,
    "100 kB of digits and hyphens, without a space": "12-" * 33_333,
    "100 kB of lines of one letter": "x\n" * 50_000,
    "100,000 emoji": "😀" * 100_000,
    "1 MB in base64": ("QWxhZGRpbjpvcGVuIHNlc2FtZQ9z" * 35_715)[:1_000_000],
    "1 MB of an accent": "\u0301" * 1_000_000,
}


def cases() -> list[str]:
    path = DATA / "detection" / "en_tab" / "dev.jsonl"
    return [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]


def works() -> dict[str, Callable[[str], Any]]:
    """What is measured, by name."""
    from sfumato.detectors.identifier_finder import IdentifierFinder
    from sfumato.models.token_classifier.network import TokenClassifier
    from sfumato.text.document import Document

    finder, network = IdentifierFinder(None, "en", "medium"), TokenClassifier()
    return {
        "network": lambda text: network.answers([text]),
        "detector": lambda text: finder.findings([Document(text, "1")]),
    }


def serve() -> None:
    """Read the name of a work and the number of a case a line, and write the seconds that they took."""
    named, texts = works(), cases()
    for line in sys.stdin:
        name, number = line.split(" ", 1)
        text = texts[int(number)] if number.strip().isdecimal() else ODD[number.strip()]
        started = time.process_time()
        named[name](text)
        seconds, peak = time.process_time() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(json.dumps([seconds, len(text), peak / 1000]), flush=True)


class Server:
    """A process that measures one checkout."""

    def __init__(self, source: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(source.resolve()), "OMP_NUM_THREADS": "1"}
        command = [sys.executable, __file__, "--serve"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def ask(self, name: str, what: object) -> tuple[float, int, float]:
        """CPU seconds, characters and the process's peak memory in MB."""
        assert self._process.stdin
        assert self._process.stdout
        print(name, what, file=self._process.stdin, flush=True)
        seconds, characters, peak = json.loads(self._process.stdout.readline())
        return seconds, characters, peak


def speeds(sources: dict[str, Path], turns: int) -> Iterator[list[object]]:
    """Rows of medians."""
    servers = {name: Server(source) for name, source in sources.items()}
    seen: dict[tuple[str, str], list[float]] = {}
    for turn in range(turns + 1):
        for work in ("network", "detector"):
            for name, server in servers.items():
                seconds, characters, _ = server.ask(work, turn)
                if turn:
                    seen.setdefault((name, work), []).append(seconds / characters * 1e6)
    for name in servers:
        own = [seen[name, work] for work in ("network", "detector")]
        yield [name, *(f"{median(values):.1f}" for values in own), *(f"{min(values):.1f}" for values in own)]


def odd(source: Path) -> Iterator[list[object]]:
    """Rows of texts without a break, each read by a new process."""
    for name, text in ODD.items():
        server = Server(source)
        server.ask("detector", 0)
        seconds, _, peak = server.ask("detector", name)
        yield [name, f"{len(text):,}", f"{seconds:.1f}", f"{peak:,.0f}"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", action="append", default=[], help="NAME=FOLDER")
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--serve", action="store_true")
    given = parser.parse_args()
    if given.serve:
        serve()
        return
    now = Path(__file__).parents[1] / "src"
    sources = {name: Path(folder) for name, folder in (each.split("=", 1) for each in given.source)} or {"now": now}
    load = os.getloadavg()[0]
    heads = ["checkout", "network", "detector", "network, least", "detector, least"]
    parts = (
        table(heads, list(speeds(sources, given.turns))),
        f"CPU seconds a million characters, one thread: medians and least of {given.turns} court cases, read in "
        f"turns. The load of the machine was {load:.1f} before; beside other work the caches are shared, and the "
        "least figure is nearest to that of an idle machine.",
        table(["text", "characters", "detector: CPU s", "peak memory of the process, MB"], list(odd(now))),
    )
    written("detector-speed", "\n\n".join(parts), given.record, used=models("detector"))


if __name__ == "__main__":
    main()
