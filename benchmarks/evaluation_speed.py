"""How long `sfumato evaluate` takes without a language model: 10,000 records of 150 words, a release of them.

Usage: evaluation_speed.py [--records N] [--sample N] [--record]

Records are made from the public sentences that ship with sfumato and invented facts about invented people (Faker).
The release has every capitalised word and every figure replaced by a mark, and one other word in five left out.
Linking is timed a second time by itself, for every one of the records: an index of the release and a query of three
sentences each.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import tempfile
import time
from importlib import resources
from pathlib import Path
from threading import Event, Thread

import numpy as np
import psutil
from faker import Faker
from recording import SFUMATO, table, written

from sfumato.attacks.linkage import held, linked, sentences
from sfumato.attacks.linkers import BM25

WORDS = 150
KINDS = ("clerk", "student", "driver", "teacher")


def records(number: int) -> list[tuple[str, str]]:
    """A text of about 150 words and a label for each record."""
    public = (resources.files("sfumato") / "data" / "public_sentences.txt").read_text(encoding="utf-8").splitlines()
    fake, draw = Faker("en_US"), np.random.default_rng(1)
    fake.seed_instance(1)
    found = []
    for at in range(number):
        kind = KINDS[at % len(KINDS)]
        parts = [
            f"{fake.name()} lives in {fake.city()} and works as a {kind if draw.random() < 0.7 else 'cook'}.",
            f"The family moved from {fake.city()} to {fake.city()} in {fake.year()}.",
            f"An appointment with {fake.name()} cost {draw.integers(20, 900)} dollars, paid on {fake.date()}.",
            f"The flat on {fake.street_name()} has {draw.integers(1, 9)} rooms.",
        ]
        count = sum(len(part.split()) for part in parts)
        for place in draw.permutation(len(public)):
            if count >= WORDS:
                break
            parts.append(public[place])
            count += len(public[place].split())
        found.append((" ".join(parts[place] for place in draw.permutation(len(parts))), kind))
    return found


def released(text: str, draw: np.random.Generator) -> str:
    """The quick release that is attacked."""
    marked = re.sub(r"\b[A-Z]\w+|\d+", "[X]", text)
    return " ".join(word for word in marked.split() if word.startswith("[") or draw.random() > 0.2)


class Watched:
    """A command and the processes it begins, on the first two cores: seconds, CPU seconds, memory of all together."""

    def __init__(self, command: list[str]) -> None:
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.peak_mb, self._over = 0.0, Event()
        watch = Thread(target=self._watch, args=(psutil.Process(process.pid),), daemon=True)
        watch.start()
        _, complaint = process.communicate()
        self.seconds = time.perf_counter() - started
        self._over.set()
        watch.join()
        if process.returncode:
            raise SystemExit(f"evaluate failed: {complaint}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def _watch(self, process: psutil.Process) -> None:
        while not self._over.wait(0.2):
            try:
                every = [process, *process.children(recursive=True)]
                self.peak_mb = max(self.peak_mb, sum(one.memory_info().rss for one in every) / 1e6)
            except psutil.Error:
                continue


def linking(texts: list[str], release: list[str]) -> tuple[float, float]:
    """Seconds and CPU seconds to index ``release`` and to look for each of ``texts`` with three of its sentences."""
    asked = held([sentences(text) for text in texts])
    started, cpu = time.perf_counter(), time.process_time()
    linked(BM25(release), asked)
    return time.perf_counter() - started, time.process_time() - cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--sample", type=int, default=None, help="as of sfumato evaluate; its default where left out")
    parser.add_argument("--record", action="store_true", help="write into docs/benchmarks.md")
    given = parser.parse_args()
    made, draw = records(given.records), np.random.default_rng(2)
    texts = [text for text, _ in made]
    release = [released(text, draw) for text in texts]
    link_seconds, link_cpu = linking(texts, release)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, some in (("original.jsonl", texts), ("release.jsonl", release)):
            rows = [{"id": str(at), "text": text, "kind": made[at][1]} for at, text in enumerate(some)]
            (folder / file).write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
        command = [SFUMATO, "evaluate", folder / "original.jsonl", folder / "release.jsonl", "--id", "id"]
        command += ["--label", "kind", "-o", folder / "out"]
        command += [] if given.sample is None else ["--sample", str(given.sample)]
        ran = Watched([str(part) for part in command])
        results = json.loads((folder / "out" / "results.json").read_text(encoding="utf-8"))
    words = sum(len(text.split()) for text in texts) / len(texts)
    full = given.records == 10_000
    rows: list[list[object]] = [[f"study: {one['study']}", f"{one['seconds']:.1f} s"] for one in results["studies"]]
    rows += [
        ["whole command, page included", f"{ran.seconds:.0f} s{' (target: 300)' if full else ''}"],
        ["its CPU time, all processes", f"{ran.cpu:.0f} s"],
        ["peak memory, all processes", f"{ran.peak_mb:,.0f} MB{' (target: 3,000)' if full else ''}"],
        [
            "linking alone, one query for every record",
            f"{link_seconds:.1f} s, {link_cpu:.1f} s of CPU{' (target: 30)' if full else ''}",
        ],
        ["records (words) drawn for what takes longest", f"{results['sample']:,}"],
        ["load of the machine meanwhile, one minute's mean", f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"],
    ]
    told = (
        "At most two cores are used. If the load is above 2, other work shared them, and the wall-clock seconds "
        "exceed those of an idle machine. The slowest measurements use a sample; each figure of the results gives "
        "its size. The search always covers all records."
    )
    text = f"{table([f'{given.records:,} records of {words:.0f} words', ''], rows)}\n\n{told}"
    written("evaluation", text, given.record)


if __name__ == "__main__":
    main()
