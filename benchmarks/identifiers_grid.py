"""Recall of redaction over a grid of contexts x formats x cases, and marks in sentences with nothing to protect.

Usage: identifiers_grid.py [--record] [--misses]

Every case is a text of its own, made of a general template and something made up. It is covered where all letters and
digits of what is private are replaced. The held-out half has other templates, names and formats: ``--misses`` shows
what is missed of the open half only, so that no rule is written for the other.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence

import grid_clean
import grid_held_out
import grid_open
from grid_templates import Case, cases_of
from recording import models, table, written

import sfumato
from sfumato.text.document import Document
from sfumato.text.marks import Layout

_WORD = re.compile(r"\w+")


def layouts(texts: Iterable[str]) -> Sequence[Layout]:
    """What redaction replaces in each of ``texts``, as a record of its own."""
    editor = sfumato.build("redaction", operator="label")
    records = editor.records([Document(text, str(number)) for number, text in enumerate(texts)])
    return [layout for record in records for layout in record.layouts]


def is_covered(case: Case, layout: Layout) -> bool:
    """Whether every letter and digit of what is private is replaced."""
    replaced = {index for start, end in layout.spans for index in range(start, end)}
    private = (index for start, end in case.places for index in range(start, end))
    return all(index in replaced for index in private if case.text[index].isalnum())


def recalls(cases: Sequence[Case]) -> tuple[dict[str, tuple[int, int]], list[Case]]:
    """For each class how many cases are covered, and of how many; and those that are not."""
    counts: dict[str, tuple[int, int]] = {}
    missed: list[Case] = []
    for case, layout in zip(cases, layouts(case.text for case in cases), strict=True):
        covered = is_covered(case, layout)
        for kind in (case.kind, "all"):
            right, every = counts.get(kind, (0, 0))
            counts[kind] = right + covered, every + 1
        if not covered:
            missed.append(case)
    return counts, missed


def false_marks(sentences: Sequence[str]) -> tuple[float, float, list[tuple[str, list[str]]]]:
    """The share of words and of sentences that are marked, and where."""
    words = marked = 0
    wrong: list[tuple[str, list[str]]] = []
    for sentence, layout in zip(sentences, layouts(sentences), strict=True):
        bounds = [match.span() for match in _WORD.finditer(sentence)]
        words += len(bounds)
        marked += sum(any(start < last and first < end for start, end in layout.spans) for first, last in bounds)
        if layout.spans:
            wrong.append((sentence, [sentence[start:end] for start, end in layout.spans]))
    return marked / words, len(wrong) / len(sentences), wrong


def cell(count: tuple[int, int] | None) -> list[object]:
    return [count[1], f"{count[0] / count[1]:.3f}"] if count else [0, "–"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--misses", action="store_true")
    given = parser.parse_args()
    opened, missed = recalls(list(cases_of(grid_open.PEOPLE, grid_open.NAMES, grid_open.VALUES)))
    held, _ = recalls(list(cases_of(grid_held_out.PEOPLE, grid_held_out.NAMES, grid_held_out.VALUES)))
    kinds = [kind for kind in opened if kind != "all"]
    rows: list[list[object]] = [[kind, *cell(opened[kind]), *cell(held.get(kind))] for kind in [*kinds, "all"]]
    clean, clean_held = false_marks(grid_clean.OPEN), false_marks(grid_clean.HELD_OUT)
    if given.misses:
        for case in missed:
            private = [case.text[start:end] for start, end in case.places]
            print(f"{case.kind}: {case.text!r} {private}")
        for sentence, marks in clean[2]:
            print(f"clean: {sentence!r} {marks}")
    text = (
        f"{opened['all'][1]:,} open cases, used while writing the rules, and {held['all'][1]:,} held-out ones "
        "with other templates, names and formats.\n\n"
        + table(["class", "open cases", "recall", "held-out cases", "recall"], rows)
        + f"\n\nFalse marks in sentences with nothing to protect: {clean[0]:.4f} of the words (in {clean[1]:.3f} of "
        f"the sentences) in {len(grid_clean.OPEN)} open ones, and {clean_held[0]:.4f} (in {clean_held[1]:.3f}) in "
        f"{len(grid_clean.HELD_OUT)} held-out ones."
    )
    written("grid", text, given.record, page="reproduction.md", used=models("detector"))


if __name__ == "__main__":
    main()
