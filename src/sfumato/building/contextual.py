"""From names to a Sanitizer that rewrites in context: model, law of the scores and contextual mechanism."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sfumato import registry
from sfumato.building import methods
from sfumato.building.models import NOT_YET, load_model, scoring
from sfumato.building.offers import take
from sfumato.building.option_groups import BudgetOptions, DetectionOptions, ModelOptions
from sfumato.engines.contextual import Contextual
from sfumato.engines.engine import Engine
from sfumato.errors import ConfigurationError
from sfumato.privacy.guarantee import checked_epsilon
from sfumato.types import Progress


def build_contextual(
    mechanism: str, epsilon: float | None = None, *, progress: Progress | None = None, **options: Any
) -> Engine:
    """Build a sanitizer by names; ``options`` are those of :class:`~sfumato.building.offers.Offer`.

    ``epsilon`` pays for each draw; ``document_epsilon`` is split over the draws of each document instead. ``model``
    is a folder, the Hugging Face name of a model already on this machine, a model object, or None for the model that
    needs no network. ``law`` is "rank" (the default) or "softmax", the papers' law. For the latter ``clip`` is
    "LOW,HIGH", a pair, a file that ``sfumato models calibrate --law softmax`` wrote, or None to measure it on the
    public sentences that ship with sfumato. Raises :class:`ConfigurationError` or :class:`MissingExtraError` in one
    sentence.
    """
    taken = take(mechanism, options, registry.CONTEXTUAL)
    detection, budget, asked = taken.of(DetectionOptions), taken.of(BudgetOptions), taken.of(ModelOptions)
    given = [one for one in (epsilon, budget.document_epsilon) if one is not None]
    if len(given) != 1:
        raise ConfigurationError("Give epsilon for each draw, or a document's epsilon to be split; one of the two.")
    usual = taken.offer.method.default_detector
    finder = detection.detector(usual)
    network = load_model(mechanism, **vars(asked))
    made = methods.contextual(
        mechanism, model=network, epsilon=checked_epsilon(given[0]), scoring=NOT_YET, **taken.own
    )
    if made.rewrites_whole_text and (detection.names(usual) != (usual,) or detection.allow or detection.deny):
        raise ConfigurationError(
            f"{mechanism} writes the whole document anew; leave out --detect and options of detectors."
        )
    decides = scoring(made, network, budget.law, budget.clip, budget.gains, progress)
    made = replace(made, scoring=decides)  # type: ignore[type-var]
    return Engine(finder, Contextual(made, budget.document_epsilon))
