"""A share of what another detector finds. The rest is left unchanged, and the statement says so."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.abstract.detector import Around
from sfumato.errors import ConfigurationError
from sfumato.text.document import Document
from sfumato.text.marks import Finding
from sfumato.text.occurrences import name_of
from sfumato.version import origin


@dataclass(frozen=True)
class Sampled(Around):
    """About ``share`` of the texts that ``detector`` finds, drawn by ``seed``, the record's id and the text.

    A text has one fate in its document, however it is spelled: it is not left in one place and replaced in another.
    The draw protects nothing; it only decides how much is distorted.
    """

    share: float
    seed: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.share, bool) or not isinstance(self.share, int | float) or not 0.0 < self.share <= 1.0:
            raise ConfigurationError(f"A share lies above 0 and up to 1, not {self.share!r}.")

    @property
    def description(self) -> str:
        """Return what is protected."""
        return f"about {self.share:.0%}, drawn at random, of this: {self.detector.description}"

    @property
    def unprotected(self) -> str:
        """Return what is left unprotected."""
        rest = f"about {1 - self.share:.0%} of what is found stays as it was, on purpose" if self.share < 1 else ""
        return "; ".join(filter(None, (rest, self.detector.unprotected)))

    @property
    def setting(self) -> str:
        """Return the settings of the sample and of the detector."""
        return f"{origin(type(self))} {self.share} {self.seed} of {self.detector.setting}"

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return the findings that were drawn."""
        every = zip(documents, self.detector.findings(documents), strict=True)
        return [
            [finding for finding in findings if self._is_drawn(document, document.text[finding.start : finding.end])]
            for document, findings in every
        ]

    def _is_drawn(self, document: Document, text: str) -> bool:
        facts = "\0".join((str(self.seed), document.id, name_of(text) or text))
        digest = hashlib.sha256(facts.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") < self.share * 2**64
