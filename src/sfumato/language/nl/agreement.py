"""What the words before an output become in Dutch, so that they agree with it: "het ziekenhuis" and "de kliniek".

The gender of an output is that of the lists. A place with an article has it behind a preposition: "in de Verenigde
Staten".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sfumato.language.gender import gender_of
from sfumato.language.letter_case import capitalised_like

if TYPE_CHECKING:
    from sfumato.language.language import Language

_PAIRS = {"de": "het", "deze": "dit", "die": "dat", "onze": "ons", "elke": "elk", "welke": "welk"}
"""By the word before "de" words, that before "het" words."""
_NEUTER = {other: word for word, other in _PAIRS.items()} | {"'t": "de", "t": "de"}
_PLACES = "in uit van naar door voor over bij"
_ENDS = re.compile(
    rf"(?:(?<=^)|(?<=[\s(„\"“'’-]))(?:(?P<before>[^\W\d_]+)[ \u00a0])?"
    rf"(?P<word>['’]t|{'|'.join([*_PAIRS, *_PAIRS.values(), *_PLACES.split()])})[ \u00a0]$",
    re.IGNORECASE,
)
_PROPER = re.compile(r"(?:'s-)?[A-ZÀ-ÖØ-ÞĀ-Ž][^\W\d_]*[a-zß-öø-ž]")


def agreeing(before: str, output: str, language: Language) -> str | None:
    """Return ``before`` so that it agrees with ``output``; None if it does already, or nothing is known of it."""
    match = _ENDS.search(before)
    if match is None:
        return None
    word = match["word"].lower().replace("’", "'")
    land = language.places.gender_of(output)
    if word in _PLACES.split():
        return None if not land else f"{before}{'het' if land == 'n' else 'de'} "
    gender = land or gender_of(output, language)
    if not gender:
        return _bare(before, match, output, language)
    mended = _PAIRS.get(word) if gender == "n" else _NEUTER.get(word)
    if mended is None:
        return None
    return f"{before[: match.start('word')]}{capitalised_like(mended, match['word'])} "


def _bare(before: str, match: re.Match[str], output: str, language: Language) -> str | None:
    """Return ``before`` without the article that a place without one has not."""
    preposition = (match["before"] or "").lower()
    is_name = _PROPER.match(output) and not language.institutions.sector_of(output)
    if is_name and preposition in ("in", "uit", "naar") and match["word"].lower() in ("de", "het"):
        return before[: match.start("word")]
    return None
