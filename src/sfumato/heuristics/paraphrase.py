"""Sanitize, then paraphrase: identifiers are replaced first, then a language model rewords the rest.

After the sequential protection of paper 004, Appendix C. No formal guarantee. The prompt is our own. The model is
only shown the text without what the detector marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, ClassVar

from sfumato.abstract.chat import Question
from sfumato.abstract.chat_use import MATERIAL, ChatUse, why_missing
from sfumato.abstract.heuristic import TextHeuristic, TextInProgress
from sfumato.abstract.options import Option, Part
from sfumato.errors import ConfigurationError, InputError
from sfumato.heuristics.redaction import Redaction
from sfumato.models.chat.answers import FRAME, answered_text, for_text, framed
from sfumato.text.guarding import put_in
from sfumato.text.marks import marked_records

FIRST = ("label", "mask", "pseudonym", "surrogate", "generalise")
_ASK = (
    "You rewrite a text: the same content, facts and tone in other words and other sentences. Words in square "
    "brackets and words with a number such as PERSON_1 stand for something that was taken out: leave them as they "
    f"are, and guess nothing. Add nothing. {MATERIAL}{FRAME}"
)


@dataclass(frozen=True)
class Paraphrase(TextHeuristic):
    """Replaces marked texts by the operator ``first`` of redaction, then asks ``chat`` to rewrite the text."""

    chat: Annotated[ChatUse, Part("the language model that is asked")] = field(repr=False, compare=False)
    first: Annotated[str, Option("operator of redaction that replaces what is marked first")] = "label"
    name: ClassVar[str] = "paraphrase"
    prompts: ClassVar[tuple[str, ...]] = (_ASK,)
    visible: ClassVar[tuple[str, ...]] = (
        "what the text says, in other words, except for what the detector marked",
        "how long the text is, about, and where marked texts were",
    )

    def __post_init__(self) -> None:
        if self.first not in FIRST:
            raise ConfigurationError(f"first is one of {', '.join(FIRST)}, not {self.first!r}.")

    @cached_property
    def _redaction(self) -> Redaction:
        return Redaction(self.first)

    @property
    def parameters(self) -> dict[str, Any]:
        """Return which model is asked, and what it is shown."""
        return {"chat_model": self.chat.name, "first": self.first}

    def retell(self, texts: Sequence[TextInProgress]) -> None:
        """Redact each text, then rewrite it."""
        documents, layouts = [text.document for text in texts], [text.layout for text in texts]
        redacted = self._redaction.replacements(marked_records(documents, layouts), [text.seed for text in texts])
        for text, outputs in zip(texts, redacted, strict=True):
            try:
                text.text = put_in(text.layout, outputs)
            except InputError as error:
                text.lost = error.reason
        unfinished = [text for text in texts if text.going]
        answers = self.chat.ask(
            [for_text(_ASK, text.text) for text in unfinished], [text.tally for text in unfinished], framed
        )
        for text, answer in zip(unfinished, answers, strict=True):
            if answer is None:
                text.lost = why_missing(text.tally, 0)
            else:
                text.take(answer)

    @staticmethod
    def dry_run_answer(question: Question) -> str | None:
        """Return a readable answer to a question of its own, without a model; None to any other."""
        return answered_text(question) if question.system == _ASK else None
