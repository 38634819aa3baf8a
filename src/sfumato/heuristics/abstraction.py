"""Span abstraction: a language model replaces each marked phrase by a more general one (paper 004, Appendix C).

No formal guarantee. The prompt is our own. An answer that cannot be used becomes the label in brackets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from sfumato.abstract.chat import Question
from sfumato.abstract.chat_use import MATERIAL, ChatUse
from sfumato.abstract.heuristic import SpanHeuristic
from sfumato.abstract.journal import Tally
from sfumato.models.chat.answers import json_object
from sfumato.options.option import Part
from sfumato.text.guarding import texts_of
from sfumato.text.marks import Layout, MarkedRecord
from sfumato.text.occurrences import Occurrences

_ASK = (
    "You are given a sentence and a phrase out of it that tells too much about a person. Find a more general phrase "
    "that fits in its place: the sentence stays true and readable, and the detail is gone. An exact age becomes an "
    "age group, a town a part of the country, an employer a line of work. Keep no name, number or other rare word of "
    f"the phrase. {MATERIAL}"
    'Answer with a JSON object only: {"instead": "..."}'
)
_BREAK = re.compile(r"(?<=[.!?…。])[\"'”’)\]]*\s+|\n+")
_AROUND = 400
"""Most characters of the sentence that are shown on either side of a phrase."""


@dataclass(frozen=True)
class Abstraction(SpanHeuristic):
    """Asks ``chat`` once for each distinct marked text of a document, in the sentence where it appears first."""

    chat: Annotated[ChatUse, Part("the language model that is asked")] = field(repr=False, compare=False)
    name: ClassVar[str] = "abstraction"
    needs: ClassVar[tuple[str, ...]] = ("chat",)
    default_detector: ClassVar[str] = "disclosures"
    prompts: ClassVar[tuple[str, ...]] = (_ASK,)
    visible: ClassVar[tuple[str, ...]] = (
        "what a language model thought more general than each marked text, or its label where that was no use",
        "which marked texts of a document are the same",
    )

    @property
    def parameters(self) -> dict[str, Any]:
        """Return which model is asked."""
        return {"chat_model": self.chat.name}

    @property
    def batch_size(self) -> int:
        """Return how many documents are worked on at once: few, as an answer takes seconds."""
        return 8

    def replacements(self, records: Sequence[MarkedRecord], seeds: Sequence[int]) -> list[list[str]]:
        """Return what replaces each span; its label in brackets if no answer was usable."""
        documents = [document for record in records for document in record.documents]
        layouts = [layout for record in records for layout in record.layouts]
        keys = [own for record in records for own in record.by_document(_keys(record))]
        tallies = [Tally(kept=bool(layout.text.strip()) and not layout.spans) for layout in layouts]
        first = [(index, own.index(key)) for index, own in enumerate(keys) for key in dict.fromkeys(own)]
        answers = self.chat.ask(
            [_question(layouts[index], span) for index, span in first], [tallies[index] for index, _ in first], _read
        )
        marked = [Occurrences(texts_of([layout]), loose=True) for layout in layouts]
        chosen: dict[tuple[int, str], str] = {}
        for (index, span), answer in zip(first, answers, strict=True):
            layout = layouts[index]
            usable = (
                answer is not None and _is_short(answer, layout.spans[span]) and not any(marked[index].find(answer))
            )
            tallies[index].refused += answer is not None and not usable
            chosen[index, keys[index][span]] = answer if usable and answer is not None else f"[{layout.labels[span]}]"
        for document, tally in zip(documents, tallies, strict=True):
            self.chat.journal.note(document.id, self.name, tally)
        return [[chosen[index, key] for key in own] for index, own in enumerate(keys)]

    @staticmethod
    def dry_run_answer(question: Question) -> str | None:
        """Return a readable answer to a question of its own, without a model; None to any other."""
        return json.dumps({"instead": "something"}) if question.system == _ASK else None


def _keys(record: MarkedRecord) -> list[str]:
    """Return for each marked text what all its spellings share."""
    return [record.names[text] or text for text in record.texts]


def _question(layout: Layout, span: int) -> Question:
    (start, end), label = layout.spans[span], layout.labels[span]
    before = _BREAK.split(layout.text[max(0, start - _AROUND) : start])[-1]
    after = _BREAK.split(layout.text[end : end + _AROUND])[0]
    phrase = layout.text[start:end]
    kind = label.lower().replace("_", " ")
    asked = f"Sentence:\n{before}{phrase}{after}\n\nPhrase:\n{phrase}\n\nKind: {kind}"
    return Question(_ASK, asked.strip(), most_tokens=64 + (end - start))


def _read(answer: str) -> str:
    """Return the phrase that an answer gives. Raise ValueError for anything else."""
    phrase = json_object(answer).get("instead")
    if not isinstance(phrase, str) or not phrase.strip() or "\n" in phrase.strip():
        raise ValueError("no phrase")
    return " ".join(phrase.split())


def _is_short(answer: str, span: tuple[int, int]) -> bool:
    """Return whether an answer is a phrase and not a speech."""
    return len(answer) <= 60 + 3 * (span[1] - span[0])
