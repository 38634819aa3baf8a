"""The public range that a model's scores are clipped to, measured on public text.

The DP-MLM paper (§5.1.1) clips to [mean, mean + 4 standard deviations] of all scores that the model gives on public
examples. Here: every word of every sentence masked in turn in the pair form, the scores of all candidate words. The
range is a public constant of model and text; the private text has no part in it. By default the text is a list of
made-up sentences that ships with sfumato, so that nothing needs to be chosen.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path

import numpy as np

from sfumato import cache
from sfumato.abstract import MASKED, Cloze, MaskedModel, Progress
from sfumato.clipped_softmax import ClipRange
from sfumato.errors import ConfigurationError

DEVIATIONS = 4.0
_AT_ONCE = 32


def default_range(model: MaskedModel, progress: Progress | None = None) -> ClipRange:
    """The range of ``model`` on the sentences that ship with sfumato; measured once, then remembered by its id."""
    name, digest, sentences = _shipped()
    key = cache.content_key("clip range", model.id, str(model.window), digest)
    kept = cache.load_json(key)
    if kept is None:
        found = measured(model, sentences, name, progress)
        kept = {"lower": found.lower, "upper": found.upper, "source": found.source}
        cache.save_json(key, kept)
    return ClipRange(float(kept["lower"]), float(kept["upper"]), str(kept["source"]))


def measured(model: MaskedModel, sentences: Sequence[str], name: str, progress: Progress | None = None) -> ClipRange:
    """[mean, mean + 4σ] of the scores of ``model`` on public ``sentences``; ``name`` says what they are."""
    questions = [question for sentence in sentences for question in _questions(model, sentence)]
    if not questions:
        raise ConfigurationError("The public text holds no words; give a text file with a sentence a line.")
    total = squares = count = 0.0
    for start in range(0, len(questions), _AT_ONCE):
        scores = model.scores(questions[start : start + _AT_ONCE]).astype(np.float64)
        total, squares, count = total + scores.sum(), squares + (scores * scores).sum(), count + scores.size
        if progress is not None:
            progress(min(1.0, (start + _AT_ONCE) / len(questions)))
    mean = total / count
    deviation = math.sqrt(max(0.0, squares / count - mean * mean))
    if not math.isfinite(mean) or deviation == 0.0:
        raise ConfigurationError("The model scores all words alike, or gives values that are no numbers.")
    # rounded to what a person can write down, which changes nothing but the last digits of the temperature
    lower, upper = (float(f"{edge:.6g}") for edge in (mean, mean + DEVIATIONS * deviation))
    return ClipRange(lower, upper, f"mean and mean + {DEVIATIONS:g} standard deviations over {name}")


def measured_on_file(model: MaskedModel, text: Path, progress: Progress | None = None) -> ClipRange:
    """The range of ``model`` on the lines of the public file ``text``."""
    try:
        content = text.read_bytes()
        lines = [line.strip() for line in content.decode("utf-8").splitlines() if line.strip()]
    except (OSError, ValueError):
        raise ConfigurationError(f"{text.name} cannot be read as UTF-8; give a public file of sentences.") from None
    return measured(model, lines, f"{len(lines)} lines, sha256 {hashlib.sha256(content).hexdigest()}", progress)


def read_range(given: str) -> ClipRange:
    """``LOW,HIGH``, or a JSON file with "lower", "upper" and "source" as ``sfumato models calibrate`` writes it."""
    low, comma, high = given.partition(",")
    try:
        if comma:
            return ClipRange(float(low), float(high), "given by hand")
        kept = json.loads(Path(given).read_text(encoding="utf-8"))
        return ClipRange(float(kept["lower"]), float(kept["upper"]), str(kept["source"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, ConfigurationError):
            raise
        raise ConfigurationError(
            f"A clip range is LOW,HIGH or a file that `sfumato models calibrate` wrote; {given!r} is neither."
        ) from None


@lru_cache(maxsize=1)
def _shipped() -> tuple[str, str, tuple[str, ...]]:
    content = (resources.files("sfumato") / "data" / "public_sentences.txt").read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    sentences = tuple(content.decode("utf-8").splitlines())
    return f"{len(sentences)} public sentences that ship with sfumato, sha256 {digest[:16]}", digest, sentences


def _questions(model: MaskedModel, sentence: str) -> Iterator[Cloze]:
    """Every word of ``sentence`` masked in turn, behind the whole sentence."""
    words = sentence.split()
    pieces = model.pieces([f" {word}" if at else word for at, word in enumerate(words)])
    context = [piece for one in pieces for piece in one][: model.window // 2]
    for masked in range(len(words)):
        copy = [piece for at, one in enumerate(pieces) for piece in ([MASKED] if at == masked else one)]
        if len(context) + len(copy) <= model.window:
            yield Cloze(context, copy)
