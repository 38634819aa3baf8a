"""Infer, then rewrite: a language model plays the attacker on each text and removes what it could tell.

After the two steps and the attributes of paper 004, Appendix C. No formal guarantee: what this attacker does not
find, another may. The prompts are our own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, NamedTuple

from sfumato.abstract.asking import MATERIAL, ChatUse, why_missing
from sfumato.abstract.chat import Question
from sfumato.abstract.heuristic import TextHeuristic, TextInProgress
from sfumato.abstract.journal import ATTRIBUTE
from sfumato.abstract.options import Option, Part
from sfumato.errors import ConfigurationError
from sfumato.heuristics._prompts import FRAME, answered_text, for_text, framed
from sfumato.models.chat.strict_answers import json_object

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


class Finding(NamedTuple):
    """An attribute that could be told: the guess, its certainty from 1 to 5, and the quotes it rests on."""

    attribute: str
    guess: str
    certainty: int
    quotes: tuple[str, ...]


@dataclass(frozen=True)
class Iterative(TextHeuristic):
    """Asks ``chat`` which of ``attributes`` a text gives away, and to rewrite it, up to ``rounds`` times.

    It stops where nothing is found with a certainty of ``certainty`` or more. After the last round the text is looked
    at once more, for the record only. A quote that does not stand in the text is refused and counted; the finding
    stays, as it may be right all the same.
    """

    chat: Annotated[ChatUse, Part("the language model that is asked")] = field(repr=False, compare=False)
    attributes: Annotated[
        Sequence[str],
        Option("what is not to be told, e.g. 'place of birth' (repeatable)", flag="--attribute", repeated=True),
    ] = ATTRIBUTES
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
        if not given or not all(isinstance(one, str) and ATTRIBUTE.fullmatch(one) for one in given):
            raise ConfigurationError("The attributes are at least one, a few words each, such as 'place of birth'.")
        object.__setattr__(self, "attributes", tuple(dict.fromkeys(one.casefold().strip() for one in given)))
        for name, most in (("rounds", 20), ("certainty", 5)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise ConfigurationError(f"The {name} must be a whole number from 1 to {most}.")

    @property
    def parameters(self) -> dict[str, Any]:
        """Which model was asked about what, and how often."""
        names = ("rounds", "certainty")
        own = {name: getattr(self, name) for name in names}
        return {"chat_model": self.chat.name, "attributes": list(self.attributes), **own}

    def retell(self, tellings: Sequence[TextInProgress]) -> None:
        """Look at each text and rewrite it, as often as it takes."""
        going = list(tellings)
        for number in range(self.rounds + 1):
            found = self._looked(going, closing=number == self.rounds)
            if number == 0:
                for one, findings in found:
                    one.tally.kept = not findings
            if number < self.rounds:
                going = self._rewritten([(one, findings) for one, findings in found if findings])

    def _looked(self, going: Sequence[TextInProgress], closing: bool) -> list[tuple[TextInProgress, list[Finding]]]:
        """What can be told of each text, with enough certainty; texts of which that is not known are given up."""
        system = f"{_LOOK}{', '.join(self.attributes)}."
        questions = [Question(system, one.text, most_tokens=1024) for one in going]
        failed = [one.tally.failed for one in going]
        answers = self.chat.ask(questions, [one.tally for one in going], self._read)
        found = []
        for one, before, listed in zip(going, failed, answers, strict=True):
            if listed is None:
                if not closing:  # it was rewritten as often as it should be; only what is left is not known
                    one.lost = why_missing(one.tally, before)
                continue
            refused = sum(quote not in one.text for finding in listed for quote in finding.quotes)
            one.tally.refused += refused
            told = {finding.attribute: finding.certainty for finding in listed}
            one.tally.rounds.append({"found": told, "refused": refused, "rewritten": False})
            checked = [
                finding._replace(quotes=tuple(quote for quote in finding.quotes if quote in one.text))
                for finding in listed if finding.certainty >= self.certainty
            ]  # fmt: skip
            found.append((one, checked))
        return found

    def _rewritten(self, found: Sequence[tuple[TextInProgress, list[Finding]]]) -> list[TextInProgress]:
        """Those that were rewritten; what was marked in the original is taken out before anybody looks again."""
        questions = [for_text(_REWRITE, one.text, _told(findings)) for one, findings in found]
        failed = [one.tally.failed for one, _ in found]
        answers = self.chat.ask(questions, [one.tally for one, _ in found], framed)
        for (one, _), before, answer in zip(found, failed, answers, strict=True):
            if answer is None:
                one.lost = why_missing(one.tally, before)
            else:
                one.take(answer)
                one.tally.rounds[-1]["rewritten"] = True
        return [one for one, _ in found if one.going]

    def _read(self, answer: str) -> list[Finding]:
        """What an answer found. Raises ValueError for another attribute, certainty or shape than was asked for."""
        listed = json_object(answer).get("found")
        if not isinstance(listed, list):
            raise ValueError("no list")
        found: dict[str, Finding] = {}
        for one in listed:
            if not isinstance(one, dict):
                raise ValueError("no object")
            finding = _finding(one)
            if finding.attribute not in self.attributes:
                raise ValueError("another attribute")
            before = found.get(finding.attribute)
            if before is None or before.certainty < finding.certainty:
                found[finding.attribute] = finding
        return list(found.values())

    @staticmethod
    def dry_run_answer(question: Question) -> str | None:
        """A readable answer to a question of this one, without a model: the attacker finds everything, always."""
        if question.system.startswith(_LOOK):
            names = question.system.removeprefix(_LOOK).rstrip(".").split(", ")
            found = [{"attribute": one, "guess": "something", "certainty": 5, "quotes": []} for one in names]
            return json.dumps({"found": found})
        return answered_text(question) if question.system == _REWRITE else None


def _finding(one: dict[str, Any]) -> Finding:
    attribute, guess, quotes = one.get("attribute"), one.get("guess"), one.get("quotes", [])
    certainty = one.get("certainty")
    if not isinstance(attribute, str) or not isinstance(guess, str | int | float):
        raise ValueError("no attribute or no guess")
    if isinstance(certainty, bool) or not isinstance(certainty, int) or not 1 <= certainty <= 5:
        raise ValueError("no certainty from 1 to 5")
    if not isinstance(quotes, list) or not all(isinstance(quote, str) for quote in quotes):
        raise ValueError("no quotes")
    said = tuple(dict.fromkeys(quote.strip() for quote in quotes if quote.strip()))
    return Finding(" ".join(attribute.casefold().split()), " ".join(str(guess).split()), certainty, said)


def _told(findings: Sequence[Finding]) -> str:
    """What could be told, for the one who rewrites."""
    lines = [
        f"- {one.attribute}: {one.guess}"
        + "".join(f"; it says {json.dumps(quote, ensure_ascii=False)}" for quote in one.quotes)
        for one in findings
    ]
    return "What could be told:\n" + "\n".join(lines) + "\n\n"
