"""Load the language model that a mechanism works with, and what is publicly known of its scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args

from sfumato import registry
from sfumato.abstract.contextual import ContextualMechanism, Scoring
from sfumato.abstract.models import CausalModel, MaskedModel
from sfumato.building import methods
from sfumato.errors import ConfigurationError
from sfumato.models.calibration import Calibration, PublicText, exact_of
from sfumato.models.clip_ranges import BEST, Rule, measured_range, read_range
from sfumato.models.devices import check_device
from sfumato.models.local_model import AUTO
from sfumato.models.rank_gains import measured_gains, read_gains
from sfumato.privacy.clipped_softmax import ClipRange
from sfumato.privacy.rank_profile import RankGains
from sfumato.types import Progress

Model = MaskedModel | CausalModel
Clip = str | Path | tuple[float, float] | ClipRange
LawName = Literal["rank", "softmax"]
RANK: LawName = "rank"
SOFTMAX: LawName = "softmax"
EMBEDDED, SMOLLM2 = "embedded", "smollm2"
MASKED, CAUSAL = "masked-model", "causal-model"
_KINDS = {MASKED: EMBEDDED, CAUSAL: SMOLLM2}
"""What a method needs of a language model, and the package that is one."""

NOT_YET = ClipRange(0.0, 1.0, "not measured yet")


def load_model(
    mechanism: str,
    model: str | Path | Model | None = None,
    number_format: str | None = None,
    device: str | None = None,
    window: int | None = None,
) -> Any:
    """The language model ``model``, of the kind ``mechanism`` works with; its files are read when first asked.

    Without a ``number_format``, or for "auto", a masked model gets the quickest that passes its check.
    """
    if model is not None and not isinstance(model, str | Path):
        if number_format or device or window is not None:
            raise ConfigurationError("Number format, device and window belong to a model that is given by its name.")
        return model
    method = (
        registry.synthesizer_class(mechanism)
        if mechanism in registry.synthesizers()
        else registry.method_class(mechanism)
    )
    kind = next((need for need in method.needs if need in _KINDS), None)
    if kind is None:
        raise ConfigurationError(f"{mechanism} works without a language model; leave out what belongs to one.")
    form = number_format or AUTO
    check_device(device)
    named = method.default_model if model is None else str(model)
    if named is None:
        raise ConfigurationError(f"{mechanism} needs a model: give --set model=FOLDER; {method.model_advice}.")
    if named in (EMBEDDED, SMOLLM2) and named != _KINDS[kind]:
        spoken = kind.removesuffix("-model")
        raise ConfigurationError(f"{named} is no {spoken} model, which {mechanism} works with; leave out model.")
    return _masked(named, form, device, window) if kind == MASKED else _causal(named, form, device, window)


def _masked(name: str, form: str, device: str | None, window: int | None) -> Any:
    from sfumato.models.masked.choosing import chosen
    from sfumato.models.masked.embedded import embedded_masked
    from sfumato.models.masked.model import MaskedNetwork

    named: Any = "float32" if form == AUTO else form
    made = embedded_masked(named, device, window) if name == EMBEDDED else MaskedNetwork(name, named, device, window)
    return chosen(made) if form == AUTO else made


def _causal(name: str, asked: str, device: str | None, window: int | None) -> Any:
    from sfumato.models.causal.gguf import smollm2
    from sfumato.models.causal.transformers import TransformersCausal

    form: Any = "float32" if asked == AUTO else asked
    if name == SMOLLM2:
        return smollm2(form, device, 2048 if window is None else window)
    return TransformersCausal(name, form, device, window)


def scoring(
    made: ContextualMechanism,
    network: Any,
    law: LawName | None,
    clip: Clip | None,
    gains: str | Path | None = None,
    progress: Progress | None = None,
) -> Scoring:
    """What decides a draw from scores: gains by rank, or a clip range for the softmax.

    ``law`` None is the law by rank, unless a clip range or the paper's calibration says that the softmax is meant.
    Raise ConfigurationError for a clip range beside the law by rank, or for gains beside the softmax.
    """
    paper = made.parameters.get("calibration") == "paper"
    named: LawName = law or (SOFTMAX if clip is not None or paper else RANK)
    if named not in get_args(LawName):
        raise ConfigurationError(f"The law of a draw is rank or softmax, not {named!r}.")
    if named == SOFTMAX:
        if gains is not None:
            raise ConfigurationError("The softmax has no gains by rank; leave them out, or give --set law=rank.")
        return clip_range(made, network, clip, None, progress)
    if clip is not None or paper:
        what = "clip range" if clip is not None else "paper calibration"
        raise ConfigurationError(f"The law by rank has no {what}; leave it out, or give --set law=softmax.")
    if gains is None:
        return gains_by_rank(made, network, None, progress)
    return read_gains(str(gains), exact_of(network).id)


def gains_by_rank(
    made: ContextualMechanism, network: Any, text: PublicText | None = None, progress: Progress | None = None
) -> RankGains:
    """What the ranks of the model's scores are worth on ``text`` (None: the shipped sentences)."""
    return measured_gains(Calibration(network, getattr(made, "prompt", None), text, progress))


def clip_range(
    made: ContextualMechanism,
    network: Any,
    clip: Clip | None,
    text: PublicText | None = None,
    progress: Progress | None = None,
    rule: Rule = BEST,
) -> ClipRange:
    """The public range of scores: as given, or as measured on ``text`` (None: the shipped sentences)."""
    if isinstance(clip, ClipRange):
        return clip
    if isinstance(clip, str | Path):
        return read_range(str(clip), exact_of(network).id)
    if clip is not None:
        return ClipRange(float(clip[0]), float(clip[1]), "by hand")
    return measured_range(Calibration(network, getattr(made, "prompt", None), text, progress), rule)


def measured(
    mechanism: str,
    law: LawName,
    model: str | Path | Model | None = None,
    number_format: str | None = None,
    device: str | None = None,
    window: int | None = None,
    text: PublicText | None = None,
    rule: Rule = BEST,
    progress: Progress | None = None,
) -> tuple[str, Scoring]:
    """Id of a model, and gains or a clip range for ``law``, as ``mechanism`` asks the model about public ``text``.

    A masked model is measured in float32, which the id says.
    """
    network = load_model(mechanism, model, number_format, device, window)
    made = methods.contextual(mechanism, model=network, epsilon=1.0, scoring=NOT_YET)
    if law == RANK:
        return exact_of(network).id, gains_by_rank(made, network, text, progress)
    return exact_of(network).id, clip_range(made, network, None, text, progress, rule)
