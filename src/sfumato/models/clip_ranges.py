"""The public range that a model's scores are clipped to, measured on public text.

The DP-MLM paper (§5.1.1) clips to [mean, mean + 4 standard deviations] of all scores that the model gives on public
examples. Here, for a masked model: every word of every sentence masked in turn in the pair form, the scores of all
candidate words. For a causal one: the scores of each next piece while the answer repeats the sentence. The range is a
public constant of model and text; the private text has no part in it. By default the text is a list of made-up
sentences that ships with sfumato, so that nothing needs to be chosen.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato import cache
from sfumato.abstract import MASKED, CausalModel, Cloze, MaskedModel, Progress
from sfumato.clipped_softmax import ClipRange
from sfumato.errors import ConfigurationError

DEVIATIONS = 4.0
_AT_ONCE = 32
_FOR_CAUSAL = 24  # sentences; a causal model answers slowly


@dataclass(frozen=True)
class PublicText:
    """Public sentences and a name for them that holds their hash."""

    name: str
    sentences: tuple[str, ...]
    file: tuple[str, int] | None = None
    """SHA-256 and size in bytes of the file, where it is not the shipped one."""

    @classmethod
    def shipped(cls, most: int | None = None) -> PublicText:
        """The sentences that ship with sfumato, or the first ``most`` of them."""
        content = (resources.files("sfumato") / "data" / "public_sentences.txt").read_bytes()
        sentences = tuple(content.decode("utf-8").splitlines()[:most])
        digest = hashlib.sha256(content).hexdigest()
        return cls(f"{len(sentences)} public sentences that ship with sfumato, sha256 {digest[:16]}", sentences)

    @classmethod
    def of(cls, file: Path) -> PublicText:
        """The lines of the public ``file`` that hold something. Raises ConfigurationError where there are none."""
        try:
            content = file.read_bytes()
            lines = tuple(line.strip() for line in content.decode("utf-8").splitlines() if line.strip())
        except (OSError, ValueError):
            raise ConfigurationError(f"{file.name} cannot be read as UTF-8; give a public text file.") from None
        if not lines:
            raise ConfigurationError(f"{file.name} holds no sentences; give a public file with a sentence a line.")
        digest = hashlib.sha256(content).hexdigest()
        return cls(f"{len(lines)} lines, sha256 {digest[:16]}", lines, (digest, len(content)))


Prompt = Callable[[Sequence[int]], list[int]]
"""What a causal model is given before it writes a text of these pieces anew."""


def masked_range(
    model: MaskedModel,
    text: PublicText | None = None,
    progress: Progress | None = None,
    deviations: float = DEVIATIONS,
) -> ClipRange:
    """The range of a masked ``model`` on ``text`` (None: the shipped sentences; measured once, then remembered)."""
    return _remembered(
        f"{model.id} {model.window}", text or PublicText.shipped(), deviations,
        lambda found: _masked_scores(model, found.sentences, progress),
    )  # fmt: skip


def causal_range(
    model: CausalModel,
    prompt: Prompt,
    text: PublicText | None = None,
    progress: Progress | None = None,
    deviations: float = DEVIATIONS,
) -> ClipRange:
    """The range of a causal ``model`` that writes ``text`` anew after ``prompt``, remembered like the other."""
    opening = hashlib.sha256(repr(prompt([])).encode()).hexdigest()[:16]
    return _remembered(
        f"{model.id} {opening}", text or PublicText.shipped(_FOR_CAUSAL), deviations,
        lambda found: _causal_scores(model, prompt, found.sentences, progress),
    )  # fmt: skip


def _remembered(
    of: str, text: PublicText, deviations: float, ask: Callable[[PublicText], Iterator[NDArray[np.floating[Any]]]]
) -> ClipRange:
    key = cache.content_key("clip range", of, text.name, str(deviations))
    kept = _recorded().get(f"{of} {deviations:g} {text.name}") or cache.load_json(key)
    if kept is None:
        lower, upper = _spread(ask(text), deviations)
        kept = {
            "lower": lower,
            "upper": upper,
            "source": f"mean and mean + {deviations:g} standard deviations over {text.name}",
        }
        cache.save_json(key, kept)
    return ClipRange(float(kept["lower"]), float(kept["upper"]), str(kept["source"]), text.file)


def _spread(blocks: Iterator[NDArray[np.floating[Any]]], deviations: float) -> tuple[float, float]:
    total = squares = count = 0.0
    for block in blocks:
        scores = block.astype(np.float64)
        total, squares, count = total + scores.sum(), squares + (scores * scores).sum(), count + scores.size
    if not count:
        raise ConfigurationError("The public text holds no words; give a text file with a sentence a line.")
    mean = total / count
    deviation = math.sqrt(max(0.0, squares / count - mean * mean))
    if not math.isfinite(mean) or deviation == 0.0:
        raise ConfigurationError("The model scores all words alike, or gives values that are no numbers.")
    # rounded to what a person can write down, which changes nothing but the last digits of the temperature
    lower, upper = (float(f"{edge:.6g}") for edge in (mean, mean + deviations * deviation))
    return lower, upper


def _masked_scores(
    model: MaskedModel, sentences: Sequence[str], progress: Progress | None
) -> Iterator[NDArray[np.floating[Any]]]:
    questions = [question for sentence in sentences for question in _questions(model, sentence)]
    for start in range(0, len(questions), _AT_ONCE):
        yield model.scores(questions[start : start + _AT_ONCE])
        if progress is not None:
            progress(min(1.0, (start + _AT_ONCE) / len(questions)))


def _causal_scores(
    model: CausalModel, prompt: Prompt, sentences: Sequence[str], progress: Progress | None
) -> Iterator[NDArray[np.floating[Any]]]:
    """The scores of each next piece where the model repeats the sentence: what it is asked while it rewrites."""
    columns = {int(piece): number for number, piece in enumerate(model.outcomes)}
    rows = [[piece for piece in model.pieces(sentence) if piece in columns] for sentence in sentences]
    for start in range(0, len(rows), _AT_ONCE):
        some = [row for row in rows[start : start + _AT_ONCE] if row]
        session = model.begin([prompt(row) for row in some])
        for step in range(min(map(len, some), default=0)):
            yield session.scores()
            session.take([columns[row[step]] for row in some])
        if progress is not None:
            progress(min(1.0, (start + _AT_ONCE) / len(rows)))


def read_range(given: str) -> ClipRange:
    """``LOW,HIGH``, or a JSON file with "lower", "upper" and "source" as ``sfumato models calibrate`` writes it."""
    low, comma, high = given.partition(",")
    try:
        if comma:
            return ClipRange(float(low), float(high), "given by hand")
        kept = json.loads(Path(given).read_text(encoding="utf-8"))
        text = kept.get("text")
        file = None if text is None else (str(text["sha256"]), int(text["bytes"]))
        return ClipRange(float(kept["lower"]), float(kept["upper"]), str(kept["source"]), file)
    except (OSError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, ConfigurationError):
            raise
        raise ConfigurationError(
            f"A clip range is LOW,HIGH or a file that `sfumato models calibrate` wrote; {given!r} is neither."
        ) from None


@lru_cache(maxsize=1)
def _recorded() -> dict[str, dict[str, Any]]:
    """Ranges measured before the release, for the model that ships; a test measures them again."""
    content = (resources.files("sfumato") / "data" / "clip_ranges.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = json.loads(content)
    return found


def record(of: str, found: ClipRange, text: PublicText, place: Path, deviations: float = DEVIATIONS) -> None:
    """Add a range to ``place``, the package's own ``clip_ranges.json``."""
    facts = {"lower": found.lower, "upper": found.upper, "source": found.source}
    kept = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
    kept[f"{of} {deviations:g} {text.name}"] = facts
    place.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")


def _questions(model: MaskedModel, sentence: str) -> Iterator[Cloze]:
    """Every word of ``sentence`` masked in turn, behind the whole sentence."""
    words = sentence.split()
    pieces = model.pieces([f" {word}" if at else word for at, word in enumerate(words)])
    context = [piece for one in pieces for piece in one][: model.window // 2]
    for masked in range(len(words)):
        copy = [piece for at, one in enumerate(pieces) for piece in ([MASKED] if at == masked else one)]
        if len(context) + len(copy) <= model.window:
            yield Cloze(context, copy)
