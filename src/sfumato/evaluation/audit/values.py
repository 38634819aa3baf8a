"""The audit of one treatment of a policy: two values of its kind, told apart by what replaces them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from sfumato.abstract.detector import Detector
from sfumato.abstract.treatment import Treatment
from sfumato.attacks.distinguishing import Distinguishing, Sampler
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Kept
from sfumato.errors import ConfigurationError
from sfumato.evaluation.audit.auditing import audit_words, together
from sfumato.evaluation.audit.findings import PRIOR_TOKENS, Audit, PairVerdict, even_prior, unigram_prior
from sfumato.kinds.registry import KINDS
from sfumato.privacy.randomness import Randomness, SystemRandomness
from sfumato.text.document import Document
from sfumato.text.marks import Spans
from sfumato.types import Stages, silent

_WHO = "whose"
_AT_ONCE = 5_000
_MOST_VALUES = 4
"""Every pair of dates is played by the engine itself, which takes seconds."""


def audit_treatment(
    treatment: Treatment, values: Sequence[str], auditor: Distinguishing, prior_values: int = PRIOR_TOKENS,
    randomness: Randomness | None = None, stages: Stages | None = None,
) -> Audit:  # fmt: skip
    """Return the audit of ``treatment`` on every pair of ``values``, written as in a text; without any, on a pair of
    its own choice.

    Raise GuaranteeError for a treatment without a guarantee, and ConfigurationError for values that are not of one
    domain. No error repeats a value.
    """
    inside = treatment.law_over(values)
    if inside is None:
        return _of_distances(treatment, values, auditor, randomness, stages or silent)
    grain, mechanism, tokens = inside
    kind = KINDS[treatment.kinds[0]]
    even = kind.unit or not kind.looks
    prior = even_prior(mechanism, prior_values) if even else unigram_prior(mechanism, prior_values)
    shown = f"{kind.name} ({grain})"
    audit = audit_words(mechanism, tokens, auditor, prior_values, randomness, stages, shown, prior=prior)
    return replace(audit, guarantee=str(treatment.guarantee))


def _of_distances(
    treatment: Treatment, values: Sequence[str], auditor: Distinguishing, randomness: Randomness | None,
    stages: Stages,
) -> Audit:  # fmt: skip
    """Return the audit of a treatment by its engine: records with a value each, as far apart as the values are."""
    why, played = "asked for" if values else "a scale apart", treatment.positions(values)
    guarantee, certificate = treatment.guarantee, treatment.certificate
    assert guarantee is not None
    assert certificate is not None
    if not 2 <= len(played) <= _MOST_VALUES:
        raise ConfigurationError(f"A shift is audited on 2 to {_MOST_VALUES} dates, every pair of them.")
    pairs = list(combinations(played, 2))
    careful, source, claim = together(auditor, len(pairs)), randomness or SystemRandomness(), guarantee.epsilon
    verdicts = []
    for number, pair in enumerate(pairs):
        distance = abs(pair[0][2] - pair[1][2])
        samplers = [_sampler(treatment, text, f"{number} {side}", source) for side, (text, _, _) in enumerate(pair)]
        bound = careful.audit(samplers[0], samplers[1], distance).epsilon
        names = pair[0][1], pair[1][1]
        verdicts.append(PairVerdict(names, why, claim, distance, claim, bound))  # the law loses ε a day, exactly
        stages("Drawing", (number + 1) / len(pairs))
    return Audit(
        treatment.name, auditor, verdicts, str(guarantee), certificate.as_dict(), source.stamp, treatment.kinds[0],
    )  # fmt: skip


@dataclass(frozen=True)
class _Whole(Detector):
    """Marks whole texts as ``kind``."""

    kind: str
    description = "whole texts"
    unprotected = "nothing"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return one span for each document."""
        return [Spans([(0, len(document.text))], self.kind) for document in documents]


def _sampler(treatment: Treatment, text: str, side: str, source: Randomness) -> Sampler:
    """Return a sampler of what ``treatment`` makes of ``text``: reading, draw and written form, as in a release.

    Each output is of a record of its own about a person of its own. ``side`` distinguishes the people of two
    samplers, so that no draw serves both.
    """
    sanitizer = Engine(_Whole(treatment.kinds[0]), Kept(), [treatment], subject_field=_WHO)

    def document(number: int) -> Document:
        name = f"{side} {number}"
        return Document(text, id=name, metadata={_WHO: name})

    def sampled(n: int) -> list[str]:
        batches = (range(first, min(n, first + _AT_ONCE)) for first in range(0, n, _AT_ONCE))
        made = (sanitizer.sanitize_batch([document(number) for number in batch], source) for batch in batches)
        return [release.text for releases in made for release in releases]

    return sampled
