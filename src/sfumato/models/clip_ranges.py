"""The public range that a model's scores are clipped to, measured on public text.

The model answers the same questions about public sentences as later about private ones. For a masked model: every
word of every sentence masked in turn in the pair form (of a sentence longer than half the window as many as fit), the
scores of all candidate words. For a causal one: the scores of each next piece while the answer repeats the sentence,
up to the end piece. :mod:`sfumato.models.clip_measurement` makes a range of these scores by one of two rules,
:data:`BEST` (the default) or :data:`PAPER`.

The range is a public constant of model and text; the private text has no part in it. By default the text is a list of
invented sentences that ships with sfumato, so that nothing needs to be chosen.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from sfumato.abstract.models import MASKED, CausalModel, Cloze, MaskedModel
from sfumato.errors import ConfigurationError
from sfumato.models.clip_measurement import BEST, PAPER, Answered, Measurement, Rule
from sfumato.models.public_text import PublicText
from sfumato.privacy.clipped_softmax import ClipRange
from sfumato.storage import cache
from sfumato.types import Progress

_VERSION = "2"
"""Raise this when the measurement of a range changes, because ranges are kept in the cache."""
_AT_ONCE = 32
_FOR_CAUSAL = 24  # sentences; a causal model answers slowly


Prompt = Callable[[Sequence[int]], list[int]]
"""Returns the pieces of the prompt before a causal model rewrites a text of these pieces."""


def masked_range(
    model: MaskedModel,
    text: PublicText | None = None,
    progress: Progress | None = None,
    rule: Rule = BEST,
) -> ClipRange:
    """Return the range of a masked ``model`` on ``text`` (None: the shipped sentences).

    It is measured once and then kept in the cache. ``progress`` receives the finished share.
    """
    return _remembered(
        f"{model.id} {model.window}", text or PublicText.shipped(), rule,
        lambda public: _masked_scores(model, public.sentences, progress),
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
        lambda public: _causal_scores(model, prompt, public.sentences, progress),
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


def _masked_scores(model: MaskedModel, sentences: Sequence[str], progress: Progress | None) -> Iterator[Answered]:
    columns = {int(piece): number for number, piece in enumerate(model.word_pieces)}
    for number, sentence in enumerate(sentences):
        questions = _questions(model, sentence)
        for start in range(0, len(questions), _AT_ONCE):
            batch = questions[start : start + _AT_ONCE]
            right = [columns.get(answer[0], -1) if len(answer) == 1 else -1 for _, answer in batch]
            yield Answered(model.scores([question for question, _ in batch]), right)
        if progress is not None:
            progress((number + 1) / len(sentences))


def _causal_scores(
    model: CausalModel, prompt: Prompt, sentences: Sequence[str], progress: Progress | None
) -> Iterator[Answered]:
    """Yield the scores of each next piece while the model repeats the sentence: the questions of a rewriting."""
    columns = {int(piece): number for number, piece in enumerate(model.outcomes)}
    end = [] if model.end is None else [model.end]
    rows = [[piece for piece in model.pieces(sentence) if piece in columns] for sentence in sentences]
    for start in range(0, len(rows), _AT_ONCE):
        batch = [row for row in rows[start : start + _AT_ONCE] if row]
        session = model.begin([prompt(row) for row in batch])
        going = [[*(columns[piece] for piece in row), *end] for row in batch]
        while going:
            yield Answered(session.scores(), [row[0] for row in going])
            session.take([row[0] if len(row) > 1 else None for row in going])
            going = [row[1:] for row in going if len(row) > 1]
        if progress is not None:
            progress(min(1.0, (start + _AT_ONCE) / len(rows)))


def read_range(given: str, model: str) -> ClipRange:
    """Return the range ``LOW,HIGH``, or that of a JSON file which ``sfumato models calibrate`` wrote for ``model``.

    ``model`` is the id of a model. Raise ConfigurationError for anything else, and for a range of another model's
    scores.
    """
    low, comma, high = given.partition(",")
    if not comma and not Path(given).is_file():
        raise ConfigurationError(
            f"There is no file {given}; a clip range is LOW,HIGH or a file that `sfumato models calibrate` wrote."
        )
    try:
        if comma:
            return ClipRange(float(low), float(high), "given by hand")
        kept = json.loads(Path(given).read_text(encoding="utf-8"))
        if not isinstance(kept, dict):
            raise ValueError
        if kept.get("model", model) != model:
            raise ConfigurationError(
                f"The clip range of {Path(given).name} was measured for another model, {kept['model']}; measure it "
                f"for {model} with `sfumato models calibrate`."
            )
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
    """Return the ranges of the model that ships, measured before the release; a test measures them again."""
    content = (resources.files("sfumato") / "data" / "clip_ranges.json").read_text(encoding="utf-8")
    ranges: dict[str, dict[str, Any]] = json.loads(content)
    return ranges


def _questions(model: MaskedModel, sentence: str) -> list[tuple[Cloze, list[int]]]:
    """Return each word masked in turn, after the whole sentence, and the pieces of that word. The rest is cut off."""
    words = sentence.split()
    pieces = model.pieces([f" {word}" if index else word for index, word in enumerate(words)])
    while pieces and sum(map(len, pieces)) > model.window // 2:
        pieces = pieces[:-1]
    context = [piece for own in pieces for piece in own]
    questions = []
    for masked, answer in enumerate(pieces):
        copy = [piece for index, own in enumerate(pieces) for piece in ([MASKED] if index == masked else own)]
        questions.append((Cloze(context, copy), answer))
    return questions
