"""From plain names to a Rewriter: model, clip range and contextual mechanism."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from sfumato import registry
from sfumato.abstract import MaskedModel, Progress
from sfumato.clipped_softmax import ClipRange
from sfumato.errors import ConfigurationError
from sfumato.guarantee import checked_epsilon
from sfumato.models.clip_ranges import default_range, read_range
from sfumato.rewriting import Rewriter

EMBEDDED = "embedded"


def build_rewriter(
    mechanism: str,
    epsilon: float | None = None,
    *,
    detect: str = "words",
    spans_field: str | None = None,
    skip_labels: Collection[str] = (),
    merge_spans: bool = False,
    model: str | Path | MaskedModel | None = None,
    number_format: str | None = None,
    device: str | None = None,
    window: int | None = None,
    clip: str | tuple[float, float] | ClipRange | None = None,
    document_epsilon: float | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Rewriter:
    """A Rewriter by names.

    ``epsilon`` pays for each draw; ``document_epsilon`` is split over the draws of each document instead. ``model``
    is "embedded" (default), a folder, the Hugging Face name of a model already on this machine, or a model object;
    ``number_format``, ``device`` and ``window`` (pieces) go to it. ``clip`` is "LOW,HIGH", a pair, a file that
    ``sfumato models calibrate`` wrote, or None to measure it on the public sentences that ship with sfumato.
    ``options`` go to the mechanism (``calibration``, ``block``, ``addition``, ...). Raises
    :class:`ConfigurationError` or :class:`MissingExtraError` in one sentence.
    """
    given = [one for one in (epsilon, document_epsilon) if one is not None]
    if len(given) != 1:
        raise ConfigurationError("Give epsilon for each draw, or a document's epsilon to be split; one of the two.")
    spent = checked_epsilon(given[0])
    finder = registry.detector(detect, spans_field, skip_labels, merge_spans)
    network = load_masked(model, number_format, device, window)
    made = registry.contextual(
        mechanism, model=network, epsilon=spent, clip=clip_range(clip, network, progress), **options
    )
    return Rewriter(finder, made, document_epsilon)


def load_masked(
    model: str | Path | MaskedModel | None = None,
    number_format: str | None = None,
    device: str | None = None,
    window: int | None = None,
) -> MaskedModel:
    """The masked model called ``model``; its files are read when it is first asked."""
    if model is not None and not isinstance(model, str | Path):
        if number_format or device or window:
            raise ConfigurationError("Number format, device and window belong to a model that is given by its name.")
        return model
    from sfumato.models.embedded_masked import embedded_masked
    from sfumato.models.masked import TransformersMasked

    form: Any = number_format or "float32"
    if model is None or str(model) == EMBEDDED:
        return embedded_masked(form, device, window)
    return TransformersMasked(str(model), form, device, window)


def clip_range(
    clip: str | tuple[float, float] | ClipRange | None, model: MaskedModel, progress: Progress | None = None
) -> ClipRange:
    """The public range of scores: as given, or as measured on the shipped sentences."""
    if isinstance(clip, ClipRange):
        return clip
    if clip is None:
        return default_range(model, progress)
    return read_range(clip) if isinstance(clip, str) else ClipRange(float(clip[0]), float(clip[1]), "given by hand")
