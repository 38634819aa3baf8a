"""Infer, then rewrite: a language model plays the attacker on each text and removes what it could infer.

After the two steps and the attributes of paper 004, Appendix C. No formal guarantee: another attacker may find what
this one does not. The prompts are our own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, NamedTuple

from sfumato.abstract.chat import Question
from sfumato.abstract.chat_use import MATERIAL, ChatUse, why_missing
from sfumato.abstract.heuristic import TextHeuristic, TextInProgress
from sfumato.abstract.journal import ATTRIBUTE
from sfumato.errors import ConfigurationError
from sfumato.models.chat.answers import FRAME, answered_text, for_text, framed, json_object
from sfumato.options.option import Option, Part

ATTRIBUTES = (
    *("age", "sex", "location", "place of birth", "occupation", "education", "relationship status", "income"),
)
_LOOK = (
    "You find out what a text tells about the person it is about or who wrote it, even where it is not said. "
    "Give each attribute of the list that can be told, with your best guess, how certain you are from 1 (as good as "
    "any other) to 5 (the text says so), and the words that it rests on, copied letter by letter. Leave out what the "
    f"text gives no sign of. {MATERIAL}"
    'Answer with a JSON object only: {"found": [{"attribute": "...", "guess": "...", "certainty": 3, "quotes": '
    '["..."]}]}, with an empty list where nothing can be told. The attributes are: '
)
_REWRITE = (
    "You change a text so that certain things about a person can no longer be told from it. You are given the text, "
    "what could be told, and the words that it rested on. Say these places in more general words or leave them out, "
    "and everything else that points to the same. Change nothing else, and invent nothing. "
    f"{MATERIAL}{FRAME}"
)


class Inferred(NamedTuple):
    """An attribute that could be inferred: the guess, its certainty from 1 to 5, and the quotes it rests on."""

    attribute: str
    guess: str
    certainty: int
    quotes: tuple[str, ...]


@dataclass(frozen=True)
class Iterative(TextHeuristic):
    """Asks ``chat`` which of ``attributes`` a text gives away, and to rewrite it, up to ``rounds`` times.

    It stops where nothing is found with a certainty of ``certainty`` or more. After the last round the text is looked
    at once more, for the record only. A quote that does not are in the text is refused and counted; the finding
    stays, as it may be right all the same.
    """

    chat: Annotated[ChatUse, Part("the language model that is asked")] = field(repr=False, compare=False)
    attributes: Annotated[Sequence[str], Option("what is not to be told, e.g. 'place of birth'")] = ATTRIBUTES
    rounds: Annotated[int, Option("how often a text is rewritten at most")] = 3
    certainty: Annotated[int, Option("least certainty of a finding that is acted on, from 1 to 5")] = 2
    name: ClassVar[str] = "iterative"
    prompts: ClassVar[tuple[str, ...]] = (_LOOK, _REWRITE)
    visible: ClassVar[tuple[str, ...]] = (
        "whatever the language model left of the text: what it says, how long it is, how it is written",
        "everything about the person that was not on the list of attributes, or that the attacker overlooked",
    )

    def __post_init__(self) -> None:
        given = () if isinstance(self.attributes, str) else tuple(self.attributes)
        if not given or not all(isinstance(attribute, str) and ATTRIBUTE.fullmatch(attribute) for attribute in given):
            raise ConfigurationError("The attributes are at least one, a few words each, such as 'place of birth'.")
        object.__setattr__(self, "attributes", tuple(dict.fromkeys(one.casefold().strip() for one in given)))
        for name, most in (("rounds", 20), ("certainty", 5)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise ConfigurationError(f"The {name} must be a whole number from 1 to {most}.")

    @property
    def parameters(self) -> dict[str, Any]:
        """Return which model is asked about what, and how often."""
        numbers = {"rounds": self.rounds, "certainty": self.certainty}
        return {"chat_model": self.chat.name, "attributes": list(self.attributes), **numbers}

    def retell(self, texts: Sequence[TextInProgress]) -> None:
        """Attack each text and rewrite it, as often as it takes."""
        unfinished = list(texts)
        for number in range(self.rounds + 1):
            inferred = self._inferred(unfinished, closing=number == self.rounds)
            if number == 0:
                for text, findings in inferred:
                    text.tally.kept = not findings
            if number < self.rounds:
                unfinished = self._rewritten([(text, findings) for text, findings in inferred if findings])

    def _inferred(
        self, unfinished: Sequence[TextInProgress], closing: bool
    ) -> list[tuple[TextInProgress, list[Inferred]]]:
        """Return what can be inferred from each text with enough certainty; texts without an answer are given up."""
        system = f"{_LOOK}{', '.join(self.attributes)}."
        questions = [Question(system, text.text, most_tokens=1024) for text in unfinished]
        failed = [text.tally.failed for text in unfinished]
        answers = self.chat.ask(questions, [text.tally for text in unfinished], self._read)
        inferred = []
        for text, before, listed in zip(unfinished, failed, answers, strict=True):
            if listed is None:
                if not closing:  # the text was rewritten as often as asked; only its last attack is missing
                    text.lost = why_missing(text.tally, before)
                continue
            refused = sum(quote not in text.text for finding in listed for quote in finding.quotes)
            text.tally.refused += refused
            certainties = {finding.attribute: finding.certainty for finding in listed}
            text.tally.rounds.append({"found": certainties, "refused": refused, "rewritten": False})
            checked = [
                finding._replace(quotes=tuple(quote for quote in finding.quotes if quote in text.text))
                for finding in listed if finding.certainty >= self.certainty
            ]  # fmt: skip
            inferred.append((text, checked))
        return inferred

    def _rewritten(self, inferred: Sequence[tuple[TextInProgress, list[Inferred]]]) -> list[TextInProgress]:
        """Return the texts that were rewritten; a text marked in the original is removed before the next attack."""
        questions = [for_text(_REWRITE, text.text, _listed(findings)) for text, findings in inferred]
        failed = [text.tally.failed for text, _ in inferred]
        answers = self.chat.ask(questions, [text.tally for text, _ in inferred], framed)
        for (text, _), before, answer in zip(inferred, failed, answers, strict=True):
            if answer is None:
                text.lost = why_missing(text.tally, before)
            else:
                text.take(answer)
                text.tally.rounds[-1]["rewritten"] = True
        return [text for text, _ in inferred if text.going]

    def _read(self, answer: str) -> list[Inferred]:
        """Return the findings in an answer.

        Raise ValueError for another attribute, certainty or shape than was asked for.
        """
        listed = json_object(answer).get("found")
        if not isinstance(listed, list):
            raise ValueError("no list")
        findings: dict[str, Inferred] = {}
        for item in listed:
            if not isinstance(item, dict):
                raise ValueError("no object")
            finding = _finding(item)
            if finding.attribute not in self.attributes:
                raise ValueError("another attribute")
            before = findings.get(finding.attribute)
            if before is None or before.certainty < finding.certainty:
                findings[finding.attribute] = finding
        return list(findings.values())

    @staticmethod
    def dry_run_answer(question: Question) -> str | None:
        """Return a readable answer to a question of its own, without a model: every attribute is found."""
        if question.system.startswith(_LOOK):
            names = question.system.removeprefix(_LOOK).rstrip(".").split(", ")
            found = [{"attribute": one, "guess": "something", "certainty": 5, "quotes": []} for one in names]
            return json.dumps({"found": found})
        return answered_text(question) if question.system == _REWRITE else None


def _finding(item: dict[str, Any]) -> Inferred:
    attribute, guess, quotes = item.get("attribute"), item.get("guess"), item.get("quotes", [])
    certainty = item.get("certainty")
    if not isinstance(attribute, str) or not isinstance(guess, str | int | float):
        raise ValueError("no attribute or no guess")
    if isinstance(certainty, bool) or not isinstance(certainty, int) or not 1 <= certainty <= 5:
        raise ValueError("no certainty from 1 to 5")
    if not isinstance(quotes, list) or not all(isinstance(quote, str) for quote in quotes):
        raise ValueError("no quotes")
    stripped = tuple(dict.fromkeys(quote.strip() for quote in quotes if quote.strip()))
    return Inferred(" ".join(attribute.casefold().split()), " ".join(str(guess).split()), certainty, stripped)


def _listed(findings: Sequence[Inferred]) -> str:
    """Return what could be inferred, for the question to rewrite."""
    lines = [
        f"- {finding.attribute}: {finding.guess}"
        + "".join(f"; it says {json.dumps(quote, ensure_ascii=False)}" for quote in finding.quotes)
        for finding in findings
    ]
    return "What could be told:\n" + "\n".join(lines) + "\n\n"
