"""Seconds and size of an installation in a virtual environment of its own. Usage: installing.py [--record]

It needs a network. pip's cache is not used. The interpreter is not counted.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from recording import table, written

ROOT = Path(__file__).parents[1]
CASES = {"`sfumato`: policies, mechanisms, redaction, distortion, ledger, verify": ""}
LARGEST = 8


def size_of(folder: Path) -> float:
    """Megabytes of the files in ``folder``."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def installed(extra: str, folder: Path) -> tuple[float, float, str]:
    """Seconds, megabytes, and the largest packages."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-cache-dir"]
    [packages] = folder.glob("lib/python*/site-packages")
    before, started = size_of(packages), time.perf_counter()
    subprocess.run([*pip, "-c", ROOT / "constraints.txt", f"{ROOT}{extra}"], check=True)
    seconds = time.perf_counter() - started
    sizes = sorted(((size_of(path), path.name) for path in packages.iterdir() if path.is_dir()), reverse=True)
    largest = ", ".join(f"{name} {size:.0f}" for size, name in sizes[:LARGEST])
    return seconds, size_of(packages) - before, largest


def main() -> None:
    rows: list[list[object]] = []
    for name, extra in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            seconds, size, largest = installed(extra, Path(folder) / "venv")
        rows.append([name, f"{seconds:.0f} s", f"{size:,.0f} MB", largest])
    text = table(["installed", "time", "size (target: 800 MB)", "largest packages, MB"], rows)
    written("installing", text, "--record" in sys.argv)


if __name__ == "__main__":
    main()
