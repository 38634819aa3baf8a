"""What the words before an output become in Portuguese, so that they agree with it: "do Porto", "em Lisboa".

Articles, words that join one to a preposition, and demonstratives are mended, and prepositions before a place. The
gender of an output is that of the lists. An article before the name of a person stays: it says the sex of the person,
who is given a name of that sex.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sfumato.language.accents import any_accents, plain
from sfumato.language.gender import gender_of
from sfumato.language.letter_case import capitalised_like

if TYPE_CHECKING:
    from sfumato.language.language import Language

_SIDES = "mfpq"
_BARE = {"of": "de", "in": "em", "to": "a", "by": "por"}
_FORMS: Mapping[str, Mapping[str, str]] = {
    use: dict(zip(_SIDES, forms.split(), strict=True))
    for use, forms in {
        **{"the": "o a os as", "of": "do da dos das", "in": "no na nos nas", "to": "ao à aos às"},
        **{"by": "pelo pela pelos pelas", "a": "um uma uns umas", "in a": "num numa nuns numas"},
        **{"of a": "dum duma duns dumas", "this": "este esta estes estas", "in this": "neste nesta nestes nestas"},
        **{"of this": "deste desta destes destas", "that": "esse essa esses essas"},
        **{"yon": "aquele aquela aqueles aquelas"},
        **{"in that": "nesse nessa nesses nessas", "of that": "desse dessa desses dessas"},
        **{"in yon": "naquele naquela naqueles naquelas", "of yon": "daquele daquela daqueles daquelas"},
        **{"to yon": "àquele àquela àqueles àquelas", "our": "nosso nossa nossos nossas"},
    }.items()
}  # fmt: skip
"""By what a word says, and by the gender of the word behind it: a man's, a woman's, and their plurals."""
_USES = {form: use for use, forms in _FORMS.items() for form in forms.values()}
_PREPOSITIONS = {bare: use for use, bare in _BARE.items()}
_WORDS = sorted({*_USES, *_PREPOSITIONS}, key=len, reverse=True)
_START = r"(?:(?<=^)|(?<=[\s(«\"“'’-]))"
_ENDS = re.compile(rf"{_START}(?P<word>{any_accents('|'.join(_WORDS))})[ \u00a0\u202f]$", re.IGNORECASE)
_STREETS = {
    **dict.fromkeys(
        ("rua", "avenida", "praça", "praceta", "travessa", "alameda", "estrada", "calçada", "ladeira"), "f"
    ),
    **dict.fromkeys(("largo", "beco", "caminho", "bairro"), "m"),
}
"""The genders of words that begin the name of a street."""
_TOWARDS = re.compile(
    r"\b(?:vai|vou|vamos|vão|ia|ir|foi|fui|foram|irá|veio|vir|vinha|cheg\w+|regress\w+|volt\w+|retorn\w+|viaj\w+|viagem"
    r"|viagens|ida|idas|desloc\w+|desloc\w+-se|dirig\w+|transferid[oa]|enviad[oa]|levad[oa]|quanto|devido|visita|até)\s+$",
    re.IGNORECASE,
)
"""Words behind which "a" is the preposition: "foi a Lisboa", and not the article: "conhece a Suíça"."""


def agreeing(before: str, output: str, language: Language) -> str | None:
    """Return ``before`` so that it agrees with ``output``; None if it does already, or nothing is known of it."""
    match = _ENDS.search(before)
    if match is None:
        return None
    land = language.places.gender_of(output)
    if land:
        return _mended(before, match, _before_place(before, match, land))
    word = _word(match)
    gender = gender_of(output, language) or ("" if word == "a" else _gender_of_first_word(output))
    return _mended(before, match, _FORMS[_USES[word]][gender]) if gender and word in _USES else None


def article_before(before: str, name: str, takes_one: bool, language: Language) -> str:
    """Return ``before``, the text before the place ``name``, with the article that it takes, or without one."""
    match = _ENDS.search(before)
    if match is None or takes_one:
        return (agreeing(before, name, language) if takes_one else None) or before
    word = _word(match)
    use = _USES.get(word, "")
    if use not in ("the", *_BARE) or word == "a":
        return before
    return before[: match.start()] if use == "the" else _mended(before, match, _BARE[use]) or before


def _word(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFC", match["word"].lower())


def _before_place(before: str, match: re.Match[str], gender: str) -> str:
    """Return the word before a place that has an article of ``gender``."""
    word = _word(match)
    if word == "a":  # an article or a preposition
        return _FORMS["to" if _TOWARDS.search(before, 0, match.start()) else "the"][gender]
    return _FORMS[_PREPOSITIONS.get(word) or _USES[word]][gender]


def _mended(before: str, match: re.Match[str], word: str) -> str | None:
    """Return ``before`` with ``word`` at its end, in the case of the word there; None if it is there already."""
    if _word(match) == word:
        return None
    return f"{before[: match.start()]}{capitalised_like(word, match['word'])}{before[match.end('word') :]}"


def _gender_of_first_word(output: str) -> str:
    """Return the gender of a street, a weekday or a season: "o sábado", "a segunda-feira"; "" for any other text."""
    from sfumato.language.pt.dates import DATES

    word = re.split(r"[ ,.;]", output, maxsplit=1)[0]
    if word.lower() in _STREETS:
        return _STREETS[word.lower()]
    first = plain(word)
    if DATES.weekdays.is_full(first):
        return "f" if DATES.weekdays.number(first) < 5 else "m"
    return "" if not DATES.seasons.is_full(first) else "f" if DATES.seasons.number(first) == 0 else "m"
