"""Mechanisms: each replaces a token of its public vocabulary by a draw from a law that it can show."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.method import Method
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.options.option import Option, Part
from sfumato.privacy.composition import of_guarantee
from sfumato.privacy.distances import Adjacency, Pair, relative_error
from sfumato.privacy.guarantee import Calibration, Certificate, Guarantee
from sfumato.privacy.sampling import LOG_RESOLUTION, sampling_error
from sfumato.types import FloatArray, IntArray, Progress, Uniforms

PublicVocabulary = Annotated[Vocabulary, Part("the public vocabulary that tokens are replaced from")]
EpsilonOfDraw = Annotated[
    float, Part("the privacy loss of each draw, in nats (per unit of the distance for metric-LDP)")
]
ScaleRule = Annotated[
    Calibration,
    Option("exact: the largest scale within epsilon; paper: the published formula"),
]
"""Annotations of the fields that most mechanisms have."""

_FEW = 2048
"""Of so many tokens the laws are computed one by one."""


class Mechanism(Method, ABC):
    """Replaces tokens of a public vocabulary by random tokens of the same vocabulary.

    A mechanism is built for one vocabulary and one epsilon, and is frozen from then on. Tokens are indices into
    ``vocabulary.tokens``. A mechanism never sees a private text: unknown words are mapped to tokens before.
    """

    draws_at_once: ClassVar[int] = 1 << 19
    """How many draws the caller should request at once, so that memory stays constant."""

    needs: ClassVar[tuple[str, ...]] = ("vocabulary",)

    vocabulary: Vocabulary
    epsilon: float

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """Return the guarantee of one draw."""

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Return every public parameter, for the statement."""

    @abstractmethod
    def certify(self, progress: Progress | None = None) -> Certificate:
        """Return the numerical certificate of :attr:`guarantee` on the actual vocabulary.

        The first call may take minutes on a large vocabulary. The certificate is cached by the vocabulary's hash.
        Raise :class:`~sfumato.errors.GuaranteeError` if the claim does not hold.
        """

    @abstractmethod
    def law(self, token: int) -> FloatArray:
        """Return ``P(. | token)`` over the whole vocabulary, shape (V,), summing to 1.

        Raise :class:`~sfumato.errors.GuaranteeError` if the law has no closed form (noise mechanisms).
        """

    @abstractmethod
    def draw(self, tokens: IntArray, uniforms: Uniforms) -> IntArray:
        """Return one independent draw for each of ``tokens`` (n,), as indices (n,).

        ``uniforms(width)`` gives the numbers in (0, 1] that decide, shape (n, width), and ``uniforms.words(width)``
        64 random bits for each.
        """

    def unchanged(self) -> FloatArray | None:
        """Return how often a draw for each token gives the token again, P(x | x), shape (V,), at the certified scale.

        None if only the law of each token says so, and there are more than a few thousand tokens.
        """
        if len(self.vocabulary) > _FEW:
            return None
        try:
            return np.array([self.law(token)[token] for token in range(len(self.vocabulary))], dtype=np.float64)
        except GuaranteeError:  # noise, whose law has no closed form
            return None

    def adjacency(self) -> Adjacency:
        """Return which tokens the guarantee keeps apart, at what distance: an audit plays its draws against that.

        A mechanism with a metric guarantee must say its distance here. Raises ConfigurationError where it does not.
        """
        if self.guarantee.definition != "LDP":
            raise ConfigurationError(
                f"{self.name} does not say its distance (Mechanism.adjacency); audit it as a black box, with "
                "--command and --distance."
            )
        return Adjacency(self.covered)

    @property
    def covered(self) -> IntArray:
        """Return the tokens that the guarantee is about, ascending."""
        return np.arange(len(self.vocabulary)) if self.protected is None else self.protected

    def worst_pair(self, progress: Progress | None = None) -> Pair | None:
        """Return the pair of tokens with the largest loss per unit of distance, as the certificate finds it.

        None where no law is finite (noise), or where the analysis names no pair.
        """
        return self.certify(progress).pair

    def renyi(self, orders: FloatArray) -> FloatArray:
        """Return a bound on the Rényi divergence of one draw between any two tokens that the LDP guarantee names.

        ``orders`` (A,) are greater than 1; the bounds (A,) are in nats. By default they are those of randomized
        response at ε, which bound every law with that loss. Raise :class:`~sfumato.errors.GuaranteeError` for a
        metric guarantee, which has no bound over all pairs.
        """
        return of_guarantee(self.guarantee, orders)

    @property
    def law_scales(self) -> Sequence[float]:
        """Return every scale that the law runs at, so that the keyed draws of two laws share nothing."""
        return (self.certify().scale,)

    @property
    def law_digest(self) -> str:
        """Return a hash of the law where scales and parameters do not decide it (an optimal law), else nothing.

        Keyed draws depend on it, so that those of two laws share nothing.
        """
        return ""

    @property
    def sets(self) -> Sequence[IntArray]:
        """Return the public sets or clusters that the law is made of, as tokens; empty for a law without sets."""
        return ()

    @property
    def law_facts(self) -> dict[str, Any]:
        """Return the public numbers that fix the law beside its vocabulary, parameters and certificate.

        They are for the statement, so that anyone can compute the law again.
        """
        return {}

    @property
    def relative_error(self) -> float:
        """Return a bound on the relative error of a drawn probability against the certified law.

        An exponent of at most ``-LOG_RESOLUTION`` is a scale times a distance. The certificate and the draw each
        compute the distance, and it enters the weight and the sum of weights. The sampler adds its own error.
        """
        exponents = -4.0 * LOG_RESOLUTION * relative_error(self.vocabulary.vectors.shape[1])
        return exponents + sampling_error(len(self.vocabulary))

    @property
    def protected(self) -> IntArray | None:
        """Return the tokens that the guarantee covers, ascending (None: all). Unknown words become one of them."""
        return None

    def spends(self, tokens: IntArray) -> NDArray[np.bool_]:
        """Return which of ``tokens`` (n,) cost a draw: all, except those that a public rule keeps unchanged."""
        return np.ones(len(tokens), dtype=np.bool_)
