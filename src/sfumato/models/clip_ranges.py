"""The public range that a model's scores are clipped to, measured on public text.

The model is asked about public sentences as it will be asked about private ones. For a masked model: every word of
every sentence masked in turn in the pair form, the scores of all candidate words. For a causal one: the scores of
each next piece while the answer repeats the sentence. Two rules make a range out of these scores:

* :data:`PAPER`: the mean, and the mean + 4 standard deviations (DP-MLM paper, §5.1.1).
* :data:`BEST`, the default: of a grid of ranges around the mean, the one under which the word (or piece) that stood
  there is most likely, on average over the questions and ε = 25, 50 and 100, each exactly calibrated. The guarantee
  is the same for every range; on the embedded model the word's probability at ε = 25 is many times what it is under
  :data:`PAPER`, whose upper end most scores of good words lie above, so that all of these are equally likely.

The range is a public constant of model and text; the private text has no part in it. By default the text is a list of
made-up sentences that ships with sfumato, so that nothing needs to be chosen.
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
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato import cache
from sfumato.abstract import MASKED, CausalModel, Cloze, MaskedModel, Progress
from sfumato.clipped_softmax import ClippedSoftmax, ClipRange
from sfumato.errors import ConfigurationError

Rule = Literal["best", "paper"]
BEST: Rule = "best"
PAPER: Rule = "paper"
_DEVIATIONS = 4.0
_LOWER, _UPPER = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0), (3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0)
_EPSILONS = (25.0, 50.0, 100.0)
_AT_ONCE = 32
_FOR_CAUSAL = 24  # sentences; a causal model answers slowly
_MOST_QUESTIONS = 300


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


@dataclass(frozen=True)
class _Answered:
    """Scores (n, V) of some questions, and the outcome that stood there (n,), -1 where that is no outcome."""

    scores: NDArray[np.floating[Any]]
    outcomes: Sequence[int]


def _remembered(of: str, text: PublicText, rule: Rule, ask: Callable[[PublicText], Iterator[_Answered]]) -> ClipRange:
    if rule not in (BEST, PAPER):
        raise ConfigurationError(f"The rule for a clip range is best or paper, not {rule!r}.")
    key = cache.content_key("clip range", of, text.name, rule)
    kept = _recorded().get(f"{of} {rule} {text.name}") or cache.load_json(key)
    if kept is None:
        kept = _measured(list(ask(text)), rule, text.name)
        cache.save_json(key, kept)
    return ClipRange(float(kept["lower"]), float(kept["upper"]), str(kept["source"]), text.file)


def _measured(found: Sequence[_Answered], rule: Rule, name: str) -> dict[str, Any]:
    count = sum(one.scores.size for one in found)
    if not count:
        raise ConfigurationError("The public text holds no words; give a text file with a sentence a line.")
    mean = sum(float(one.scores.sum(dtype=np.float64)) for one in found) / count
    squares = sum(float(np.square(one.scores - mean, dtype=np.float64).sum()) for one in found)
    deviation = math.sqrt(squares / count)
    if not math.isfinite(mean) or deviation == 0.0:
        raise ConfigurationError("The model scores all words alike, or gives values that are no numbers.")
    low, high = (0.0, _DEVIATIONS) if rule == PAPER else _best(found, mean, deviation)
    # rounded to what a person can write down, which changes nothing but the last digits of the temperature
    lower, upper = (float(f"{mean + edge * deviation:.6g}") for edge in (low, high))
    how = f"mean + {low:g} to mean + {high:g} standard deviations"
    why = "the paper's rule" if rule == PAPER else "the best for what stood there"
    return {"lower": lower, "upper": upper, "source": f"{how} ({why}) over {name}"}


def _best(found: Sequence[_Answered], mean: float, deviation: float) -> tuple[float, float]:
    """The edges, in standard deviations, under which what stood there is most likely."""
    outcomes = np.concatenate([np.asarray(one.outcomes, dtype=np.int64) for one in found])
    asked = np.flatnonzero(outcomes >= 0)
    if not len(asked):
        return 0.0, _DEVIATIONS
    asked = asked[:: max(1, len(asked) // _MOST_QUESTIONS)]
    scores, right = np.concatenate([one.scores for one in found])[asked], outcomes[asked]
    edges = [(low, high) for low in _LOWER for high in _UPPER if high - low >= 2.0]
    shares = [_share(scores, right, mean + low * deviation, mean + high * deviation) for low, high in edges]
    return edges[int(np.argmax(shares))]


def _share(scores: NDArray[np.floating[Any]], right: NDArray[np.int64], lower: float, upper: float) -> float:
    """The mean probability of the ``right`` outcomes."""
    softmax = ClippedSoftmax(ClipRange(lower, upper, "tried"), scores.shape[1])
    laws = (softmax.law(scores, epsilon) for epsilon in _EPSILONS)
    return float(np.mean([law[np.arange(len(right)), right].mean() for law in laws]))


def _masked_scores(model: MaskedModel, sentences: Sequence[str], progress: Progress | None) -> Iterator[_Answered]:
    columns = {int(piece): number for number, piece in enumerate(model.word_pieces)}
    questions = [question for sentence in sentences for question in _questions(model, sentence)]
    for start in range(0, len(questions), _AT_ONCE):
        some = questions[start : start + _AT_ONCE]
        right = [columns.get(answer[0], -1) if len(answer) == 1 else -1 for _, answer in some]
        yield _Answered(model.scores([question for question, _ in some]), right)
        if progress is not None:
            progress(min(1.0, (start + _AT_ONCE) / len(questions)))


def _causal_scores(
    model: CausalModel, prompt: Prompt, sentences: Sequence[str], progress: Progress | None
) -> Iterator[_Answered]:
    """The scores of each next piece where the model repeats the sentence: what it is asked while it rewrites."""
    columns = {int(piece): number for number, piece in enumerate(model.outcomes)}
    rows = [[piece for piece in model.pieces(sentence) if piece in columns] for sentence in sentences]
    for start in range(0, len(rows), _AT_ONCE):
        some = [row for row in rows[start : start + _AT_ONCE] if row]
        session = model.begin([prompt(row) for row in some])
        for step in range(min(map(len, some), default=0)):
            right = [columns[row[step]] for row in some]
            yield _Answered(session.scores(), right)
            session.take(right)
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


def record(of: str, found: ClipRange, text: PublicText, place: Path, rule: Rule = BEST) -> None:
    """Add a range to ``place``, the package's own ``clip_ranges.json``."""
    facts = {"lower": found.lower, "upper": found.upper, "source": found.source}
    kept = json.loads(place.read_text(encoding="utf-8")) if place.exists() else {}
    kept[f"{of} {rule} {text.name}"] = facts
    place.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")


def _questions(model: MaskedModel, sentence: str) -> Iterator[tuple[Cloze, list[int]]]:
    """Every word of ``sentence`` masked in turn, behind the whole sentence, and the pieces of that word."""
    words = sentence.split()
    pieces = model.pieces([f" {word}" if at else word for at, word in enumerate(words)])
    context = [piece for one in pieces for piece in one][: model.window // 2]
    for masked, answer in enumerate(pieces):
        copy = [piece for at, one in enumerate(pieces) for piece in ([MASKED] if at == masked else one)]
        if len(context) + len(copy) <= model.window:
            yield Cloze(context, copy), answer
