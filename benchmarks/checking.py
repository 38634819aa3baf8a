"""Time of `sfumato certify --against` on releases with the built-in words. Usage: checking.py

Each release is made by the command, and its statement is checked by the worst pair and by all pairs.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from recording import SFUMATO, record, run, table

EPSILON = 8.0
TOKENS = {"custext": (), "santext": (), "tem": (), "clusant": ("--set", "k=4")}


def statement(folder: Path, mechanism: str, *more: str) -> Path:
    """Return the statement of a release of one sentence."""
    source, output = folder / "in.jsonl", folder / f"{mechanism}.jsonl"
    source.write_text('{"id": "1", "text": "Anna went to Oslo in May."}\n', encoding="utf-8")
    run(SFUMATO, "sanitize", source, "-o", output, "-m", mechanism, "-e", str(EPSILON), *more, "--quiet")
    return output.with_name(f"{output.name}.privacy.json")


def main() -> None:
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for mechanism, more in TOKENS.items():
            path = statement(Path(folder), mechanism, "--detect", "words", *more)
            [vocabulary] = json.loads(path.read_text(encoding="utf-8"))["vocabularies"].values()
            pair, every = (run(SFUMATO, "certify", "--against", path, *flag) for flag in ((), ("--all-pairs",)))
            size = f"{path.stat().st_size / 1000:.0f} kB"
            times = [f"{pair.seconds:.0f} s", f"{every.seconds:.0f} s", f"{every.peak_mb:,.0f} MB"]
            rows.append([mechanism, f"{vocabulary['tokens']:,} built-in words", size, *times])
        path = statement(Path(folder), "dp-mlm")
        law = run(SFUMATO, "certify", "--against", path)
        size = f"{path.stat().st_size / 1000:.0f} kB"
        rows.append(["dp-mlm", "the embedded model", size, "", f"{law.seconds:.0f} s", f"{law.peak_mb:,.0f} MB"])
    record("checking", table(["mechanism", "outcomes", "statement", "worst pair", "all pairs", "peak memory"], rows))


if __name__ == "__main__":
    main()
