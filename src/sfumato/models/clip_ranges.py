"""The public range that a model's scores are clipped to, measured on public text.

The model answers the questions of :mod:`sfumato.models.public_questions`.
:mod:`sfumato.models.clip_measurement` makes a range of its scores by one of two rules, :data:`BEST` (the default) or
:data:`PAPER`.

The range is a public constant of model and text; the private text has no part in it. By default the text is a list of
invented sentences that ships with sfumato, so that nothing needs to be chosen.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from sfumato.abstract.models import CausalModel, MaskedModel
from sfumato.errors import ConfigurationError
from sfumato.models.calibrated_file import TextFile, read_calibrated
from sfumato.models.clip_measurement import BEST, PAPER, Measurement, Rule
from sfumato.models.public_questions import Answered, Prompt, causal_answers, exact_of, masked_answers
from sfumato.models.public_text import PublicText
from sfumato.privacy.clipped_softmax import ClipRange
from sfumato.storage import cache
from sfumato.types import Progress

_VERSION = "2"
"""Raise this when the measurement of a range changes, because ranges are kept in the cache."""
_FOR_CAUSAL = 24  # sentences; a causal model answers slowly


def masked_range(
    model: MaskedModel,
    text: PublicText | None = None,
    progress: Progress | None = None,
    rule: Rule = BEST,
) -> ClipRange:
    """Return the range of a masked ``model`` on ``text`` (None: the shipped sentences).

    It is measured in float32, holds for every number format, and is kept in the cache. ``progress`` receives the
    finished share.
    """
    window, exact = model.window, exact_of(model)
    return _remembered(
        f"{exact.id} {window}", text or PublicText.shipped(), rule,
        lambda public: masked_answers(exact, public.sentences, progress),
    )  # fmt: skip


def causal_range(
    model: CausalModel,
    prompt: Prompt,
    text: PublicText | None = None,
    progress: Progress | None = None,
    rule: Rule = BEST,
) -> ClipRange:
    """Return the range of a causal ``model`` that rewrites ``text`` after ``prompt``.

    It is kept in the cache like that of a masked model. ``progress`` receives the finished share.
    """
    opening = hashlib.sha256(repr(prompt([])).encode()).hexdigest()[:16]
    return _remembered(
        f"{model.id} {opening}", text or PublicText.shipped(_FOR_CAUSAL), rule,
        lambda public: causal_answers(model, prompt, public.sentences, progress),
    )  # fmt: skip


def _remembered(of: str, text: PublicText, rule: Rule, ask: Callable[[PublicText], Iterator[Answered]]) -> ClipRange:
    if rule not in (BEST, PAPER):
        raise ConfigurationError(f"The rule for a clip range must be best or paper, not {rule!r}.")
    key = cache.content_key("clip range", _VERSION, of, text.name, rule)
    kept = _recorded().get(recorded_name(of, text, rule)) or cache.load_json(key)
    if kept is None:
        kept = Measurement.of(ask(text)).range(rule, text.name)
        cache.save_json(key, kept)
    return ClipRange(float(kept["lower"]), float(kept["upper"]), str(kept["source"]), text.file)


def recorded_name(of: str, text: PublicText, rule: Rule) -> str:
    """Return the name under which sfumato records the range of a model, ``of`` its id and window."""
    return f"{_VERSION} {of} {rule} {text.name}"


def read_range(given: str, model: str) -> ClipRange:
    """Return the range ``LOW,HIGH``, or that of a JSON file which ``sfumato models calibrate`` wrote for ``model``.

    ``model`` is the id of a model, and the file was made with ``--law softmax``. Raise ConfigurationError for
    anything else, and for a range of another model's scores.
    """
    low, comma, high = given.partition(",")
    if not comma and Path(given).exists():
        return read_calibrated(Path(given), model, "softmax", _of_facts)
    try:
        return ClipRange(float(low), float(high), "given by hand")
    except ValueError as error:
        if isinstance(error, ConfigurationError):
            raise
        raise ConfigurationError(
            f"A clip range is LOW,HIGH or a file that `sfumato models calibrate --law softmax` wrote; {given!r} is "
            "neither."
        ) from None


def _of_facts(facts: dict[str, Any], text: TextFile | None) -> ClipRange:
    return ClipRange(float(facts["lower"]), float(facts["upper"]), str(facts["source"]), text)


@lru_cache(maxsize=1)
def _recorded() -> dict[str, dict[str, Any]]:
    """Return the ranges of the model that ships, measured before the release; a test measures them again."""
    content = (resources.files("sfumato") / "data" / "clip_ranges.json").read_text(encoding="utf-8")
    ranges: dict[str, dict[str, Any]] = json.loads(content)
    return ranges
