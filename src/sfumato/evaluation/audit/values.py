"""The audit of one treatment of a policy: two values of its kind, told apart by what replaces them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from sfumato.abstract.kind import Reading
from sfumato.abstract.treatment import Treatment
from sfumato.attacks.distinguishing import Distinguishing, Sampler
from sfumato.engines.mentions import Batch, Mention
from sfumato.engines.shift import Shifted
from sfumato.engines.values import DrawnValues
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.evaluation.audit.auditing import audit_words, together
from sfumato.evaluation.audit.findings import PRIOR_TOKENS, Audit, PairVerdict, even_prior, unigram_prior
from sfumato.privacy.randomness import Randomness, SystemRandomness
from sfumato.text.document import Document
from sfumato.text.layout import Layout
from sfumato.text.marked_record import MarkedRecord
from sfumato.types import Stages, silent

_WHO = "whose"
_AT_ONCE = 5_000
_MOST_VALUES = 4
"""Every pair of dates is played by the engine itself, which takes seconds."""
_DAY = "day"


def audit_treatment(
    treatment: Treatment, values: Sequence[str], auditor: Distinguishing, prior_values: int = PRIOR_TOKENS,
    randomness: Randomness | None = None, stages: Stages | None = None,
) -> Audit:  # fmt: skip
    """Return the audit of ``treatment`` on every pair of ``values``, written as in a text; without any, on a pair of
    its own choice.

    Raise GuaranteeError for a treatment without a guarantee, and ConfigurationError for values that are not of one
    domain. No error repeats a value.
    """
    if isinstance(treatment, Shifted):
        return _of_shift(treatment, values, auditor, randomness, stages or silent)
    if isinstance(treatment, DrawnValues):
        return _of_draws(treatment, values, auditor, prior_values, randomness, stages)
    kinds = ", ".join(treatment.kinds) or "This kind"
    raise GuaranteeError(
        f"{kinds} has no formal guarantee under this policy ({treatment.name}), so there is no claim to audit; "
        "measure a release instead."
    )


def _of_draws(
    treatment: DrawnValues, values: Sequence[str], auditor: Distinguishing, prior_values: int,
    randomness: Randomness | None, stages: Stages | None,
) -> Audit:  # fmt: skip
    """Return the audit of the mechanism over the domain of ``values``, or of the weakest domain."""
    kind, (grain, mechanism) = treatment.kind, treatment.weakest
    tokens = list(values)
    if values and kind.looks:
        readings = _read(treatment, values)
        grain, tokens = readings[0].form.grain, [reading.value for reading in readings]
        mechanism = treatment.routes[grain].mechanism
    even = kind.unit or not kind.looks
    prior = even_prior(mechanism, prior_values) if even else unigram_prior(mechanism, prior_values)
    shown = f"{kind.name} ({grain})"
    audit = audit_words(mechanism, tokens, auditor, prior_values, randomness, stages, shown, prior=prior)
    return replace(audit, guarantee=str(treatment.guarantee))


def _of_shift(
    treatment: Shifted, values: Sequence[str], auditor: Distinguishing, randomness: Randomness | None, stages: Stages
) -> Audit:
    """Return the audit of a shift by its engine: two records, each with one date."""
    why, values = ("asked for", values) if values else ("a scale apart", _two_dates(treatment))
    if not 2 <= len(values) <= _MOST_VALUES:
        raise ConfigurationError(f"A shift is audited on 2 to {_MOST_VALUES} dates, every pair of them.")
    readings = _read(treatment, values)
    begins, pairs = _days(treatment, readings), list(combinations(range(len(values)), 2))
    careful = together(auditor, len(pairs))
    source, claim = randomness or SystemRandomness(), treatment.guarantee.epsilon
    verdicts = []
    for number, pair in enumerate(pairs):
        distance = abs(begins[pair[0]] - begins[pair[1]])
        samplers = [_sampler(treatment, values[place], f"{number} {side}", source) for side, place in enumerate(pair)]
        bound = careful.audit(samplers[0], samplers[1], distance).epsilon
        names = readings[pair[0]].value, readings[pair[1]].value
        verdicts.append(PairVerdict(names, why, claim, distance, claim, bound))  # the law loses ε a day, exactly
        stages("Drawing", (number + 1) / len(pairs))
    return Audit(
        treatment.name, auditor, verdicts, str(treatment.guarantee), treatment.certificate.as_dict(), source.stamp,
        treatment.kind.name,
    )  # fmt: skip


def _two_dates(treatment: Shifted) -> list[str]:
    """Return two dates in the middle of the range, one scale of the noise apart, where an audit sees most."""
    kind, form = treatment.kind, treatment.kind.public_form(_DAY)
    tokens, middle = kind.vocabulary(_DAY).tokens, len(kind.vocabulary(_DAY)) // 2
    apart = min(max(1, round(1 / treatment.epsilon)), middle - 1)
    return [kind.write(tokens[place], form) for place in (middle, middle + apart)]


def _days(treatment: Shifted, readings: Sequence[Reading]) -> list[float]:
    """Return the day on which each value begins. Raise ConfigurationError where years repeat."""
    domain = treatment.kind.vocabulary(readings[0].form.grain)
    if domain.vectors.shape[1] != 1:
        raise ConfigurationError("Dates without a year lie on a circle; give dates with a year.")
    places = np.array([domain.tokens.index(reading.value) for reading in readings])
    return [float(day) for day in domain.vectors[places, 0]]


def _read(treatment: DrawnValues | Shifted, values: Sequence[str]) -> list[Reading]:
    """Return what ``values`` say. Raise ConfigurationError unless all are of one domain."""
    readings = [treatment.kind.read(value) for value in values]
    missing = next((number for number, reading in enumerate(readings, 1) if reading is None), None)
    if missing is not None:
        raise ConfigurationError(f"Value {missing} of --tokens cannot be read as {treatment.kind.name}.")
    said = [reading for reading in readings if reading is not None]
    if len({reading.form.grain for reading in said}) > 1:
        raise ConfigurationError(
            "The values are of several domains, and a release shows which; give values that are written alike."
        )
    return said


def _sampler(treatment: DrawnValues | Shifted, text: str, side: str, source: Randomness) -> Sampler:
    """Return a sampler of what ``treatment`` makes of ``text``: reading, draw and written form, as in a release.

    Each output is of a record of its own about a person of its own. ``side`` distinguishes the people of two
    samplers, so that no draw serves both.
    """
    kind = treatment.kind.name
    layout = Layout(text, [(0, len(text))], [kind])

    def record(number: int) -> MarkedRecord:
        name = f"{side} {number}"
        return MarkedRecord(number, [Document(text, id=name, metadata={_WHO: name})], [layout])

    def sampled(n: int) -> list[str]:
        outputs: list[str] = []
        for first in range(0, n, _AT_ONCE):
            records = [record(number) for number in range(first, min(n, first + _AT_ONCE))]
            mentions = [Mention(number, 0, text, kind) for number in range(len(records))]
            outputs += treatment.outputs(Batch(records, source, "audit", _WHO), mentions)[0]
        return outputs

    return sampled
