"""The one face of the product: a Sanitizer takes texts, returns releases, and states its guarantee.

:func:`sfumato.build` returns one. Files, statements, evaluations and the command line know only this class. The
builder decides which engine runs the method (:mod:`sfumato.engines`), and no other code depends on the engine.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from sfumato.abstract.asking import ChatUse
from sfumato.abstract.detector import Detector
from sfumato.abstract.vocabulary import SourceFile
from sfumato.errors import GuaranteeError
from sfumato.privacy.composition import Composed
from sfumato.privacy.guarantee import Certificate, Guarantee
from sfumato.privacy.randomness import Randomness
from sfumato.text.document import Document, Release
from sfumato.types import Progress

_NONE = "This method has no formal guarantee, so there is nothing to certify; measure the release instead."


class Sanitizer(ABC):
    """Sanitizes documents. Build one with :func:`sfumato.build`.

    ``detector`` finds the spans to replace. ``chat`` is the language model that the detector or the method asks, or
    None.
    """

    detector: Detector
    chat: ChatUse | None = None

    @abstractmethod
    def sanitize_batch(self, documents: Sequence[Document], randomness: Randomness | None = None) -> list[Release]:
        """Return a release for each document, in order. ``randomness`` defaults to the operating system's.

        Raise :class:`~sfumato.errors.InputError` naming the document, never its text.
        """

    def sanitize(self, text: str | Document, randomness: Randomness | None = None) -> Release:
        """Return the release of one text.

        Raise :class:`~sfumato.errors.InputError` as :meth:`sanitize_batch` does.
        """
        document = Document(text) if isinstance(text, str) else text
        return self.sanitize_batch([document], randomness)[0]

    @abstractmethod
    def prepare(self, progress: Progress | None = None) -> None:
        """Load and certify everything, so that nothing private is read before the claim is proved.

        ``progress`` receives the finished share. Raise :class:`~sfumato.errors.GuaranteeError` if the claim does not
        hold.
        """

    @property
    @abstractmethod
    def setting(self) -> str:
        """Return a hash of everything public that decides a release: keyed draws of two settings share nothing."""

    def fingerprint(self) -> str:
        """Return what a run must have in common with an interrupted one in order to resume it."""
        return self.setting

    # The guarantee.

    @property
    def guarantee(self) -> Guarantee | None:
        """Return the guarantee of one draw, in the unit that the settings give it; None without a guarantee."""
        return None

    def certificate(self) -> Certificate:
        """Return the numerical check of the guarantee; if there are several, of the weakest.

        Raise :class:`~sfumato.errors.GuaranteeError` if there is no guarantee, or if it does not hold.
        """
        raise GuaranteeError(_NONE)

    def cost(self, draws: int, records: int = 1) -> Composed:
        """Return the cost of a record with so many ``draws``, in nats, among so many ``records`` (they decide δ).

        Raise :class:`~sfumato.errors.GuaranteeError` if there is no guarantee.
        """
        raise GuaranteeError(_NONE)

    @property
    def relative_error(self) -> float:
        """Return a bound on the relative error of the probabilities that draws are made from.

        Raise :class:`~sfumato.errors.GuaranteeError` if there is no guarantee.
        """
        raise GuaranteeError(_NONE)

    # The statement.

    @abstractmethod
    def statement_fields(self) -> dict[str, Any]:
        """Return the method, its parameters and its public inputs, for the statement."""

    @property
    @abstractmethod
    def visible(self) -> Sequence[str]:
        """Return what anyone can see of a release, beside what every release shows."""

    @property
    @abstractmethod
    def in_context(self) -> bool:
        """Return whether the replacement of a span may depend on the whole document."""

    @property
    def rewrites_whole_text(self) -> bool:
        """Return whether the method rewrites the whole text, so that no part of it stays unchanged."""
        return False

    @property
    def sources(self) -> Sequence[SourceFile]:
        """Return the public files that the sanitizer was built from; a private input among them is refused."""
        return ()

    # Reading a file.

    @property
    def reads(self) -> tuple[str, ...]:
        """Return the fields of a record that the method reads beside the text."""
        return ()

    @property
    def records_at_once(self) -> int | None:
        """Return how many records a chunk of a file should hold at most; None: as many as fit in memory.

        A slow method needs small chunks, so that little is lost when a run is interrupted.
        """
        return None

    def check_fields(self, fields: Sequence[str]) -> None:  # noqa: B027 (most take any)
        """Raise :class:`~sfumato.errors.ConfigurationError` if records with these text fields cannot be sanitized."""

    def reporting(self, on_draws: Callable[[int], None] | None) -> Sanitizer:
        """Return a sanitizer that also calls ``on_draws`` with the number of draws made since the last call.

        Only a method that takes long over one record calls it.
        """
        return self

    @property
    def gives_pseudonyms(self) -> bool:
        """Return whether the replacements are pseudonyms that :meth:`pseudonyms` can resolve."""
        return False

    def pseudonyms(self, documents: Sequence[Document]) -> list[dict[str, str]]:
        """Return, for each document, the original behind each pseudonym. PRIVATE: for a sealed map alone."""
        return [{} for _ in documents]
