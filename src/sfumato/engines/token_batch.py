"""The spans of many documents laid end to end, so that each route draws once for all of them."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Mapping, Sequence
from itertools import chain, pairwise, repeat
from typing import Protocol

import numpy as np

from sfumato.abstract.detector import Detector
from sfumato.abstract.mechanism import Mechanism
from sfumato.engines.assembly import Outputs, assembled, opening
from sfumato.engines.routes import Route
from sfumato.privacy.randomness import RandomDraws, Randomness, context, numbered
from sfumato.runtime import search_paused, slices
from sfumato.text.document import Document, Release
from sfumato.types import IntArray


class Routed(Protocol):
    """What a batch asks of the sanitizer that it belongs to."""

    @property
    def detector(self) -> Detector:
        """Return what marks the spans."""

    @property
    def routes(self) -> Mapping[str, Route]:
        """Return the routes by name."""

    @property
    def consistency(self) -> str:
        """Return whether each mention is drawn for, or each distinct token of a document."""

    @property
    def setting(self) -> str:
        """Return a hash of everything public that decides a release."""

    def route_of(self, label: str) -> str:
        """Return the name of the route that spans with ``label`` take."""


class TokenBatch:
    """The spans of many documents laid end to end, so that each route draws once for all of them."""

    def __init__(self, sanitizer: Routed, documents: Sequence[Document], randomness: Randomness) -> None:
        self._sanitizer, self._documents, self._randomness = sanitizer, documents, randomness
        self._marks = sanitizer.detector.mark(documents)
        self._counts = self._marks.counts
        self._owners = np.repeat(np.arange(len(documents)), self._counts)

    def draw(self) -> list[Outputs]:
        """What each route puts in; and how many draws each document spent."""
        self._spent = np.zeros(len(self._documents), dtype=np.int64)
        opens, outputs = opening(self._marks), []
        routes, taken = self._sanitizer.routes, self._taken()
        self._randomness.check_names([document.names for document in self._documents])
        self._keys = self._keyed_by(taken) if self._randomness.keyed else None
        for name, places, tokens in taken:
            route = routes[name]
            drawn = self._draw_route(name, route.certified, tokens, self._owners[places], places)
            outputs.append(Outputs(route.spelled, places, route.spelled.entries(drawn, opens[places])))
        return outputs

    def planned(self) -> list[tuple[int, bytes]]:
        """Return how many draws each document will pay for, and what its keyed draws depend on; draw nothing."""
        taken, spent = self._taken(), np.zeros(len(self._documents), dtype=np.int64)
        for name, places, tokens in taken:
            owners = self._owners[places]
            if self._sanitizer.consistency == "document":
                owners, tokens = np.unique(np.stack([owners, tokens], axis=1), axis=0).T
            spends = self._sanitizer.routes[name].mechanism.spends(tokens)
            spent += np.bincount(owners[spends], minlength=len(spent))
        return list(zip(spent.tolist(), self._keyed_by(taken), strict=True))

    def _taken(self) -> list[tuple[str, IntArray, IntArray]]:
        """Return the places that each route takes, and their tokens."""
        routes = self._sanitizer.routes
        return [(name, where, routes[name].marked(self._marks, where)) for name, where in self._places().items()]

    def _keyed_by(self, taken: Sequence[tuple[str, IntArray, IntArray]]) -> list[bytes]:
        """Return what every keyed draw of a document depends on: setting, origin, and all of its marked tokens.

        The whole sequence, because draws that a changed text shares with its original would tell where it changed.
        """
        names = sorted(self._sanitizer.routes)
        marked = np.empty((len(self._owners), 2), dtype="<i8")
        for name, places, tokens in taken:
            marked[places, 0], marked[places, 1] = names.index(name), tokens
        ends = [0, *np.cumsum(self._counts).tolist()]
        digests = [hashlib.sha256(marked[start:end].tobytes()).digest() for start, end in pairwise(ends)]
        setting = self._sanitizer.setting
        rows = zip(self._documents, digests, strict=True)
        return [context(setting, context(*document.names), digest) for document, digest in rows]

    def _labels(self) -> Sequence[str | Sequence[str]]:
        """The labels of each document: one for all of its spans, or one each."""
        labels = self._marks.labels
        return [labels] * len(self._documents) if isinstance(labels, str) else labels

    def _places(self) -> dict[str, IntArray]:
        """Which places each route takes."""
        everywhere, labels = np.arange(len(self._owners)), self._marks.labels
        if isinstance(labels, str):
            return {self._sanitizer.route_of(labels): everywhere}
        each = zip(labels, self._counts.tolist(), strict=True)
        spread = chain.from_iterable(repeat(one, count) if isinstance(one, str) else one for one, count in each)
        names = [self._sanitizer.route_of(label) for label in spread]
        found = np.array(names, dtype=object)
        return {name: everywhere[found == name] for name in dict.fromkeys(names)}

    def _draw_route(
        self, name: str, mechanism: Mechanism, tokens: IntArray, owners: IntArray, places: IntArray
    ) -> IntArray:
        if self._sanitizer.consistency == "document":
            pairs = np.stack([owners, tokens], axis=1)
            first, inverse = np.unique(pairs, axis=0, return_inverse=True)
            drawn = self._draw_tokens(name, mechanism, first[:, 1], first[:, 0], first[:, 1])
            return drawn[inverse.reshape(-1)]
        starts = np.cumsum(self._counts) - self._counts
        return self._draw_tokens(name, mechanism, tokens, owners, places - starts[owners])

    def _draw_tokens(
        self, name: str, mechanism: Mechanism, tokens: IntArray, owners: IntArray, numbers: IntArray
    ) -> IntArray:
        """One draw a token; ``numbers`` set the draws of one document and route apart, by place or by token."""
        self._spent += np.bincount(owners[mechanism.spends(tokens)], minlength=len(self._spent))
        drawn = np.empty(len(tokens), dtype=np.int64)
        for part in slices(len(tokens), mechanism.draws_at_once):
            contexts = self._contexts(name, owners[part], numbers[part])
            uniforms = RandomDraws(self._randomness, part.stop - part.start, contexts)
            drawn[part] = mechanism.draw(tokens[part], uniforms)
        return drawn

    def _contexts(self, name: str, owners: IntArray, numbers: IntArray) -> list[bytes] | None:
        keys = self._keys
        if keys is None:
            return None
        runs = [*np.flatnonzero(np.diff(owners, prepend=-1)).tolist(), len(owners)]  # of draws of one document
        parts = ((keys[owners[start]], numbers[start:end]) for start, end in pairwise(runs))
        return [source for key, part in parts for source in numbered(part, key, name)]

    def releases(self, outputs: Sequence[Outputs]) -> list[Release]:
        """Gaps and outputs joined, document by document."""
        text, cuts, bounds = assembled(self._marks, outputs)
        flat = array("q", bounds.tobytes())
        ends = [0, *(2 * np.cumsum(self._counts)).tolist()]
        with search_paused():
            return Release.several(
                [document.id for document in self._documents],
                [text[start:end] for start, end in pairwise(cuts.tolist())],
                [flat[start:end] for start, end in pairwise(ends)],
                self._labels(),
                self._spent.tolist(),
            )
