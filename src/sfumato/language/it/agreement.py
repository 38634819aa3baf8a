"""What the words before an output become in Italian, so that they agree with it: "all'ospedale", "in Francia".

Articles, prepositions with one, and "a", "e" and "di" are mended. The gender of an output is that of the lists.
Where they do not say it, the form of an article follows from the sound of the word behind it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sfumato.language.gender import gender_of
from sfumato.language.letter_case import capitalised_like

if TYPE_CHECKING:
    from sfumato.language.language import Language

_START = r"(?:(?<=^)|(?<=[\s(«\"“'’-]))"
_GAP = r"[ \u00a0\u202f]"
_STEMS = {"of": "de", "to": "a", "from": "da", "in": "ne", "on": "su"}
_ENDINGS = {"m": "l ", "o": "llo ", "f": "lla ", "v": "ll'", "p": "i ", "g": "gli ", "q": "lle "}
_FORMS = {
    "the": {"m": "il ", "o": "lo ", "f": "la ", "v": "l'", "p": "i ", "g": "gli ", "q": "le "},
    **{use: {side: stem + ending for side, ending in _ENDINGS.items()} for use, stem in _STEMS.items()},
    "a": {"m": "un ", "o": "uno ", "f": "una ", "v": "un'"},
}
"""By what a word says, and by its side: a man's word, one behind "lo", a woman's, a vowel, and three plurals."""
_USES = {form.strip(" '"): use for use, forms in _FORMS.items() for form in forms.values()}
_BARE = {"a": "to", "ad": "to", "in": "in", "di": "of", "d": "of", "da": "from", "su": "on"}
_ARTICLE = re.compile(
    rf"{_START}(?P<word>{'|'.join(sorted({*_USES, *_BARE}, key=len, reverse=True))})(?:{_GAP}|['’])$", re.IGNORECASE
)
_SAME_VOWEL = re.compile(rf"{_START}(?P<word>[aeo])(?P<d>d?){_GAP}$", re.IGNORECASE)
_HARD = re.compile(r"(?:s[^aeiou\W]|z|gn|ps|pn|x|y|i[aeou])", re.IGNORECASE)
_VOWEL = re.compile(r"h?[aeiouàèéìòù]", re.IGNORECASE)
_DAY = re.compile(r"0?(?P<day>\d{1,2})(?:[°º]|(?!\d))")
_PROPER = re.compile(r"[A-ZÀ-ÖØ-ÞĀ-Ž][^\W\d_]*[a-zß-öø-ž]")


def side_of(gender: str, output: str) -> str:
    """Return which form of an article a word of ``gender`` takes."""
    if gender == "q":
        return "q"
    vowel, hard = _VOWEL.match(output) is not None, _HARD.match(output) is not None
    if gender == "p":
        return "g" if vowel or hard else "p"
    if hard and gender == "m":
        return "o"
    return "v" if vowel and not hard else gender


def with_article(article: str, phrase: str) -> str:
    """Return ``phrase`` behind ``article``, in the form that its beginning asks for."""
    use = _USES.get(article.lower())
    gender = {"il": "m", "un": "m", "la": "f", "una": "f", "i": "p", "le": "q"}.get(article.lower())
    if use is None or gender is None:
        return f"{article} {phrase}"
    side = side_of(gender, phrase)
    if use == "a" and gender == "m" and side == "v":
        side = "m"
    return _FORMS[use][side] + phrase


def agreeing(before: str, output: str, language: Language) -> str | None:
    """Return ``before`` so that it agrees with ``output``; None if it does already, or nothing is known of it."""
    match = _ARTICLE.search(before)
    if match is not None:
        mended = _article(match["word"].lower(), output, language)
        if mended is not None:
            return (
                None
                if _same(match.group(), mended)
                else before[: match.start()] + capitalised_like(mended, match["word"])
            )
    same = _SAME_VOWEL.search(before)
    if same is None or not output[:1].isalpha():
        return None
    is_same = output[0].lower() == same["word"].lower()
    if is_same == bool(same["d"]) or (same["d"] and _VOWEL.match(output)):
        return None
    return f"{before[: same.end('word')]}{'d' if is_same else ''} "


def _same(old: str, new: str) -> bool:
    """Return whether ``old`` says ``new`` with another blank, apostrophe or case."""
    return " ".join(old.replace("’", "'").split()).lower() == new.strip().lower()


def _article(word: str, output: str, language: Language) -> str | None:
    """Return what ``word``, an article or a preposition, becomes before ``output``; None if that is not known."""
    land = language.places.gender_of(output)
    if land:
        return _before_land(word, land, output)
    if word in _BARE:
        return _bare(word, output, language)
    use = _USES[word]
    gender = gender_of(output, language) or _gender_of_day(output)
    if gender:
        side = "v" if gender == "v" else side_of(gender, output)
        if use == "a" and side == "v":
            side = "m" if gender == "m" else "v"
        return _FORMS[use].get(side)
    if use in _STEMS and _may_be_town(output, language):  # a town behind what was a country
        return _before_town(use, output)
    if use == "the" and word in ("il", "lo", "l") and not output[:1].isdecimal():
        return _FORMS[use][side_of("m", output)]
    return None


def _bare(word: str, output: str, language: Language) -> str | None:
    if word == "in" and _may_be_town(output, language):  # "in Francia", but "a Parigi"
        return _before_town("to", output)
    if word == "d" and not _VOWEL.match(output):
        return "di "
    return None


def _before_town(use: str, output: str) -> str:
    if use in ("to", "in"):
        return "ad " if output[:1] in "aA" else "a "
    return {"of": "di ", "from": "da ", "on": "su "}[use]


def _before_land(word: str, gender: str, name: str) -> str | None:
    """Return a word before a country or a region, which has an article of its own."""
    use, side = _USES.get(word) or _BARE[word], side_of(gender, name)
    if use in ("in", "to"):
        return "in " if gender in "mf" and " " not in name and side != "o" else _FORMS["in"][side]
    return _FORMS[use].get(side)


def _may_be_town(output: str, language: Language) -> bool:
    """Return whether ``output`` is a name, and no institution by its words, no day and no month."""
    from sfumato.language.it.dates import DATES

    if not _PROPER.match(output):
        return False
    first = output.split()[0]
    is_date = any(names.is_full(first) for names in (DATES.months, DATES.weekdays, DATES.seasons))
    return not is_date and not language.institutions.sector_of(output)


def _gender_of_day(output: str) -> str:
    """Return the side of a date: "l'8 marzo", "il 5 marzo", "la domenica"; "" for any other text."""
    from sfumato.language.it.dates import DATES

    match = _DAY.match(output)
    if match is not None:
        return "v" if match["day"] in ("8", "11") else "m"
    first = output.split()[0].rstrip(",.") if output.strip() else ""
    if DATES.weekdays.is_full(first):
        return "f" if DATES.weekdays.number(first) == 6 else "m"
    if DATES.months.is_full(first):
        return "m"
    return "" if not DATES.seasons.is_full(first) else "f" if DATES.seasons.number(first) < 2 else "m"
