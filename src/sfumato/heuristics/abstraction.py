"""Span abstraction: a language model replaces each marked phrase by a more general one (paper 004, Appendix C).

No formal guarantee. The prompt is our own. An answer that cannot be used becomes the label in brackets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

from sfumato.abstract.asking import MATERIAL, ChatUse
from sfumato.abstract.chat import Question
from sfumato.abstract.heuristic import SpanHeuristic
from sfumato.abstract.journal import Tally
from sfumato.abstract.options import Part
from sfumato.models.chat.strict_answers import json_object
from sfumato.text.document import Document
from sfumato.text.layout import Layout, texts_of
from sfumato.text.occurrences import Occurrences, name_of

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

    def replacements(
        self, documents: Sequence[Document], layouts: Sequence[Layout], seeds: Sequence[int]
    ) -> list[list[str]]:
        """Return the replacement of each span; its label in brackets if no answer was usable."""
        tallies = [Tally(kept=bool(layout.text.strip()) and not layout.spans) for layout in layouts]
        first: list[tuple[int, str, tuple[int, int], str]] = []
        for number, layout in enumerate(layouts):
            known: set[str] = set()
            for span, label in zip(layout.spans, layout.labels, strict=True):
                key = _key(layout, span)
                if key not in known:
                    known.add(key)
                    first.append((number, key, span, label))
        questions = [_question(layouts[number], span, label) for number, _, span, label in first]
        answers = self.chat.ask(questions, [tallies[number] for number, *_ in first], _read)
        marked = [Occurrences(texts_of([layout]), loose=True) for layout in layouts]
        phrases: dict[tuple[int, str], str] = {}
        for (number, key, span, label), answer in zip(first, answers, strict=True):
            usable = answer is not None and _is_short(answer, span) and not any(marked[number].find(answer))
            tallies[number].refused += answer is not None and not usable
            phrases[number, key] = answer if usable and answer is not None else f"[{label}]"
        for document, tally in zip(documents, tallies, strict=True):
            self.chat.journal.note(document.id, self.name, tally)
        return [
            [phrases[number, _key(layout, span)] for span in layout.spans] for number, layout in enumerate(layouts)
        ]

    @staticmethod
    def dry_run_answer(question: Question) -> str | None:
        """Return a readable answer to a question of its own, without a model; None to any other."""
        return json.dumps({"instead": "something"}) if question.system == _ASK else None


def _key(layout: Layout, span: tuple[int, int]) -> str:
    text = layout.text[slice(*span)]
    return name_of(text) or text


def _question(layout: Layout, span: tuple[int, int], label: str) -> Question:
    start, end = span
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
