"""Semantics-preserved distortion: a marked text becomes another one that changes the words around it least.

Paper: Semantics-preserved distortion (§4). Candidates are written by a masked model
(``generative``) or drawn from a public store of phrases of the same label (``substitutive``); of each text's
candidates the one with the smallest Neighboring Distribution Divergence stays.

Nothing here has a formal guarantee: a replacement is chosen by looking at the text.

Differences from the paper: words instead of subwords; all mentions of a text in its document get one
replacement; the model sees no marked text of the document when words are drawn; a written word takes the capitals of
the word that it replaces; divergences are taken in a window around the first mention.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Protocol, get_args

import numpy as np

from sfumato.abstract.heuristic import SpanHeuristic
from sfumato.abstract.models import MaskedModel
from sfumato.abstract.vocabulary import SourceFile
from sfumato.errors import ConfigurationError
from sfumato.heuristics._filling import WORD, Filling, Forbidden, MarkedText, Masks, Task, marked
from sfumato.metrics.divergence import Divergence, Edit, NeighboringDivergence
from sfumato.options.option import Option, Part
from sfumato.text.marks import Layout, MarkedRecord
from sfumato.types import Progress

Way = Literal["generative", "substitutive", "masked"]
Choose = Literal["ndd", "first"]
MASK = "[MASK]"
_REACH = 12  # words on either side of a text in which divergences are taken
_SHOWS = {
    "generative": ("how many words each replaced text had, up to 12", "the capitals of its words"),
    "substitutive": ("the kind of each replaced text",),
    "masked": ("how many words each replaced text had, up to 12",),
}
_ALWAYS = ("which replaced texts of a document are the same",)


class Phrases(Protocol):
    """A public store of phrases by label; :class:`sfumato.vocabularies.builtin.PhraseStore` is one."""

    @property
    def sources(self) -> Sequence[SourceFile]:
        """Return the files that it was read from."""

    @property
    def described(self) -> str:
        """Return where the phrases come from."""

    def load(self) -> None:
        """Read the files, unless they were read before."""

    def of(self, label: str) -> Sequence[str]:
        """Return the phrases that may replace a span with ``label``, each once."""


@dataclass(frozen=True, eq=False)
class Distortion(SpanHeuristic):
    """Replaces each marked text by the best of ``candidates`` for it.

    ``way`` "masked" puts a mask for each word, for comparison. ``choose`` "first" keeps the first
    candidate instead of the one with the smallest divergence. ``phrases`` is the store that the substitutive way
    draws from. ``block`` words are masked in one pass when divergences are taken; with more than one, others may win.
    ``divergence`` and ``decay`` are those of :class:`~sfumato.metrics.divergence.NeighboringDivergence`. If no
    candidate is left, the label in brackets replaces the text. Raises ConfigurationError for options that do not fit
    together.
    """

    model: Annotated[MaskedModel | None, Part("the masked model that writes or chooses")] = None
    way: Annotated[Way, Option("where candidates come from; masked is there to compare with")] = "substitutive"
    candidates: Annotated[int, Option("texts that are tried for each marked text")] = 8
    choose: Annotated[Choose, Option("ndd: the candidate that changes the words around it least")] = "ndd"
    phrases: Annotated[Phrases | None, Part("the store that the substitutive way draws from")] = None
    block: Annotated[int, Option("words masked in one pass where changes are measured")] = 1
    divergence: Annotated[Divergence, Option("how the words that a model expects are compared")] = "hellinger"
    decay: Annotated[float | None, Option("weight of a word by its distance: this to the power of it (µ)")] = None
    name: ClassVar[str] = "distortion"
    needs: ClassVar[tuple[str, ...]] = ("masked-model", "phrases", "share")
    default_model: ClassVar[str | None] = "embedded"

    def __post_init__(self) -> None:
        if self.way not in get_args(Way):
            raise ConfigurationError(f"The way is {', '.join(get_args(Way))}, not {self.way!r}.")
        if self.choose not in get_args(Choose):
            raise ConfigurationError(f"choose is ndd or first, not {self.choose!r}.")
        for name, number in (("candidates", self.candidates), ("block", self.block)):
            if type(number) is not int or not 1 <= number <= 1000:
                raise ConfigurationError(f"{name} is a whole number from 1 to 1000.")
        if self.model is not None:
            _ = self._measure
        if (self.phrases is None) is (self.way == "substitutive"):
            raise ConfigurationError("The way substitutive needs a store of phrases, and no other way takes one.")
        if self.model is None and self.asks:
            raise ConfigurationError("Distortion needs a masked model to write or to choose with; give one.")

    @property
    def asks(self) -> bool:
        """Return whether a masked model is asked anything."""
        return self.way == "generative" or (self.way == "substitutive" and self.choose == "ndd")

    @property
    def visible(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return what a release shows to everyone."""
        return (*_SHOWS[self.way], *_ALWAYS)

    @property
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter that decides a release."""
        parameters: dict[str, Any] = {"way": self.way}
        if self.way != "masked":
            parameters |= {"choose": self.choose, "candidates": self.candidates}
        if self.phrases is not None:
            parameters["phrases"] = self.phrases.described
        if self.asks and self.model is not None:
            parameters["model"] = self.model.id
        if self.way != "masked" and self.choose == "ndd":
            parameters |= {"block": self.block, "reach": _REACH, "divergence": self.divergence, "decay": self.decay}
        return parameters

    @property
    def sources(self) -> Sequence[SourceFile]:
        """Return the file of phrases, if there is one."""
        return () if self.phrases is None else self.phrases.sources

    @property
    def batch_size(self) -> int:
        """Return how many documents are worked on at once: few, so that a file of them shows its progress."""
        return 8

    def prepare(self, progress: Progress | None = None) -> None:
        """Load the phrases and the model."""
        if self.phrases is not None:
            self.phrases.load()
        if self.asks and self.model is not None:
            len(self.model.words)

    def replacements(self, records: Sequence[MarkedRecord], seeds: Sequence[int]) -> list[list[str]]:
        """Return the replacement of each span of each document."""
        layouts = [layout for record in records for layout in record.layouts]
        items = [marked(layout) for layout in layouts]
        if self.way == "masked":
            chosen = [[" ".join([MASK] * len(item.words)) for item in document_items] for document_items in items]
        else:
            chosen = self._chosen(layouts, items, self._candidates(layouts, items, seeds))
        replacements = []
        for layout, document_items, outputs in zip(layouts, items, chosen, strict=True):
            row = [""] * len(layout.spans)
            for item, output in zip(document_items, outputs, strict=True):
                for span in item.spans:
                    row[span] = output
            replacements.append(row)
        return replacements

    def _candidates(
        self, layouts: Sequence[Layout], items: Sequence[Sequence[MarkedText]], seeds: Sequence[int]
    ) -> list[list[list[str]]]:
        """Return up to ``candidates`` texts for each marked text of each document."""
        refused = [Forbidden(layout) for layout in layouts]
        draws = [[np.random.default_rng([seed, number]) for number in range(len(document_items))]
                 for seed, document_items in zip(seeds, items, strict=True)]  # fmt: skip
        if self.phrases is not None:
            return [
                [
                    _listed(self.phrases, item, refuses, self.candidates, draw)
                    for item, draw in zip(document_items, generators, strict=True)
                ]
                for document_items, refuses, generators in zip(items, refused, draws, strict=True)
            ]
        assert self.model is not None
        masks = [
            Masks(self.model, layout, document_items) for layout, document_items in zip(layouts, items, strict=True)
        ]
        tasks = [
            Task(masks[document], number, item, refused[document], draws[document][number])
            for document, document_items in enumerate(items)
            for number, item in enumerate(document_items)
        ]
        drawn = iter(Filling(self.model, self.candidates).draw(tasks))
        return [[next(drawn) for _ in document_items] for document_items in items]

    def _chosen(
        self,
        layouts: Sequence[Layout],
        items: Sequence[Sequence[MarkedText]],
        candidates: Sequence[Sequence[Sequence[str]]],
    ) -> list[list[str]]:
        """Return the best candidate for each marked text; its label in brackets if there is none."""
        edits = [
            edit
            for layout, document_items, document_texts in zip(layouts, items, candidates, strict=True)
            for item, texts in zip(document_items, document_texts, strict=True)
            if self._weighs(texts)
            for edit in _edits(layout, item, texts)
        ]
        moved = iter(self._divergence(edits))
        chosen: list[list[str]] = []
        for document_items, document_texts in zip(items, candidates, strict=True):
            chosen.append([])
            for item, texts in zip(document_items, document_texts, strict=True):
                costs = [next(moved) for _ in texts] if self._weighs(texts) else [0.0]
                chosen[-1].append(texts[int(np.argmin(costs))] if texts else f"[{item.label}]")
        return chosen

    def _weighs(self, texts: Sequence[str]) -> bool:
        return self.choose == "ndd" and len(texts) > 1

    def _divergence(self, edits: Sequence[Edit]) -> list[float]:
        if not edits:
            return []
        return [float(divergence) for divergence in self._measure.of(edits)]

    @property
    def _measure(self) -> NeighboringDivergence:
        assert self.model is not None
        return NeighboringDivergence(self.model, self.divergence, self.decay, self.block)


def _listed(store: Phrases, item: MarkedText, refused: Forbidden, count: int, draw: np.random.Generator) -> list[str]:
    """Return up to ``count`` phrases for ``item``, each once; fewer if the store has few that are not refused."""
    phrases, chosen = store.of(item.label), list[str]()
    for index in draw.permutation(len(phrases)):
        if len(chosen) == count:
            break
        if not refused.refuses(phrases[index], item):
            chosen.append(phrases[index])
    return chosen


def _edits(layout: Layout, item: MarkedText, candidates: Sequence[str]) -> list[Edit]:
    """Return the window around the first mention of ``item`` as it was, and with each of ``candidates``."""
    text = layout.text
    start, end = layout.spans[item.spans[0]]
    first, last = _window(text, start, end)
    mentions = [layout.spans[span] for span in item.spans]
    inside = [(a, b) for a, b in mentions if first <= a and b <= last]
    edges = [first, *(edge for span in inside for edge in span), last]
    gaps = [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    return [Edit(text[first:last], candidate.join(gaps)) for candidate in candidates]


def _window(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds of the words around [start, end) that count; all of a short text."""
    words = [match.span() for match in WORD.finditer(text, max(0, start - 40 * _REACH), end + 40 * _REACH)]
    before = bisect_left(words, (start, start)) - _REACH
    after = bisect_left(words, (end, end)) + _REACH - 1
    first = words[before][0] if before > 0 else max(0, start - 40 * _REACH)
    last = words[after][1] if after < len(words) - 1 else min(len(text), end + 40 * _REACH)
    return min(first, start), max(last, end)
