"""The engine of the methods without a guarantee: detector and method joined, Document in, Release out.

Two promises are kept here, whatever the method does, unless ``everywhere`` is turned off. A marked text is marked
wherever else it stands in its document as whole words. No text that was marked stands in the release, nor across a
seam: an output that holds one becomes the span's label in brackets, and where that does not help, something that says
nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sfumato
from sfumato.abstract import Detector, Editing, Layout, Progress
from sfumato.document import Document, Release, checked_bounds
from sfumato.errors import ConfigurationError, InputError
from sfumato.sampling import Randomness, SystemRandomness, context

_NOTHING = ("[REMOVED]", "[...]", "")
_STAYS = "a marked text cannot be removed from it; mark more of the text around it."


@dataclass(frozen=True, eq=False)
class Editor:
    """Replaces what ``detector`` finds by what ``method`` makes of it. Build one with :func:`sfumato.build`.

    ``everywhere`` marks a text that was found once wherever else it stands in the document.
    """

    detector: Detector
    method: Editing
    everywhere: bool = True

    def prepare(self, progress: Progress | None = None) -> None:
        """Load what the method needs, so that nothing is read before it is there."""
        self.method.prepare(progress)

    @property
    def records_at_once(self) -> int:
        """How many records a chunk of a file should hold: few enough to lose little when a run is stopped."""
        return 4 * self.method.together

    def described(self) -> dict[str, Any]:
        """Method and parameters, for the statement."""
        return {"mechanism": self.method.name, "parameters": self.method.parameters}

    def shows(self) -> list[str]:
        """What anybody can see of a release beside what every release shows."""
        return list(self.method.shows)

    @property
    def guarantee(self) -> None:
        """None: there is no formal guarantee."""
        return

    @property
    def in_context(self) -> bool:
        """What stands in the place of a span may depend on the whole document."""
        return True

    @property
    def whole(self) -> bool:
        """Whether all of a text is written anew: no."""
        return False

    @cached_property
    def setting(self) -> str:
        """A hash of everything public that decides a release: for ``--resume``, and so that keyed draws differ."""
        facts = [
            self.method.name,
            self.method.parameters,
            self.everywhere,
            self.detector.setting,
            sfumato.__version__,
        ]
        return hashlib.sha256(json.dumps(facts, sort_keys=True, default=repr).encode()).hexdigest()

    def fingerprint(self) -> str:
        """For ``--resume``: the setting."""
        return self.setting

    def sanitize(self, text: str | Document, randomness: Randomness | None = None) -> Release:
        """The release of one text."""
        document = Document(text) if isinstance(text, str) else text
        return self.sanitize_batch([document], randomness)[0]

    def sanitize_batch(self, documents: Sequence[Document], randomness: Randomness | None = None) -> list[Release]:
        """A release for each document, in order. Raises InputError naming the document, never its text."""
        source = randomness or SystemRandomness()
        source.check_ids([document.id for document in documents])
        layouts = self.layouts(documents)
        made = self.method.replacements(documents, layouts, self._seeds(documents, source))
        if [len(own) for own in made] != [len(layout.spans) for layout in layouts]:
            raise ConfigurationError("A method replaced more or fewer spans than were marked; report it.")
        rows = enumerate(zip(documents, layouts, made, strict=True))
        return [_joined(number, *row, self.everywhere) for number, row in rows]

    def layouts(self, documents: Sequence[Document]) -> list[Layout]:
        """What is replaced in each document. Private: it holds the texts."""
        found = self.detector.detect(documents)
        return [self._layout(*one) for one in enumerate(zip(documents, found, strict=True))]

    def _layout(self, number: int, found: tuple[Document, Any]) -> Layout:
        document, spans = found
        checked_bounds(spans, len(document.text), number)
        layout = Layout(document.text, list(spans.bounds), list(spans.each_label()))
        return carried(layout) if self.everywhere else layout

    def _seeds(self, documents: Sequence[Document], source: Randomness) -> list[int]:
        contexts = [context(one.id, 0, self.setting) for one in documents] if source.keyed else None
        uniforms = source.uniforms(len(documents), 2, contexts)
        return [(int(high * 2**32) << 32 ^ int(low * 2**32)) % 2**64 for high, low in uniforms.tolist()]


def carried(layout: Layout) -> Layout:
    """The same with every marked text marked wherever else it stands as whole words, whatever its case."""
    text, known = layout.text, dict[str, str]()
    for (start, end), label in zip(layout.spans, layout.labels, strict=True):
        known.setdefault(text[start:end].casefold(), label)
    pattern = _whole_words({text[start:end] for start, end in layout.spans})
    if pattern is None:
        return layout
    other = layout.labels[0]  # of a spelling that only the pattern takes for the same
    spans = dict(zip(layout.spans, layout.labels, strict=True))
    edges = [0, *(edge for span in layout.spans for edge in span), len(text)]
    for start, end in zip(edges[::2], edges[1::2], strict=True):  # what no span covers
        for match in pattern.finditer(text, start, end):
            spans[match.span()] = known.get(match.group().casefold(), other)
    ordered = sorted(spans)
    return Layout(text, ordered, [spans[span] for span in ordered])


def _whole_words(marked: Collection[str]) -> re.Pattern[str] | None:
    """Finds any of the ``marked`` texts that hold a letter or a digit, as whole words, longest first."""
    found = sorted({one for one in marked if any(map(str.isalnum, one))}, key=len, reverse=True)
    if not found:
        return None
    return re.compile("|".join(rf"(?<!\w){re.escape(one)}(?!\w)" for one in found), re.IGNORECASE)


def _joined(number: int, document: Document, layout: Layout, made: Sequence[str], everywhere: bool) -> Release:
    """The release, in which no marked text stands, nor across a seam. Raises InputError where that cannot be.

    Unless ``everywhere``, what stands wholly in text that was not marked is left.
    """
    marked = _whole_words({document.text[start:end] for start, end in layout.spans})
    edges = [0, *(edge for span in layout.spans for edge in span), len(document.text)]
    gaps = [document.text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    tried = [iter((output, f"[{label}]", *_NOTHING)) for output, label in zip(made, layout.labels, strict=True)]
    outputs = [next(one) for one in tried]
    while True:
        parts = [part for pair in zip(gaps, [*outputs, ""], strict=True) for part in pair][:-1]
        release = Release.joined(document.id, parts, list(layout.labels), 0)
        found = _standing(marked, release)
        if everywhere and any(not places for places in found):
            raise InputError(_STAYS, number)
        guilty = sorted({place for places in found for place in places})
        if not guilty:
            return release
        try:
            for at in guilty:
                outputs[at] = next(tried[at])
        except StopIteration:
            raise InputError(_STAYS, number) from None


def _standing(marked: re.Pattern[str] | None, release: Release) -> list[range]:
    """For each marked text that stands in ``release`` the places whose outputs take part in it or touch it."""
    starts, ends = list(release.bounds[::2]), list(release.bounds[1::2])
    matches = marked.finditer(release.text) if marked else ()
    return [range(bisect_left(ends, one.start()), bisect_right(starts, one.end())) for one in matches]
