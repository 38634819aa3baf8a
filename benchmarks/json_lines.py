"""From file to file: SanText over SST-2 four times over, as JSON lines, in one process. Usage: json_lines.py GLOVE

Beside it, in the same run, every line read by itself, as it was before lines were read as columns.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from unittest import mock

from recording import record, table
from throughput import EPSILON, sentences

import sfumato
from sfumato.files import open_source
from sfumato.files.json_lines_chunk import BlockReader
from sfumato.files.options import FileOptions
from sfumato.runtime import search_seldom

COPIES, REPEATS = 4, 5
FILES = FileOptions(fields=("sentence",))


def released(sanitizer: sfumato.Sanitizer, source: Path, singly: bool) -> tuple[float, int]:
    """Seconds of a whole run over ``source``, and its draws; ``singly``: each line is read by itself."""
    with mock.patch.object(BlockReader, "read", (lambda *_: None) if singly else BlockReader.read):
        started = time.perf_counter()
        done = sfumato.sanitize_file(
            sanitizer, source, source.with_name("out.jsonl"), fields=FILES.fields, overwrite=True
        )
    assert done.summary is not None
    return time.perf_counter() - started, done.summary.draws


def read(source: Path, singly: bool) -> float:
    """Seconds to read all chunks of ``source``."""
    with mock.patch.object(BlockReader, "read", (lambda *_: None) if singly else BlockReader.read):
        started = time.perf_counter()
        for _ in open_source(source, FILES).chunks():
            pass
    return time.perf_counter() - started


def main() -> None:
    sanitizer = sfumato.build("santext", EPSILON, vocabulary=Path(sys.argv[1]))
    sanitizer.prepare()
    with tempfile.TemporaryDirectory() as folder, search_seldom():  # as on the command line
        source = Path(folder) / "in.jsonl"
        lines = [
            json.dumps({"sentence": text, "label": number % 2}) for number, text in enumerate(sentences() * COPIES)
        ]
        source.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        released(sanitizer, source, False)  # makes the tables
        runs = [(read(source, True), read(source, False)) for _ in range(REPEATS)]
        whole = [(released(sanitizer, source, True), released(sanitizer, source, False)) for _ in range(REPEATS)]
    [draws] = {draws for pair in whole for _, draws in pair}
    before, now = (statistics.median(pair[side][0] for pair in whole) for side in (0, 1))
    rows: list[list[object]] = [
        ["records, words drawn", f"{len(lines):,}, {draws:,}"],
        ["reading, each line by itself", f"{statistics.median(pair[0] for pair in runs):.2f} s"],
        ["reading, lines as columns", f"{statistics.median(pair[1] for pair in runs):.2f} s"],
        ["the whole run, each line by itself", f"{before:.2f} s, {draws / before:,.0f} words a second"],
        ["the whole run, lines as columns", f"{now:.2f} s, {draws / now:,.0f} words a second (target: 1,500,000)"],
    ]
    record("json-lines", table([f"SanText, SST-2 {COPIES} times over, one process, median of {REPEATS}", ""], rows))


if __name__ == "__main__":
    main()
