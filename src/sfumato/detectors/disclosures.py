"""What people tell about themselves and others, as a language model lists it (paper 004, Appendix C: its first step).

The model says what it found word for word, and with which kind; where that stands is looked up here. What does not
stand in the text like that is refused and counted. The prompt is our own.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from sfumato.abstract.asking import MATERIAL, ChatUse, why_missing
from sfumato.abstract.chat import Question
from sfumato.abstract.detector import Detector
from sfumato.abstract.journal import Tally
from sfumato.abstract.options import Option, Part
from sfumato.detectors.merging import merged
from sfumato.detectors.windows import windows
from sfumato.errors import ConfigurationError, InputError
from sfumato.models.chat.strict_answers import json_object
from sfumato.text.document import Document
from sfumato.text.marks import Span, Spans

KINDS = (
    *("name", "age", "sex", "location", "occupation", "education", "relationship", "family", "income", "origin"),
    *("health", "belief", "appearance", "date", "contact", "possession", "event"),
)
OTHER = "other"
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
_ASK = (
    "You list what a text gives away about people: every phrase by which somebody could learn who or what they are, "
    "where and how they live, or what happened to them. Copy each phrase letter by letter, as short as it can be "
    f"without losing what it tells. {MATERIAL}"
    'Answer with a JSON object only: {"disclosures": [{"text": "...", "kind": "..."}]}, with an empty list where '
    "there is nothing. A kind is one of: "
)


@dataclass(frozen=True)
class Disclosures(Detector):
    """The personal facts that ``chat`` finds, each labelled with one of ``kinds`` in capitals, or OTHER.

    Long texts are shown in windows of ``window`` characters that overlap by a tenth. A text whose answer is missing
    or cannot be read is an error, as nothing is known of it.
    """

    chat: Annotated[ChatUse | None, Part("the language model that is asked")] = field(
        default=None, repr=False, compare=False
    )
    kinds: Annotated[tuple[str, ...], Option("kinds of facts that are looked for")] = KINDS
    needs: ClassVar[tuple[str, ...]] = ("chat",)
    window: Annotated[int, Option("characters of a long text that are shown at once")] = 6000

    def __post_init__(self) -> None:
        if self.chat is None:
            raise ConfigurationError("Disclosures are found by a language model; name one with --chat-model.")
        if isinstance(self.kinds, str) or not all(isinstance(one, str) for one in self.kinds):
            raise ConfigurationError("The kinds of disclosures are a list of words.")
        object.__setattr__(self, "kinds", tuple(one.strip().casefold() for one in self.kinds))
        if not self.kinds or not all(re.fullmatch(r"[^\W\d_][\w -]{0,39}", one) for one in self.kinds):
            raise ConfigurationError("The kinds of disclosures are a list of at least one word, such as health.")
        if not isinstance(self.window, int) or not 200 <= self.window <= 1_000_000:
            raise ConfigurationError("A window has 200 to 1,000,000 characters.")

    @property
    def description(self) -> str:
        """What is protected."""
        return f"the personal facts that the language model {self._chat.name} lists"

    @property
    def unprotected(self) -> str:
        """What stays as it stands."""
        return (
            "everything that the language model does not list, whether it overlooked it or a text talked it out of it"
        )

    @property
    def setting(self) -> str:
        """Kinds, window, prompt and model."""
        return f"{super().setting} {hashlib.sha256(_ASK.encode()).hexdigest()} {self._chat.name}"

    @property
    def _chat(self) -> ChatUse:
        assert self.chat is not None  # checked when it was made
        return self.chat

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """The disclosures of each document; raises InputError for the first of which nothing is known."""
        pieces = [
            (at, *bounds) for at, document in enumerate(documents) if document.text.strip()
            for bounds in windows(document.text, self.window, self.window // 10)
        ]  # fmt: skip
        tallies = [Tally() for _ in documents]
        system = f"{_ASK}{', '.join(self.kinds)}, {OTHER}."
        questions = [
            Question(system, documents[at].text[start:end], most_tokens=512 + (end - start) // 2)
            for at, start, end in pieces
        ]
        answers = self._chat.ask(questions, [tallies[at] for at, _, _ in pieces], self._read)
        found: list[set[Span]] = [set() for _ in documents]
        for (at, _, _), listed in zip(pieces, answers, strict=True):
            for text, kind in listed or ():
                spans = _places(documents[at].text, text, self._label(kind))
                tallies[at].refused += not spans
                found[at].update(spans)
            tallies[at].lost |= listed is None
        for document, tally in zip(documents, tallies, strict=True):
            self._chat.journal.note(document.id, "disclosures", tally)
        for number, tally in enumerate(tallies):
            if tally.lost:
                raise InputError(why_missing(tally, 0), number)
        return [merged(spans) for spans in found]

    def _label(self, kind: str) -> str:
        """The label of ``kind``: from a closed list, as what a model calls a kind may be private itself."""
        known = kind.strip().casefold()
        return re.sub(r"\W+", "_", (known if known in self.kinds else OTHER).upper())

    @staticmethod
    def _read(answer: str) -> list[tuple[str, str]]:
        """Text and kind of each disclosure. Raises ValueError for anything but a list of them."""
        listed = json_object(answer).get("disclosures")
        if not isinstance(listed, list):
            raise ValueError("no list")
        found = []
        for one in listed:
            if not isinstance(one, dict) or not isinstance(one.get("text"), str):
                raise ValueError("no text")
            kind = one.get("kind", OTHER)
            if not isinstance(kind, str):
                raise ValueError("no kind")
            found.append((one["text"], kind))
        return found

    @staticmethod
    def dry_run_answer(question: Question) -> str | None:
        """A readable answer to a question of this one, without a model: the first words of each sentence."""
        if not question.system.startswith(_ASK):
            return None
        sentences = re.split(r"(?<=[.!?])\s+|\n+", question.user)
        heads = [" ".join(one.split(" ")[:3]) for one in sentences if one.strip()]
        return json.dumps({"disclosures": [{"text": one, "kind": OTHER} for one in dict.fromkeys(heads)]})


def _places(text: str, quote: str, label: str) -> list[Span]:
    """Where ``quote`` stands in ``text`` letter by letter, as whole words; nowhere if it says nothing."""
    quote = quote.strip()
    if not any(map(str.isalnum, quote)):
        return []
    starts = (match.start() for match in re.finditer(f"(?={re.escape(quote)})", text))
    places = ((start, start + len(quote)) for start in starts)
    return [Span(*place, label) for place in places if not any(_in_a_word(text, at) for at in place)]


def _in_a_word(text: str, at: int) -> bool:
    """Whether one word stands on both sides of ``at``; scripts without spaces have no borders to ask for."""
    return 0 < at < len(text) and _has_border(text[at - 1]) and _has_border(text[at])


def _has_border(sign: str) -> bool:
    """Whether a word that ends with ``sign`` ends where no other letter stands."""
    return (sign.isalnum() or sign == "_") and not unicodedata.name(sign, "").startswith(_UNSPACED)
