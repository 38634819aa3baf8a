"""Count what the detector marks in files that hold nobody, as documents are read and where all is read as values.

Usage: marks_on_nothing.py [--record]

The files are those of the tests: a report, slides, a workbook and a page with headings of columns, labels of fields
and all that programs write of themselves, and no person. Every mark in them is a false one. As values each text was
read before a walk told which of them are none. The dates that a program puts into a layout are left out: they say
when somebody saved it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from recording import models, table, written

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from nobody_files import FILES, is_date_of_program, marks
from office import walked
from sfumato.documents.slot import Slot


def false_marks(slots: Sequence[Slot]) -> int:
    """Return how many marks are in texts of nobody."""
    return sum(not is_date_of_program(place, label) for place, _, label in marks(list(slots)))


def main() -> None:
    """Count and show; with --record, write it into docs/benchmarks.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--record", action="store_true")
    record, rows = parser.parse_args().record, list[list[object]]()
    for name, make in FILES.items():
        slots = walked(name, make()).slots
        before = false_marks([replace(slot, public=False) for slot in slots])
        rows.append([name.removeprefix("a"), len(slots), before, false_marks(slots)])
    header = ["file", "texts", "marks where all is read as values", "marks as documents are read"]
    written("marks-on-nothing", table(header, rows), record, used=models("detector"))


if __name__ == "__main__":
    main()
