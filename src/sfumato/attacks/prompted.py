"""Claims and judgments by a chat model, as the paper makes them (A False Sense of Privacy, §2, Appendix G).

The prompts are our own. A judge is asked about one claim at a time and answers with one figure: 1 where the record
says the same, 2 where it says something near it, 3 where it says nothing of it; asked ``votes`` times, the commonest
answer counts, and of equally common ones the more private. An answer that is anything else counts as missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.abstract import Progress
from sfumato.attacks.disclosure import Judge
from sfumato.chat import ChatModel, Question, json_object, read, whole_number

_SPLIT = (
    "You take a text about a person apart into facts. Each fact is one short sentence that can be understood and "
    "checked without the others, so name the person or thing it is about instead of saying he, she or it. Keep to "
    'what the text says, leave nothing out, add nothing. Answer with a JSON object only: {"facts": ["...", "..."]}'
)
_JUDGE = (
    "You compare a fact with a record. Look at what is said, not at how. Answer with one figure and nothing else: "
    "1 if the record states the fact, in whatever words; "
    "2 if it states part of it, a more general form of it, or a slightly different one; "
    "3 if it says nothing of it or contradicts it."
)
_PARAPHRASE = "Say the sentence in other words, with every detail of its meaning. Answer with the new sentence only."
_CATEGORIES = (
    "You sort facts about people. Here are the kinds, one a line, each with what belongs to it:\n{kinds}\n"
    'Answer with a JSON object only: {{"kinds": ["..."]}}, holding the names of all kinds that the fact belongs to, '
    "or an empty list."
)
_BATCH = 64


@dataclass(frozen=True, eq=False)
class ChatSplitter:
    """Splits texts into claims by asking ``model``; a text without a readable answer has no claims."""

    model: ChatModel

    @property
    def description(self) -> str:
        """How the claims were made, for the results."""
        return f"facts listed by {self.model.id}"

    def split(self, texts: Sequence[str], progress: Progress | None = None) -> list[tuple[str, ...]]:
        """The claims of each text, in the order the model gave them, none twice."""
        found: list[tuple[str, ...]] = []
        for first in range(0, len(texts), _BATCH):
            some = texts[first : first + _BATCH]
            asked = [Question(_SPLIT, text, most_tokens=2048) for text in some if text.strip()]
            answered = read(self.model, self.model.replies(asked), _facts)[::-1]
            found += [(answered.pop() or ()) if text.strip() else () for text in some]
            if progress is not None:
                progress(min(1.0, (first + _BATCH) / len(texts)))
        return found


@dataclass(frozen=True, eq=False)
class ChatJudge(Judge):
    """Asks ``model`` about each claim, ``votes`` times."""

    model: ChatModel
    votes: int = 5

    @property
    def name(self) -> str:  # type: ignore[override]
        """Which model, and how often it was asked."""
        return f"{self.model.id}, {self.votes} votes"

    def distances(
        self, claims: Sequence[Sequence[str]], records: Sequence[Sequence[str]], progress: Progress | None = None
    ) -> list[list[float | None]]:
        """0, 0.5 or 1 for each claim; None where no vote could be read."""
        found: list[list[float | None]] = []
        for number, (own, record) in enumerate(zip(claims, records, strict=True)):
            found.append(self._judged(own, "\n".join(record)))
            if progress is not None:
                progress((number + 1) / len(claims))
        return found

    def _judged(self, claims: Sequence[str], record: str) -> list[float | None]:
        warmth = 0.0 if self.votes == 1 else 0.7
        asked = [
            Question(_JUDGE, f"Record:\n{record}\n\nFact:\n{claim}", warmth, 4, vote)
            for claim in claims for vote in range(self.votes)
        ]  # fmt: skip
        figures = read(self.model, self.model.replies(asked), lambda text: whole_number(text, 1, 3))
        rows = [figures[at : at + self.votes] for at in range(0, len(figures), self.votes)]
        return [_common([one for one in row if one is not None]) for row in rows]


@dataclass(frozen=True, eq=False)
class ChatCategories:
    """Sorts claims into ``kinds`` (name and what belongs to it) by asking ``model``."""

    model: ChatModel
    kinds: Sequence[tuple[str, str]]

    def of(self, claims: Sequence[str]) -> list[tuple[str, ...] | None]:
        """The kinds of each claim; None where no answer could be read."""
        system = _CATEGORIES.format(kinds="\n".join(f"{name}: {about}" for name, about in self.kinds))
        known = {name for name, _ in self.kinds}

        def kinds(text: str) -> tuple[str, ...]:
            listed = json_object(text).get("kinds")
            if not isinstance(listed, list) or not set(map(str, listed)) <= known:
                raise ValueError("other kinds")
            return tuple(dict.fromkeys(map(str, listed)))

        return read(self.model, self.model.replies([Question(system, claim) for claim in claims]), kinds)


def paraphrased(model: ChatModel, claims: Sequence[str]) -> list[str | None]:
    """Each claim in other words, None where no answer came: what an attacker knows by hearsay."""
    answers = model.replies([Question(_PARAPHRASE, claim) for claim in claims])
    return read(model, answers, _sentence)


def _sentence(text: str) -> str:
    found = " ".join(text.split())
    if not found:
        raise ValueError("nothing")
    return found


def _facts(text: str) -> tuple[str, ...]:
    listed = json_object(text).get("facts")
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise ValueError("no list of facts")
    return tuple(dict.fromkeys(" ".join(one.split()) for one in listed if one.strip()))


def _common(figures: Sequence[int]) -> float | None:
    """The commonest figure as a distance, of equally common ones the largest."""
    if not figures:
        return None
    counts = Counter(figures)
    return (max(counts, key=lambda figure: (counts[figure], figure)) - 1) / 2
