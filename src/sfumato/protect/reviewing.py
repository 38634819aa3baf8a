"""What a person's review brings to a release: a corrected detector, and what its random sample says of misses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from sfumato.abstract.detector import Detector
from sfumato.detectors.reviewed import Reviewed
from sfumato.files import open_source
from sfumato.metrics.estimates import Estimate
from sfumato.protect.request import Request
from sfumato.review import check_decisions, decisions_from, sampled_misses, silence_of, texts_of
from sfumato.review.treated import ByPolicy


@dataclass(frozen=True)
class Review:
    """A review of the originals of a request.

    Attributes:
        detector: The policy's detector with the decisions.
        sentence: What the random sample says, in one sentence; empty without a sample.
        missed: The share of records with a miss, with the bound of the sample; None without one.
        file: The file of decisions. PRIVATE.
    """

    detector: Detector
    sentence: str
    missed: Estimate | None
    file: Path


def review_of(request: Request, detector: Detector) -> Review | None:
    """Return the review whose decisions ``request`` names, of what ``detector`` marks; None if it names none.

    Raise InputError if the decisions are about other texts or another detector.
    """
    if request.decisions is None:
        return None
    files = replace(request.files, spans_field=detector.spans_field, adjustable=False)
    texts = texts_of(open_source(request.input, files))
    decisions = decisions_from(request.decisions)
    check_decisions(decisions, texts)
    misses = sampled_misses(decisions, detector, texts, ByPolicy(request.policy))
    corrected = Reviewed(detector, decisions)
    if misses is None:
        return Review(corrected, silence_of(decisions) or "", None, request.decisions)
    missed = Estimate(misses.counted / misses.sampled, 0.0, misses.upper, misses.sampled)
    return Review(corrected, misses.sentence, missed, request.decisions)
