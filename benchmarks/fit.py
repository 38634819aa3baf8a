"""Whether replacements fit the place where they appear: their kind, their written form, and articles.

Usage: fit.py [--record]

A public reader says of which kind a text is. Without a label it takes the first kind of a fixed order that recognises
the text. The columns are shares of the spans that a mechanism drew:

* "true kind": without a label, the reader gives the replacement the kind that label and text give the original. The
  row of the original shows how often it reads the originals so.
* "alike": without a label, it gives the replacement the kind that it gives the original.
* "with the label": it gives both the same kind if it knows the label, and can read the replacement as that kind.
* "form": it reads both in the same written form, too. CODE, PHONE, EMAIL, URL and IP have no form and do not count.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fit_releases import Corpus, Replaced, corpora, released, ways
from recording import table, written

from sfumato.abstract.kind import Kind
from sfumato.kinds.labels import resolve
from sfumato.kinds.registry import kinds_of
from sfumato.language.en.articles import READ, indefinite_article
from sfumato.text.sentences import begins_sentence

ANY = "OTHER"
"""A label of which every kind is a candidate, in a fixed public order."""
REASONS = 8
MEASURES = ("true kind", "alike", "with the label", "form")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_INDEFINITE = re.compile(r"(?<![\w'’./&@+-])([Aa]n?)[ \u00a0]+[\"“‘'(\[«]*(?=(\w+|[£$€¥]\d+))")
_DOUBLED = re.compile(r"(?<![\w'’./&@+-])(?:an?|the)\s+(?:an?|the)(?=\s)", re.IGNORECASE)


def kind_without_label(text: str, kinds: Mapping[str, Kind]) -> str:
    """Return the first kind of a fixed order that takes ``text``."""
    return resolve(ANY, text, kinds)


class Fit(NamedTuple):
    """What stayed of one span; ``form`` is None for kinds without forms."""

    true_kind: bool
    alike: bool
    labelled: bool
    form: bool | None


def fit(row: Replaced, kinds: Mapping[str, Kind]) -> Fit:
    """Return what stayed of a span."""
    kind, blind = resolve(row.label, row.original, kinds), kind_without_label(row.output, kinds)
    before, after = kinds[kind].read(row.original), kinds[kind].read(row.output)
    labelled = after is not None and kind == resolve(row.label, row.output, kinds)
    same = labelled and before is not None and after is not None and before.form == after.form
    alike = blind == kind_without_label(row.original, kinds)
    return Fit(blind == kind, alike, labelled, same if kinds[kind].looks else None)


def shares(marks: Sequence[Fit]) -> list[str]:
    """Return the share of spans of which each part stayed."""
    columns = ([mark for mark in column if mark is not None] for column in zip(*marks, strict=True))
    return [f"{sum(column) / len(column):.3f}" if column else "–" for column in columns]


def article_mistakes(text: str) -> int:
    """Return how often "a" or "an" is the wrong one; words before which both occur do not count."""
    mistakes = 0
    for match in _INDEFINITE.finditer(text):
        opens = begins_sentence(text[max(0, match.start() - 16) : match.start()], match.start() == 0)
        if match[1][0] == "A" and not opens:
            continue  # a grade, a blood group
        right = indefinite_article(text[match.start(2) : match.start(2) + READ])
        mistakes += right is not None and right != match[1].lower()
    return mistakes


def for_1000_words(count: int, texts: Sequence[str]) -> str:
    words = sum(len(_WORD.findall(text)) for text in texts)
    return f"{1000 * count / words:.2f} ({count})"


def grammar(texts: Sequence[str]) -> list[str]:
    """Return wrong articles and doubled ones, for every 1,000 words and in all."""
    wrong = sum(map(article_mistakes, texts))
    doubled = sum(len(_DOUBLED.findall(text)) for text in texts)
    return [for_1000_words(wrong, texts), for_1000_words(doubled, texts)]


def reasons(rows: Sequence[Replaced], kinds: Mapping[str, Kind]) -> str:
    """Return the most common ways in which the reader misses the true kind of a replacement."""
    missed = Counter[tuple[str, str, str]]()
    for row in rows:
        kind, blind = resolve(row.label, row.original, kinds), kind_without_label(row.output, kinds)
        if kind != blind:
            missed[(kind, kind_without_label(row.original, kinds), blind)] += 1
    common = missed.most_common(REASONS)
    lines: list[list[object]] = [[*key, count] for key, count in common]
    lines.append(["all others", "", "", missed.total() - sum(count for _, count in common)])
    return table(["true kind", "original reads as", "replacement reads as", "spans"], lines)


def by_kind(rows: Sequence[Replaced], kinds: Mapping[str, Kind]) -> str:
    """Return the shares for each kind."""
    groups: dict[str, list[Fit]] = {}
    for row in rows:
        groups.setdefault(resolve(row.label, row.original, kinds), []).append(fit(row, kinds))
    ordered = sorted(groups.items(), key=lambda item: -len(item[1]))
    return table(["kind", "spans", *MEASURES], [[kind, len(marks), *shares(marks)] for kind, marks in ordered])


def measured(corpus: Corpus) -> str:
    """Return the tables of one corpus."""
    kinds, texts = kinds_of(), [document.text for document in corpus.documents]
    lines, details = list[list[object]](), list[str]()
    for way in ways(corpus):
        releases, rows = released(way.make(), corpus)
        drawn = [row for row in rows if row.drawn]
        if not lines:
            same = [fit(row._replace(output=row.original), kinds) for row in drawn]
            lines.append(["original", "", "", shares(same)[0], "", "", "", *grammar(texts)])
        marks = shares([fit(row, kinds) for row in drawn])
        counts = grammar([release.text for release in releases])
        kept = f"{sum(row.output == row.original for row in drawn) / len(drawn):.3f}"
        lines.append([way.name, f"{len(drawn)} of {len(rows)}", kept, *marks, *counts])
        print(lines[-1], flush=True)
        if way.name == "every kind drawn":
            details = ["Every kind drawn, by kind:", by_kind(drawn, kinds)]
            details += ["Most common misses of the true kind:", reasons(drawn, kinds)]
    header = ["", "spans drawn", "unchanged", *MEASURES, "wrong a or an", "doubled articles"]
    return "\n\n".join([f"{corpus.name}, {len(texts)} documents:", table(header, lines), *details])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true")
    given = parser.parse_args()
    written("fit", "\n\n".join(map(measured, corpora())), given.record)


if __name__ == "__main__":
    main()
