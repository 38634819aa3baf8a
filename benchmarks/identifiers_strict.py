"""What each level of ``strict`` marks, and how many marks begin and end where an annotator's do.

Usage: identifiers_strict.py [--record]

Precision and recall are those of identifiers_tab.py and identifiers_synth.py. A mark is exact where its first and
last character are an annotator's, whatever its label. "As united" is the same detector with the edges left as the
finders draw them. The network learned from the train documents; half of the dev documents helped to choose
thresholds, so that their figures are somewhat kind.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import matplotlib
from identifiers_synth import scores
from identifiers_tab import covered, documents, mentions, words
from recording import DATA, DOCS, models, table, written

from sfumato.detectors.english import trim_spans
from sfumato.detectors.identifiers import LEVELS, Identifiers
from sfumato.text.document import Document
from sfumato.text.marks import Spans

matplotlib.use("svg")
Bounds = set[tuple[int, int, int]]
USUAL = Identifiers().strict


def found(texts: Sequence[str], strict: str) -> list[Spans]:
    return Identifiers(strict=strict).detect([Document(text, str(number)) for number, text in enumerate(texts)])


@contextmanager
def as_united() -> Iterator[None]:
    """Leave every edge where the finders draw it."""
    with ExitStack() as patches:
        for name in ("apart", "whole_words"):
            patches.enter_context(patch.object(trim_spans, name, lambda _, marks: marks))
        patches.enter_context(patch.object(trim_spans, "trimmed", lambda _, findings: findings))
        yield


def exact(marks: Iterable[Spans], gold: Bounds) -> float:
    """F1 of the marks whose bounds are those of a gold mention."""
    made = {(number, start, end) for number, spans in enumerate(marks) for start, end in spans.bounds}
    return 2 * len(made & gold) / (len(made) + len(gold))


def on_tab(records: Sequence[dict[str, Any]], strict: str) -> tuple[float, float, float]:
    """Precision in content words, recall of direct and of indirect identifiers, of what redaction replaces."""
    masks, _ = covered(records, strict)
    counted, told = words(records, masks), mentions(records, masks)
    direct, quasi = (told[kind, "all"] for kind in ("DIRECT", "QUASI"))
    return counted["wanted"] / counted["replaced"], sum(direct) / len(direct), sum(quasi) / len(quasi)


def levels(splits: dict[str, list[dict[str, Any]]], synth: list[dict[str, Any]]) -> str:
    """The table of the levels, and their picture."""
    rows: list[list[object]] = []
    curves: dict[str, list[tuple[float, float]]] = {split: [] for split in splits}
    for strict in LEVELS:
        row: list[object] = [f"{strict} (default)" if strict == USUAL else strict]
        for split, records in splits.items():
            measured = on_tab(records, strict)
            row += [f"{value:.3f}" for value in measured]
            curves[split].append((measured[2], measured[0]))
        spans = found([record["full_text"] for record in synth], strict)
        score = scores(synth, [[tuple(span) for span in own] for own in spans])["any"]
        row += [
            f"{score.right / (score.right + score.wrong):.3f}",
            f"{score.right / (score.right + score.missed):.3f}",
        ]
        rows.append([*row, f"{score.f2:.3f}"])
    heads = [f"{split} {what}" for split in splits for what in ("precision", "DIRECT recall", "QUASI recall")]
    plot(curves)
    picture = "![Precision by recall of indirect identifiers for the three levels](images/strictness.svg)"
    return f"{table(['strict', *heads, 'synth precision', 'synth recall', 'synth F2'], rows)}\n\n{picture}"


def plot(curves: dict[str, list[tuple[float, float]]]) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5.4, 3.4), layout="constrained")
    for (split, places), marker in zip(curves.items(), "os", strict=True):
        axes.plot([x for x, _ in places], [y for _, y in places], marker=marker, label=f"{split} documents")
        for strict, place in zip(LEVELS, places, strict=True):
            axes.annotate(strict, place, (6, 4), textcoords="offset points", fontsize=8)
    axes.set(xlabel="recall of indirect identifiers (QUASI)", ylabel="precision in content words")
    axes.margins(x=0.15, y=0.12)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(DOCS / "images" / "strictness.svg", metadata={"Date": None})


def boundaries(train: list[dict[str, Any]], synth: list[dict[str, Any]]) -> str:
    """The table of exact bounds, before and after the edges are drawn as a person would."""
    data = {
        "TAB train": (
            [record["text"] for record in train],
            {
                (number, one["start_offset"], one["end_offset"])
                for number, record in enumerate(train)
                for one in record["entities"]
            },
        ),
        "presidio_synth": (
            [record["full_text"] for record in synth],
            {
                (number, one["start_position"], one["end_position"])
                for number, record in enumerate(synth)
                for one in record["spans"]
            },
        ),
    }
    rows: list[list[object]] = []
    for name, (texts, gold) in data.items():
        with as_united():
            before = [exact(found(texts, strict), gold) for strict in ("high", USUAL)]
        after = exact(found(texts, USUAL), gold)
        rows.append([name, len(gold), *(f"{value:.3f}" for value in (*before, after))])
    heads = ["data", "mentions", "every mark, as united", f"{USUAL}, as united", f"{USUAL}, edges drawn"]
    return table(heads, rows)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    splits = {split: documents(split) for split in ("dev", "train")}
    synth = json.loads((DATA / "presidio_synth" / "synth_dataset_v2.json").read_text(encoding="utf-8"))
    text = (
        f"TAB: {len(splits['dev'])} dev and {len(splits['train'])} train documents, replaced by redaction. "
        f"synth: {len(synth):,} sentences of presidio_synth, labels ignored.\n\n{levels(splits, synth)}\n\n"
        "F1 of marks that begin and end exactly where an annotator's do:\n\n" + boundaries(splits["train"], synth)
    )
    written("strictness", text, given.record, page="reproduction.md", used=models("detector"))


if __name__ == "__main__":
    main()
