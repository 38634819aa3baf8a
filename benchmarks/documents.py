"""Documents beside the same words as JSON Lines: words a second, and memory as they grow.

Usage: documents.py FOLDER [--record] [--rounds 1] [--short]

Each file is made of the same sentences, and sanitized by the policy `clinical` as a command of its own, in turns.
FOLDER keeps what was made. `--short` takes a tenth, to try the script.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

from recording import SFUMATO, Run, models, run, table, written

FIRST = ["Anna", "Tom", "Priya", "Liam", "Mei", "Olga", "Sven", "Ines", "Hugo", "Lea"]
LAST = ["Keller", "Brady", "Nair", "Oduya", "Chen", "Novak", "Berg", "Costa", "Weiss", "Blanc"]
CITIES = ["Leeds", "York", "Bath", "Hull", "Derby", "Exeter", "Oxford", "Bristol", "Cardiff", "Dundee"]
SETTLING = 10
"""The larger input has so many times as much as the smaller one."""


def sentence(number: int) -> str:
    """A sentence of a note, with a name, a date, an age and a place."""
    name = f"{FIRST[number % 10]} {LAST[number // 10 % 10]}"
    return (
        f"{name}, {30 + number % 50} years old, of {CITIES[number * 7 % 10]}, was seen on {number % 28 + 1} May 2020 "
        "for chest pain that had begun two days before, and went home with aspirin 75 mg and a letter for the doctor."
    )


def page(number: int) -> list[str]:
    """The paragraphs of a page."""
    return [f"{sentence(8 * number + line)} {sentence(8 * number + line + 3)}" for line in range(0, 8, 2)]


def lines(path: Path, count: int) -> None:
    """A record of JSON Lines for each paragraph."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            file.writelines(json.dumps({"text": text}) + "\n" for text in page(number))


def cells(path: Path, count: int) -> None:
    """A record of JSON Lines for each row of a sheet, with as many texts."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            file.write(json.dumps(dict(zip(HEADING, row(number), strict=True))) + "\n")


HEADING = ("Patient", "Age", "Town", "Seen on", "Note")


def row(number: int) -> tuple[str, ...]:
    """A row of a sheet."""
    name = f"{FIRST[number % 10]} {LAST[number // 10 % 10]}"
    return name, f"{30 + number % 50} years", CITIES[number * 7 % 10], f"{number % 28 + 1} May 2020", "chest pain"


def docx(path: Path, count: int) -> None:
    """A document with so many pages."""
    import docx as word

    document = word.Document()
    for number in range(count):
        for text in page(number):
            document.add_paragraph(text)
        document.add_page_break()
    document.save(str(path))


def pdf(path: Path, count: int) -> None:
    """A PDF with so many pages."""
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate

    style = getSampleStyleSheet()["Normal"]
    story = [flow for number in range(count) for flow in (*(Paragraph(t, style) for t in page(number)), PageBreak())]
    SimpleDocTemplate(str(path)).build(story)


def xlsx(path: Path, count: int) -> None:
    """A workbook with so many rows below a heading."""
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Visits")
    sheet.append(HEADING)
    for number in range(count):
        sheet.append(row(number))
    book.save(path)


def letters(path: Path, count: int) -> None:
    """A folder of Word files with a page each."""
    import docx as word

    path.mkdir()
    for number in range(count):
        document = word.Document()
        for text in page(number):
            document.add_paragraph(text)
        document.save(str(path / f"letter {number:05d}.docx"))


Make = Callable[[Path, int], None]
CASES: tuple[tuple[str, Make, str, Make, str, int, int], ...] = (
    ("Word, one file", docx, ".docx", lines, "page", 100, 3),
    ("Word, a folder of letters of one page", letters, "", lines, "page", 100, 3),
    ("PDF", pdf, ".pdf", lines, "page", 100, 3),
    ("Excel", xlsx, ".xlsx", cells, "row", 10_000, 1),
)
"""What is compared: how it is made, its ending, how the words are made as JSON Lines, what is counted, how many of
it, and in how many turns."""


def sanitized(source: Path, fields: tuple[str, ...] = ()) -> Run:
    """Sanitize ``source`` as a command, and remove what it wrote."""
    output = source.with_name(f"safe-{source.name}")
    more = [part for name in fields for part in ("--field", name)]
    try:
        return run(SFUMATO, "sanitize", source, "-o", output, "--policy", "clinical", "--force", "-q", *more)
    finally:
        for path in source.parent.glob(f"safe-{source.name}*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def compared(folder: Path, rounds: int | None, share: int) -> Iterator[list[object]]:
    """Yield a row for each case: speed beside JSON Lines, and memory of the small and of the large input."""
    for name, make, ending, make_lines, what, most, usual in CASES:
        small, large = most // share, most * SETTLING // share
        for count in (small, large):
            for path, maker in (
                (folder / f"{what}-{make.__name__}-{count}{ending}", make),
                (folder / f"{what}-{make_lines.__name__}-{count}.jsonl", make_lines),
            ):
                if not path.exists():
                    maker(path, count)
        fields = HEADING if make_lines is cells else ()
        own = {count: folder / f"{what}-{make.__name__}-{count}{ending}" for count in (small, large)}
        beside = folder / f"{what}-{make_lines.__name__}-{large}.jsonl"
        sanitized(own[small])
        turns = [(sanitized(own[large]), sanitized(beside, fields)) for _ in range(rounds or usual)]
        ratio = median(lined.cpu / document.cpu for document, lined in turns)
        seconds = median(document.seconds for document, _ in turns)
        cpu, lines_cpu = (median(each.cpu for each in side) for side in zip(*turns, strict=True))
        before, after = sanitized(own[small]).peak_mb, median(document.peak_mb for document, _ in turns)
        told: list[object] = [
            name, f"{large:,} {what}s", f"{cpu:.0f} s", f"{lines_cpu:.0f} s", f"{ratio:.0%}", f"{seconds:.0f} s",
            len(turns), f"{before:,.0f} MB", f"{after:,.0f} MB",
            f"{median(lined.peak_mb for _, lined in turns):,.0f} MB",
        ]  # fmt: skip
        print(*told, file=sys.stderr, flush=True)
        yield told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where inputs are kept")
    parser.add_argument("--record", action="store_true", help="write into docs/benchmarks.md")
    parser.add_argument("--rounds", type=int, help="the turns of every case, if not the usual ones")
    parser.add_argument("--short", action="store_true", help="a tenth of everything")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    rows = list(compared(given.folder, given.rounds, 10 if given.short else 1))
    header = [
        "",
        "size",
        "CPU time",
        "of JSON Lines",
        "words a CPU second, JSON Lines = 100 %",
        "on the clock",
        "turns",
    ]
    header += [f"memory, a {'tenth' if SETTLING == 10 else 'part'} of it", "memory", "memory of JSON Lines"]
    told = (
        f"{table(header, rows)}\n\nWhole commands by the policy `clinical`, one process, start included; medians of "
        "turns, a document and the same words as JSON Lines after one another. CPU time is that of the command and "
        "its children, because the machine has other work. A document is read twice and written once, and every file "
        "is searched for what was marked in it. Memory is the peak of a command."
    )
    written("documents", told, given.record, used=models("detector"))


if __name__ == "__main__":
    main()
