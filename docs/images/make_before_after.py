"""Makes docs/images/before-after.svg: one shipped record before and after a seeded run (so anybody can repeat it)."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

import sfumato

HERE = Path(__file__).parent
RECORDS = HERE.parents[1] / "examples" / "records.jsonl"
TARGET = HERE / "before-after.svg"
SHOWN, SEED = "support-003", 3
WHITE, MARKED, DRAWN = "#e8e8ea", "bold #ffb454", "bold #7fd962"


def main() -> None:
    """Draw the picture."""
    record = next(row for row in map(json.loads, RECORDS.open(encoding="utf-8")) if row["id"] == SHOWN)
    sanitizer = sfumato.build("clusant", epsilon=5.0, k=4.0, detect="given")
    document = sfumato.Document(record["text"], id=record["id"], metadata=record)
    release = sanitizer.sanitize(document, sfumato.SeededRandomness(SEED))
    table = Table(border_style="#6c7080", header_style="bold #9aa0b0", padding=(0, 1), expand=True)
    table.add_column("before: marked spans are private", ratio=1)
    table.add_column(f"after: clusant, epsilon 5, {release.draws} draws", ratio=1)
    table.add_row(
        _painted(record["text"], [(span["start"], span["end"]) for span in record["spans"]], MARKED),
        _painted(release.text, [(one.start, one.end) for one in release.replacements], DRAWN),
    )
    console = Console(record=True, width=92, file=io.StringIO(), force_terminal=True)
    console.print(table)
    picture = console.export_svg(title=f"sfumato: record {SHOWN}, seeded run", unique_id="sfumato")
    # No font is fetched from elsewhere: the reader's own monospace font is used.
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL).replace("Fira Code", "ui-monospace")
    picture = re.sub(r"<!-- Generated.*?-->\s*", "", picture)
    TARGET.write_text(re.sub(r"[ \t]+\n", "\n", picture), encoding="utf-8")


def _painted(text: str, places: list[tuple[int, int]], style: str) -> Text:
    painted = Text(text, style=WHITE)
    for start, end in places:
        painted.stylize(style, start, end)
    return painted


if __name__ == "__main__":
    main()
