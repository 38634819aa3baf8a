"""The engine of the methods without a guarantee: detector and method joined, Document in, Release out.

Two promises are kept here, whatever the method does, unless ``everywhere`` is turned off. A marked text is marked
wherever else it stands in its record as whole words, in another of its fields as well, however it is spelled there
(:mod:`sfumato.text.occurrences`). No text that was marked stands in the release, nor across a seam: an output that holds
one becomes the span's label in brackets, and where that does not help, something that says nothing.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sfumato
from sfumato.abstract.asking import ChatUse
from sfumato.abstract.ideas import Detector, Editing, Layout, Progress, layout_key
from sfumato.errors import ConfigurationError, InputError
from sfumato.privacy.sampling import PINS, Randomness, SystemRandomness
from sfumato.text.document import Document, Release, checked_bounds, records
from sfumato.text.occurrences import Occurrences, disjoint, name_of, whole_letters
from sfumato.text.traces import NOTHING, STAYS


@dataclass(frozen=True, eq=False)
class Editor:
    """Replaces what ``detector`` finds by what ``method`` makes of it. Build one with :func:`sfumato.build`.

    ``everywhere`` marks a text that was found once wherever else it stands in its record. ``chat`` is the language
    model that detector or method asks.
    """

    detector: Detector
    method: Editing
    everywhere: bool = True
    chat: ChatUse | None = None

    def prepare(self, progress: Progress | None = None) -> None:
        """Load what the method needs, so that nothing is read before it is there."""
        self.method.prepare(progress)

    @property
    def records_at_once(self) -> int:
        """How many records a chunk of a file should hold: few enough to lose little when a run is stopped."""
        return 4 * self.method.together

    def described(self) -> dict[str, Any]:
        """Method and parameters, for the statement."""
        asked = {} if self.chat is None else {"language_model": self.chat.facts()}
        return {"mechanism": self.method.name, "parameters": self.method.parameters, **asked}

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
            PINS,
            self.method.name,
            self.method.parameters,
            self.everywhere,
            self.detector.setting,
            sfumato.__version__,
        ]
        return hashlib.sha256(json.dumps(facts, sort_keys=True, default=repr).encode()).hexdigest()

    def fingerprint(self) -> str:
        """For ``--resume``: the setting, the prompts, and where the language model is.

        A statement names one place, so a run does not go on at another. Keyed draws depend on the setting alone.
        """
        if self.chat is None:
            return self.setting
        facts = [self.setting, self.chat.place, *self.method.prompts]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()

    def sanitize(self, text: str | Document, randomness: Randomness | None = None) -> Release:
        """The release of one text."""
        document = Document(text) if isinstance(text, str) else text
        return self.sanitize_batch([document], randomness)[0]

    def sanitize_batch(self, documents: Sequence[Document], randomness: Randomness | None = None) -> list[Release]:
        """A release for each document, in order. Raises InputError naming the document, never its text."""
        source = randomness or SystemRandomness()
        source.check_names([document.names for document in documents])
        layouts = self.layouts(documents)
        made = self.method.replacements(documents, layouts, self._seeds(documents, layouts, source))
        if [len(own) for own in made] != [len(layout.spans) for layout in layouts]:
            raise ConfigurationError("A method replaced more or fewer spans than were marked; report it.")
        releases: list[Release] = []
        for record in records(documents):
            marked = texts_of([layouts[number] for number in record])
            for number in record:
                row = documents[number], layouts[number], made[number]
                releases.append(joined(number, *row, self.everywhere, marked))
        return releases

    def layouts(self, documents: Sequence[Document]) -> list[Layout]:
        """What is replaced in each document. Private: it holds the texts."""
        found = self.detector.detect(documents)
        own = [self._layout(*one) for one in enumerate(zip(documents, found, strict=True))]
        if not self.everywhere:
            return own
        made: list[Layout] = []
        for record in records(documents):
            some = own[record.start : record.stop]
            made += [carried(one, [*some[:at], *some[at + 1 :]]) for at, one in enumerate(some)]
        return made

    def _layout(self, number: int, found: tuple[Document, Any]) -> Layout:
        """The spans that were found, whole letters each, but for those whose label the method keeps."""
        document, spans = found
        checked_bounds(spans, len(document.text), number)
        bounds = whole_letters(document.text, spans.bounds)
        pairs = [one for one in zip(bounds, spans.each_label(), strict=True) if not self.method.keeps(one[1])]
        return Layout(document.text, [span for span, _ in pairs], [label for _, label in pairs])

    def _seeds(self, documents: Sequence[Document], layouts: Sequence[Layout], source: Randomness) -> list[int]:
        rows = zip(documents, layouts, strict=True)
        contexts = [layout_key(self.setting, *row) for row in rows] if source.keyed else None
        uniforms = source.uniforms(len(documents), 2, contexts)
        return [(int(high * 2**32) << 32 ^ int(low * 2**32)) % 2**64 for high, low in uniforms.tolist()]


def carried(layout: Layout, beside: Sequence[Layout] = ()) -> Layout:
    """Return the same with every marked text marked wherever else it appears as whole words, however it is spelled.

    ``beside`` are other texts of the same record: what is marked in them is marked here as well.
    """
    text, known = layout.text, dict[str, str]()
    for one in (layout, *beside):
        for (start, end), label in zip(one.spans, one.labels, strict=True):
            known.setdefault(name_of(one.text[start:end]), label)
    marked = Occurrences(texts_of([layout, *beside]), loose=True)
    spans, found = dict(zip(layout.spans, layout.labels, strict=True)), bool(marked)
    while found:  # what is marked may free a word that it stood against
        found = False
        edges = [0, *(edge for span in sorted(spans) for edge in span), len(text)]
        for start, end in zip(edges[::2], edges[1::2], strict=True):  # what no span covers
            for first, last, name in disjoint(marked.find(text[start:end])):
                spans[start + first, start + last] = known[name]
                found = True
    ordered = sorted(spans)
    return Layout(text, ordered, [spans[span] for span in ordered])


def texts_of(layouts: Sequence[Layout]) -> set[str]:
    """The texts that are marked."""
    return {layout.text[start:end] for layout in layouts for start, end in layout.spans}


def joined(
    number: int,
    document: Document,
    layout: Layout,
    made: Sequence[str],
    everywhere: bool,
    marked: Collection[str] | None = None,
) -> Release:
    """The release, in which no marked text stands, nor across a seam. Raises InputError where that cannot be.

    ``marked`` are the texts that must not stand in it (None: those of ``layout``). Unless ``everywhere``, what stands
    wholly in text that was not marked is left.
    """
    known = Occurrences(texts_of([layout]) if marked is None else marked)
    edges = [0, *(edge for span in layout.spans for edge in span), len(document.text)]
    gaps = [document.text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
    tried = [iter((output, f"[{label}]", *NOTHING)) for output, label in zip(made, layout.labels, strict=True)]
    outputs = [next(one) for one in tried]
    while True:
        parts = [part for pair in zip(gaps, [*outputs, ""], strict=True) for part in pair][:-1]
        release = Release.joined(document.id, parts, list(layout.labels), 0)
        found = [range(at, at + 1) for at, one in enumerate(outputs) if any(known.find(one))]
        found += _standing(known, release)
        if everywhere and any(not places for places in found):
            raise InputError(STAYS, number)
        guilty = sorted({place for places in found for place in places})
        if not guilty:
            return release
        try:
            for at in guilty:
                outputs[at] = next(tried[at])
        except StopIteration:
            raise InputError(STAYS, number) from None


def _standing(known: Occurrences, release: Release) -> list[range]:
    """For each marked text that stands in ``release`` the places whose outputs take part in it or touch it."""
    starts, ends = list(release.bounds[::2]), list(release.bounds[1::2])
    return [range(bisect_left(ends, start), bisect_right(starts, end)) for start, end, _ in known.find(release.text)]
