"""What the language model is asked, and how its answers are read. Nothing here can see a private text.

A question is made of the control code, the user's public words about the texts, and texts that the model wrote itself
and that noisy votes chose. The prompts are our own.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import product

from sfumato.abstract.chat import BATCH, Question
from sfumato.abstract.chat_use import ChatUse
from sfumato.abstract.journal import Tally
from sfumato.types import Progress, in_batches

_ALONE = "Answer with the text alone: no title, no list, no explanation."
_SEED = f"You invent one text, with everything in it. {_ALONE}"
_CLOSE = f"Rewrite the text in other words. {_ALONE}"
_FAR = f"Write another text of the same kind, about something like it, with other details. {_ALONE}"
_BEFORE = ":\n\n"  # a text to be varied
PROMPTS = (_SEED, _CLOSE, _FAR)

_MOODS = ("pleased", "annoyed", "plain", "doubtful", "eager", "disappointed", "grateful", "calm")
_SIZES = ("one sentence", "two sentences", "three sentences", "a short paragraph")
_ANGLES = (
    "one thing that happened", "another person", "a number or an amount", "waiting for something",
    "what changed over time", "a comparison", "a problem and how it ended", "one small detail",
)  # fmt: skip
_MANNERS = tuple(product(_MOODS, _SIZES, _ANGLES))
_STRIDE = 37  # shares no factor with their number, so that seeds that follow each other differ in everything

_EVERYDAY = (
    "apple", "bridge", "candle", "doctor", "engine", "feather", "garden", "hammer", "island", "jacket", "kitchen",
    "ladder", "market", "needle", "office", "pencil", "quarry", "river", "summer", "ticket", "village", "window",
)  # fmt: skip
_TRIES = 3
_PREAMBLE = re.compile(r"(?:sure|certainly|of course|here(?:'s| is| are))\b[^\n:]{0,120}:\s*", re.IGNORECASE)
_REFUSAL = re.compile(
    r"\bas an? (?:[\w-]+ ){0,3}ai\b|\blanguage model\b|^i apologi[sz]e for|^i(?:'m| am) unable to|"
    r"^i(?:'m| am) sorry,? (?:but|for (?:the|any|your))\b|"
    r"^i can(?:not|'t) (?:help|assist|write|provide|fulfil|comply|do)",
    re.IGNORECASE,
)
_LISTED = re.compile(r"^\s*(?:[-*•#]|\d+[.)]\s|[^.!?\n]{0,60}:\s*$)", re.MULTILINE)
_ECHO = re.compile(r"^\s*(?:text|length|tone|original|rewritten)\s*:", re.IGNORECASE | re.MULTILINE)
_SENTENCE_END = re.compile(r"[.!?…。！？](?=\s|$)")
_QUOTES = "\"“”„«»'‘’"


@dataclass(frozen=True)
class Writer:
    """Asks ``chat`` for texts.

    Attributes:
        chat: The model.
        about: The user's public words for the texts.
        length: The most words of a text.
        temperature: How freely the model writes.
        variation: The share of variations that tell something else, instead of the same in other words.
    """

    chat: ChatUse = field(repr=False)
    about: str
    length: int
    temperature: float
    variation: float

    def seed(self, code: str, number: int) -> Question:
        """Return the question for seed ``number`` of a control code."""
        mood, size, angle = _MANNERS[number * _STRIDE % len(_MANNERS)]
        manner = f"Its tone is {mood}. It tells of {angle}. Its length is {size}."
        return self._question(_SEED, f"Write {self._kind(code)}. {manner}", number)

    def vary(self, code: str, parent: str, number: int) -> Question:
        """Return the question for a variation of ``parent``, another one for another ``number``."""
        far = int((number + 1) * self.variation) > int(number * self.variation)
        return self._question(_FAR if far else _CLOSE, f"This is {self._kind(code)}{_BEFORE}{parent}", number)

    def _kind(self, code: str) -> str:
        return f"{self.about} ({code})" if code else self.about

    def _question(self, system: str, user: str, number: int) -> Question:
        return Question(system, user, self.temperature, 32 + 2 * self.length, number)

    def ask(
        self, count: int, question: Callable[[int], Question], stage: str, progress: Progress | None = None
    ) -> list[str | None]:
        """Return an answer to each of the questions numbered from 0; None where none could be used in several tries.

        A question that is tried again gets another number, ``count`` and more. The counts of questions go to the
        journal, under the name ``stage``.
        """
        tally = Tally()
        written: list[str | None] = [None] * count
        for attempt in range(_TRIES):
            missing = [index for index, text in enumerate(written) if text is None]
            for batch in in_batches(missing, BATCH, None if attempt else progress):
                asked = [question(index + attempt * count) for index in batch]
                for index, text in zip(batch, self._read(asked, tally), strict=True):
                    written[index] = text
        self.chat.journal.note(stage, "evolve", tally)
        return written

    def _read(self, asked: Sequence[Question], tally: Tally) -> list[str | None]:
        return self.chat.ask(asked, [tally] * len(asked), lambda answer: usable(answer, self.length))


def usable(answer: str, length: int) -> str:
    """Return the text of an answer, at most ``length`` words: a longer one ends with its last whole sentence.

    Raise ValueError for a refusal, a list, a part of the question, or nothing.
    """
    text = _PREAMBLE.sub("", answer.strip(), count=1) if _PREAMBLE.match(answer.strip()) else answer.strip()
    text = "".join(letter for letter in text if letter.isprintable() or letter in "\n\t").strip()
    if len(text) > 1 and text[0] in _QUOTES and text[-1] in _QUOTES:
        text = text[1:-1].strip()
    if not any(map(str.isalnum, text)) or _REFUSAL.search(text) or _LISTED.search(text) or _ECHO.search(text):
        raise ValueError("no text")
    words = list(re.finditer(r"\S+", text))
    if len(words) <= length:
        return text
    ends = [end.end() for end in _SENTENCE_END.finditer(text, 0, words[length - 1].end())]
    if not ends:
        raise ValueError("too long")
    return text[: ends[-1]]


def dry_run_answer(question: Question) -> str | None:
    """Return a readable answer to a question of this file, without a model; None to any other."""
    if question.system not in PROMPTS:
        return None
    digest = hashlib.sha256(f"{question.user} {question.vote}".encode()).digest()
    return " ".join(_EVERYDAY[byte % len(_EVERYDAY)] for byte in digest[:12]).capitalize() + "."
