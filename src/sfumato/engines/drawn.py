"""What the treatments by draws over public vocabularies have in common: their laws, certificates and costs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

import numpy as np

from sfumato.abstract.mechanism import Mechanism
from sfumato.abstract.treatment import Treatment
from sfumato.abstract.vocabulary import SourceFile
from sfumato.engines.routes import Route, prepare
from sfumato.privacy.composition import Composed, compose, delta_for
from sfumato.privacy.guarantee import Certificate, Guarantee
from sfumato.types import FloatArray, Progress, part_of


class Drawn(Treatment):
    """A treatment by draws.

    Attributes:
        routes: A mechanism over each vocabulary, by the name of the vocabulary.
    """

    routes: Mapping[str, Route]

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """Return the guarantee of one draw; it is the same over every vocabulary."""

    @property
    def method(self) -> Mechanism:
        """Return the mechanism over the first vocabulary."""
        return next(iter(self.routes.values())).mechanism

    @property
    def mechanisms(self) -> dict[str, Mechanism]:
        """Return the mechanism over each vocabulary."""
        return {name: route.mechanism for name, route in self.routes.items()}

    @property
    def weakest(self) -> str:
        """Return the vocabulary with the largest certified loss; of equal ones, the widest."""

        def rank(name: str) -> tuple[float, float]:
            certificate = self.routes[name].mechanism.certify()
            return certificate.certified, certificate.conditions.get("largest_distance", 0.0)

        return max(self.routes, key=rank)

    @property
    def certificate(self) -> Certificate:
        """Return the certificate of the weakest vocabulary."""
        return self.routes[self.weakest].mechanism.certify()

    def prepare(self, progress: Progress | None = None) -> None:
        """Certify every law (cached by vocabulary), and make a draw for a public token by each.

        Raise GuaranteeError if either is impossible.
        """
        for number, mechanism in enumerate(self.mechanisms.values()):
            prepare(mechanism, part_of(progress, number / len(self.routes), 1 / len(self.routes)))

    def cost(self, draws: int, records: int = 1) -> Composed:
        """Return the total cost of so many draws, in nats (per unit of the distance for metric-LDP)."""
        return compose(self.guarantee, draws, delta_for(records), self.renyi)

    def renyi(self, orders: FloatArray) -> FloatArray:
        """Return the Rényi curve of one draw by any law, at ``orders`` (A,), in nats, shape (A,): the largest."""
        curves = [mechanism.renyi(orders) for mechanism in self.mechanisms.values()]
        return np.asarray(np.max(curves, axis=0), dtype=np.float64)

    @property
    def relative_error(self) -> float:
        """Return a bound on the relative error of the probabilities that are drawn from."""
        return max(mechanism.relative_error for mechanism in self.mechanisms.values())

    @property
    def sources(self) -> list[SourceFile]:
        """Return the public files that the vocabularies and their clusters were read from."""
        every = (source for mechanism in self.mechanisms.values() for source in mechanism.vocabulary.sources)
        return list(dict.fromkeys(every))
