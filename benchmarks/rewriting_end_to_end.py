"""DP-MLM from file to file: court paragraphs and reviews through `release_file`, with outputs left to be read.

Usage: rewriting_end_to_end.py FOLDER [--paragraphs N] [--reviews N] [--epsilons E ...] [--record]

Everything goes through files, statement included, as a steward would run it. FOLDER keeps inputs, outputs and
statements: read some of them. docs/benchmarks.md holds figures only, no text.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path

from recording import DATA, record, table
from rewriting import kept, similarity

from sfumato.document import Document, Release
from sfumato.files import FileOptions
from sfumato.model_builder import build_rewriter
from sfumato.releasing import release_file
from sfumato.run import RunOptions

LEAST = 40  # words of a paragraph


def court(number: int) -> list[str]:
    """One paragraph of each of so many judgments."""
    found = []
    for line in (DATA / "tab" / "annotated.jsonl").read_text(encoding="utf-8").splitlines():
        paragraphs = [one.strip() for one in json.loads(line)["text"].split("\n")]
        found += [one for one in paragraphs if len(one.split()) >= LEAST][:1]
    return found[:number]


def reviews(number: int) -> list[str]:
    """So many reviews, in the order of the file."""
    with (DATA / "trustpilot" / "english_test.csv").open(encoding="utf-8", newline="") as file:
        return [row["text"] for row, _ in zip(csv.DictReader(file), range(number), strict=False)]


def row(name: str, texts: list[str], epsilon: float, folder: Path) -> list[object]:
    """Rewrite ``texts`` at ``epsilon`` a draw, file to file, and say what came of it."""
    source, output = folder / f"{name}.jsonl", folder / f"{name}-{epsilon:g}.jsonl"
    rows = [json.dumps({"id": str(at), "text": text}, ensure_ascii=False) for at, text in enumerate(texts)]
    source.write_text("\n".join(rows) + "\n", encoding="utf-8")
    rewriter = build_rewriter("dp-mlm", epsilon)
    released = release_file(rewriter, source, output, RunOptions(FileOptions(id_field="id"), overwrite=True))
    outputs = [json.loads(line)["text"] for line in output.read_text(encoding="utf-8").splitlines()]
    most = released.statement["records"]["cost_per_record"]["median"]
    documents = [Document(text) for text in texts]
    again = [_words(rewriter, text) for text in outputs]
    same = kept(documents, again, rewriter) if all(one is not None for one in again) else float("nan")
    rate = released.summary.draws / released.summary.seconds
    figures = [f"{most['epsilon']:g}", f"{most['epsilon_by_zcdp']:.0f}", f"{rate:.0f}"]
    return [name, f"{epsilon:g}", *figures, f"{similarity(texts, outputs):.3f}", f"{same:.3f}"]


def _words(rewriter: object, text: str) -> Release:
    """``text`` with its words as the replaced places."""
    [spans] = rewriter.detector.detect([Document(text)])  # type: ignore[attr-defined]
    flat = [edge for bounds in spans.bounds for edge in bounds]
    return Release("", text, flat, "WORD", len(spans.bounds))


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--paragraphs", type=int, default=100)
    parser.add_argument("--reviews", type=int, default=300)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[25.0, 50.0, 100.0, 250.0])
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    corpora = {"court": court(asked.paragraphs), "reviews": reviews(asked.reviews)}
    rows = [row(name, texts, epsilon, asked.folder) for name, texts in corpora.items() for epsilon in asked.epsilons]
    header = ["texts", "epsilon a word", "median record: pure", "by zCDP", "words/s", "cosine", "words kept"]
    text = table(header, rows)
    print(text)
    if asked.record:
        record("rewriting-end-to-end", text)


if __name__ == "__main__":
    main()
