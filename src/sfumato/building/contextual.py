"""From plain names to a ContextualSanitizer: model, clip range and contextual mechanism."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato import registry
from sfumato.building.models import NOT_YET, Clip, Model, clip_range, load_model
from sfumato.engines.contextual import ContextualSanitizer
from sfumato.errors import ConfigurationError
from sfumato.privacy.guarantee import checked_epsilon
from sfumato.types import Progress


def build_contextual(
    mechanism: str,
    epsilon: float | None = None,
    *,
    detect: str | Sequence[str] = "words",
    spans_field: str | None = None,
    skip_labels: Collection[str] = (),
    merge_spans: bool = False,
    detect_options: Mapping[str, Any] | None = None,
    allow: registry.Lists = (),
    deny: registry.Lists = (),
    model: str | Path | Model | None = None,
    number_format: str | None = None,
    device: str | None = None,
    window: int | None = None,
    clip: Clip | None = None,
    document_epsilon: float | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> ContextualSanitizer:
    """A ContextualSanitizer by names.

    ``epsilon`` pays for each draw; ``document_epsilon`` is split over the draws of each document instead. ``model``
    is a folder, the Hugging Face name of a model already on this machine, a model object, or None for the model that
    needs no network ("embedded" for dp-mlm, "smollm2" for dp-prompt); ``number_format``, ``device`` and ``window``
    (pieces) go to it. ``clip`` is "LOW,HIGH", a pair, a file that ``sfumato models calibrate`` wrote, or None to
    measure it on the public sentences that ship with sfumato. ``options`` go to the mechanism (``calibration``,
    ``block``, ``addition``, ...). Raises :class:`ConfigurationError` or :class:`MissingExtraError` in one sentence.
    """
    given = [one for one in (epsilon, document_epsilon) if one is not None]
    if len(given) != 1:
        raise ConfigurationError("Give epsilon for each draw, or a document's epsilon to be split; one of the two.")
    finder = registry.detector(detect, spans_field, skip_labels, merge_spans, detect_options, allow, deny)
    network = load_model(mechanism, model, number_format, device, window)
    made = registry.contextual(mechanism, model=network, epsilon=checked_epsilon(given[0]), clip=NOT_YET, **options)
    if made.rewrites_whole_text and (registry.detector_names(detect) != ("words",) or allow or deny):
        raise ConfigurationError(
            f"{mechanism} writes the whole document anew; leave out --detect, --allow and --deny."
        )
    made = replace(made, clip=clip_range(made, network, clip, None, progress))  # type: ignore[type-var]
    return ContextualSanitizer(finder, made, document_epsilon)
