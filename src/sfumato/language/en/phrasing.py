"""How an English phrase is written in a text: "a" or "an", plurals by rule, "'s" or "s'"."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from sfumato.language.en.articles import article as indefinite
from sfumato.language.en.grammar import plural, possessive, singulars, uncased
from sfumato.language.phrasing import Cut, Phrasing

_ARTICLE = regex.compile(r"(?:the|The|THE|an?|An?|AN) (?=\S)")
_POSSESSIVE = regex.compile(r"(?<=[sS])(['’])$|(?<=[\w.])(['’])[sS]$")


class EnglishPhrasing(Phrasing):
    """English phrases."""

    def cuts(self, text: str, articles: bool) -> Iterator[Cut]:
        """Yield ``text`` with and without its article and its possessive, whole first."""
        start = _ARTICLE.match(text) if articles else None
        for first, rest in [("", text)] + ([(start.group().strip(), text[start.end() :])] if start else []):
            yield Cut(first, rest, "")
            mark = _POSSESSIVE.search(rest)
            if mark is not None:
                yield Cut(first, rest[: mark.start()], f"{mark.group()[0]}s")

    def use_of(self, article: str, gender: str) -> str:
        """Return the article in small letters, "a" for "an"."""
        return "a" if article.lower() == "an" else article.lower()

    def written(self, phrase: str, use: str, ending: str, gender: str, is_plural: bool) -> str:
        """Return ``phrase`` with its article and the possessive ``ending``."""
        written = possessive(phrase, ending, is_plural) if ending else phrase
        first = indefinite(phrase) if use == "a" else use
        return f"{first} {written}" if first else written

    def plural(self, phrase: str) -> str:
        """Return the plural of ``phrase``."""
        return plural(phrase)

    def singulars(self, phrase: str) -> tuple[str, ...]:
        """Return the phrases whose plural is ``phrase``, and which look different."""
        return singulars(phrase)

    def uncased(self, text: str, proper: bool) -> str:
        """Return ``text``, which no list holds, as a list might hold it."""
        return uncased(text, proper)


PHRASING = EnglishPhrasing()
