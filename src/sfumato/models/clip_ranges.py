"""The public range that a model's scores are clipped to, measured on public text.

The model is asked about public sentences as it will be asked about private ones. For a masked model: every word of
every sentence masked in turn in the pair form (of a sentence longer than half the window as many as fit), the scores
of all candidate words. For a causal one: the scores of each next piece while the answer repeats the sentence, up to
the end piece. Two rules make a range out of these scores:

* :data:`PAPER`: the mean, and the mean + 4 standard deviations (DP-MLM paper, §5.1.1).
* :data:`BEST`, the default: of a grid of ranges around the mean, the one under which the word (or piece) that stood
  there is most likely, on average over 300 questions drawn from all and ε = 25, 50 and 100, each exactly calibrated.
  The guarantee is the same for every range. Under :data:`PAPER` most scores of good words lie above the upper end, so
  that all of these are equally likely; here the private word comes back far more often at the same ε, and a smaller ε
  does what a large one did (docs/mechanisms.md says how often it comes back).

The range is a public constant of model and text; the private text has no part in it. By default the text is a list of
made-up sentences that ships with sfumato, so that nothing needs to be chosen.
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
"""To be raised with every change of how a range is measured: ranges are remembered."""
_AT_ONCE = 32
_FOR_CAUSAL = 24  # sentences; a causal model answers slowly


Prompt = Callable[[Sequence[int]], list[int]]
"""What a causal model is given before it writes a text of these pieces anew."""


def masked_range(
    model: MaskedModel,
    text: PublicText | None = None,
    progress: Progress | None = None,
    rule: Rule = BEST,
) -> ClipRange:
    """The range of a masked ``model`` on ``text`` (None: the shipped sentences; measured once, then remembered)."""
    return _remembered(
        f"{model.id} {model.window}", text or PublicText.shipped(), rule,
        lambda found: _masked_scores(model, found.sentences, progress),
    )  # fmt: skip


def causal_range(
    model: CausalModel,
    prompt: Prompt,
    text: PublicText | None = None,
    progress: Progress | None = None,
    rule: Rule = BEST,
) -> ClipRange:
    """The range of a causal ``model`` that writes ``text`` anew after ``prompt``, remembered like the other."""
    opening = hashlib.sha256(repr(prompt([])).encode()).hexdigest()[:16]
    return _remembered(
        f"{model.id} {opening}", text or PublicText.shipped(_FOR_CAUSAL), rule,
        lambda found: _causal_scores(model, prompt, found.sentences, progress),
    )  # fmt: skip


def _remembered(of: str, text: PublicText, rule: Rule, ask: Callable[[PublicText], Iterator[Answered]]) -> ClipRange:
    if rule not in (BEST, PAPER):
        raise ConfigurationError(f"The rule for a clip range is best or paper, not {rule!r}.")
    key = cache.content_key("clip range", _VERSION, of, text.name, rule)
    kept = _recorded().get(recorded_name(of, text, rule)) or cache.load_json(key)
    if kept is None:
        kept = Measurement.of(ask(text)).range(rule, text.name)
        cache.save_json(key, kept)
    return ClipRange(float(kept["lower"]), float(kept["upper"]), str(kept["source"]), text.file)


def recorded_name(of: str, text: PublicText, rule: Rule) -> str:
    """The name under which the range of a model (its id and window) is recorded before a release."""
    return f"{_VERSION} {of} {rule} {text.name}"


def _masked_scores(model: MaskedModel, sentences: Sequence[str], progress: Progress | None) -> Iterator[Answered]:
    columns = {int(piece): number for number, piece in enumerate(model.word_pieces)}
    for number, sentence in enumerate(sentences):
        questions = _questions(model, sentence)
        for start in range(0, len(questions), _AT_ONCE):
            some = questions[start : start + _AT_ONCE]
            right = [columns.get(answer[0], -1) if len(answer) == 1 else -1 for _, answer in some]
            yield Answered(model.scores([question for question, _ in some]), right)
        if progress is not None:
            progress((number + 1) / len(sentences))


def _causal_scores(
    model: CausalModel, prompt: Prompt, sentences: Sequence[str], progress: Progress | None
) -> Iterator[Answered]:
    """The scores of each next piece where the model repeats the sentence: what it is asked while it rewrites."""
    columns = {int(piece): number for number, piece in enumerate(model.outcomes)}
    end = [] if model.end is None else [model.end]
    rows = [[piece for piece in model.pieces(sentence) if piece in columns] for sentence in sentences]
    for start in range(0, len(rows), _AT_ONCE):
        some = [row for row in rows[start : start + _AT_ONCE] if row]
        session = model.begin([prompt(row) for row in some])
        going = [[*(columns[piece] for piece in row), *end] for row in some]
        while going:
            yield Answered(session.scores(), [row[0] for row in going])
            session.take([row[0] if len(row) > 1 else None for row in going])
            going = [row[1:] for row in going if len(row) > 1]
        if progress is not None:
            progress(min(1.0, (start + _AT_ONCE) / len(rows)))


def read_range(given: str, model: str) -> ClipRange:
    """``LOW,HIGH``, or a JSON file as ``sfumato models calibrate`` writes it for ``model``, the id of one.

    Raises ConfigurationError for anything else, a range of another model's scores among it.
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
    """Ranges measured before the release, for the model that ships; a test measures them again."""
    content = (resources.files("sfumato") / "data" / "clip_ranges.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = json.loads(content)
    return found


def _questions(model: MaskedModel, sentence: str) -> list[tuple[Cloze, list[int]]]:
    """Every word masked in turn, behind all of them, and the pieces of that word. What does not fit is cut off."""
    words = sentence.split()
    pieces = model.pieces([f" {word}" if at else word for at, word in enumerate(words)])
    while pieces and sum(map(len, pieces)) > model.window // 2:
        pieces = pieces[:-1]
    context = [piece for one in pieces for piece in one]
    found = []
    for masked, answer in enumerate(pieces):
        copy = [piece for at, one in enumerate(pieces) for piece in ([MASKED] if at == masked else one)]
        found.append((Cloze(context, copy), answer))
    return found
