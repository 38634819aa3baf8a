"""What polishing does to a release of SST-2 sentences: fluency, likeness to the originals, guesses and linkage.

Usage: polishing.py FOLDER [--sentences N] [--models law,smollm2] [--record]

Sentences of the development set with eight words or more are released by CusText at epsilon 3 and by SanText at
epsilon 8, content words alone, with a seed. Each release is polished twice: by its law and the embedded masked
model, and by SmolLM2-135M as a chat model. The releases lie in FOLDER, and each row is kept there.

* perplexity: of SmolLM2-135M, by piece. Lower reads better to this model, which is also one of the two that polish.
* cosine: mean cosine of a sentence and its original, by all-MiniLM-L6-v2, from which the masked model was made.
* same words: words of the original that are kept.
* guessed: replaced words that the masked model names from the words around them (mask inference).
* named: drawn words that the strongest attacker names by the law, alone and while a masked model reads around them.
  Beside a polished release the attacker takes the polished word for the drawn one.
* linked: records that BM25 links by one fact of the original.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import Any

from recording import DATA, Cells, models, table, written

import sfumato
from sfumato.privacy.randomness import SeededRandomness
from sfumato.storage.digests import digest_of

LEAST, SEED = 8, 7
METHODS = {
    "custext, ε 3": sfumato.CusText(epsilon=3.0, detect="content-words"),
    "santext, ε 8": sfumato.SanText(epsilon=8.0, detect="content-words"),
}
POLISHERS: dict[str, str | None] = {"law": None, "smollm2": "local:smollm2"}
COLUMNS: dict[str, tuple[str, dict[str, object], int]] = {
    "perplexity": ("perplexity", {"of": "release"}, 0),
    "cosine": ("cosine similarity", {}, 3),
    "same words": ("words kept", {}, 3),
    "guessed": ("replaced words guessed", {}, 3),
    "named by the law": ("words of this release named", {"of": "all drawn words"}, 3),
    "named, reading": ("words of this release named", {"of": "with a language model reading around them"}, 3),
    "linked": ("linkage rate", {"linker": "bm25", "query": "merged", "knowledge": "random", "k": 1}, 2),
}


def originals(folder: Path, most: int) -> Path:
    """Write the sentences, and return where they are."""
    with (DATA / "sst2" / "dev.tsv").open(encoding="utf-8") as file:
        rows = [row[0].strip() for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)][1:]
    texts = [text for text in rows if len(text.split()) >= LEAST][:most]
    path = folder / "original.jsonl"
    lines = (json.dumps({"id": str(number), "text": text}) for number, text in enumerate(texts))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def measured(original: Path, release: Path) -> dict[str, float | None]:
    """Return the figures of a release by their columns; None where there is none."""
    done = sfumato.evaluate(
        original, release, attacks=("linkage", "tokens", "guarantee"), metrics=("utility",), id_field="id",
        causal="smollm2", seed=SEED,
    )  # fmt: skip
    figures = [figure for study in done.studies for figure in study.figures]

    def value(name: str, setting: dict[str, object]) -> float | None:
        fitting = (each for each in figures if each.name == name and setting.items() <= dict(each.setting).items())
        found = next(fitting, None)
        return None if found is None else found.estimate.value

    return {column: value(name, setting) for column, (name, setting, _) in COLUMNS.items()}


def row(original: Path, method: str, polisher: str, folder: Path) -> dict[str, Any]:
    """Release, polish, and measure; a release is made once and measured for all polishers."""
    stem = f"{method.partition(',')[0]}-{digest_of(original)[:8]}"
    release, polished = folder / f"{stem}.jsonl", folder / f"{stem}-{polisher}.jsonl"
    if not release.exists():
        sfumato.sanitize_file(
            METHODS[method], original, release, id_field="id", randomness=SeededRandomness(SEED)
        )  # fmt: skip
    if polisher == "":
        return measured(original, release)
    done = sfumato.polish(release, polished, chat_model=POLISHERS[polisher], overwrite=True)
    return {**measured(original, polished), "changed": done.changed, "kept": dict(done.kept)}


def shown(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sentences", type=int, default=100)
    parser.add_argument("--models", default="law,smollm2")
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    original = originals(given.folder, given.sentences)
    cells, rows, stayed = Cells(given.folder, "polishing", models("masked", "encoder", "causal")), [], []
    asked = given.models.split(",")
    for method in METHODS:
        for polisher in ("", *asked):
            cell = {"method": method, "polisher": polisher, "sentences": given.sentences}
            made = cells.get(lambda m=method, p=polisher: row(original, m, p, given.folder), **cell)
            drawn = {column for column in COLUMNS if not (polisher and column.startswith("named"))}
            told = [
                shown(made[column] if column in drawn else None, digits) for column, (_, _, digits) in COLUMNS.items()
            ]
            rows.append([method, polisher or "released", made.get("changed", ""), *told])
            stayed += [f"{method}, {polisher}: {count} answers {why}" for why, count in made.get("kept", {}).items()]
    kept = f"\n\nReleased texts that stayed: {'; '.join(stayed)}." if stayed else ""
    about = f"{given.sentences} sentences of SST-2, drawn once with a seed. {cells.described}"
    written(
        "polishing", f"{table(['release', 'polished by', 'changed', *COLUMNS], rows)}{kept}\n\n{about}", given.record
    )


if __name__ == "__main__":
    main()
