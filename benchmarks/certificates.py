"""Time and memory of certificates with exact calibration. Usage: certificates.py GLOVE.txt

SanText on the 33,860 GloVe words, CluSanT on the clusant place names with 720 clusters, both with an empty cache.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from recording import DATA, SFUMATO, Run, record, run, table

LOAD = "import sys, sfumato; sfumato.load_vocabulary(sys.argv[1])"


def places(folder: Path) -> Path:
    """The distinct place names in lower case, one a line."""
    groups = json.loads((DATA / "clusant" / "clusters" / "gpt-4" / "LOC.json").read_text(encoding="utf-8"))
    names = dict.fromkeys(" ".join(name.lower().split()) for group in groups.values() for name in group)
    path = folder / "places.txt"
    path.write_text("\n".join(name for name in names if name) + "\n", encoding="utf-8")
    return path


def certify(mechanism: str, vocabulary: Path, epsilon: float, calibration: str, *more: str) -> Run:
    command = [SFUMATO, "certify", "-m", mechanism, "-e", str(epsilon), "--set", f"vocabulary={vocabulary}"]
    return run(*command, "--set", f"calibration={calibration}", *more)


def main() -> None:
    glove = Path(sys.argv[1])
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SFUMATO_CACHE"] = str(Path(folder) / "cache")
        names = places(Path(folder))
        for path in (glove, names):  # reading and embedding are not the certificate, and not in this process,
            run(sys.executable, "-c", LOAD, path)  # whose memory a child would inherit before it starts its own
        cases = [
            ("santext", glove, "33,860 GloVe words", ()),
            ("clusant", names, "place names, 720 clusters, k 16", ()),
        ]
        for mechanism, vocabulary, about, _ in cases:
            more = ("--set", "k=16", "--set", "clusters=720") if mechanism == "clusant" else ()
            asked = "120 s, 2,000 MB" if mechanism == "santext" else "180 s"
            for calibration in ("exact", "paper"):
                first = certify(mechanism, vocabulary, 4.0, calibration, *more)
                again = certify(mechanism, vocabulary, 4.0, calibration, *more)
                figures = [f"{first.seconds:.0f} s", f"{first.peak_mb:,.0f} MB", asked, f"{again.seconds:.1f} s"]
                rows.append([mechanism, about, calibration, *figures])
    header = ["mechanism", "vocabulary", "calibration", "whole process", "peak memory", "target", "again (cached)"]
    record("certificates", table(header, rows))


if __name__ == "__main__":
    main()
