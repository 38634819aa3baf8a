"""Let a chat model rewrite a release: it sees the released text and one fixed prompt.

An answer is used only if it can be a rewriting of the text. Otherwise the released text stays, so that no record is
lost: without an answer, with one in another form, with a refusal, with a text of another length, or with one that
lost or invented a placeholder such as [PERSON].
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from sfumato.abstract.chat import Answer, ChatModel, Question, read
from sfumato.abstract.chat_use import MATERIAL
from sfumato.building.chat import whereabouts
from sfumato.models.chat.answers import FRAME, for_text, framed
from sfumato.text.sentences import laid_out_like, words
from sfumato.types import in_batches

PROMPT = (
    "In the text that you are given some words were replaced at random by others. Make it fluent English with as few "
    "changes as you can: mend the grammar, and put a word that fits where one does not fit the words around it, near "
    "to it in meaning. Keep the order of the sentences and about the length. Words in square brackets and runs of "
    "signs such as **** stay as they are. Invent no name, number or fact, and do not guess what a word was before. "
    f"{MATERIAL}{FRAME}"
)
LOST, UNREADABLE, REFUSED, LENGTH, PLACEHOLDERS = (
    "missing", "not readable", "a refusal", "of another length", "one with other placeholders",
)  # fmt: skip
_LEAST, _MOST, _FREE = 0.5, 2.0, 3
_AT_ONCE = 64
_TAG = re.compile(r"</?text>", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\[[^\[\]\n]{1,40}\]|[*█_#]{3,}|\b[A-Z]+_\d+\b")
_REFUSAL = re.compile(
    r"\W*(i['’]?m sorry|i am sorry|sorry,|i (cannot|can['’]?t|am unable)|as an ai\b)", re.IGNORECASE
)


@dataclass(frozen=True, eq=False)
class Rewriter:
    """Asks ``model`` for each text, at temperature 0, and counts why a released text stayed."""

    model: ChatModel
    kept: Counter[str] = field(default_factory=Counter, init=False, repr=False)
    how: ClassVar[str] = "a language model rewrote each text by a fixed prompt"

    @property
    def facts(self) -> dict[str, Any]:
        """Return what decides the outcome, for the statement."""
        prompt = hashlib.sha256(PROMPT.encode()).hexdigest()
        return {"model": self.model.id, "place": whereabouts(self.model), "prompt_sha256": prompt}

    @property
    def counts(self) -> dict[str, int]:
        """Return how many released texts stayed because of their answer, by the reason."""
        return dict(sorted(self.kept.items()))

    def polished(self, texts: Sequence[str]) -> list[str]:
        """Return what the model made of each of ``texts``; the text itself if that is of no use."""
        made = list(texts)
        for batch in in_batches([place for place, text in enumerate(texts) if words(text)], _AT_ONCE):
            asked = [for_text(PROMPT, texts[place]) for place in batch]
            answers = list(map(_whole, asked, self.model.replies(asked)))
            for place, answer, new in zip(batch, answers, read(self.model, answers, text_in), strict=True):
                text = texts[place]
                if new is None:
                    self.kept[LOST if answer is None else UNREADABLE] += 1
                elif reason := unusable(new, text):
                    self.kept[reason] += 1
                else:
                    made[place] = _spaced_like(laid_out_like(new, text), text)
        return made


def _whole(question: Question, answer: Answer | None) -> Answer | None:
    """Return ``answer``; an empty one if it reached its limit and was cut off there."""
    cut = answer is not None and answer.tokens_out >= question.most_tokens
    return replace(answer, text="") if answer is not None and cut else answer


def text_in(answer: str) -> str:
    """Return the text inside the frame, or all of an answer without a frame, which small models give.

    Raise ValueError for half a frame, for nothing, and for an answer that announces its text.
    """
    if _TAG.search(answer):
        return framed(answer)
    bare = answer.strip()
    if not bare or bare.partition("\n")[0].rstrip().endswith(":"):
        raise ValueError("no text")
    return bare


def unusable(answer: str, text: str) -> str | None:
    """Return why ``answer`` cannot be a rewriting of ``text``; None if it can."""
    if _REFUSAL.match(answer) and not _REFUSAL.match(text):
        return REFUSED
    before, after = len(words(text)), len(words(answer))
    if not _LEAST * before <= after <= _MOST * before + _FREE:
        return LENGTH
    return None if placeholders(answer) == placeholders(text) else PLACEHOLDERS


def placeholders(text: str) -> Counter[str]:
    """Return the placeholders of ``text``, and how often each occurs."""
    return Counter(_PLACEHOLDER.findall(text))


def _spaced_like(text: str, model: str) -> str:
    """Return ``text`` with the white space that is before and after ``model``."""
    bare = model.strip()
    before, _, after = model.partition(bare)
    return f"{before}{text.strip()}{after}"
