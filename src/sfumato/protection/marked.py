"""The marked values of the originals, by kind: what a register of names, dates and places would hold of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import regex

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.errors import InputError
from sfumato.text.document import Document
from sfumato.types import Progress

DIRECT = ("PERSON", "CODE", "PHONE", "EMAIL", "URL", "IP")
"""The kinds that identify a person by themselves."""
_AT_ONCE = 256
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+")
_LEAST = 3
"""The fewest letters and digits of a value that is looked for in a release."""


@dataclass(frozen=True)
class Marked:
    """The values of each record, by kind: those that are replaced, and those that the policy keeps."""

    replaced: Sequence[Mapping[str, tuple[str, ...]]]
    kept: Sequence[Mapping[str, tuple[str, ...]]]

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """Return the kinds that are replaced in some record, the most frequent first."""
        counts: dict[str, int] = {}
        for record in self.replaced:
            for kind, values in record.items():
                counts[kind] = counts.get(kind, 0) + len(values)
        return tuple(sorted(counts, key=lambda kind: (-counts[kind], kind)))

    def direct(self, place: int) -> dict[str, tuple[str, ...]]:
        """Return the direct identifiers that are marked in a text, whether the policy replaces or keeps them."""
        drawn, kept = self.replaced[place], self.kept[place]
        return {kind: own for kind in DIRECT if (own := (*drawn.get(kind, ()), *kept.get(kind, ())))}


def marked(
    sanitizer: Sanitizer, documents: Sequence[Document], records: Sequence[int],
    progress: Progress | None = None,
) -> Marked:  # fmt: skip
    """Return the values that ``sanitizer`` marks in ``documents``, of these ``records`` (a number each).

    Raise InputError as its detector does.
    """
    replaced: list[Mapping[str, tuple[str, ...]]] = []
    kept: list[Mapping[str, tuple[str, ...]]] = []
    for places in batches(records):
        first, batch = places[0], [documents[place] for place in places]
        try:
            found = sanitizer.detector.detect(batch)
        except InputError as error:
            error.document = None if error.document is None else error.document + first
            raise
        for document, spans in zip(batch, found, strict=True):
            drawn, stays = dict[str, tuple[str, ...]](), dict[str, tuple[str, ...]]()
            for span in spans:
                value = document.text[span.start : span.end]
                kind = sanitizer.kind(span.label, value)
                into = stays if sanitizer.treatment_of(kind).keeps(kind) else drawn
                into[kind] = (*into.get(kind, ()), value)
            replaced.append(drawn)
            kept.append(stays)
        if progress is not None:
            progress((places[-1] + 1) / len(documents))
    return Marked(replaced, kept)


def batches(records: Sequence[int]) -> Iterator[list[int]]:
    """Yield the places of a few hundred texts at once; those of one record stay together."""
    batch: list[int] = []
    for _, own in groupby(range(len(records)), records.__getitem__):
        batch += own
        if len(batch) >= _AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


def still_there(values: Sequence[str], release: str) -> list[str]:
    """Return those of ``values`` that are in ``release``, as whole words in any case, each once.

    A value of fewer than three letters and digits is not looked for: it would be found in other words' company.
    """
    words = _words(release)
    forms = ((value, _words(value)) for value in dict.fromkeys(values))
    return [value for value, own in forms if len(own.replace(" ", "")) >= _LEAST and own in words]


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "
