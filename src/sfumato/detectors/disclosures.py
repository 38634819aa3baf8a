"""What people disclose about themselves and others, as a language model lists it (paper 004, Appendix C: first step).

The model copies each disclosure word for word and names its kind; its offsets are looked up here. A quote that is not
in the text letter by letter is refused and counted. The prompt is our own.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from sfumato.abstract.chat import Question
from sfumato.abstract.chat_use import MATERIAL, ChatUse, why_missing
from sfumato.abstract.detector import Detector
from sfumato.abstract.journal import Tally
from sfumato.detectors.merging import merged
from sfumato.detectors.windows import windows
from sfumato.errors import ConfigurationError, InputError
from sfumato.models.chat.answers import json_object
from sfumato.options.option import Option, Part
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
    or cannot be read is an error, as nothing is known about it.
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
        if isinstance(self.kinds, str) or not all(isinstance(kind, str) for kind in self.kinds):
            raise ConfigurationError("The kinds of disclosures are a list of words.")
        object.__setattr__(self, "kinds", tuple(kind.strip().casefold() for kind in self.kinds))
        if not self.kinds or not all(re.fullmatch(r"[^\W\d_][\w -]{0,39}", kind) for kind in self.kinds):
            raise ConfigurationError("The kinds of disclosures are a list of at least one word, such as health.")
        if not isinstance(self.window, int) or not 200 <= self.window <= 1_000_000:
            raise ConfigurationError("A window has 200 to 1,000,000 characters.")

    @property
    def description(self) -> str:
        """Return what is protected."""
        return f"the personal facts that the language model {self._chat.name} lists"

    @property
    def unprotected(self) -> str:
        """Return what is left unprotected."""
        return (
            "everything that the language model does not list, whether it overlooked it or a text talked it out of it"
        )

    @property
    def setting(self) -> str:
        """Return kinds, window, prompt and model."""
        return f"{super().setting} {hashlib.sha256(_ASK.encode()).hexdigest()} {self._chat.name}"

    @property
    def _chat(self) -> ChatUse:
        assert self.chat is not None  # checked when it was made
        return self.chat

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the disclosures of each document. Raise InputError for the first without a usable answer."""
        pieces = [
            (index, *bounds) for index, document in enumerate(documents) if document.text.strip()
            for bounds in windows(document.text, self.window, self.window // 10)
        ]  # fmt: skip
        tallies = [Tally() for _ in documents]
        system = f"{_ASK}{', '.join(self.kinds)}, {OTHER}."
        questions = [
            Question(system, documents[index].text[start:end], most_tokens=512 + (end - start) // 2)
            for index, start, end in pieces
        ]
        answers = self._chat.ask(questions, [tallies[index] for index, _, _ in pieces], self._read)
        spans_of: list[set[Span]] = [set() for _ in documents]
        for (index, _, _), listed in zip(pieces, answers, strict=True):
            for text, kind in listed or ():
                quotes = _occurrences(documents[index].text, text, self._label(kind))
                tallies[index].refused += not quotes
                spans_of[index].update(quotes)
            tallies[index].lost |= listed is None
        for document, tally in zip(documents, tallies, strict=True):
            self._chat.journal.note(document.id, "disclosures", tally)
        for number, tally in enumerate(tallies):
            if tally.lost:
                raise InputError(why_missing(tally, 0), number)
        return [merged(spans) for spans in spans_of]

    def _label(self, kind: str) -> str:
        """Return the label of ``kind``, from a closed list: a kind that the model invents may be private itself."""
        known = kind.strip().casefold()
        return re.sub(r"\W+", "_", (known if known in self.kinds else OTHER).upper())

    @staticmethod
    def _read(answer: str) -> list[tuple[str, str]]:
        """Return text and kind of each disclosure. Raise ValueError for anything but a list of them."""
        listed = json_object(answer).get("disclosures")
        if not isinstance(listed, list):
            raise ValueError("no list")
        disclosures = []
        for item in listed:
            if not isinstance(item, dict) or not isinstance(item.get("text"), str):
                raise ValueError("no text")
            kind = item.get("kind", OTHER)
            if not isinstance(kind, str):
                raise ValueError("no kind")
            disclosures.append((item["text"], kind))
        return disclosures

    @staticmethod
    def dry_run_answer(question: Question) -> str | None:
        """Return a readable answer to a question of its own, without a model: the first words of each sentence."""
        if not question.system.startswith(_ASK):
            return None
        sentences = re.split(r"(?<=[.!?])\s+|\n+", question.user)
        heads = [" ".join(one.split(" ")[:3]) for one in sentences if one.strip()]
        return json.dumps({"disclosures": [{"text": one, "kind": OTHER} for one in dict.fromkeys(heads)]})


def _occurrences(text: str, quote: str, label: str) -> list[Span]:
    """Return where ``quote`` lies in ``text`` letter by letter, as whole words; nowhere without a letter or digit."""
    quote = quote.strip()
    if not any(map(str.isalnum, quote)):
        return []
    starts = (match.start() for match in re.finditer(f"(?={re.escape(quote)})", text))
    bounds = ((start, start + len(quote)) for start in starts)
    return [Span(*span, label) for span in bounds if not any(_in_a_word(text, edge) for edge in span)]


def _in_a_word(text: str, edge: int) -> bool:
    """Return whether ``edge`` lies inside a word; scripts without spaces have no borders to check."""
    return 0 < edge < len(text) and _has_border(text[edge - 1]) and _has_border(text[edge])


def _has_border(sign: str) -> bool:
    """Return whether a word that ends with ``sign`` ends where no other letter follows."""
    return (sign.isalnum() or sign == "_") and not unicodedata.name(sign, "").startswith(_UNSPACED)
