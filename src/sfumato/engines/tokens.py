"""Words and phrases as tokens of a public vocabulary, a draw each.

The way of a token: the detector marks it; its label picks the route (a mechanism over one vocabulary); it becomes an
index into that vocabulary, an unknown one the surrogate's or the nearest token's; one draw replaces the index; the
drawn token is spliced in. Nothing after the draw knows the private token. All documents of a batch are laid end to
end, so that each route draws once for all of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise, repeat
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from sfumato import version
from sfumato.abstract.batch import Batch, Made, Outputs, PlannedDraws
from sfumato.abstract.detector import SAME_MARKS, Detector
from sfumato.abstract.law import Law
from sfumato.abstract.mechanism import Mechanism
from sfumato.engines.assembly import opening
from sfumato.engines.drawn import Drawn
from sfumato.engines.laws import law_of_word, often_unchanged
from sfumato.engines.routes import Route
from sfumato.errors import ConfigurationError
from sfumato.options.typed import typed
from sfumato.privacy.guarantee import Guarantee, compared
from sfumato.privacy.randomness import context, numbered
from sfumato.types import IntArray

Consistency = Literal["mention", "document"]


class _Taken(NamedTuple):
    """What a route draws for: the ``tokens`` at some ``places``, of the documents ``owners``, all (n,)."""

    route: str
    places: IntArray
    owners: IntArray
    tokens: IntArray


@typed
@dataclass(frozen=True, eq=False)
class DrawnTokens(Drawn):
    """Replaces words and phrases by draws.

    Attributes:
        routes: A `Route` for each family of labels, by the family's name.
        default: The name of the route of labels that have none of their own.
        family: Returns the family of a label.
        consistency: `mention`: a draw for each span; `document`: one for each distinct token of a document.
        texts: Which texts a guarantee can be about, as the detector says.
    """

    routes: Mapping[str, Route]
    default: str
    family: Callable[[str], str] = str
    consistency: Consistency = "mention"
    texts: str = SAME_MARKS
    as_found: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.default not in self.routes:
            raise ConfigurationError(f"The default route {self.default!r} does not exist.")
        promises = {_promise(route.mechanism) for route in self.routes.values()}
        if len(promises) > 1:
            raise ConfigurationError(
                "All routes need the same mechanism, epsilon, definition and distance: one statement covers them all."
            )
        if self.consistency not in ("mention", "document"):
            raise ConfigurationError(f"consistency must be mention or document, not {self.consistency!r}.")

    def __repr__(self) -> str:
        count = len(self.routes)
        vocabularies = f"{count} vocabular{'y' if count == 1 else 'ies'}"
        return f"{self.name}, epsilon {self.method.epsilon:g}, {vocabularies}"

    @property
    def method(self) -> Mechanism:
        """Return the mechanism of the default route."""
        return self.routes[self.default].mechanism

    def under(self, detector: Detector) -> DrawnTokens:
        """Return the treatment of what ``detector`` marks."""
        return replace(self, texts=detector.adjacency)

    @property
    def guarantee(self) -> Guarantee:
        """Return the guarantee of one draw, in the unit that the consistency makes of it.

        It is equal on all routes. Its adjacency is the mechanism's, in texts that the detector marks alike.
        """
        return self._guarantee(self.method)

    def _guarantee(self, mechanism: Mechanism) -> Guarantee:
        guarantee, unit = mechanism.guarantee, ""
        if self.consistency == "document":
            unit = ", distinct in its document, wherever it occurs"
        adjacency = compared(self.texts, guarantee.adjacency, drawn_for=self.consistency)
        return replace(guarantee, unit=guarantee.unit + unit, adjacency=adjacency)

    def law(self, text: str, position: int | None, label: str | None, detector: Detector) -> Law:
        """Return the law of the word or phrase ``text``, on the route of ``label`` (None: the default route).

        An unknown word has the law of the token that it becomes. The law of a noise mechanism is estimated.
        """
        if position is not None:
            raise ConfigurationError("A mechanism over tokens draws for a word, in any context; leave out position.")
        route = self.routes[self.default if label is None else self.route_of(label)]
        return law_of_word(route, text, self._guarantee(route.mechanism))

    def law_over(self, values: Sequence[str] = (), label: str | None = None) -> tuple[str, Mechanism, list[str]]:
        """Return the route of ``label`` (None: the default route), its mechanism, and the ``values``."""
        route = self.default if label is None else self.route_of(label)
        return route, self.routes[route].mechanism, list(values)

    def described(self) -> dict[str, Any]:
        """Return calibration, vocabularies and consistency, for the statement."""
        entries = {name: route.described(self._guarantee(route.mechanism)) for name, route in self.routes.items()}
        for name, often in self._unchanged.items():
            entries[name]["unchanged"] = often
        return {
            "calibration": self.method.parameters.get("calibration"),
            "vocabularies": entries,
            "consistency": self.consistency,
        }

    @cached_property
    def _unchanged(self) -> dict[str, dict[str, Any]]:
        often = {name: often_unchanged(route.mechanism) for name, route in self.routes.items()}
        return {name: own for name, own in often.items() if own}

    @property
    def visible(self) -> list[str]:
        """Return what anyone can see of what it put in."""
        found = list(self.method.visible)
        if any(route.unknown == "surrogate" for route in self.routes.values()):
            found.append("that a word may have been unknown, where its replacement looks drawn for the surrogate")
        if len(self.routes) > 1:
            found.append("which vocabulary a replacement comes from, and so the kind of what was replaced")
        if self.consistency == "document":
            found.append(
                "which places of a document hold the same token: seen by single occurrences no finite epsilon "
                "exists; the unit is one distinct token, wherever it occurs in the document"
            )
        return found

    @property
    def facts(self) -> Any:
        """Return everything public that decides its output: a key used at two settings gives unrelated draws."""
        routes = {name: route.facts for name, route in self.routes.items()}
        return [self.consistency, version.origin(self.family), routes]

    def route_of(self, label: str) -> str:
        """Return the name of the route that spans with ``label`` take."""
        if label in self.routes:
            return label
        family = self.family(label)
        return family if family in self.routes else self.default

    def outputs(self, batch: Batch, places: IntArray, drawn: Sequence[Outputs]) -> Made:
        """Return what each route puts in; and how many draws each document spent."""
        opens, spent, outputs = opening(batch.marks), np.zeros(len(batch.documents), dtype=np.int64), []
        taken = self._taken(batch, places)
        keys = self._keys(batch, taken) if batch.randomness.keyed else None
        starts = np.cumsum(batch.marks.counts) - batch.marks.counts
        for own in taken:
            route, inverse = self.routes[own.route], slice(None)
            numbers = own.places - starts[own.owners]
            asked = own
            if self.consistency == "document":
                asked, inverse = _distinct(own)
                numbers = asked.tokens
            spent += self._spent(asked, len(spent))
            made = route.drawn(asked.tokens, batch.randomness, _contexts(keys, asked, numbers))[inverse]
            outputs.append(Outputs(route.spelled, own.places, route.spelled.entries(made, opens[own.places])))
        return Made(outputs, spent)

    def planned(self, batch: Batch, places: IntArray) -> Iterator[tuple[int, PlannedDraws]]:
        """Yield how many draws each document will pay for, and what its keyed draws depend on; draw nothing."""
        taken, spent = self._taken(batch, places), np.zeros(len(batch.documents), dtype=np.int64)
        for own in taken:
            spent += self._spent(_distinct(own)[0] if self.consistency == "document" else own, len(spent))
        for number, (count, key) in enumerate(zip(spent.tolist(), self._keys(batch, taken), strict=True)):
            if count:
                yield number, PlannedDraws("", count, hashlib.sha256(key).digest())

    def _spent(self, asked: _Taken, documents: int) -> IntArray:
        spends = self.routes[asked.route].spends[asked.tokens]
        return np.bincount(asked.owners[spends], minlength=documents)

    def _taken(self, batch: Batch, places: IntArray) -> list[_Taken]:
        """Return the places that each route takes, and their tokens."""
        return [
            _Taken(name, own, batch.owners[own], self.routes[name].marked(batch.marks, own))
            for name, own in self._by_route(batch, places).items()
        ]

    def _by_route(self, batch: Batch, places: IntArray) -> dict[str, IntArray]:
        labels = batch.marks.labels
        if isinstance(labels, str):
            return {self.route_of(labels): places}
        each = zip(labels, batch.marks.counts.tolist(), strict=True)
        spread = chain.from_iterable(repeat(own, count) if isinstance(own, str) else own for own, count in each)
        names = [self.route_of(label) for label in spread]
        routes = np.array(names, dtype=object)[places]
        return {name: places[routes == name] for name in dict.fromkeys(names)}

    def _keys(self, batch: Batch, taken: Sequence[_Taken]) -> list[bytes]:
        """Return what every keyed draw of a document depends on: setting, origin, and all of its marked tokens.

        The whole sequence, because draws that a changed text shares with its original would tell where it changed.
        """
        names = sorted(self.routes)
        marked = np.empty((len(batch.owners), 2), dtype="<i8")
        for own in taken:
            marked[own.places, 0], marked[own.places, 1] = names.index(own.route), own.tokens
        ends = [0, *np.cumsum(batch.marks.counts).tolist()]
        digests = [hashlib.sha256(marked[start:end].tobytes()).digest() for start, end in pairwise(ends)]
        setting = batch.setting
        rows = zip(batch.documents, digests, strict=True)
        return [context(setting, context(*document.names), digest) for document, digest in rows]


def _distinct(taken: _Taken) -> tuple[_Taken, Any]:
    """Return each token of a document once, and which of them stands at each place."""
    pairs, inverse = np.unique(np.stack([taken.owners, taken.tokens], axis=1), axis=0, return_inverse=True)
    return _Taken(taken.route, taken.places, pairs[:, 0], pairs[:, 1]), inverse.reshape(-1)


def _contexts(
    keys: Sequence[bytes] | None, asked: _Taken, numbers: IntArray
) -> Callable[[slice], list[bytes] | None]:
    """Return what names some of the draws, if they are keyed: their document, route, and place or token."""

    def contexts(part: slice) -> list[bytes] | None:
        if keys is None:
            return None
        owners, own = asked.owners[part], numbers[part]
        runs = [*np.flatnonzero(np.diff(owners, prepend=-1)).tolist(), len(owners)]  # of draws of one document
        rows = ((keys[owners[start]], own[start:end]) for start, end in pairwise(runs))
        return [source for key, row in rows for source in numbered(row, key, asked.route)]

    return contexts


def _promise(mechanism: Mechanism) -> tuple[str, float, str, str | None]:
    """What must be equal on all routes, so that one epsilon can be stated for all."""
    guarantee = mechanism.guarantee
    return version.origin(type(mechanism)), guarantee.epsilon, guarantee.definition, guarantee.distance
