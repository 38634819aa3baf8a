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
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.models import MASKED, CausalModel, Cloze, MaskedModel
from sfumato.errors import ConfigurationError
from sfumato.privacy.clipped_softmax import ClippedSoftmax, ClipRange
from sfumato.storage import cache, regular
from sfumato.types import Progress

Rule = Literal["best", "paper"]
BEST: Rule = "best"
PAPER: Rule = "paper"
_DEVIATIONS = 4.0
_LOWER, _UPPER = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0), (3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0)
_EPSILONS = (25.0, 50.0, 100.0)
_VERSION = "2"
"""To be raised with every change of how a range is measured: ranges are remembered."""
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
            content = regular(file).read_bytes()
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
    key = cache.content_key("clip range", _VERSION, of, text.name, rule)
    kept = _recorded().get(recorded_name(of, text, rule)) or cache.load_json(key)
    if kept is None:
        kept = _Measurement.of(ask(text)).range(rule, text.name)
        cache.save_json(key, kept)
    return ClipRange(float(kept["lower"]), float(kept["upper"]), str(kept["source"]), text.file)


def recorded_name(of: str, text: PublicText, rule: Rule) -> str:
    """The name under which the range of a model (its id and window) is recorded before a release."""
    return f"{_VERSION} {of} {rule} {text.name}"


class _Measurement:
    """Mean and deviation of all scores, and some questions drawn evenly from those whose outcome is known."""

    def __init__(self) -> None:
        self._count, self._sum, self._squares = 0, 0.0, 0.0
        self._origin: float | None = None
        self._known = 0
        self._kept: list[tuple[NDArray[np.floating[Any]], int]] = []
        self._draw = np.random.default_rng(0)

    @classmethod
    def of(cls, answers: Iterator[_Answered]) -> _Measurement:
        """The measurement of ``answers``, which pass by one after the other."""
        found = cls()
        for one in answers:
            found._add(one)
        return found

    def _add(self, found: _Answered) -> None:
        if self._origin is None and found.scores.size:
            self._origin = float(found.scores.mean(dtype=np.float64))  # squares of small numbers keep their digits
        shifted = found.scores.astype(np.float64) - (self._origin or 0.0)
        self._count += shifted.size
        self._sum += float(shifted.sum())
        self._squares += float(np.square(shifted).sum())
        for row, outcome in zip(found.scores, found.outcomes, strict=True):
            if outcome < 0:
                continue
            self._known += 1
            if len(self._kept) < _MOST_QUESTIONS:
                self._kept.append((row.copy(), outcome))
            elif (place := int(self._draw.integers(self._known))) < _MOST_QUESTIONS:  # Vitter's reservoir
                self._kept[place] = row.copy(), outcome

    def range(self, rule: Rule, name: str) -> dict[str, Any]:
        """Edges and source of the range that ``rule`` gives, over the text called ``name``."""
        if not self._count:
            raise ConfigurationError("The public text holds no words; give a text file with a sentence a line.")
        shift = self._sum / self._count
        mean = (self._origin or 0.0) + shift
        deviation = math.sqrt(max(0.0, self._squares / self._count - shift * shift))
        if not math.isfinite(mean) or not deviation > 0.0:
            raise ConfigurationError("The model scores all words alike, or gives values that are no numbers.")
        best = rule == BEST and bool(self._kept)
        low, high = self._best(mean, deviation) if best else (0.0, _DEVIATIONS)
        # rounded to what a person can write down, which changes nothing but the last digits of the temperature
        lower, upper = (float(f"{mean + edge * deviation:.6g}") for edge in (low, high))
        how = f"mean + {low:g} to mean + {high:g} standard deviations"
        why = "the best for what stood there" if best else "the paper's rule"
        return {"lower": lower, "upper": upper, "source": f"{how} ({why}) over {name}"}

    def _best(self, mean: float, deviation: float) -> tuple[float, float]:
        """The edges, in standard deviations, under which what stood there is most likely."""
        scores, right = np.stack([row for row, _ in self._kept]), np.array([outcome for _, outcome in self._kept])
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
    for number, sentence in enumerate(sentences):
        questions = _questions(model, sentence)
        for start in range(0, len(questions), _AT_ONCE):
            some = questions[start : start + _AT_ONCE]
            right = [columns.get(answer[0], -1) if len(answer) == 1 else -1 for _, answer in some]
            yield _Answered(model.scores([question for question, _ in some]), right)
        if progress is not None:
            progress((number + 1) / len(sentences))


def _causal_scores(
    model: CausalModel, prompt: Prompt, sentences: Sequence[str], progress: Progress | None
) -> Iterator[_Answered]:
    """The scores of each next piece where the model repeats the sentence: what it is asked while it rewrites."""
    columns = {int(piece): number for number, piece in enumerate(model.outcomes)}
    end = [] if model.end is None else [model.end]
    rows = [[piece for piece in model.pieces(sentence) if piece in columns] for sentence in sentences]
    for start in range(0, len(rows), _AT_ONCE):
        some = [row for row in rows[start : start + _AT_ONCE] if row]
        session = model.begin([prompt(row) for row in some])
        going = [[*(columns[piece] for piece in row), *end] for row in some]
        while going:
            yield _Answered(session.scores(), [row[0] for row in going])
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
