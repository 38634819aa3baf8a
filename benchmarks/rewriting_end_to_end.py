"""DP-MLM from file to file: court paragraphs and reviews through `sanitize_file`, with outputs left to be read.

Usage: rewriting_end_to_end.py FOLDER [--paragraphs N] [--reviews N] [--epsilons E ...] [--record]

Everything goes through files, statement included, as a steward would run it. FOLDER keeps inputs, outputs and
statements: read some of them. docs/benchmarks.md holds figures only, no text.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections import Counter
from pathlib import Path

from recording import DATA, table, written
from rewriting import similarity

import sfumato
from sfumato.building.build import build_contextual

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


def row(name: str, texts: list[str], epsilon: float, block: int, folder: Path) -> list[object]:
    """Rewrite ``texts`` at ``epsilon`` a draw, file to file, and say what came of it."""
    source, output = folder / f"{name}.jsonl", folder / f"{name}-{epsilon:g}.jsonl"
    rows = [json.dumps({"id": str(at), "text": text}, ensure_ascii=False) for at, text in enumerate(texts)]
    source.write_text("\n".join(rows) + "\n", encoding="utf-8")
    rewriter = build_contextual("dp-mlm", epsilon, block=block)
    released = sfumato.sanitize_file(rewriter, source, output, id_field="id", overwrite=True)
    outputs = [json.loads(line)["text"] for line in output.read_text(encoding="utf-8").splitlines()]
    most = released.statement["records"]["cost_per_record"]["median"]
    rate = released.summary.draws / released.summary.seconds
    figures = [f"{most['epsilon']:g}", f"{most['epsilon_by_zcdp']:.0f}", f"{rate:.0f}"]
    return [name, f"{epsilon:g}", *figures, f"{similarity(texts, outputs):.3f}", f"{left(texts, outputs):.3f}"]


def left(texts: list[str], outputs: list[str]) -> float:
    """The mean share of a text's words, capitals aside, that its rewriting holds as often."""
    shares = []
    for before, after in zip(texts, outputs, strict=True):
        had, has = (Counter(re.findall(r"\w+", text.casefold())) for text in (before, after))
        shares.append((had & has).total() / max(1, had.total()))
    return sum(shares) / len(shares)


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--paragraphs", type=int, default=100)
    parser.add_argument("--reviews", type=int, default=300)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[10.0, 15.0, 20.0, 25.0, 50.0])
    parser.add_argument("--block", type=int, default=4, help="words in a window drawn at once; 1: the paper's order")
    parser.add_argument("--record", action="store_true")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    corpora = {"court": court(asked.paragraphs), "reviews": reviews(asked.reviews)}
    rows = []
    for name, texts in corpora.items():
        for epsilon in asked.epsilons:
            rows.append(row(name, texts, epsilon, asked.block, asked.folder))
            print(*rows[-1], flush=True)
    header = ["texts", "epsilon a word", "median record: pure", "by zCDP", "words/s", "cosine", "words kept"]
    words = {name: sum(len(text.split()) for text in texts) / len(texts) for name, texts in corpora.items()}
    sizes = ", ".join(f"{len(corpora[name])} {name} of {mean:.0f} words" for name, mean in words.items())
    setting = f"`--set block={asked.block}`, the model that ships with sfumato"
    text = f"{table(header, rows)}\n\n{sizes} on average; {setting}."
    written("rewriting-end-to-end", text, asked.record)


if __name__ == "__main__":
    main()
