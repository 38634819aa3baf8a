"""The two inputs of examples/compare.toml: patient profiles (MedQA) and paragraphs of court cases (TAB).

Usage: comparison_inputs.py FOLDER [--records 50] [--medqa FILE] [--tab FILE]

Both are public and not part of sfumato. Of MedQA the first records are taken: the text is what stands before the
question itself; question, options and answer are fields beside it, which no method reads. Of the court cases
one paragraph a document is taken, with a person, place or code that was marked, drawn by a fixed seed. No record is
shown.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterable
from pathlib import Path

from recording import DATA

from sfumato.attacks.linkage import sentences

SHORTEST, LONGEST = 40, 150
"""Words of a paragraph."""


Record = dict[str, object]
"""Id and text, and of a patient profile also question, options and answer."""


def profiles(file: Path, most: int) -> list[Record]:
    """Patient profiles: what stands before the question itself, and the question with its options and its answer."""
    found: list[Record] = []
    for number, line in enumerate(_lines(file)):
        record = json.loads(line)
        parts = sentences(record["question"])
        if len(parts) > 2:
            asked = {"question": parts[-1], "options": record["options"], "answer": record["answer"]}
            found.append({"id": f"medqa-{number}", "text": " ".join(parts[:-1]), **asked})
    return found[:most]


def paragraphs(file: Path, most: int) -> list[Record]:
    """One paragraph from each court case, drawn among those in which something was marked."""
    draw, found = random.Random(0), list[Record]()
    documents = [json.loads(line) for line in _lines(file)]
    for document in draw.sample(documents, len(documents)):
        good, start = [], 0
        for text in document["text"].split("\n\n"):
            end = start + len(text)
            if SHORTEST <= len(text.split()) <= LONGEST and _marked(document["entities"], start, end):
                good.append(" ".join(text.split()))
            start = end + 2
        if good:
            found.append({"id": f"tab-{document['doc_id']}", "text": draw.choice(good)})
    return found[:most]


def _marked(entities: Iterable[dict[str, object]], first: int, last: int) -> bool:
    """Whether somebody who has to be protected could be known by a person, place or code between both places."""
    return any(
        one["entity_type"] in ("PERSON", "LOC", "CODE")
        and one["identifier_type"] != "NO_MASK"
        and first <= int(str(one["start_offset"]))
        and int(str(one["end_offset"])) <= last
        for one in entities
    )


def _lines(file: Path) -> list[str]:
    if not file.is_file():
        raise SystemExit(f"{file.name} is not there; name it with --medqa or --tab.")
    return file.read_text(encoding="utf-8").splitlines()


def prepare(folder: Path, records: int, medqa: Path, tab: Path) -> dict[str, int]:
    """Write medqa.jsonl and tab.jsonl into ``folder``; how many records each has."""
    folder.mkdir(parents=True, exist_ok=True)
    made = {"medqa": profiles(medqa, records), "tab": paragraphs(tab, records)}
    for name, found in made.items():
        rows = [json.dumps(record, ensure_ascii=False) for record in found]
        (folder / f"{name}.jsonl").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return {name: len(found) for name, found in made.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--records", type=int, default=50, help="of each input")
    parser.add_argument("--medqa", type=Path, default=DATA / "medqa" / "test.jsonl")
    parser.add_argument("--tab", type=Path, default=DATA / "tab" / "annotated.jsonl")
    given = parser.parse_args()
    for name, count in prepare(given.folder, given.records, given.medqa, given.tab).items():
        print(f"{count} records in {given.folder / name}.jsonl")


if __name__ == "__main__":
    main()
