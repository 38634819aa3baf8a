"""Sanitize, then paraphrase: identifiers are replaced first, then a language model rewords the rest.

Paper: A False Sense of Privacy (Appendix C.1, "sanitize and paraphrase"). No formal guarantee. In the paper the
language model itself sanitizes first, by the prompt of Staab et al. without inferences, and nothing is detected
before: ``first=sanitize`` without a detector. The prompts are our own, with the same instructions. With an operator
of redaction first, the usual one, the model is only shown the text without what the detector marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, ClassVar

from sfumato.abstract.chat import Question
from sfumato.abstract.chat_use import MATERIAL, ChatUse, why_missing
from sfumato.abstract.heuristic import TextHeuristic, TextInProgress
from sfumato.errors import ConfigurationError, InputError
from sfumato.heuristics.redaction import Redaction
from sfumato.models.chat.answers import FRAME, answered_text, for_text, framed
from sfumato.options.option import Option, Part
from sfumato.text.guarding import put_in
from sfumato.text.marks import marked_records

SANITIZE = "sanitize"
FIRST = (SANITIZE, "label", "mask", "pseudonym", "surrogate", "generalise")
_SANITIZE = (
    "You make a text about a person anonymous with as few changes as you can. Change only the places that could tell "
    "who the person is or something personal about them: say them in more general words, or leave them out. Never "
    "put another detail in the place of one (a nurse may become somebody who works in health care, but no teacher), "
    "and invent nothing. Everything else stays as it is, word for word. "
    f"{MATERIAL}{FRAME}"
)
_ASK = (
    "You rewrite a text: the same content, facts and tone in other words and other sentences. Words in square "
    "brackets and words with a number such as PERSON_1 stand for something that was taken out: leave them as they "
    f"are, and guess nothing. Add nothing. {MATERIAL}{FRAME}"
)


@dataclass(frozen=True)
class Paraphrase(TextHeuristic):
    """Replaces marked texts by the operator ``first`` of redaction, then asks ``chat`` to rewrite the text.

    With ``first=sanitize``, ``chat`` makes the whole text anonymous first. Nothing marked is in either answer.
    """

    chat: Annotated[ChatUse, Part("the language model that is asked")] = field(repr=False, compare=False)
    first: Annotated[
        str, Option("operator of redaction that replaces what is marked, or `sanitize`: the language model")
    ] = "label"
    name: ClassVar[str] = "paraphrase"
    prompts: ClassVar[tuple[str, ...]] = (_SANITIZE, _ASK)
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
        """Redact each text or have it sanitized, then rewrite it."""
        if self.first == SANITIZE:
            self._ask(_SANITIZE, texts)
        else:
            self._redact(texts)
        self._ask(_ASK, texts)

    def _redact(self, texts: Sequence[TextInProgress]) -> None:
        documents, layouts = [text.document for text in texts], [text.layout for text in texts]
        redacted = self._redaction.replacements(marked_records(documents, layouts), [text.seed for text in texts])
        for text, outputs in zip(texts, redacted, strict=True):
            try:
                text.text = put_in(text.layout, outputs)
            except InputError as error:
                text.lost = error.reason

    def _ask(self, prompt: str, texts: Sequence[TextInProgress]) -> None:
        """Put what the language model makes of each text by ``prompt`` in its place."""
        unfinished = [text for text in texts if text.going]
        failed = [text.tally.failed for text in unfinished]
        questions = [for_text(prompt, text.text) for text in unfinished]
        answers = self.chat.ask(questions, [text.tally for text in unfinished], framed)
        for text, before, answer in zip(unfinished, failed, answers, strict=True):
            if answer is None:
                text.lost = why_missing(text.tally, before)
            else:
                text.take(answer)

    @staticmethod
    def dry_run_answer(question: Question) -> str | None:
        """Return a readable answer to a question of its own, without a model; None to any other."""
        return answered_text(question) if question.system in (_SANITIZE, _ASK) else None
