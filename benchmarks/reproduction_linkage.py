"""Linkage and disclosure on patient profiles and on chats: the figures of A False Sense of Privacy beside ours.

    python benchmarks/reproduction_linkage.py FOLDER [--judged N] [--most N] [--tables NAMES] [--record]

Tables 4, 6, 8, 9 and Figures 3 to 5. MedQA: the profile of each question is a record. PUPA: turns of WildChat with
marked personal details, 15 to 300 words. FOLDER keeps figures, so that a stopped run resumes. No record is shown.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import disclosure_tables
import linkage_tables
from linkage_cases import RELEASES, Case
from linkage_measured import Measures
from linkage_tables import Results
from recording import DATA, Cells, models, written

from sfumato.errors import MissingExtraError

NEEDED = ("medqa", "pupa", "counter_fitting")
TABLES = "linkage,linkers,known,distances,measures,reworded,kinds"
OTHER_WORDS = "other_words"
KINDS = ("study", "by_number", "spread", "details", "bigrams", "marks", OTHER_WORDS, "mauve")


def measured(cells: Cells, judged: int, most: int) -> Results:
    """Every cell of every release."""
    measures, results = Measures(judged), Results()
    for data, releases in RELEASES.items():
        for release in releases:
            case, own = Case(data, release, most), dict[str, Any]()
            for kind in KINDS:
                if kind == OTHER_WORDS and linkage_tables.beside(data, release) is None:
                    continue  # it tests why a figure is not the paper's
                cell = {"kind": kind, "data": data, "release": release, "judged": judged, "most": most}
                try:
                    own[kind] = cells.get(lambda kind=kind, case=case: getattr(measures, kind)(case), **cell)
                except MissingExtraError as error:
                    print(f"{kind} of {data}, {release}: {error}", file=sys.stderr)
            results[data, release] = own
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--judged", type=int, default=150)
    parser.add_argument("--most", type=int, default=300)
    parser.add_argument("--record", action="store_true", help="write into docs/reproduction.md")
    parser.add_argument("--tables", default=TABLES, help=f"some of {TABLES}")
    given = parser.parse_args()
    wanted = given.tables.split(",")
    if not set(wanted) <= set(TABLES.split(",")):
        raise SystemExit(f"The tables are {TABLES}.")
    if missing := [name for name in NEEDED if not (DATA / name).is_dir()]:
        raise SystemExit(f"The tables need the data sets {', '.join(missing)}, which are looked for in {DATA}.")
    cells = Cells(given.folder, "linkage", models("encoder", "detector"))
    results = measured(cells, given.judged, given.most)

    def told(text: str) -> tuple[str, bool, str]:
        return f"{text}\n\n{cells.described}", given.record, "reproduction.md"

    if "linkage" in wanted:
        written("linkage", *told(linkage_tables.linkage(results)))
    if "linkers" in wanted:
        written("linkage-linkers", *told(linkage_tables.linkers(results)))
    if "known" in wanted:
        written("linkage-known", *told(linkage_tables.by_number(results)))
    if "distances" in wanted:
        written("disclosure", *told(disclosure_tables.distances(results)))
    if "measures" in wanted:
        written("disclosure-measures", *told(disclosure_tables.measures(results)))
    if "reworded" in wanted:
        written("disclosure-reworded", *told(disclosure_tables.reworded(results)))
    if "kinds" in wanted:
        written("disclosure-kinds", *told(disclosure_tables.kinds(results)))


if __name__ == "__main__":
    main()
