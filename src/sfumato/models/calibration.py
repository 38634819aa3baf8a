"""What measurements of a model on public text share: the sentences, the questions about them, and the file.

A model answers these questions as it will answer later about private texts. For a masked model: every word of every
sentence masked in turn in the pair form (of a sentence longer than half the window as many as fit), the scores of all
candidate words. For a causal one: the scores of each next piece while the answer repeats the sentence, up to the end
piece.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.models import MASKED, CausalModel, Cloze, MaskedModel
from sfumato.errors import ConfigurationError
from sfumato.storage import cache, regular
from sfumato.types import Progress, in_batches

_AT_ONCE = 32
_FOR_CAUSAL = 24  # sentences; a causal model answers slowly

Prompt = Callable[[Sequence[int]], list[int]]
"""Returns the pieces of the prompt before a causal model rewrites a text of these pieces."""
T = TypeVar("T")
TextFile = tuple[str, int]
"""The SHA-256 and the size of a public text."""


@dataclass(frozen=True)
class PublicText:
    """Public ``sentences``, and a ``name`` for them that holds their hash."""

    name: str
    sentences: tuple[str, ...]
    file: TextFile | None = None
    """SHA-256 and size in bytes of the file, if it is not the shipped one."""

    @classmethod
    def shipped(cls, most: int | None = None) -> PublicText:
        """Return the sentences that ship with sfumato, or the first ``most`` of them."""
        content = (resources.files("sfumato") / "data" / "public_sentences.txt").read_bytes()
        sentences = tuple(content.decode("utf-8").splitlines()[:most])
        digest = hashlib.sha256(content).hexdigest()
        return cls(f"{len(sentences)} public sentences that ship with sfumato, sha256 {digest[:16]}", sentences)

    @classmethod
    def of(cls, file: Path) -> PublicText:
        """Return the non-empty lines of the public ``file``. Raise ConfigurationError if there are none."""
        try:
            content = regular(file).read_bytes()
            lines = tuple(line.strip() for line in content.decode("utf-8").splitlines() if line.strip())
        except (OSError, ValueError):
            raise ConfigurationError(f"{file.name} cannot be read as UTF-8; give a public text file.") from None
        if not lines:
            raise ConfigurationError(f"{file.name} holds no sentences; give a public file with a sentence a line.")
        digest = hashlib.sha256(content).hexdigest()
        return cls(f"{len(lines)} lines, sha256 {digest[:16]}", lines, (digest, len(content)))


@dataclass(frozen=True)
class Answered:
    """Scores (n, V) of some questions, and the ``outcomes`` of the original (n,), -1 if it is not an outcome."""

    scores: NDArray[np.floating[Any]]
    outcomes: Sequence[int]


def exact_of(model: MaskedModel) -> MaskedModel:
    """Return ``model`` as public measurements ask it: in float32, if it has several number formats."""
    exact: MaskedModel = getattr(model, "exact", model)
    return exact


def masked_answers(
    model: MaskedModel, sentences: Sequence[str], progress: Progress | None = None
) -> Iterator[Answered]:
    """Yield the scores of each masked word of ``sentences``."""
    columns = {int(piece): number for number, piece in enumerate(model.word_pieces)}
    for [sentence] in in_batches(sentences, 1, progress):
        for batch in in_batches(masked_questions(model, sentence), _AT_ONCE):
            right = [columns.get(answer[0], -1) if len(answer) == 1 else -1 for _, answer in batch]
            yield Answered(model.scores([question for question, _ in batch]), right)


def causal_answers(
    model: CausalModel, prompt: Prompt, sentences: Sequence[str], progress: Progress | None = None
) -> Iterator[Answered]:
    """Yield the scores of each next piece while the model repeats the sentence: the questions of a rewriting."""
    columns = {int(piece): number for number, piece in enumerate(model.outcomes)}
    end = [] if model.end is None else [model.end]
    rows = [[piece for piece in model.pieces(sentence) if piece in columns] for sentence in sentences]
    for some in in_batches(rows, _AT_ONCE, progress):
        batch = [row for row in some if row]
        session = model.begin([prompt(row) for row in batch])
        going = [[*(columns[piece] for piece in row), *end] for row in batch]
        while going:
            yield Answered(session.scores(), [row[0] for row in going])
            session.take([row[0] if len(row) > 1 else None for row in going])
            going = [row[1:] for row in going if len(row) > 1]


def masked_questions(model: MaskedModel, sentence: str) -> list[tuple[Cloze, list[int]]]:
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


@dataclass(frozen=True, eq=False)
class Calibration:
    """A measurement of ``model`` on a public text, ``given`` or (None) shipped with sfumato.

    A causal model rewrites the text after ``prompt``. A masked model has none, and is measured in float32, which
    holds for every number format. ``progress`` receives the finished share.
    """

    model: Any
    prompt: Prompt | None = None
    given: PublicText | None = None
    progress: Progress | None = None

    @cached_property
    def text(self) -> PublicText:
        """Return the text of the questions."""
        return self.given or PublicText.shipped(None if self.prompt is None else _FOR_CAUSAL)

    @cached_property
    def exact(self) -> Any:
        """Return the model that is asked."""
        return exact_of(self.model)

    @property
    def name(self) -> str:
        """Return what the answers depend on beside the text: the id of the model, and its window or prompt."""
        if self.prompt is None:
            return f"{self.exact.id} {self.model.window}"
        opening = hashlib.sha256(repr(self.prompt([])).encode()).hexdigest()[:16]
        return f"{self.exact.id} {opening}"

    def answers(self) -> Iterator[Answered]:
        """Yield the scores of all questions."""
        if self.prompt is None:
            return masked_answers(self.exact, self.text.sentences, self.progress)
        return causal_answers(self.exact, self.prompt, self.text.sentences, self.progress)


def known_or_measured(file: str, name: str, key: str, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the measurement ``name`` in the data ``file``, else that in the cache under ``key``, else a new one."""
    facts: dict[str, Any] | None = _recorded(file).get(name) or cache.load_json(key)
    if facts is None:
        facts = measure()
        cache.save_json(key, facts)
    return facts


@lru_cache(maxsize=2)
def _recorded(file: str) -> dict[str, dict[str, Any]]:
    """Return the facts of the model that ships, measured before the release; a test measures them again."""
    content = (resources.files("sfumato") / "data" / file).read_text(encoding="utf-8")
    facts: dict[str, dict[str, Any]] = json.loads(content)
    return facts


def read_calibrated(path: Path, model: str, law: str, make: Callable[[dict[str, Any], TextFile | None], T]) -> T:
    """Return what ``make`` makes of the facts in a file for ``law``, and of the text that they were measured on.

    ``model`` is the id of a model. Raise ConfigurationError for a file that holds something else, or facts of another
    model.
    """
    command = f"sfumato models calibrate --law {law}"
    try:
        facts = json.loads(regular(path).read_text(encoding="utf-8"))
        if facts["model"] != model:
            raise ConfigurationError(
                f"{path.name} was measured for another model, {facts['model']}; measure {model} with `{command}`."
            )
        text = facts.get("text")
        return make(facts, None if text is None else (str(text["sha256"]), int(text["bytes"])))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, ConfigurationError):
            raise
        raise ConfigurationError(
            f"{path.name} cannot be read as a file for the law {law}; write one with `{command} -o {path.name}`."
        ) from None
