"""What the words before an output become in French, so that they agree with it: "à Paris", "au Maroc", "d'Anne".

Only short words are mended: articles, prepositions with one, and words that lose their vowel. The gender of an output
is that of the lists. Where they do not say it, an article stays, and only its vowel is looked at.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sfumato.language.fr.elision import elides
from sfumato.language.gender import gender_of
from sfumato.language.letter_case import capitalised_like

if TYPE_CHECKING:
    from sfumato.language.language import Language

_START = r"(?:(?<=^)|(?<=[\s(«\"“'’-]))"
_GAP = r"[ \u00a0\u202f]"
_LOSING = re.compile(
    rf"{_START}(?P<stem>d|qu|n|s|j|m|t|c|lorsqu|puisqu|quoiqu)(?:(?P<full>e)(?P<gap>{_GAP})|['’])$", re.IGNORECASE
)
_CLEAR = ("d", "qu", "lorsqu", "puisqu", "quoiqu")
"""Words whose full form is known; "s'" may be "se" or "si"."""
_ARTICLE = re.compile(
    rf"{_START}(?P<word>de{_GAP}la|de{_GAP}l|à{_GAP}la|à{_GAP}l|du|des|aux|au|les|le|la|l|une|un|cette|cet|ces|ce|en|à|de|d)"
    rf"(?:{_GAP}|['’])$",
    re.IGNORECASE,
)
_FORMS = {
    "the": {"m": "le ", "f": "la ", "v": "l'", "p": "les "},
    "of": {"m": "du ", "f": "de la ", "v": "de l'", "p": "des "},
    "to": {"m": "au ", "f": "à la ", "v": "à l'", "p": "aux "},
    "a": {"m": "un ", "f": "une ", "v": "", "p": "des "},
    "this": {"m": "ce ", "f": "cette ", "v": "cet ", "p": "ces "},
}
"""By what a word says, and by the gender; before a vowel both genders have one form, except for "cet" and "cette"."""
_USES = {
    **dict.fromkeys(("le", "la", "l", "les"), "the"),
    **dict.fromkeys(("du", "de la", "de l", "des"), "of"),
    **dict.fromkeys(("au", "à la", "à l", "aux"), "to"),
    **dict.fromkeys(("un", "une"), "a"),
    **dict.fromkeys(("ce", "cet", "cette", "ces"), "this"),
    **{"en": "in", "à": "at", "de": "from", "d": "from"},
}
_WITH_ARTICLE = ("République", "Réunion", "Barbade", "Dominique", "Guadeloupe", "Martinique")
"""Countries and islands whose name keeps its article behind "de"."""
_PROPER = re.compile(r"[A-ZÀ-ÖØ-ÞĀ-Ž][^\W\d_]*[a-zß-öø-ž]")
"""A name with a capital and small letters, which is no row of initials."""


def agreeing(before: str, output: str, language: Language) -> str | None:
    """Return ``before`` so that it agrees with ``output``; None if it does already, or nothing is known of it."""
    match = _ARTICLE.search(before)
    if match is not None:
        mended = _article(" ".join(match["word"].lower().split()), output, language)
        if mended is not None:
            return (
                None
                if _same(match.group(), mended)
                else before[: match.start()] + capitalised_like(mended, match["word"])
            )
    losing = _LOSING.search(before)
    if losing is None or elides(output) is (losing["full"] is None):
        return None
    stem = losing["stem"]
    if losing["full"] is not None:
        return f"{before[: losing.start()]}{stem}'"
    if stem.lower() not in _CLEAR:
        return None
    return f"{before[: losing.start()]}{stem}{'E' if stem.isupper() and len(stem) > 1 else 'e'} "


def _same(old: str, new: str) -> bool:
    """Return whether ``old`` says ``new`` with another blank, apostrophe or case."""
    return " ".join(old.replace("’", "'").split()).lower() == new.strip().lower()


def _article(word: str, output: str, language: Language) -> str | None:
    """Return what ``word``, an article or a preposition, becomes before ``output``; None if that is not known."""
    use = _USES[word]
    place = language.places.gender_of(output)
    if place:
        return _before_land(use, place, output)
    if use in ("at", "from"):
        return None if use == "at" else ("d'" if elides(output) else "de ")
    gender = gender_of(output, language)
    if gender:
        return None if use == "in" else _before_noun(use, gender, output)
    if output[:1].isdecimal() or not _PROPER.match(output):
        return None
    if use == "in" or (use == "to" and word in ("au", "aux")):  # a town behind what was a country
        return "à " if _may_be_town(output, language) else None
    if word == "du" and _may_be_town(output, language):
        return "d'" if elides(output) else "de "
    if word in ("le", "la", "l") and use == "the":
        return "l'" if elides(output) else None if word != "l" else "le "
    return None


def _may_be_town(output: str, language: Language) -> bool:
    """Return whether ``output`` is no institution by its words, and no day."""
    from sfumato.language.fr.dates import DATES

    first = output.split()[0]
    is_date = DATES.months.is_full(first) or DATES.weekdays.is_full(first)
    return not is_date and not language.institutions.sector_of(output)


def _before_land(use: str, gender: str, name: str) -> str | None:
    """Return a word before a country or a region, which has an article of its own."""
    vowel = elides(name)
    if gender == "f" and name.startswith(_WITH_ARTICLE) and use in ("of", "from"):
        return "de la "
    if use in ("in", "to", "at"):
        return "aux " if gender == "p" else "au " if gender == "m" and not vowel else "en "
    if use in ("of", "from"):
        return "des " if gender == "p" else "du " if gender == "m" and not vowel else "d'" if vowel else "de "
    return _before_noun(use, gender, name)


def _before_noun(use: str, gender: str, output: str) -> str | None:
    forms = _FORMS[use]
    if gender == "p" or not elides(output) or use == "a" or (use == "this" and gender == "f"):
        return forms.get(gender)
    return forms["v"]
