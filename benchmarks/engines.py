"""Actors on Ray: two against one on this machine, and a model of a cluster on paper. Usage: engines.py [--record]

The model takes every figure from this machine: seconds of an actor for a record, seconds of the leading process for
a byte and for a shard, and what it does alone at the end. It needs the package ray, and SST-2 in the shared data.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from recording import DATA, table, written

import sfumato
from sfumato.files import FileOptions, Parts
from sfumato.files.keyed_rows import repeated, rows_of_ids
from sfumato.privacy.randomness import PinnedRandomness
from sfumato.release.job import RunOptions
from sfumato.run.execute import ready
from sfumato.run.request import Request

SHARDS, EACH, REPEATS = 32, 40_000, 3
KEY = PinnedRandomness(bytes(range(32)))
NETWORK = 1.25e9  # bytes a second into the leading process: 10 Gbit/s
CORES = 16  # actors on a machine
SIZES = (10**6, 10**7, 10**8, 10**9)
MACHINES = (1, 4, 16, 64)
SHARD_BYTES = 64e6  # of a shard of the model


@dataclass(frozen=True)
class Measured:
    """What this machine takes: seconds for a record, a shard, a byte; bytes of a record."""

    one: float
    two: float
    start: float
    record: float
    shard: float
    kept_byte: float
    closing_byte: float
    closing_id: float
    bytes_of_record: float


def write_shards(folder: Path, shards: int, each: int) -> Path:
    """Shards of random sentences of SST-2, with ids."""
    lines = (DATA / "sst2" / "train.tsv").read_text(encoding="utf-8").split("\n")[1:]
    sentences = [line.split("\t")[0] for line in lines if line]
    generator = random.Random(7)
    folder.mkdir()
    for shard in range(shards):
        ids = [f"{shard}-{number}" for number in range(each)]
        texts = generator.choices(sentences, k=each)
        pq.write_table(pa.table({"id": ids, "text": texts}), folder / f"part-{shard:03}.parquet")
    return folder


def seconds(sanitizer: sfumato.Sanitizer, notes: Path, actors: int) -> float:
    """Seconds of a run with so many actors, after everything is built and certified and Ray was started."""
    output = notes.with_name("out")
    options = RunOptions(FileOptions(id_field="id"), actors, overwrite=True, engine="ray")
    with ready(Request(sanitizer, notes, output, options, KEY)) as made:
        started = time.perf_counter()
        made.release()
        return time.perf_counter() - started


def of_the_leader(folder: Path, bodies: list[bytes]) -> tuple[float, float]:
    """Seconds for a byte to keep parts, and to close the run: joined, and the hash taken."""
    from sfumato.files.counts import NOTHING, Part
    from sfumato.storage.digests import digest_of_everything

    parts, size = Parts(folder / "kept", "shards", "a run"), sum(map(len, bodies))
    parts.start(resume=False)
    started = time.perf_counter()
    for number, body in enumerate(bodies):
        parts.add(number, Part(body, (), NOTHING))
    kept = time.perf_counter() - started
    started = time.perf_counter()
    parts.assemble(len(bodies), NOTHING, [f"{number}.parquet" for number in range(len(bodies))])
    digest_of_everything(parts.release.ready)
    return kept / size, (time.perf_counter() - started) / size


def of_ids(folder: Path, count: int = 2_000_000) -> float:
    """Seconds for an id to be compared with all others, by the leading process."""
    paths = [folder / f"{number}.ids" for number in range(4)]
    for number, path in enumerate(paths):
        path.write_bytes(rows_of_ids((f"{number}-{place}" for place in range(count // 4)), "secret"))
    started = time.perf_counter()
    assert repeated(paths) is None
    return (time.perf_counter() - started) / count


def measured(folder: Path) -> Measured:
    import ray

    sanitizer = sfumato.build("santext", 4.0, detect="words")
    notes = write_shards(folder / "notes", SHARDS, EACH)
    tiny, many = write_shards(folder / "tiny", 2, 1), write_shards(folder / "many", 4 * SHARDS, 1)
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    one, two, start, shards = list[float](), list[float](), list[float](), list[float]()
    for _ in range(REPEATS):  # in turn, so that a busy moment meets all of them
        start.append(seconds(sanitizer, tiny, 2))
        one.append(seconds(sanitizer, notes, 1))
        two.append(seconds(sanitizer, notes, 2))
        shards.append(seconds(sanitizer, many, 2))
        print(f"start {start[-1]:.1f}, one {one[-1]:.1f}, two {two[-1]:.1f}, tiny {shards[-1]:.1f}", file=sys.stderr)
    ray.shutdown()
    first, second, beginning, of_shards = map(statistics.median, (one, two, start, shards))
    bodies = [path.read_bytes() for path in sorted(notes.glob("*.parquet"))]  # as large as those of the release
    kept, closing = of_the_leader(folder, [body * 4 for body in bodies])
    return Measured(
        first, second, beginning, (first - beginning) / (SHARDS * EACH), (of_shards - beginning) / (4 * SHARDS),
        kept, closing, of_ids(folder), sum(map(len, bodies)) / (SHARDS * EACH),
    )  # fmt: skip


def model(figures: Measured, records: int, machines: int) -> tuple[float, str]:
    """Seconds of a run over ``records`` by ``machines``, and what limits it."""
    size = records * figures.bytes_of_record
    shards = max(size / SHARD_BYTES, machines * CORES)
    parts = {
        "actors": records * figures.record / (machines * CORES),
        "shards kept": shards * figures.shard + size * figures.kept_byte,
        "network": size / NETWORK,
        "closing the run": size * figures.closing_byte + records * figures.closing_id,
    }
    closing = parts["closing the run"]
    flowing = max(value for name, value in parts.items() if name != "closing the run")
    total = figures.start + flowing + closing
    names = parts | {"start": figures.start}
    return total, max(names, key=lambda name: names[name])


def told(duration: float) -> str:
    if duration < 120:
        return f"{duration:.0f} s"
    return f"{duration / 60:.0f} min" if duration < 7200 else f"{duration / 3600:.1f} h"


def main() -> None:
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        figures = measured(Path(folder))
    work = figures.one - figures.start, figures.two - figures.start
    rows: list[list[object]] = [
        ["one actor", f"{figures.one:.1f} s"],
        ["two actors", f"{figures.two:.1f} s"],
        ["of which actors start and end", f"{figures.start:.1f} s"],
        ["two against one, whole run", f"{figures.one / figures.two:.2f} times (target: 1.7)"],
        ["two against one, without the start", f"{work[0] / work[1]:.2f} times"],
        ["an actor, for a record", f"{figures.record * 1e6:.0f} µs"],
        ["a shard, given out and taken back", f"{figures.shard * 1e3:.0f} ms"],
        ["leading process, a part kept", f"{1e-6 / figures.kept_byte:.0f} MB/s"],
        ["leading process, closing the run", f"{1e-6 / figures.closing_byte:.0f} MB/s"],
        ["leading process, ids compared", f"{1e-6 / figures.closing_id:.1f} million/s"],
        ["a record in a shard", f"{figures.bytes_of_record:.0f} bytes"],
    ]
    first = table([f"SanText, SST-2, {SHARDS} shards of {EACH:,} records", "median of 3"], rows)
    cells: list[list[object]] = []
    for records in SIZES:
        each = [model(figures, records, machines) for machines in MACHINES]
        cells.append([f"{records:,}", *(f"{told(total)} ({limit})" for total, limit in each)])
    second = table(["records", *(f"{machines} x {CORES} actors" for machines in MACHINES)], cells)
    text = (
        f"{first}\n\nOn paper: machines of {CORES} processors like these, 10 Gbit/s, shards of "
        f"{SHARD_BYTES / 1e6:.0f} MB. In brackets is what takes longest: the actors, the leading process (which "
        f"keeps shards and closes the run), its network, or the start.\n\n{second}\n\n"
        f"The load of the machine was {load:.1f} when the measurement began."
    )
    written("engines", text, "--record" in sys.argv)


if __name__ == "__main__":
    main()
