"""Sanitize, then paraphrase: identifiers are replaced first, then a language model says the rest in other words.

After the sequential protection of paper 004, Appendix C. No formal guarantee. The prompt is our own. The model is
only shown the text without what the detector marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from sfumato.abstract.asking import MATERIAL, ChatUse, why_missing
from sfumato.abstract.chat import Question
from sfumato.abstract.heuristic import TextHeuristic, TextInProgress
from sfumato.errors import ConfigurationError, InputError
from sfumato.heuristics._prompts import FRAME, for_text, framed, pretended_text
from sfumato.heuristics.redaction import Redaction
from sfumato.text.layout import joined
from sfumato.text.marked_record import marked_records

FIRST = ("label", "mask", "pseudonym", "surrogate", "generalise")
_ASK = (
    "You write a text anew: the same content, facts and tone in other words and other sentences. Words in square "
    "brackets and words with a number such as PERSON_1 stand for something that was taken out: leave them as they "
    f"are, and guess nothing. Add nothing. {MATERIAL}{FRAME}"
)


@dataclass(frozen=True)
class Paraphrase(TextHeuristic):
    """Replaces what is marked by the operator ``first`` of redaction, then asks ``chat`` to write the text anew."""

    chat: ChatUse = field(repr=False, compare=False)
    first: str = "label"
    name: ClassVar[str] = "paraphrase"
    prompts: ClassVar[tuple[str, ...]] = (_ASK,)
    visible: ClassVar[tuple[str, ...]] = (
        "what the text says, in other words, but for what the detector marked",
        "how long the text is, about, and where marked texts stood",
    )

    def __post_init__(self) -> None:
        if self.first not in FIRST:
            raise ConfigurationError(f"What comes first is one of {', '.join(FIRST)}, not {self.first!r}.")

    @cached_property
    def _redaction(self) -> Redaction:
        return Redaction(self.first)

    @property
    def parameters(self) -> dict[str, Any]:
        """Which model was asked, and what it was shown."""
        return {"chat_model": self.chat.name, "first": self.first}

    def retell(self, tellings: Sequence[TextInProgress]) -> None:
        """Redact each text, then write it anew."""
        documents, layouts = [one.document for one in tellings], [one.layout for one in tellings]
        made = self._redaction.replacements(marked_records(documents, layouts), [one.seed for one in tellings])
        for one, outputs in zip(tellings, made, strict=True):
            try:
                one.text = joined(0, one.document, one.layout, outputs, True).text
            except InputError as error:
                one.lost = error.reason
        going = [one for one in tellings if one.going]
        answers = self.chat.ask([for_text(_ASK, one.text) for one in going], [one.tally for one in going], framed)
        for one, answer in zip(going, answers, strict=True):
            if answer is None:
                one.lost = why_missing(one.tally, 0)
            else:
                one.take(answer)


def pretended(question: Question) -> str | None:
    """A readable answer to a question of this module, without a model; None to any other."""
    return pretended_text(question) if question.system == _ASK else None
