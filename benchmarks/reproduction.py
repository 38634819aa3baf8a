"""Play the papers' tables and figures again, one script after the other: `make reproduction`.

Each script keeps its cells below FOLDER, so that a stopped run resumes. The time that is left is told from the CPU
minutes that docs/reproduction.md gives for each section. A script that fails stops no other.

    python benchmarks/reproduction.py FOLDER [--cheap] [--record] [SCRIPT ...]
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from recording import DATA, DOCS

HERE = Path(__file__).parent
CHEAP = 8
"""CPU minutes up to which a script is cheap."""
_SECTION = re.compile(r"<!-- begin ([^>]+) -->\n(.*?)<!-- end \1 -->", re.DOTALL)
_MINUTES = re.compile(r"(\d+) CPU minutes?\.")
_WRITES = re.compile(r"""(?:written|record)\(\s*f?["']([a-z-]+)["']""")


class Script(NamedTuple):
    """A script, and the CPU minutes that its sections took when they were recorded; None if none says."""

    path: Path
    minutes: int | None

    @property
    def name(self) -> str:
        return self.path.stem.removeprefix("reproduction_")


def sections(page: str) -> dict[str, str]:
    """The recorded sections of ``page``, by name."""
    return {match[1]: match[2] for match in _SECTION.finditer(page)}


def minutes_of(source: str, page: str) -> int | None:
    """The CPU minutes of the longest section that a script with this ``source`` writes into ``page``."""
    recorded = sections(page)
    told = [int(minutes) for name in _WRITES.findall(source) for minutes in _MINUTES.findall(recorded.get(name, ""))]
    return max(told, default=None)


def scripts() -> list[Script]:
    """Every script that plays tables again, the quickest first, those of unknown time last."""
    page = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    sources = {path: path.read_text(encoding="utf-8") for path in sorted(HERE.glob("reproduction_*.py"))}
    known = [Script(path, minutes_of(source, page)) for path, source in sources.items() if "def main()" in source]
    return sorted(known, key=lambda script: (script.minutes is None, script.minutes or 0))


def chosen(known: Sequence[Script], names: Sequence[str], cheap: bool) -> list[Script]:
    """The scripts called ``names`` (all without any), and of them the cheap ones alone if so asked."""
    if unknown := set(names) - {script.name for script in known}:
        raise SystemExit(
            f"No script plays {', '.join(sorted(unknown))}; there are {', '.join(s.name for s in known)}."
        )
    wanted = [script for script in known if not names or script.name in names]
    return [script for script in wanted if not cheap or (script.minutes is not None and script.minutes <= CHEAP)]


def played(wanted: Sequence[Script], folder: Path, recorded: bool) -> Iterator[str]:
    """Run the scripts; yield the names of those that failed."""
    for number, script in enumerate(wanted):
        left = sum(other.minutes or 0 for other in wanted[number:])
        print(
            f"[{number + 1}/{len(wanted)}] {script.name}, about {left} CPU minutes left", file=sys.stderr, flush=True
        )
        started = time.monotonic()
        command = [sys.executable, script.path, folder, *(["--record"] if recorded else [])]
        if subprocess.run([str(part) for part in command], check=False).returncode:
            yield script.name
        print(f"{script.name}: {(time.monotonic() - started) / 60:.1f} minutes", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where results are kept, so that a stopped run resumes")
    parser.add_argument("names", nargs="*", help="scripts, without reproduction_; all by default")
    parser.add_argument("--cheap", action="store_true", help=f"those of at most {CHEAP} CPU minutes alone")
    parser.add_argument("--record", action="store_true", help="write into docs/reproduction.md")
    given = parser.parse_args()
    if not DATA.is_dir():
        raise SystemExit(f"The tables need the data sets, which are looked for in {DATA}; see docs/reproduction.md.")
    failed = list(played(chosen(scripts(), given.names, given.cheap), given.folder, given.record))
    if failed:
        raise SystemExit(f"Not played: {', '.join(failed)}. What was computed is kept; run the same command again.")


if __name__ == "__main__":
    main()
