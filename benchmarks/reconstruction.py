"""How many replaced words does a language model name that is asked for the originals of a release?

    python benchmarks/reconstruction.py FOLDER [--sentences N] [--chat-model NAME] [--record]

SST-2's sentences of 8 to 20 words (dev) are released by CusText at two ε, with a seed, and the study `reconstruction`
attacks them: a chat model that sees the release alone, one that is given the law's most probable inputs, the law
without a model, and two floors. FOLDER keeps figures and nothing else. By default SmolLM2 (135 million parameters) is
asked, on this machine.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from linkage_measured import estimate
from recording import DATA, Cells, models, table, written

import sfumato
from sfumato.building.chat import ChatChoice
from sfumato.evaluation.pairs import read_pairs
from sfumato.evaluation.studies.reconstruction import (
    ALONE,
    ANYWHERE,
    AS_IT_IS,
    BLEU,
    COSINE,
    IN_PLACE,
    OTHER,
    ROUGE,
    WITH_LAW,
    WORD_BY_WORD,
    ReconstructionStudy,
)
from sfumato.files import FileOptions
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.privacy.randomness import SeededRandomness

EPSILONS, SEED, SHORTEST, LONGEST = (1.0, 4.0), 0, 8, 20
ATTACKERS = (ALONE, WITH_LAW, WORD_BY_WORD, AS_IT_IS, OTHER)
COLUMNS = (IN_PLACE, ANYWHERE, BLEU, ROUGE, COSINE)


def sentences(most: int) -> list[str]:
    """Return the first ``most`` sentences of usable length."""
    lines = (DATA / "sst2" / "dev.tsv").read_text(encoding="utf-8").splitlines()[1:]
    texts = dict.fromkeys(line.split("\t")[0].strip() for line in lines)
    return [text for text in texts if SHORTEST <= len(text.split()) <= LONGEST][:most]


def measured(texts: list[str], epsilon: float, chat: ChatChoice) -> dict[str, Any]:
    """Return every figure of the study at ``epsilon``, and how many answers were missing."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        rows = (json.dumps({"id": str(number), "text": text}) for number, text in enumerate(texts))
        original, release = folder / "original.jsonl", folder / "release.jsonl"
        original.write_text("\n".join(rows) + "\n", encoding="utf-8")
        sfumato.sanitize_file("custext", original, release, epsilon, id_field="id", randomness=SeededRandomness(SEED))
        pairs = read_pairs(original, release, FileOptions(id_field="id"))
        made = ReconstructionStudy(chat.made(folder, ready=False), SentenceEncoder(), release, len(texts), SEED)
        study = made.run(pairs)
    figures = {
        attacker: {
            column: figure.estimate.as_json()
            for column in COLUMNS
            if (figure := study.figure(column, attacker=attacker))
        }
        for attacker in ATTACKERS
    }
    return {"figures": figures, "skipped": [f"{left.what}: {left.why}" for left in study.skipped]}


def row(epsilon: float, attacker: str, figures: dict[str, Any]) -> list[object]:
    """Return a row of the table."""
    cells = [estimate(figures[column]) for column in COLUMNS]
    return [f"{epsilon:g}", attacker, *(f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})" for one in cells)]


def main() -> None:
    """Show the table, or record it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sentences", type=int, default=40)
    parser.add_argument("--chat-model", default="local:smollm2")
    parser.add_argument("--record", action="store_true", help="write into docs/benchmarks.md")
    given = parser.parse_args()
    if not (DATA / "sst2").is_dir():
        raise SystemExit(f"The table needs the data set sst2, which is looked for in {DATA}.")
    texts, chat = sentences(given.sentences), ChatChoice(given.chat_model, keep=False)
    cells = Cells(given.folder, "reconstruction", models("encoder", "causal"))
    rows, told = [], list[str]()
    for epsilon in EPSILONS:

        def compute(epsilon: float = epsilon) -> dict[str, Any]:
            return measured(texts, epsilon, chat)

        cell = cells.get(compute, sentences=len(texts), epsilon=epsilon, chat=given.chat_model)
        rows += [row(epsilon, name, own) for name, own in cell["figures"].items() if own]
        told += [f"At ε {epsilon:g}, {line}." for line in cell["skipped"]]
    text = "\n\n".join(
        [
            table(["ε", "attacker", *COLUMNS], rows),
            f"{len(texts)} sentences; intervals are over sentences. The model: {chat.setting['chat_model']}.",
            *([" ".join(told)] if told else []),
            cells.described,
        ]
    )
    written("reconstruction", text, given.record)


if __name__ == "__main__":
    main()
