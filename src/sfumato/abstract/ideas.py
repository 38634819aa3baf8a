"""The few ideas everything else is made of. Read this file first.

``Detector`` finds the spans to protect, ``Mechanism`` replaces a token of its public vocabulary by a draw from a
law that it can show, ``Encoder`` turns phrases into vectors. The Sanitizer (``sanitizer.py``) joins them.

What rewrites a document with a language model that sees all of it stands in ``contextual.py``.

``Editing`` replaces spans without a guarantee; the Editor (``editing.py``) sees to it that no original comes back.
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.vocabulary import SourceFile, Vocabulary
from sfumato.privacy.distances import relative_error
from sfumato.privacy.guarantee import Certificate, Guarantee
from sfumato.privacy.sampling import LOG_RESOLUTION, context, sampling_error
from sfumato.text.document import WORD, Document, Finding, Marks, Spans

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

Uniforms = Callable[[int], FloatArray]
"""``uniforms(width)`` gives an (n, width) array of fresh uniforms in (0, 1), a row for each draw asked for."""

SAME_MARKS = "two texts in which the same places are marked with the same labels and the text between is equal"
"""Which texts a guarantee is about where a detector reads what they say."""

Progress = Callable[[float], None]
"""Told the share of the work that is done, from 0 to 1."""


class Detector(ABC):
    """Finds the spans to protect."""

    @property
    @abstractmethod
    def description(self) -> str:
        """What is protected, in a few words, for the privacy statement."""

    @property
    @abstractmethod
    def unprotected(self) -> str:
        """What this detector leaves as it stands, for the privacy statement."""

    @abstractmethod
    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """The spans of each document, sorted and disjoint. An InputError holds its index, never its text."""

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return the spans of :meth:`detect` with the score and the finder of each, where they are known."""
        return [[Finding(*span, None, self.finder) for span in spans] for spans in self.detect(documents)]

    @property
    def finder(self) -> str:
        """What findings name as their finder: the class, in small letters."""
        return re.sub(r"(?<!^)(?=[A-Z])", "-", type(self).__name__).lower()

    @property
    def adjacency(self) -> str:
        """Return which texts a guarantee can be about.

        Changing one word can change which other words are marked (a tagger reads their neighbours), and that one was
        marked can tell what it is. So the guarantee is for texts that are marked alike, unless every word is.
        """
        return SAME_MARKS

    @property
    def reads_content(self) -> bool:
        """Return whether what a text says decides which of its places are marked: yes, unless every word is."""
        return True

    @property
    def setting(self) -> str:
        """The settings of this detector, spelled the same in every process, for ``--resume``."""
        return _settings(self)

    @property
    def known_labels(self) -> frozenset[str] | None:
        """Every label that a span may have; None where that is not known beforehand."""
        return None

    @property
    def public_labels(self) -> bool:
        """Whether its labels may be shown: they are its own, and neither the records' nor somebody's list's."""
        return False

    def shows(self, label: str) -> bool:
        """Whether a summary may name ``label``: it is this detector's own, not a record's or somebody's list's."""
        known = self.known_labels
        return label == WORD or (self.public_labels and (known is None or label in known))

    def mark(self, documents: Sequence[Document]) -> Marks:
        """The same spans by column; a fast detector may have them without :meth:`detect`."""
        return Marks.of(documents, self.detect(documents))


def _settings(thing: Any) -> str:
    """Name and settings of ``thing``; the order of a set, which differs between processes, does not matter."""
    if is_dataclass(thing):
        settings = {field.name: _settings(getattr(thing, field.name)) for field in fields(thing) if field.compare}
        return f"{type(thing).__qualname__} {settings}"
    if isinstance(thing, tuple | list):
        return repr([_settings(one) for one in thing])
    return repr(sorted(map(repr, thing)) if isinstance(thing, set | frozenset) else thing)


class Mechanism(ABC):
    """Replaces tokens of a public vocabulary by random tokens of the same vocabulary.

    A mechanism is built for one vocabulary and one epsilon and is frozen from then on. Tokens are indices into
    ``vocabulary.tokens``. Nothing here ever sees a private text: unknown words were mapped before.
    """

    name: ClassVar[str]
    draws_at_once: ClassVar[int] = 1 << 19
    """How many draws the caller should ask for at once, so that memory stays flat."""

    shows: ClassVar[tuple[str, ...]] = ()
    """What this mechanism lets everybody see beside the draws, for the statement."""

    vocabulary: Vocabulary
    epsilon: float

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What one draw promises."""

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Every public parameter, for the statement."""

    @abstractmethod
    def certify(self, progress: Progress | None = None) -> Certificate:
        """The numerical certificate of :attr:`guarantee` on the actual vocabulary.

        The first call may take minutes on a large vocabulary; the answer is cached by the vocabulary's hash.
        Raises :class:`~sfumato.errors.GuaranteeError` where the claim does not hold.
        """

    @abstractmethod
    def law(self, token: int) -> FloatArray:
        """``P(. | token)`` over the whole vocabulary, shape (V,), summing to 1.

        Raises :class:`~sfumato.errors.GuaranteeError` where the law has no closed form (noise mechanisms).
        """

    @abstractmethod
    def draw(self, tokens: IntArray, uniforms: Uniforms) -> IntArray:
        """One independent draw for each of ``tokens`` (n,), as indices (n,)."""

    @property
    def law_scales(self) -> Sequence[float]:
        """Return every scale that the law runs at, so that the keyed draws of two laws share nothing."""
        return (self.certify().scale,)

    @property
    def relative_error(self) -> float:
        """Return a bound on the relative error of a drawn probability, beside the law that is certified.

        An exponent of at most ``-LOG_RESOLUTION`` is a scale times a distance. The certificate and the draw compute
        each distance on their own; it stands in the weight and in the sum of weights. The sampler adds its own error.
        """
        exponents = -4.0 * LOG_RESOLUTION * relative_error(self.vocabulary.vectors.shape[1])
        return exponents + sampling_error(len(self.vocabulary))

    @property
    def protected(self) -> IntArray | None:
        """The tokens that the guarantee covers, ascending (None: all). Unknown words become one of them."""
        return None

    def spends(self, tokens: IntArray) -> NDArray[np.bool_]:
        """Which of ``tokens`` (n,) cost a draw: all, but for those that a public rule keeps as they are."""
        return np.ones(len(tokens), dtype=np.bool_)


class Encoder(Protocol):
    """Turns phrases into vectors; deterministic and public."""

    @property
    def id(self) -> str:
        """Name and content hash of the model."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    def encode(self, phrases: Sequence[str], progress: Progress | None = None) -> FloatArray:
        """Vectors of ``phrases``, shape (n, dimensions), float64, unit length where the model normalises."""


class Layout(NamedTuple):
    """A document and what is to be rewritten in it: ``spans`` sorted and disjoint, a label each."""

    text: str
    spans: Sequence[tuple[int, int]]
    labels: Sequence[str]


def layout_key(setting: str, document: Document, layout: Layout) -> bytes:
    """Return what every keyed draw for ``document`` depends on: the setting, its origin, its text and its marks."""
    edges = [edge for span in layout.spans for edge in span]
    marked = context(layout.text, *edges, *layout.labels)
    return context(setting, context(*document.names), hashlib.sha256(marked).digest())


class Editing(ABC):
    """Replaces marked spans by a rule or a model, without a guarantee: what it leaves has to be measured.

    Nothing here has an ε, and no statement of it prints one.
    """

    name: ClassVar[str]
    shows: ClassVar[tuple[str, ...]] = ()
    """What this method lets everybody see beside what every release shows, for the statement."""
    prompts: ClassVar[tuple[str, ...]] = ()
    """What it says to a language model, without text of records, for ``--resume``."""

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Every public parameter, for the statement and for ``--resume``. No key, no private text."""

    @property
    def sources(self) -> Sequence[SourceFile]:
        """The public files that it takes replacements from; a private input among them is refused."""
        return ()

    @property
    def together(self) -> int:
        """How many documents are worth working on at once."""
        return 256

    @property
    def reads(self) -> tuple[str, ...]:
        """The fields of a record that it asks for beside the text."""
        return ()

    @property
    def named_labels(self) -> frozenset[str]:
        """The labels that it was told something about; a detector that has none of them was misunderstood."""
        return frozenset()

    def keeps(self, label: str) -> bool:
        """Whether spans with this label are left as they stand, as if nothing had marked them: none are."""
        return False

    def prepare(self, progress: Progress | None = None) -> None:  # noqa: B027 (most need nothing)
        """Load what is needed, so that nothing is read before it is there."""

    @abstractmethod
    def replacements(
        self, documents: Sequence[Document], layouts: Sequence[Layout], seeds: Sequence[int]
    ) -> list[list[str]]:
        """What stands in the place of each span of each document. ``seeds`` (64 bits each) are fresh or keyed.

        An output that is, or holds, a marked original of its document is not used (:mod:`sfumato.engines.spans`).
        """
