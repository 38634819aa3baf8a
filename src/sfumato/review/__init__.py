"""A person looks at what a detector marks, and corrects it: a page on this machine alone, and a file of decisions."""

from __future__ import annotations

from sfumato.detectors.decisions import Decisions, decisions_from
from sfumato.detectors.reviewed import Reviewed
from sfumato.review.sampled_misses import SampledMisses, sampled_misses, silence_of
from sfumato.review.texts import Texts, check_decisions, texts_of

__all__ = [
    "Decisions",
    "Reviewed",
    "SampledMisses",
    "Texts",
    "check_decisions",
    "decisions_from",
    "sampled_misses",
    "silence_of",
    "texts_of",
]
