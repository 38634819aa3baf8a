"""How many marks become a public stand-in because nothing reads them: "[DATE]", "[WORD]", London, 40 years old.

Usage: fallbacks.py [--letters 100] [--cases 60] [--show] [--record]

The texts are the example records, the letters of ``detector_letters.txt`` (half of whose templates nobody looks at),
and judgments of the Text Anonymization Benchmark's dev documents, marked by the policy's own detector. ``--show``
prints what was not read of the first two sorts and of the judgments; all of them are public.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from detector_letters import PARTS, letters
from recording import DATA, table, written

from sfumato.building.policies import build_policy
from sfumato.policy import Policy
from sfumato.run.fallbacks import replaced
from sfumato.text.document import Document

POLICIES = ("clinical", "court")
Marks = Counter[str]
EXAMPLES = Path(__file__).parents[1] / "examples" / "records.jsonl"


def texts(count: int, cases: int) -> Mapping[str, Sequence[str]]:
    """Return the texts by their source; the judgments are left out where they are not at hand."""
    given = {"example records": [json.loads(line)["text"] for line in EXAMPLES.read_text("utf-8").splitlines()]}
    for part in PARTS:
        given[f"letters, {part}"] = [record["text"] for record in letters(part, count // 2)]
    if (path := DATA / "tab" / "annotated.jsonl").exists():
        rows = (json.loads(line) for line in path.read_text("utf-8").splitlines())
        given["TAB dev"] = [row["text"] for row in rows if row["split"] == "dev"][:cases]
    return given


def counted(name: str, given: Mapping[str, Sequence[str]], show: bool) -> Iterator[tuple[str, Marks, Marks]]:
    """Yield each source with its marks and the unread ones among them, by kind, under the policy called ``name``."""
    engine = build_policy(Policy.load(name))
    for source, own in given.items():
        rows = list(replaced(engine, [Document(text, str(number)) for number, text in enumerate(own)]))
        unread = [(kind, text) for kind, text, becomes in rows if becomes is not None]
        if show and source != f"letters, {PARTS[1]}":
            for (kind, text), times in Counter(unread).most_common():
                print(f"{name}\t{source}\t{kind}\t{times}\t{text!r}")
        yield source, Counter(kind for kind, *_ in rows), Counter(kind for kind, _ in unread)


def main() -> None:
    """Show the table, or record it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--letters", type=int, default=100)
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    given, rows = texts(asked.letters, asked.cases), []
    for name in POLICIES:
        for source, marks, unread in counted(name, given, asked.show):
            kinds = ", ".join(f"{kind} {count} of {marks[kind]}" for kind, count in unread.most_common())
            share = 1000 * unread.total() / max(1, marks.total())
            rows.append([name, source, f"{marks.total():,}", unread.total(), f"{share:.1f}", kinds or "-"])
    header = ["policy", "texts", "marks", "not read", "of 1,000", "by kind"]
    written("fallbacks", table(header, rows), asked.record)


if __name__ == "__main__":
    main()
