"""Texts of a request in another language than the policy reads: how many there are, or that they are refused."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.abstract.detector import Detector
from sfumato.detectors.languages import named
from sfumato.detectors.set_languages import SetLanguages
from sfumato.gateway.slots import OtherLanguageError
from sfumato.text.document import Document


def in_other_languages(detector: Detector, texts: Sequence[str]) -> int:
    """Return how many of ``texts`` show another language than the policy of ``detector`` reads.

    Raise OtherLanguageError if there is one and the policy refuses it.
    """
    if not isinstance(detector, SetLanguages):
        return 0
    others = sum(detector.differs([Document(text)]) for text in texts)
    if others and detector.refuses:
        raise OtherLanguageError(
            f"A text of the request shows another language than {named(detector.languages)}, which this server's "
            "policy reads, so nothing was sent."
        )
    return others
