"""From plain names to an Editor: the methods without a guarantee."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from sfumato import registry
from sfumato.abstract import Progress
from sfumato.detectors.sampled import Sampled
from sfumato.editing import Editor
from sfumato.errors import ConfigurationError
from sfumato.models.embedded_masked import NAME, embedded_masked
from sfumato.models.masked import TransformersMasked
from sfumato.models.networks import usable_device
from sfumato.phrase_store import PhraseStore


def build_editor(
    method: str = "redaction",
    epsilon: float | None = None,
    *,
    detect: str = "identifiers",
    spans_field: str | None = None,
    skip_labels: Collection[str] = (),
    merge_spans: bool = False,
    detect_options: Mapping[str, Any] | None = None,
    everywhere: bool = True,
    share: float | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Editor:
    """An Editor by names. ``options`` go to the method (``operator``, ``operators``, ``scope``, ``key``, ...).

    ``detect_options`` go to the detector; ``spans_field``, ``skip_labels`` and ``merge_spans`` are for ``detect``
    "given". With ``everywhere`` a text that was found once is marked wherever else it stands in its document.
    ``share`` leaves all but about that share of what is found as it stands (distortion only). A masked model is given
    by ``model`` (a folder, a name, an object; None: the embedded one), ``number_format``, ``device`` and ``window``;
    ``phrases`` is a public JSON file of phrases by label for distortion.
    Raises :class:`ConfigurationError` in one sentence, for an epsilon as well: there is no guarantee to state one.
    """
    if epsilon is not None:
        raise ConfigurationError(
            f"{method} has no formal guarantee, so it has no epsilon; leave out --epsilon, and measure the release "
            "with `sfumato evaluate`."
        )
    finder = registry.detector(detect, spans_field, skip_labels, merge_spans, detect_options)
    if share is not None:
        if method.lower() != "distortion":
            raise ConfigurationError(f"A share is for distortion; {method} replaces all that is found.")
        finder = Sampled(finder, share)
    if registry.is_editing(method) and "model" in registry.editing_options(method):
        options = with_masked_model(**options)
    if method.lower() == "distortion":
        options["phrases"] = phrase_store(options.get("way"), options.get("phrases"))
    made = Editor(finder, registry.editing(method, **options), everywhere)
    made.prepare(progress)
    return made


def with_masked_model(
    model: Any = None,
    number_format: str | None = None,
    device: str | None = None,
    window: int | None = None,
    **options: Any,
) -> dict[str, Any]:
    """``options`` with the masked model ``model``, whose files are read when it is first asked."""
    if model is not None and not isinstance(model, str | Path):
        if number_format or device or window is not None:
            raise ConfigurationError("Number format, device and window belong to a model that is given by its name.")
        return {**options, "model": model}
    form: Any = number_format or "float32"
    if device is not None:
        usable_device(device)  # before minutes of loading
    if model is None or str(model) == NAME:
        return {**options, "model": embedded_masked(form, device, window)}
    return {**options, "model": TransformersMasked(str(model), form, device, window)}


def phrase_store(way: str | None, path: str | Path | None) -> PhraseStore | None:
    """The store of phrases for ``way`` of distortion: of the public file ``path``, or the built-in one."""
    if path is None and way not in (None, "substitutive"):
        return None
    return PhraseStore(None if path is None else Path(path))
