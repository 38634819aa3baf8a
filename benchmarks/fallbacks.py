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
from collections.abc import Mapping, Sequence
from pathlib import Path

from detector_letters import PARTS, letters
from recording import DATA, table, written

from sfumato.building.fallbacks import Fallbacks, fallbacks
from sfumato.building.policies import build_policy, parting_of
from sfumato.kinds.registry import kinds_of
from sfumato.policy import Policy
from sfumato.text.document import Document

POLICIES = ("clinical", "court")
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


def counted(name: str, given: Mapping[str, Sequence[str]], show: bool) -> dict[str, Fallbacks]:
    """Return the counts by source under the policy called ``name``."""
    policy = Policy.load(name)
    engine, kinds = build_policy(policy), kinds_of(options=policy.kinds)
    made = {}
    for source, own in given.items():
        records = engine.records([Document(text, str(number)) for number, text in enumerate(own)])
        made[source] = fallbacks(policy, kinds, records)
        if show and source != f"letters, {PARTS[1]}":
            is_unread = parting_of(policy, kinds).is_unread
            rows = Counter(
                (kind, text)
                for record in records
                for text, kind in zip(record.texts, record.labels, strict=True)
                if is_unread(kind, text)
            )
            for (kind, text), times in rows.most_common():
                print(f"{name}\t{source}\t{kind}\t{times}\t{text!r}")
    return made


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
        for source, own in counted(name, given, asked.show).items():
            kinds = ", ".join(
                f"{kind} {count} of {own.marks[kind]}" for kind, count in own.unread.most_common() if count
            )
            marks, unread = own.marks.total(), own.unread.total()
            rows.append([name, source, f"{marks:,}", unread, f"{1000 * own.share():.1f}", kinds or "-"])
    header = ["policy", "texts", "marks", "not read", "of 1,000", "by kind"]
    written("fallbacks", table(header, rows), asked.record)


if __name__ == "__main__":
    main()
