"""WORD: any word, and any phrase that no other kind reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Annotated, ClassVar, Literal

from sfumato.errors import ConfigurationError
from sfumato.kinds.phrases.embedded import Phrases, clean
from sfumato.kinds.phrases.phrase import Meaning, Phrase
from sfumato.language.en.words import GRAMMAR
from sfumato.language.languages import ENGLISH
from sfumato.options.option import Option

_ENGLISH = re.compile(r"a|i|[^\W\d_]{2,}(?:'[^\W\d_]+)?")
_WANTED = 13_000
_CLOSED, _OPEN = "closed class", "open class"


@dataclass(frozen=True)
class Word(Phrase):
    """Common English words and whole numbers, in small letters.

    In another language, texts are read, and no word is drawn.

    Words that end in "'s" are no values: the form holds this ending, for names and for "it's" alike. An article is a
    word of its own.

    With ``classes`` "open-closed", function words ("with", "they") and all other words are two domains: the class of
    each word stays visible, and the release reads more like a text.
    """

    classes: Annotated[
        Literal["one", "open-closed"], Option("open-closed: function words become function words, which shows")
    ] = "one"
    name: ClassVar[str] = "WORD"
    packages: ClassVar[tuple[str, ...]] = ("wordfreq",)
    articles: ClassVar[bool] = False
    default: ClassVar[str] = "thing"

    def __post_init__(self) -> None:
        if self.classes not in ("one", "open-closed"):
            raise ConfigurationError("The classes of words are one or open-closed.")

    @property
    def grains(self) -> tuple[str, ...]:
        """Return the domains: one of all words, or one of each class."""
        return ("word",) if self.classes == "one" else (_OPEN, _CLOSED)

    def listed(self, grain: str) -> Phrases:
        """Return the most common words of a class, without the offensive ones."""
        tokens, left_out = _listed() if self.language == ENGLISH.code else Phrases((), 0)
        return Phrases(tuple(token for token in tokens if self.grain_of(token) == grain), left_out)

    def grain_of(self, phrase: str) -> str:
        """Return the only grain, or the class of ``phrase``."""
        if self.classes == "one":
            return "word"
        return _CLOSED if phrase.lower() in GRAMMAR else _OPEN

    def _listed_meaning(self, phrase: str) -> Meaning | None:
        meaning = super()._listed_meaning(phrase)
        return None if meaning is None else meaning._replace(grain=self.grain_of(meaning.value))


@lru_cache(maxsize=1)
def _listed() -> Phrases:
    return clean((word for word in words() if not word.endswith("'s")), _WANTED)


def words() -> Iterator[str]:
    """Yield whole numbers and years, then English words from the most common on, in lower case.

    wordfreq lists the words; "don't" is one word. Numbers are included because a text that is replaced word by word
    holds them too.
    """
    import wordfreq

    yield from map(str, chain(range(1000), range(1900, 2040)))
    yield from filter(_ENGLISH.fullmatch, wordfreq.iter_wordlist("en", wordlist="large"))
