"""Mechanisms: each replaces a token of its public vocabulary by a draw from a law that it can show."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.vocabulary import Vocabulary
from sfumato.privacy.distances import relative_error
from sfumato.privacy.guarantee import Certificate, Guarantee
from sfumato.privacy.sampling import LOG_RESOLUTION, sampling_error
from sfumato.types import FloatArray, IntArray, Progress, Uniforms


class Mechanism(ABC):
    """Replaces tokens of a public vocabulary by random tokens of the same vocabulary.

    A mechanism is built for one vocabulary and one epsilon, and is frozen from then on. Tokens are indices into
    ``vocabulary.tokens``. A mechanism never sees a private text: unknown words are mapped to tokens before.
    """

    name: ClassVar[str]
    draws_at_once: ClassVar[int] = 1 << 19
    """How many draws the caller should request at once, so that memory stays constant."""

    visible: ClassVar[tuple[str, ...]] = ()
    """What anyone can see of a release of this mechanism, beside the draws; for the statement."""

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

        ``uniforms(width)`` gives the numbers in (0, 1] that decide, shape (n, width).
        """

    @property
    def law_scales(self) -> Sequence[float]:
        """Return every scale that the law runs at, so that the keyed draws of two laws share nothing."""
        return (self.certify().scale,)

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
