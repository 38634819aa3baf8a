"""How long a reviewer waits: 10,000 records in a browser, opened, scrolled through, and jumped into.

Usage: reviewing.py [--records 10000] [--repeats 5] [--record]

It needs Chromium on this machine. The records are the example records, over and over, under the policy `clinical`.
A step scrolls by 800 pixels, twenty times a second. It waits if then no record is at the lower edge of the window.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import sync_playwright
from recording import SFUMATO, table, written

RECORDS = Path(__file__).parents[1] / "examples" / "records.jsonl"
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
STEPS, PIXELS, PAUSE = 200, 800, 50
_BLANK = "document.elementFromPoint(innerWidth / 2, innerHeight - 120)?.closest('article') === null"


def write(path: Path, count: int) -> None:
    """Write so many records, each with an id of its own."""
    rows = map(json.loads, RECORDS.read_text(encoding="utf-8").splitlines())
    lines = (json.dumps({"id": str(n), "text": row["text"]}) for n, row in enumerate(islice(cycle(rows), count)))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def waited(work: Any) -> float:
    """Return the seconds that ``work`` takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def looked(page: Any, records: int) -> dict[str, float]:
    """Return the seconds of each thing that a reviewer waits for, and the share of steps that waited."""
    article = waited(lambda: (page.reload(), page.wait_for_selector("article")))
    mark = waited(lambda: page.wait_for_selector("article mark"))
    page.click('[data-view="all"]')
    page.wait_for_selector('[data-record="0"] mark')
    blank = 0
    for _ in range(STEPS):
        page.mouse.wheel(0, PIXELS)
        page.wait_for_timeout(PAUSE)
        blank += bool(page.evaluate(_BLANK))
    last = f'[data-record="{records - 1}"]'
    page.fill("#number", str(records - 9))
    jump = waited(lambda: (page.click("#go button"), page.wait_for_selector(last)))
    return {"article": article, "mark": article + mark, "blank": blank / STEPS, "jump": jump}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    if BROWSER is None:
        raise SystemExit("There is no Chromium on this machine.")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as player:
        source = Path(folder) / "notes.jsonl"
        write(source, asked.records)
        command = [SFUMATO, "review", source, "--policy", "clinical", "--id-field", "id", "--no-browser"]
        started = time.perf_counter()
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert run.stdout is not None
        address = re.findall(r"http://\S+", run.stdout.readline())[0]
        begun = time.perf_counter() - started
        browser = player.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu"])
        try:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            first = waited(lambda: (page.goto(address), page.wait_for_selector("article")))
            page.click('[data-view="all"]')
            page.wait_for_selector("article mark", timeout=120_000)
            seen = [looked(page, asked.records) for _ in range(asked.repeats)]
        finally:
            browser.close()
            run.kill()
            run.wait()
    middle = {name: median(each[name] for each in seen) for name in seen[0]}
    rows: list[list[object]] = [
        ["the command says where the page is", f"{begun:.1f} s", ""],
        ["the first record, opened at once", f"{first:.2f} s", "1 s"],
        ["the first record, opened again", f"{middle['article']:.2f} s", "1 s"],
        ["its marks", f"{middle['mark']:.2f} s", ""],
        [f"steps of {PIXELS} pixels, twenty a second, that wait", f"{middle['blank']:.1%}", "none"],
        ["a jump to the last record", f"{middle['jump']:.2f} s", ""],
    ]
    text = (
        f"{asked.records:,} records under the policy `clinical`, in Chromium, medians of {asked.repeats}; the "
        f"detector works meanwhile:\n\n{table(['what a reviewer waits for', 'seen', 'asked'], rows)}"
    )
    written("reviewing", text, asked.record)


if __name__ == "__main__":
    main()
