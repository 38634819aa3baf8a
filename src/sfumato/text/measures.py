"""Measures stay: a mark that is a dose, a laboratory value, a score or the name of a gene counts as unmarked.

A network marks "182/110, Hb 9.1 g" as a code, and an age of 75 is marked wherever its record holds "75", in "75 mg"
too. Replaced, such a figure is wrong medicine, and no reader can see it. An age, a code or a time is never guessed to
be one: a unit must be behind its figure, inside the mark if it is a code, and a time never stays.

Analysis. Let M be the marks of a text with their kinds. One step looks at a single mark of M: at its kind, at the
text between it and its neighbours in M, which the release shows, and at whether the marked text is a measure beside
that text. If so, the mark leaves M, and its text joins what is shown. The steps are repeated until M does not change.
Then texts whose kinds never stay are marked wherever the text between the marks holds them: a drug that a policy
hides is hidden in a dose too. A release is made of the last M alone, with the text between. So is the guard against
texts that a method without a guarantee replaced: it passes over those that the text between the last marks shows
(:meth:`Measures.shown`). A guarantee compares two texts in which the same places are
marked as the same kinds, with equal text between: with the last M and its text between. So whatever stays is equal in
both texts, the draws see nothing that they did not see without the rule, and the loss is that of the draws. The one
thing that a reader learns in addition is that a mark which was replaced beside a unit or the name of a drug is no
measure. Which places are marked may depend on what the text says, with this rule as with the detector; the statement
lists both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sfumato.language.languages import language_of
from sfumato.language.lists import digest_of_lists
from sfumato.text.marks import Layout, MarkedRecord
from sfumato.text.occurrences import Occurrences

KINDS = frozenset({"AGE", "CODE", "DURATION", "NUMBER", "ORGANIZATION", "QUANTITY", "WORD"})
"""The kinds whose marks may be measures. Names of people, times, and drugs that a policy hides are none."""
BARE = frozenset({"NUMBER", "QUANTITY"})
"""The kinds whose figures need no unit behind the name of a drug or a test."""

LISTS = ("health", "measures")
"""The files of a language whose lists say what a measure is."""


@dataclass(frozen=True)
class Measures:
    """Finds the marks that stay, in a text of ``language``."""

    language: str = "en"

    def __repr__(self) -> str:
        """Return the language and 16 digits of the hash of its lists: a run that resumes must have the same."""
        return f"Measures({self.language!r}, {digest_of_lists('en', *LISTS)[:16]})"

    def staying(self, layout: Layout) -> set[int]:
        """Return the numbers of the marks of ``layout``, whose labels are kinds, that are measures."""
        left = [number for number, kind in enumerate(layout.labels) if kind in KINDS]
        gone: set[int] = set()
        if not left:
            return gone
        is_measure = language_of(self.language).is_measure
        more = True
        while more:
            more = False
            for number in left:
                start, end = layout.spans[number]
                kind, (before, after) = layout.labels[number], self._gaps(layout, number, gone)
                after = "" if kind == "CODE" else after
                if number not in gone and is_measure(layout.text[start:end], before, after, kind in BARE):
                    gone.add(number)
                    more = True
        return gone

    def _gaps(self, layout: Layout, number: int, gone: set[int]) -> tuple[str, str]:
        """Return the text before and after a mark, up to the nearest marks that are not ``gone``."""
        first, last = number - 1, number + 1
        while first in gone:
            first -= 1
        while last in gone:
            last += 1
        start, end = layout.spans[number]
        left = layout.spans[first][1] if first >= 0 else 0
        right = layout.spans[last][0] if last < len(layout.spans) else len(layout.text)
        return layout.text[left:start], layout.text[end:right]

    def without(self, record: MarkedRecord) -> MarkedRecord:
        """Return ``record``, whose labels are kinds, with the marks that do not stay.

        What is marked as a kind that never stays is marked in the measures too.
        """
        gone = [self.staying(layout) for layout in record.layouts]
        if not any(gone):
            return record
        layouts = [_without(layout, own) for layout, own in zip(record.layouts, gone, strict=True)]
        return replace(record, layouts=layouts).everywhere(KINDS)

    def shown(self, record: MarkedRecord, texts: set[str]) -> set[str]:
        """Return those of ``texts`` that the text between the marks of ``record`` shows, as a measure."""
        known = Occurrences(texts, names=record.names)
        if not known:
            return set()
        between = [part for layout in record.layouts for part in layout.parts([""] * len(layout.spans))[::2]]
        names = {name for part in between for _, _, name in known.find(part)}
        return {text for text in texts if record.names[text] in names}


def _without(layout: Layout, gone: set[int]) -> Layout:
    left: Sequence[int] = [number for number in range(len(layout.spans)) if number not in gone]
    return layout._replace(
        spans=[layout.spans[number] for number in left], labels=[layout.labels[number] for number in left]
    )
