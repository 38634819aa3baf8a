"""The law by rank beside the clipped softmax: utility at one certified epsilon, and what an attacker is right about.

Usage: rank_law.py FOLDER [--sentences N] [--paragraphs N] [--asked N] [--record]

dp-mlm with the model that ships with sfumato. Both laws are certified for the same epsilon a word. The attacker of
the last columns knows the law and the whole document but one word, which is the true one or one of 19 others, equally
likely, drawn among the model's words; success is that of the best possible guess, computed from the laws, not drawn.
FOLDER keeps each run, so that a stopped benchmark resumes; it holds figures only.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import sacrebleu
from recording import DOCS, table, written
from rewriting import kept, sentences
from rewriting_end_to_end import court

from sfumato.abstract.models import MASKED, Cloze
from sfumato.building.build import build_contextual
from sfumato.engines.contextual import Contextual
from sfumato.engines.engine import Engine
from sfumato.models.calibration import masked_questions
from sfumato.models.encoders.sentence import SentenceEncoder
from sfumato.privacy.randomness import SeededRandomness
from sfumato.text.document import Document

matplotlib.use("svg")
EPSILONS = (6.0, 8.0, 10.0, 12.0, 15.0, 20.0, 25.0, 50.0)
LAWS = ("softmax", "rank")
CANDIDATES = 20
BLOCKS = {"SST-2": 1, "court": 4}


def utility(made: Engine, texts: Sequence[str], encoder: SentenceEncoder) -> dict[str, float]:
    """Cosine, BLEU (0 to 1) and the share of words kept of one run."""
    documents = [Document(text, str(number)) for number, text in enumerate(texts)]
    releases = made.sanitize_batch(documents, SeededRandomness(1))
    outputs = [release.text for release in releases]
    same = (encoder.encode(outputs) * encoder.encode(list(texts))).sum(axis=1)
    bleu = sacrebleu.corpus_bleu(outputs, [list(texts)], lowercase=True).score / 100
    return {"cosine": float(same.mean()), "BLEU": bleu, "words kept": float(kept(documents, releases, made))}


def scores_of_candidates(made: Engine, texts: Sequence[str], asked: int) -> list[Any]:
    """The scores (20, V) at one word of each of some texts, were it the true word or one of 19 others."""
    model, rng, found = made.others.mechanism.model, np.random.default_rng(16), []
    for text in texts:
        known = set(model.word_pieces.tolist())
        questions = [pair for pair in masked_questions(model, text) if len(pair[1]) == 1 and pair[1][0] in known]
        if not questions or len(found) == asked:
            continue
        question, true = questions[int(rng.integers(len(questions)))]
        others = rng.choice(model.word_pieces, CANDIDATES - 1, replace=False).tolist()
        place = list(question.copy).index(MASKED)
        rows = []
        for piece in [true[0], *others]:
            context = [piece if index == place else other for index, other in enumerate(question.context)]
            rows.append(model.scores([Cloze(context, question.copy)])[0])
        found.append(np.stack(rows))
    return found


def success(law: Any, scores: Sequence[Any], epsilon: float) -> float:
    """The mean success of the best guess among the candidates."""
    return float(np.mean([law.law(rows, epsilon).max(axis=0).sum() / CANDIDATES for rows in scores]))


def remembered(folder: Path, name: str, measure: Any) -> Any:
    """What FOLDER holds under ``name``, or what ``measure`` gives."""
    file = folder / f"{name}.json"
    if not file.exists():
        file.write_text(json.dumps(measure()))
        print(name, file.read_text(), flush=True)
    return json.loads(file.read_text())


def plot(rows: dict[str, list[tuple[float, float]]]) -> None:
    """Cosine against the attacker's success, a line a law."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
    for (name, points), marker in zip(rows.items(), "osox", strict=False):
        axes.plot(*zip(*points, strict=True), marker=marker, label=name, linestyle="-" if "rank" in name else "--")
    axes.set_xlabel("success of the best guess among 20 words")
    axes.set_ylabel("cosine similarity")
    axes.legend()
    figure.savefig(DOCS / "images" / "rank-law.svg", metadata={"Date": None})


def main() -> None:
    """Measure what FOLDER lacks, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sentences", type=int, default=500)
    parser.add_argument("--paragraphs", type=int, default=100)
    parser.add_argument("--asked", type=int, default=40)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    texts = {"SST-2": sentences(given.sentences), "court": court(given.paragraphs)}
    encoder, sections, lines = SentenceEncoder(), [], dict[str, list[tuple[float, float]]]()
    for name, own in texts.items():
        made = {law: build_contextual("dp-mlm", 1.0, law=law, block=BLOCKS[name]) for law in LAWS}
        scores = scores_of_candidates(made["rank"], own, given.asked)
        rows: list[list[object]] = []
        for epsilon in EPSILONS:
            row: list[object] = [f"{epsilon:g}"]
            for law in LAWS:
                mechanism = replace(made[law].others.mechanism, epsilon=epsilon)  # type: ignore[type-var]
                run = partial(utility, replace(made[law], others=Contextual(mechanism)), own, encoder)
                figures = remembered(given.folder, f"{name}-{len(own)}-{law}-{epsilon:g}", run)
                figures["success"] = success(mechanism.score_law, scores, epsilon)
                row += [f"{figures[each]:.3f}" for each in ("cosine", "BLEU", "words kept", "success")]
                lines.setdefault(f"{name}, {law}", []).append((figures["success"], figures["cosine"]))
            rows.append(row)
        header = ["epsilon a word"]
        header += [f"{law}: {each}" for law in LAWS for each in ("cosine", "BLEU", "words kept", "best guess right")]
        sections.append(
            f"{len(own)} texts of {name}, `--set block={BLOCKS[name]}`; "
            f"the attacker is asked {len(scores)} times:\n\n"
            f"{table(header, rows)}"
        )
    plot(lines)
    sections.append("![Cosine similarity by the success of the best guess, for both laws](images/rank-law.svg)")
    written("rank-law", "\n\n".join(sections), given.record)


if __name__ == "__main__":
    main()
