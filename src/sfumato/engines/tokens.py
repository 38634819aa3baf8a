"""Detector and mechanism joined: Document in, Release out.

The way of a token: the detector marks it; its label picks the route (a mechanism over one vocabulary); it becomes an
index into that vocabulary, an unknown one the surrogate's or the nearest token's; one draw replaces the index; the
drawn token is spliced in. Nothing after the draw knows the private token.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from sfumato import version
from sfumato.abstract.detector import Detector
from sfumato.abstract.law import Law
from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.planned import PlannedDraws
from sfumato.abstract.sanitizer import Sanitizer
from sfumato.abstract.stream import document_of
from sfumato.abstract.vocabulary import SourceFile
from sfumato.engines.laws import law_of_word
from sfumato.engines.routes import Route
from sfumato.engines.token_batch import TokenBatch
from sfumato.errors import ConfigurationError
from sfumato.options.typed import typed
from sfumato.privacy.certificates import ANALYSIS
from sfumato.privacy.compared import compared
from sfumato.privacy.composition import Composed, compose, delta_for
from sfumato.privacy.guarantee import Certificate, Guarantee
from sfumato.privacy.randomness import PINS, RandomDraws, Randomness, SystemRandomness
from sfumato.text.document import Document, Release
from sfumato.types import FloatArray, Progress

Consistency = Literal["mention", "document"]


@typed
@dataclass(frozen=True, eq=False)
class TokenSanitizer(Sanitizer):
    """Sanitizes documents with mechanisms over tokens. Build one with `sfumato.build`, or from its parts.

    Attributes:
        detector: Finds the spans to replace.
        routes: A `Route` for each family of labels, by the family's name.
        default: The name of the route of labels that have none of their own.
        family: Returns the family of a label.
        consistency: `mention`: a draw for each span; `document`: one for each distinct token of a document.
    """

    detector: Detector
    routes: Mapping[str, Route]
    default: str
    family: Callable[[str], str] = str
    consistency: Consistency = "mention"

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
        mechanism = self.routes[self.default].mechanism
        return f"TokenSanitizer({mechanism.name}, epsilon {mechanism.epsilon:g}, {vocabularies}, {self.detector!r})"

    def prepare(self, progress: Progress | None = None) -> None:
        """Certify every mechanism now (cached by vocabulary), so that nothing is released before the claim stands.

        Each also makes one draw for a public token, so that a law that cannot be drawn is refused here too.
        """
        for number, route in enumerate(self.routes.values()):
            base, share = number / len(self.routes), 1.0 / len(self.routes)
            route.mechanism.certify(
                None if progress is None else lambda done, b=base, s=share: progress(b + s * done)  # type: ignore[misc]
            )
            route.mechanism.draw(np.zeros(1, dtype=np.int64), RandomDraws(SystemRandomness(), 1))

    @property
    def in_context(self) -> bool:
        """A draw depends on its token alone."""
        return False

    @property
    def guarantee(self) -> Guarantee:
        """Return the guarantee of one draw, in the unit that the consistency makes of it.

        It is equal on all routes. Its adjacency is the mechanism's, in texts that the detector marks alike.
        """
        return self._guarantee(self.routes[self.default].mechanism)

    def _guarantee(self, mechanism: Mechanism) -> Guarantee:
        guarantee, unit = mechanism.guarantee, ""
        if self.consistency == "document":
            unit = ", distinct in its document, everywhere it stands there"
        adjacency = compared(self.detector.adjacency, guarantee.adjacency, drawn_for=self.consistency)
        return replace(guarantee, unit=guarantee.unit + unit, adjacency=adjacency)

    def certificate(self) -> Certificate:
        """The certificate of the route with the largest certified loss."""
        certificates = [route.mechanism.certify() for route in self.routes.values()]
        return max(certificates, key=lambda certificate: certificate.certified)

    def explain(self, text: str, position: int | None = None, label: str | None = None) -> Law:
        """Return the law of the word or phrase `text`, on the route of `label` (None: the default route).

        An unknown word has the law of the token that it becomes. The law of a noise mechanism is estimated.
        """
        if position is not None:
            raise ConfigurationError("A mechanism over tokens draws for a word, in any context; leave out position.")
        route = self.default if label is None else self.route_of(label)
        chosen = self.routes[route]
        return law_of_word(chosen, document_of(text).text, self._guarantee(chosen.mechanism))

    def cost(self, draws: int, records: int = 1) -> Composed:
        """Return what a record with so many draws costs altogether, among so many ``records`` (they decide δ)."""
        return compose(self.guarantee, draws, delta_for(records), self.renyi)

    def renyi(self, orders: FloatArray) -> FloatArray:
        """Return the Rényi curve of one draw on any route, at ``orders`` (A,), in nats, shape (A,): the largest."""
        curves = [route.mechanism.renyi(orders) for route in self.routes.values()]
        return np.asarray(np.max(curves, axis=0), dtype=np.float64)

    @property
    def relative_error(self) -> float:
        """Return a bound on the relative error of a probability that is drawn from."""
        return max(route.mechanism.relative_error for route in self.routes.values())

    @property
    def implementation(self) -> type[Any]:
        """Return the class of the mechanism."""
        return type(self.routes[self.default].mechanism)

    def statement_fields(self) -> dict[str, Any]:
        """Return mechanism, calibration, vocabularies and consistency, for the statement."""
        first = self.routes[self.default].mechanism
        return {
            "mechanism": first.name,
            "calibration": first.parameters.get("calibration"),
            "vocabularies": {
                name: route.described(self._guarantee(route.mechanism)) for name, route in self.routes.items()
            },
            "consistency": self.consistency,
        }

    @property
    def visible(self) -> list[str]:
        """Return what anyone can see of a release beside what every release shows."""
        found = list(self.routes[self.default].mechanism.visible)
        if any(route.unknown == "surrogate" for route in self.routes.values()):
            found.append("that a word may have been unknown, where its replacement looks drawn for the surrogate")
        if len(self.routes) > 1:
            found.append("which vocabulary a replacement comes from, and so the kind of what was replaced")
        if self.consistency == "document":
            found.append(
                "which places of a document hold the same token: seen by single occurrences no finite epsilon "
                "exists; the unit is one distinct token, everywhere it stands in the document"
            )
        return found

    @cached_property
    def setting(self) -> str:
        """Return a hash of everything public that decides a release, for ``--resume`` and for keyed draws.

        A key used at two settings gives unrelated draws on every route.
        """
        facts = {
            "program": [version.VERSION, ANALYSIS, PINS],
            "detector": self.detector.setting,
            "consistency": self.consistency,
            "family": version.origin(self.family),
            "routes": {name: route.facts for name, route in self.routes.items()},
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True, default=repr).encode()).hexdigest()

    @property
    def sources(self) -> list[SourceFile]:
        """Return the public files that the vocabularies and their clusters were read from."""
        vocabularies = [route.mechanism.vocabulary for route in self.routes.values()]
        return list(dict.fromkeys(source for vocabulary in vocabularies for source in vocabulary.sources))

    def sanitize_batch(self, documents: Sequence[Document], randomness: Randomness | None = None) -> list[Release]:
        """A release for each document, in order.

        Raises InputError naming the document, never its text.
        """
        batch = TokenBatch(self, documents, randomness or SystemRandomness())
        return batch.releases(batch.draw())

    def planned(self, documents: Sequence[Document]) -> list[tuple[PlannedDraws, ...]]:
        """Return the draws of each document, without drawing."""
        return [
            (PlannedDraws("", count, hashlib.sha256(key).digest()),) if count else ()
            for count, key in TokenBatch(self, documents, SystemRandomness()).planned()
        ]

    def route_of(self, label: str) -> str:
        """The name of the route that spans with ``label`` take."""
        if label in self.routes:
            return label
        family = self.family(label)
        return family if family in self.routes else self.default


def _promise(mechanism: Mechanism) -> tuple[str, float, str, str | None]:
    """What must be equal on all routes, so that one epsilon can be stated for all."""
    guarantee = mechanism.guarantee
    return version.origin(type(mechanism)), guarantee.epsilon, guarantee.definition, guarantee.distance
